"""A value in another layout: permutations, and reshapes to and from blocks of channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.types import Dim
from relax_dialect.ops.blocked_layouts import Layout, parse_layout
from relax_dialect.ops.manipulate import PermuteDimsOp, ReshapeOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.symbolic import Expr, const, exact_quotient, floordiv

Add = Callable[[Operation], object]
"""Places an op."""


def relayout(value: SSAValue, source: str, target: str, add: Add) -> SSAValue:
    """The value of one layout in another one of the same axes; all its sizes are known.

    `NCHW` to `NCHW16c` is a reshape to [n, c floordiv 16, 16, h, w] and a permutation, which has one more
    check at run time if 16 is not known to divide c. An axis of size 1 has one block of size 1.
    """
    old, new = parse_layout(source), parse_layout(target)
    assert old is not None and new is not None
    if old == new:
        return value
    if old.blocks:
        value = _permuted(value, old.merging, add)
        value = _reshaped(value, _merged(_sizes(value), old), add)
    value = _permuted(value, [old.plain.index(letter) for letter in new.plain], add)
    if new.blocks:
        value = _reshaped(value, _split(_sizes(value), new), add)
        value = _permuted(value, new.splitting, add)
    return value


def _sizes(value: SSAValue) -> list[Expr]:
    sizes: Sequence[Dim] = tensor_type(value).shape or ()
    return [size for size in sizes if size is not None]


def _merged(sizes: Sequence[Expr], layout: Layout) -> list[Expr]:
    """The sizes of axes, each followed by its block, without blocks."""
    rest = iter(sizes)
    pairs = [(next(rest), next(rest) if d in layout.blocks else const(1)) for d in layout.plain]
    return [size * block for size, block in pairs]


def _split(sizes: Sequence[Expr], layout: Layout) -> list[Expr]:
    """The sizes of axes without blocks, each followed by its block."""
    found: list[Expr] = []
    for letter, size in zip(layout.plain, sizes):
        block = layout.blocks.get(letter)
        if block is None:
            found.append(size)
        elif size.value == 1:
            found += [size, size]
        else:
            exact = exact_quotient(size, const(block))
            found += [floordiv(size, block) if exact is None else exact, const(block)]
    return found


def _permuted(value: SSAValue, axes: Sequence[int], add: Add) -> SSAValue:
    if [*axes] == [*range(len(axes))]:
        return value
    add(new := PermuteDimsOp(value, [*axes]))
    return new.result


def _reshaped(value: SSAValue, shape: Sequence[Expr], add: Add) -> SSAValue:
    new = ReshapeOp(value, shape)
    shape_op = new.operands[1].owner
    assert isinstance(shape_op, Operation)
    add(shape_op)
    add(new)
    return new.result
