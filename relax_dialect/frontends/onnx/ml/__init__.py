"""Converters of the domain ai.onnx.ml, a file for each operator family: classical
machine learning on numbers."""

DOMAIN = "ai.onnx.ml"
