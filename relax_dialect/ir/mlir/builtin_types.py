"""Tensor types of the graph as builtin ones, and back."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.utils.exceptions import VerifyException

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType


def builtin_sizes(dims: Dims) -> list[int]:
    """Return dimensions as builtin shaped types have them: sizes that are not constant are dynamic."""
    constants = (None if d is None else d.value for d in dims)
    return [DYNAMIC_INDEX if size is None else size for size in constants]


def to_builtin(type: TensorType) -> BuiltinTensorType:
    """Return the builtin tensor type that holds the same values; dimensions that are no constants are
    `?`."""
    if type.shape is None or type.dtype is None:
        raise VerifyException(
            f"{type} has no builtin tensor type: expected a known rank and element type; "
            "insert a relax.match_cast to a type that has both"
        )
    return BuiltinTensorType(type.dtype, builtin_sizes(type.shape))


def from_builtin(type: BuiltinTensorType) -> TensorType:
    """Return the Relax type of a builtin tensor; its dynamic dimensions are unknown."""
    return TensorType.get(
        tuple(None if s == DYNAMIC_INDEX else symbolic.const(s) for s in type.get_shape()),
        type.get_element_type(),
    )
