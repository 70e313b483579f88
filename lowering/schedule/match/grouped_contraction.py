"""Contractions of integers whose sums are scaled by group: rows and weights with scales of their own.

linalg.generic {(i, g, k, b), (g, k, b, j), (i, g), (i, g), (g, j) -> (i, j)} ins(%x, %w, %t, %s, %v)
  %p = ext(%x) * ext(%w) : i32             or ext(%x0) * (ext(%w) & 15) + ext(%x1) * (ext(%w) >> 4)
  %out + (float(%p) - %t * zero) * (%s * %v)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i8
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.match.byte_products import extended_byte, is_unsigned_byte
from lowering.schedule.match.contraction import (
    Contraction,
    Operand,
    arguments_of,
    epilogue_of,
    walked_operands,
    zeros_before,
)

HALF = i8.width.data // 2
"""The bits of a number of which a byte has two."""


@dataclass(frozen=True)
class ByteProduct:
    """The product of a signed byte and of an unsigned one, or of a half of that."""

    signed: int
    """The number of the body's argument."""
    unsigned: int
    shift: int | None = None
    """The lowest bit of the half; None for a whole byte."""


@dataclass(frozen=True)
class GroupedBody:
    """A body `total + (float(products) - correction) * scale`."""

    products: Sequence[ByteProduct]
    converted: arith.SIToFPOp
    correction: SSAValue
    scale: SSAValue

    @property
    def is_in_halves(self) -> bool:
        return all(each.shift is not None for each in self.products)

    @property
    def bytes(self) -> set[int]:
        """The numbers of the arguments that are bytes."""
        return {n for each in self.products for n in (each.signed, each.unsigned)}


def grouped_body(block: Block) -> GroupedBody | None:
    """Return the parts of a body of that form."""
    *_, total = block.args
    match block.last_op:
        case linalg.YieldOp(operands=(SSAValue(owner=arith.AddfOp(lhs=lhs, rhs=term)),)):
            pass
        case _:
            return None
    if lhs is not total or len(list(total.uses)) != 1:
        return None
    match term.owner:
        case arith.MulfOp(
            lhs=SSAValue(
                owner=arith.SubfOp(
                    lhs=SSAValue(owner=arith.SIToFPOp() as converted), rhs=correction
                )
            ),
            rhs=scale,
        ):
            products = _products(converted.input)
        case _:
            return None
    if not products or not all(map(_is_plain, block.ops)):
        return None
    found = GroupedBody(products, converted, correction, scale)
    own = arguments_of(correction) | arguments_of(scale)
    return found if own.isdisjoint({*found.bytes, total.index}) else None


def _is_plain(op: Operation) -> bool:
    return not op.regions and op.dialect_name() in ("arith", "builtin", "linalg")


def _products(value: SSAValue) -> list[ByteProduct]:
    """Return the products that a number is the sum of; empty for another number."""
    match value.owner:
        case arith.AddiOp(lhs=left, rhs=right):
            parts = [_products(side) for side in (left, right)]
            return [*parts[0], *parts[1]] if all(parts) else []
        case arith.MuliOp(lhs=left, rhs=right):
            signed, unsigned, shift = extended_byte(left), *_half(right)
        case _:
            return []
    if not isinstance(signed, BlockArgument) or not isinstance(unsigned, BlockArgument):
        return []
    if is_unsigned_byte(signed) or not is_unsigned_byte(unsigned):
        return []
    return [ByteProduct(signed.index, unsigned.index, shift)]


def _half(value: SSAValue) -> tuple[SSAValue | None, int | None]:
    """Return the byte that a number is, or is a half of, and the lowest bit of the half."""
    match value.owner:
        case arith.AndIOp(lhs=byte, rhs=mask) if _number(mask) == (1 << HALF) - 1:
            return extended_byte(byte), 0
        case arith.ShRSIOp(lhs=byte, rhs=count) if _number(count) == HALF:
            return extended_byte(byte), HALF
        case _:
            return extended_byte(value), None


def _number(value: SSAValue) -> int | None:
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            return number.data
        case _:
            return None


@dataclass(frozen=True)
class GroupedContraction(Contraction):
    """`c[.., row, column] = sum over groups of scaled sums of a[.., row, depths] * b[depths, column]`."""

    depths: Sequence[int] = ()
    """The loops that reduce, outermost first."""
    is_in_halves: bool = False
    """Whether a byte of the right operand has two factors, of 4 bits."""


def find(op: Operation) -> GroupedContraction | None:
    """Return the contraction that an op is, if it starts from zeros."""
    if not isinstance(op, linalg.GenericOp) or len(op.outputs) != 1:
        return None
    if (body := grouped_body(op.body.block)) is None or (fill := zeros_before(op)) is None:
        return None
    operands = walked_operands(op)
    if operands is None or any(None in operand.loops for operand in operands):
        return None
    return _with_roles(op, fill, operands, body)


def _with_roles(
    op: linalg.GenericOp, fill: linalg.FillOp, operands: Sequence[Operand], body: GroupedBody
) -> GroupedContraction | None:
    *inputs, out = operands
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    depths = [loop for loop, kind in enumerate(kinds) if kind == "reduction"]
    column, rows = out.last, [loop for loop in out.loops[:-1] if loop is not None]
    weights = {each.unsigned for each in body.products}
    lefts = [inputs[each.signed] for each in body.products]
    is_aliased = viewed_memref(out.value) in {viewed_memref(o.value) for o in inputs}
    if is_aliased or column is None or not rows or len(depths) < 2 or len(weights) != 1:
        return None
    right = inputs[weights.pop()]
    if any(left.last != depths[-1] or {*left.loops} != {*rows, *depths} for left in lefts):
        return None
    if right.last != column or {*right.loops} != {column, *depths}:
        return None
    *batch, row = rows
    after = tuple(epilogue_of(op, out.value))
    return GroupedContraction(
        op, fill, lefts[0], right, out, tuple(batch), row, column, depths[-1], after, depths,
        body.is_in_halves,
    )  # fmt: skip


def is_grouped_product(op: linalg.GenericOp) -> bool:
    """Return whether an op is such a contraction."""
    return find(op) is not None
