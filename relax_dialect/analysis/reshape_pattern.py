"""Whether a prim func only reshapes: its result holds the elements of its input in the same order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.prim.signature import SYMBOL, attribute_dicts, signature
from relax_dialect.symbolic import Expr, const, floordiv, floormod, var

_VIEWS = (tensor.CastOp, tensor.CollapseShapeOp, tensor.ExpandShapeOp, tensor.ReshapeOp)
_SUMS: dict[type[Operation], Callable[[Expr, Expr], Expr]] = {
    arith.AddiOp: lambda x, y: x + y,
    arith.MuliOp: lambda x, y: x * y,
    arith.SubiOp: lambda x, y: x - y,
}
_DIVISIONS: dict[type[Operation], Callable[[Expr, Expr], Expr]] = {
    arith.DivSIOp: floordiv,
    arith.DivUIOp: floordiv,
    arith.FloorDivSIOp: floordiv,
    arith.RemSIOp: floormod,
    arith.RemUIOp: floormod,
}
"""Equivalent for operands that are not negative."""


def has_reshape_pattern(func: FuncOp) -> bool:
    """Return whether a prim func on tensors is proved to be a reshape, flatten, squeeze, or similar.

    For each element, the linear index of the read is proved to equal that of the write. The analysis is
    conservative: it may return False for a reshape.
    """
    try:
        found = signature(func)
        if len(found.params) != 1 or len(found.results) != 1 or func.is_declaration:
            return False
        return _reshapes(func, found.params[0], found.results[0])
    except RelaxError:  # no prim func, or sizes too large to be written
        return False


def _reshapes(func: FuncOp, before: TensorType, after: TensorType) -> bool:
    last = func.body.blocks[-1].last_op
    if len(func.body.blocks) != 1 or not isinstance(last, ReturnOp) or not last.operands:
        return False  # loops, or a function that writes to its last argument
    value = last.operands[0]
    while isinstance(value, OpResult) and isinstance(value.op, _VIEWS):
        value = value.op.operands[0]
    if isinstance(value, BlockArgument):
        return True
    old, new = _known(before), _known(after)
    generic = value.owner
    return (
        value is last.operands[0]
        and isinstance(generic, GenericOp)
        and len(generic.outputs) == 1
        and all(kind.data.value == "parallel" for kind in generic.iterator_types)
        and old is not None
        and new is not None
        and symbolic.product(old) is symbolic.product(new)
        and _keeps_positions(func, generic, old, new)
    )


def _known(type: TensorType) -> list[Expr] | None:
    """Return the sizes of a tensor, if all of them are known."""
    sizes = [size for size in type.shape or () if size is not None]
    return sizes if type.shape is not None and len(sizes) == len(type.shape) else None


def _keeps_positions(func: FuncOp, op: GenericOp, old: Sequence[Expr], new: Sequence[Expr]) -> bool:
    """Return whether each element is read at the position at which it is written."""
    maps: list[AffineMap] = [attribute.data for attribute in op.indexing_maps]
    names = {name for size in (*old, *new) for name in size.free_variables}
    longer = "i" * (1 + max(map(len, names), default=0))  # than any of them, so no size's name
    counters = [var(f"{longer}{n}") for n in range(maps[0].num_dims)]
    for result, size in zip(maps[-1].results, new, strict=True):
        if size.value == 1 and isinstance(result, AffineDimExpr):
            counters[result.position] = const(0)
    values = _indices(func, old, op.body.block, counters)
    assert op.body.block.last_op is not None
    element = op.body.block.last_op.operands[0]
    if isinstance(element, BlockArgument) and element.index < len(op.inputs):
        source, read = op.inputs[element.index], _mapped(maps[element.index], counters)
    elif isinstance(element, OpResult) and isinstance(element.op, tensor.ExtractOp):
        source, read = element.op.tensor, [values.get(i) for i in element.op.indices]
    else:
        return False
    if not isinstance(source, BlockArgument) or source.block is not func.body.block:
        return False
    position = _position(read, old)
    return position is not None and position is _position(_mapped(maps[-1], counters), new)


def _mapped(map: AffineMap, counters: Sequence[Any]) -> list[Expr | None]:
    return [symbolic.as_expr(result.eval(counters, [])) for result in map.results]


def _position(indices: Sequence[Expr | None], sizes: Sequence[Expr]) -> Expr | None:
    """Return the position in memory of an element, written without `mod`: x mod c = x - c * (x floordiv
    c)."""
    position = const(0)
    for index, size in zip(indices, sizes, strict=True):
        if index is None:
            return None
        position = position * size + index.fold(const, var, _without_mod)
    return position


def _without_mod(name: str, x: Expr, y: Expr) -> Expr:
    match name:
        case "+":
            return x + y
        case "*":
            return x * y
        case "mod":
            return x - y * _quotient(x, y)
        case "floordiv":
            return _quotient(x, y)
        case "min":
            return symbolic.minimum(x, y)
        case "max":
            return symbolic.maximum(x, y)
        case _:
            return symbolic.broadcast(x, y)


def _quotient(x: Expr, y: Expr) -> Expr:
    """Return x floordiv y, where (x floordiv a) floordiv y is x floordiv (a * y): divisors are sizes."""
    while (atom := x.atom) is not None and atom.kind == "floordiv":
        x, y = atom.args[0], atom.args[1] * y
    return floordiv(x, y)


def _indices(
    func: FuncOp, sizes: Sequence[Expr], body: Block, counters: Sequence[Expr]
) -> dict[SSAValue, Expr]:
    """Return the indices and sizes in a prim func as expressions, as far as they can be written."""
    found: dict[SSAValue, Expr] = {}
    for argument, attributes in zip(
        func.args, attribute_dicts(func.arg_attrs, len(func.args)), strict=True
    ):
        if isinstance(symbol := attributes.get(SYMBOL), StringAttr):
            found[argument] = var(symbol.data)
    for op in (*func.body.block.ops, *body.ops):
        value = _value(op, [found.get(operand) for operand in op.operands], sizes, counters)
        if value is not None:
            found[op.results[0]] = value
    return found


def _value(
    op: Operation, operands: Sequence[Expr | None], sizes: Sequence[Expr], counters: Sequence[Expr]
) -> Expr | None:
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return const(op.value.value.data)
    if isinstance(op, IndexOp):
        return counters[op.dim.value.data]
    if isinstance(op, tensor.DimOp):
        axis = None if operands[1] is None else operands[1].value
        is_input = isinstance(op.source, BlockArgument)
        return sizes[axis] if is_input and axis is not None and axis < len(sizes) else None
    if len(operands) != 2 or operands[0] is None or operands[1] is None:
        return None
    x, y = operands[0], operands[1]
    if (compute := _SUMS.get(type(op))) is not None:
        return compute(x, y)
    low, least = x.bounds()[0], y.bounds()[0]
    if (compute := _DIVISIONS.get(type(op))) is None or low is None or least is None:
        return None
    return compute(x, y) if low >= 0 and least >= 0 and y.value != 0 else None
