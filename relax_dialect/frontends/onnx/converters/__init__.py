"""Converters of ONNX's operators, a file for each of our operator families; `Node` documents their
argument."""
