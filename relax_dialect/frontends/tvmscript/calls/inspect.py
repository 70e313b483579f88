"""`R.inspect`: facts of a tensor that its type states, as numbers and sizes.

Tensors are row-major and begin with their memory, so strides follow from the sizes and offsets are 0.
Unknown sizes get names by an `R.match_cast`; an unknown rank or element type is refused: no value holds it
at run time. A fact is a 64-bit integer, as any size, unless a result declares another one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from xdsl.dialects.builtin import AnyFloat, BFloat16Type, IntegerType, Signedness
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.calls.arguments import Special, argument
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said
from relax_dialect.frontends.tvmscript.script_values import ScriptScalar
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.promotion import width
from relax_dialect.ops.type_rules import is_bool
from relax_dialect.symbolic import Expr

INT, UINT, FLOAT, BFLOAT = 0, 1, 2, 4
"""DLPack's codes of element types, `DLDataTypeCode`."""
BOOL = 6


def _inspected(
    reader: Expressions, node: ast.Call, fact: str, known: Callable[[TensorType], bool]
) -> TensorType:
    """Return the type of the inspected tensor, whose fact is known."""
    of = argument(node, 0, "x")
    type = reader.value(of, reader.read(of)).type
    if not isinstance(type, TensorType) or not known(type):
        raise Unreadable(
            of,
            f"expected a tensor of known {fact}, found {type}; declare it, or insert an R.match_cast: the "
            "fact is read from the type",
        )
    return type


def _code(dtype: Attribute) -> int:
    if is_bool(dtype):
        return BOOL
    if isinstance(dtype, IntegerType):
        return UINT if dtype.signedness.data == Signedness.UNSIGNED else INT
    return BFLOAT if isinstance(dtype, BFloat16Type) else FLOAT


def _bits(dtype: Attribute) -> int:
    return 8 if is_bool(dtype) else width(dtype)


def _of_dtype(fact: Callable[[Attribute], int], reader: Expressions, node: ast.Call) -> int:
    """Read a fact of the element type."""
    type = _inspected(
        reader, node, "element type", lambda t: isinstance(t.dtype, AnyFloat | IntegerType)
    )
    assert type.dtype is not None
    return fact(type.dtype)


def _ndim(reader: Expressions, node: ast.Call) -> int:
    type = _inspected(reader, node, "rank", lambda t: t.shape is not None)
    return len(type.shape or ())


def _offset(reader: Expressions, node: ast.Call) -> int:
    """Read the offset of a tensor in its memory."""
    _inspected(reader, node, "type", lambda _: True)
    return 0


def _of_axis(stride: bool, reader: Expressions, node: ast.Call) -> Any:
    """Read the size or the stride of one axis."""
    dims = _named_sizes(
        reader, node, _inspected(reader, node, "rank", lambda t: t.shape is not None)
    )
    at = argument(node, 1, "axis")
    found = reader.read(at)
    axis = found.value if isinstance(found, ScriptScalar) else found
    if type(axis) is not int or not 0 <= axis < len(dims):
        raise Unreadable(
            at,
            f"expected an axis from 0 to {len(dims) - 1} as a number, found {said(found)}; write one",
        )
    return symbolic.product(dims[axis + 1 :]) if stride else dims[axis]


def _named_sizes(reader: Expressions, node: ast.Call, type: TensorType) -> Sequence[Expr]:
    """Return the sizes of the inspected tensor; unknown ones are matched to new variables."""
    taken = set(reader.builder.defined_variables)
    dims: list[Expr] = []
    for size in type.shape or ():
        if size is None:
            size = symbolic.var(unique_name("size", taken))
            taken.add(str(size))
        dims.append(size)
    if None in (type.shape or ()):
        of = argument(node, 0, "x")
        value = reader.value(of, reader.read(of)).value
        reader.made(node, MatchCastOp(value, TensorType(dims, type.dtype)))
    return dims


CALLS: Mapping[str, Special] = {
    "inspect.tensor_ndim": _ndim,
    "inspect.tensor_shape_i": partial(_of_axis, False),
    "inspect.tensor_stride_i": partial(_of_axis, True),
    "inspect.tensor_byte_offset": _offset,
    "inspect.tensor_elem_offset": _offset,
    "inspect.tensor_dtype_code": partial(_of_dtype, _code),
    "inspect.tensor_dtype_bits": partial(_of_dtype, _bits),
    "inspect.tensor_dtype_lanes": partial(_of_dtype, lambda _: 1),
}
