"""Which `linalg.generic` is a convolution of an image, channels first, and filters of known sizes.

linalg.generic {(n, k, y, x, c, r, s): image (n, c, y + r, x + s), filters (k, c, r, s) -> (n, k, y, x)}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    AnyFloat,
    MemRefType,
    NoneAttr,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineExpr,
    AffineMap,
)

from lowering.schedule.contraction import (
    epilogue_of,
    loops_of,
    multiplies_and_adds,
    walked,
    zeros_before,
)

FEWEST = 4
"""The fewest filters that are worth copying windows for."""


@dataclass(frozen=True)
class Convolution:
    """`out[n, k, y, x] += image[n, c, y * step + r * dilation, ...] * filters[k, c, r, s]`."""

    op: linalg.GenericOp
    fill: linalg.FillOp
    image: SSAValue
    filters: SSAValue
    out: SSAValue
    map: AffineMap
    """From the loops (n, k, positions, c, places) to the image."""
    epilogue: tuple[linalg.GenericOp, ...]

    @property
    def extents(self) -> Sequence[int]:
        """The sizes of the result, negative where they are not known."""
        assert isinstance(self.out.type, MemRefType)
        return self.out.type.get_shape()

    @property
    def element(self) -> AnyFloat:
        assert isinstance(self.out.type, MemRefType)
        element = self.out.type.element_type
        assert isinstance(element, AnyFloat)
        return element


def find(op: Operation) -> Convolution | None:
    """The convolution that an op is, if the sizes of its filters are known."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    if not multiplies_and_adds(op) or (fill := zeros_before(op)) is None:
        return None
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    rank = len(maps[2].results)
    positions, places = range(2, rank), range(rank + 1, 2 * rank - 1)
    filters = (1, rank, *places)
    image, weights = op.inputs
    if rank < 3 or walked(maps[2]) != tuple(range(rank)) or walked(maps[1]) != filters:
        return None
    expected = [0, rank, *zip(positions, places)]
    found = [loops_in(expr) for expr in maps[0].results]
    if len(op.get_iterator_types()) != 2 * rank - 1 or found != [
        {e} if isinstance(e, int) else set(e) for e in expected
    ]:
        return None
    types = [v.type for v in (image, weights, op.outputs[0])]
    if not all(isinstance(t, MemRefType) and isinstance(t.layout, NoneAttr) for t in types):
        return None
    shape: tuple[int, ...] = weights.type.get_shape()  # pyright: ignore
    if min(shape) < 0 or shape[0] < FEWEST:
        return None
    epilogue = tuple(epilogue_of(op, op.outputs[0], _is_collapsible))
    return Convolution(op, fill, image, weights, op.outputs[0], maps[0], epilogue)


def loops_in(expr: AffineExpr) -> set[int]:
    """The loops that a subscript is a sum of, each times a number; none if it is anything else."""
    parts = [part for part in expr.post_order() if isinstance(part, AffineBinaryOpExpr)]
    is_sum = all(part.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul) for part in parts)
    return expr.used_dims() if is_sum and step_of(expr) == 0 else set()


def step_of(expr: AffineExpr, loop: int | None = None) -> int:
    """What a subscript is where one loop stands at 1, the others at 0."""
    count = max(expr.used_dims(), default=0) + 1
    return AffineMap(count, 0, (expr,)).eval([int(d == loop) for d in range(count)], [])[0]


def _is_collapsible(op: linalg.GenericOp) -> bool:
    """Whether every operand has all positions of the result one after the other, or none of them."""
    rank = len(op.get_iterator_types())
    positions = tuple(range(2, rank))
    for value, loops in loops_of(op):
        if not isinstance(value.type, MemRefType):
            continue
        own = tuple(loop for loop in loops if loop is not None and loop >= 2)
        if own and (len(loops) != rank or loops[2:] != positions):
            return False
        if own and not isinstance(value.type.layout, NoneAttr):
            return False
    return True
