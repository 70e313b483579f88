"""Attributes compared by their bits: 0.0 and -0.0 are two, and a NaN equals itself."""

from __future__ import annotations

import struct
from collections.abc import Hashable

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr
from xdsl.ir import Attribute


def bits(attribute: Attribute) -> Hashable:
    """Return a key that is equal only for attributes of the same bits: 0.0 and -0.0 differ."""
    if isinstance(attribute, FloatAttr):
        return attribute.type, struct.pack("<d", attribute.value.data)
    if isinstance(attribute, ArrayAttr):
        return ArrayAttr, tuple(map(bits, attribute.data))
    if isinstance(attribute, DictionaryAttr):
        return DictionaryAttr, tuple((k, bits(v)) for k, v in sorted(attribute.data.items()))
    return attribute
