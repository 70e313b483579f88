"""Contractions whose right operand is decoded as it is read: narrow weights, with scales and zero points.

linalg.generic {(i, g, k), (g, k, j), (g, j) -> (i, j)} ins(%x, %w, %scale : f32, i8, f32)
  %out + %x * (float(%w) * %scale)        rows: i, columns: j, depth: g and k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.match.contraction import (
    Contraction,
    Operand,
    arguments_of,
    computes,
    epilogue_of,
    walked_operands,
    zeros_before,
)


@dataclass(frozen=True)
class DecodedContraction(Contraction):
    """`c[.., row, column] = sum over depths of a[.., row, depths] * decoded(b[depths, column], ...)`."""

    decoded: Sequence[int] = ()
    """The numbers of the inputs that the right factor is decoded from."""
    depths: Sequence[int] = ()
    """The loops that reduce, outermost first."""


def find(op: Operation) -> DecodedContraction | None:
    """Return the contraction with a decoded right operand that an op is, if it starts from zeros."""
    if not isinstance(op, linalg.GenericOp) or len(op.outputs) != 1 or len(op.inputs) < 2:
        return None
    number = left_factor(op.body.block)
    if number is None or number >= len(op.inputs) or (fill := zeros_before(op)) is None:
        return None
    operands = walked_operands(op)
    if operands is None or any(None in operand.loops for operand in operands):
        return None
    return _with_roles(op, fill, operands, number)


def _with_roles(
    op: linalg.GenericOp, fill: linalg.FillOp, operands: Sequence[Operand], number: int
) -> DecodedContraction | None:
    *inputs, out = operands
    left, decoded = inputs[number], [n for n in range(len(inputs)) if n != number]
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    depths = [loop for loop, kind in enumerate(kinds) if kind == "reduction"]
    column, own = out.last, {loop for n in decoded for loop in inputs[n].loops}
    rows = [loop for loop in out.loops if loop != column]
    right = next((inputs[n] for n in decoded if inputs[n].last == column), None)
    is_aliased = viewed_memref(out.value) in {viewed_memref(o.value) for o in inputs}
    if is_aliased or right is None or column is None or not rows or not depths:
        return None
    if column in left.loops or not own <= {column, *depths} or left.last != depths[-1]:
        return None
    if {*left.loops} != {*rows, *depths}:
        return None
    *batch, row = [loop for loop in rows if loop is not None]
    after = tuple(epilogue_of(op, out.value))
    return DecodedContraction(
        op, fill, left, right, out, tuple(batch), row, column, depths[-1], after, decoded, depths
    )


def left_factor(block: Block) -> int | None:
    """Return the number of the argument that a body multiplies by a factor decoded from narrower ones, and
    adds to its last argument; None for another body."""
    *_, total = block.args
    ops = list(block.ops)
    product, added, end = ops[-3:] if len(ops) > 3 else (None,) * 3
    is_sum = isinstance(product, arith.MulfOp) and isinstance(added, arith.AddfOp)
    if not is_sum or not isinstance(end, linalg.YieldOp) or not isinstance(total.type, Float32Type):
        return None
    assert isinstance(product, arith.MulfOp) and isinstance(added, arith.AddfOp)
    is_last = {added.lhs, added.rhs} == {total, product.result} and [*end.operands] == [
        added.result
    ]
    if not is_last or total.first_use is None or len(list(total.uses)) != 1:
        return None
    if not all(map(computes, ops[:-1])):
        return None
    for factor, other in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        found, own = arguments_of(factor), arguments_of(other)
        types = [block.args[n].type for n in own]
        is_decoded = all(isinstance(t, Float32Type | IntegerType) for t in types)
        if len(found) == 1 and found.isdisjoint(own) and is_decoded and {*types} != {total.type}:
            return next(iter(found))
    return None


def is_narrow_product(op: linalg.GenericOp) -> bool:
    """Return whether an op is such a contraction."""
    return find(op) is not None
