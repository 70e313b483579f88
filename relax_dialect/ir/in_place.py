"""Parameters that are overwritten by results for external callers.

relax.func @f(%x: T, %w: T) -> tuple<T, T> attributes {inplace_indices = array<i64: 1, -1>}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, TupleType, i64
from xdsl.ir import Attribute, Operation

from relax_dialect.ir.types import TensorType, leaf_types
from relax_dialect.ir.walk import is_private

IN_PLACE = "inplace_indices"


def in_place(function: Operation) -> Sequence[int]:
    """Return for each field of a function's result the index of the parameter that it overwrites, or -1;
    empty for a function that overwrites none."""
    found = function.attributes.get(IN_PLACE)
    return found.get_values() if isinstance(found, DenseArrayBase) else ()  # pyright: ignore


def fields_of(output: Attribute) -> Sequence[Attribute]:
    """Return the results of a function: the fields of a tuple, or the single result."""
    return output.types.data if isinstance(output, TupleType) else (output,)


def wrong_in_place(function: Operation, inputs: Sequence[Attribute], output: Attribute) -> str:
    """Return the error in a function's in-place attribute, or "" if it is valid."""
    attribute = function.attributes.get(IN_PLACE)
    if attribute is None:
        return ""
    fields, indices = fields_of(output), in_place(function)
    most = len(inputs) - 1
    named = [i for i in indices if i != -1]
    if (
        not isinstance(attribute, DenseArrayBase)
        or len(indices) != len(fields)
        or any(not 0 <= i <= most for i in named)
        or len(set(named)) < len(named)
    ):
        found = list(indices) if isinstance(attribute, DenseArrayBase) else attribute
        return (
            f"expected {IN_PLACE} to have a parameter's number or -1 for each of {len(fields)} results, "
            f"none twice (C4), found {found}; parameters are counted from 0 to {most}"
        )
    for field, index in zip(fields, indices):
        if index == -1:
            continue
        if field != inputs[index]:
            return (
                f"expected a result of the type of parameter {index}, {inputs[index]}, over which it is "
                f"written (C4), found {field}; correct the result type, or {IN_PLACE}"
            )
        if not all(map(_is_known, leaf_types(field))):
            return (
                f"expected tensors of known rank and element type to be written over (C4), found {field}; "
                "write -1 for what is no such tensor, nor a tuple of them"
            )
    if is_private(function):
        return (
            f"expected {IN_PLACE} of a function that is called from outside (C4), found a private one; "
            "leave it out: inside the module values never change"
        )
    return ""


def keep_in_place(function: Operation, places: Mapping[int, int]) -> None:
    """Remap a function's in-place indices to the new parameter indices; removed parameters are no longer
    overwritten."""
    if indices := in_place(function):
        kept = [places.get(index, -1) for index in indices]
        function.attributes[IN_PLACE] = in_place_attribute(kept)


def in_place_attribute(indices: Sequence[int]) -> Attribute:
    """Return the in-place attribute of a function."""
    return DenseArrayBase.from_list(i64, indices)


def _is_known(type: Attribute) -> bool:
    """Return whether it is a tensor whose sizes and elements memory may have."""
    return isinstance(type, TensorType) and type.shape is not None and type.dtype is not None
