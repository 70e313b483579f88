"""Models of one node over random operators, opsets, attributes, element types, sizes and values.

ONNX Runtime is the peer: where it has a result, the interpreter and C, all of a batch in one file, have the
same. A family of `draws` says what the attributes and inputs of its operators may be.
"""

from .comparing import batch

__all__ = ["batch"]
