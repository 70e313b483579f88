"""Converters of the domain com.microsoft, one file for each operator family: ONNX Runtime's own operators.

The package onnx has no definitions of them, so their defaults are in the converters.
"""

DOMAIN = "com.microsoft"
