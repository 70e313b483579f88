"""Constants: numbers in the text, tensors in the script's metadata or as parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from relax_dialect.frontends.tvmscript.writing.metadata_writer import (
    KEY,
    SavedTensor,
    metadata_text,
)
from relax_dialect.frontends.tvmscript.writing.type_writer import Unwritable, dtype_name
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.storage import bit_width, is_storage

_SPELLED = frozenset(
    {"bool", "float16", "float32", "float64"}
    | {f"{s}int{w}" for s in ("", "u") for w in (8, 16, 32, 64)}
)
"""The element types whose numbers are written in the text."""


@dataclass
class Constants:
    """The tensors that the text names so far."""

    places: dict[DenseIntOrFPElementsAttr, int] = field(default_factory=dict)

    def text(self, value: DenseIntOrFPElementsAttr) -> str:
        """Write a constant as an expression of a script."""
        element = value.get_element_type()
        if is_storage(element) and bit_width(element) < 8:
            raise Unwritable(
                f"expected elements of at least a byte, found {element}; cast the constant to a wider type"
            )
        dtype = dtype_name(element)
        if not value.get_shape() and dtype in _SPELLED:
            number = from_dense(value).item()
            if not isinstance(number, float) or math.isfinite(number):
                return f'R.const({number!r}, "{dtype}")'
        return f'metadata["{KEY}"][{self.places.setdefault(value, len(self.places))}]'

    @property
    def metadata(self) -> str:
        """The header of the script; empty if it names no tensor."""
        return metadata_text(map(saved, self.places)) if self.places else ""


def saved(value: DenseIntOrFPElementsAttr) -> SavedTensor:
    """Convert a constant to TVM's saved form."""
    array = np.ascontiguousarray(from_dense(value))
    return SavedTensor(dtype_name(value.get_element_type()), value.get_shape(), array.tobytes())
