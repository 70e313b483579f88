"""Constants of storage types as memory holds them."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from relax_dialect.ir.storage import bit_width


def packed_constant(dense: DenseIntOrFPElementsAttr) -> np.ndarray:
    """Return the bytes of a constant of a storage type, whose elements xDSL holds in a byte each."""
    width = bit_width(dense.get_element_type())
    places = 8 // width
    count = int(np.prod(dense.get_shape(), dtype=object))
    codes = np.frombuffer(dense.data.data, np.uint8) & np.uint8((1 << width) - 1)
    rows = np.zeros((-(-count // places), places), np.uint8)
    rows.reshape(-1)[:count] = codes
    return np.bitwise_or.reduce(rows << (width * np.arange(places, dtype=np.uint8)), 1)
