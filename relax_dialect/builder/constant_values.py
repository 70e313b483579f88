"""Python's numbers and numpy's arrays as constants of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue

from relax_dialect.builder.open_regions import BuildError
from relax_dialect.builder.values import Expression, element_type
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import MLIR_NAMES, dense_bytes, mask_error
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.number_operands import Number, dense_number, tensor_sibling


def is_number(value: object) -> bool:
    """Return whether a value is a Python number that takes the element type of its neighbour."""
    return isinstance(value, Number)


def scalar(value: Number, dtype: Attribute) -> ConstantOp:
    """Return a constant of rank 0; refuses a number that the element type does not hold."""
    if (elements := dense_number(value, dtype)) is None:
        raise BuildError(
            f"expected a number of element type {dtype}, found {value!r}; convert the tensor with "
            ".astype, or write another number"
        )
    return ConstantOp(elements)


def type_like(value: Number, siblings: Sequence[object]) -> Attribute:
    """Return the element type of a number: that of the tensor it is combined with."""
    type = tensor_sibling(value, [s.type for s in siblings if isinstance(s, SSAValue)])
    if type is not None and type.dtype is not None:
        return type.dtype
    if type is not None:
        raise BuildError(
            f"expected a tensor of known element type next to the number {value!r}, found {type}; "
            'narrow it with match_cast, or write const(..., "float32")'
        )
    raise BuildError(
        f"expected a tensor next to the number {value!r}, found none; write "
        'const(..., "float32") for a constant of its own'
    )


def named_type(
    make: Any, position: int, arguments: Sequence[Any], attributes: Mapping[str, Any]
) -> Attribute | None:
    """Return the element type of a number used as an operand, or None if it is that of its neighbours: the
    op's `NUMBERS` name the type, or the argument that determines it."""
    if not (table := getattr(make, "NUMBERS", None)):
        return None
    parameters = dict(list(signature(make.__init__).parameters.items())[1:])
    names = list(parameters)
    if (named := table.get(names[position])) is None:
        return None
    if named not in parameters:
        return element_type(named)
    given = dict(zip(names, arguments)) | dict(attributes)
    dtype = given.get(named, parameters[named].default)
    if dtype is None:
        value = arguments[position]
        raise BuildError(
            f"{make.name}: expected an element type with the number {value!r}, found none; state it as "
            f'{named}="float32", or write const({value!r}, "float32")'
        )
    return element_type(dtype)


def array(value: np.ndarray[Any, Any] | np.generic) -> ConstantOp:
    """Return an array as a constant of its shape and element type."""
    if wrong := mask_error(value):
        raise BuildError(f"constant array: {wrong}")
    data = np.asarray(value)
    width = 8 * data.dtype.itemsize
    name = {"f": f"f{width}", "i": f"i{width}", "u": f"ui{width}", "b": "i1"}.get(data.dtype.kind)
    if data.dtype.name == "bfloat16":
        name = "bf16"
    name = MLIR_NAMES.get(data.dtype.name, name)
    try:
        dtype = parse_dtype(name or str(data.dtype))
    except SymbolicError as error:
        raise BuildError(f"constant array: {error}; convert it with .astype") from None
    tensor: Any = TensorType(dtype, np.shape(value))
    content: Any = dense_bytes(data)
    return ConstantOp(DenseIntOrFPElementsAttr(tensor, BytesAttr(content)))


def const(value: object, dtype: Attribute | str | None = None) -> Expression:
    """Return a constant to emit or to compute with: `const(2.0, "float32")`, `const(numpy_array)`."""
    if is_number(value):
        if dtype is None:
            raise BuildError(
                f"const({value!r}): expected an element type with a number, found none; write "
                f'const({value!r}, "float32")'
            )
        element = element_type(dtype)
        return Expression(lambda: scalar(value, element), ())  # pyright: ignore
    if dtype is not None:
        raise BuildError(
            f"const: expected no element type with {type(value).__name__}, found {dtype}; "
            "an array has its own, convert it with .astype"
        )
    return Expression(lambda: array(np.asanyarray(value)), ())


def require_dense(value: object = None) -> None:
    """Refuse anything but a dense attribute in `op.constant`."""
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise BuildError(
            f"op.constant: expected a dense attribute, found {value!r}; write const(value) for an "
            'array and const(value, "float32") for a number'
        )
