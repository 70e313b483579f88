"""skip_zeros: iterations of loops separated, each without the products of zeros (as in sparse tensor
compilers)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.ir.affine import AffineDimExpr

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand
from lowering.schedule.primitives.base import Primitive

MOST = 64
"""The most iterations that are unrolled."""


@dataclass(frozen=True)
class SkipZeros(Primitive):
    """Unroll the iterations of some loops, and leave out multiplications by zeros of a constant.

        linalg.generic {(d0, d1, d2)} ins(%x, %w) outs(%c[2, 14])      // %w[1, 1] is 0, d2 reduces
    ->  with skip_zeros(in1, d0)
        linalg.generic {(d1, d2)} ins(%x, %w[0, 0] [1, 2]) outs(%c[0, 0] [1, 14])
        linalg.generic {(d1, d2)} ins(%x, %w[1, 0] [1, 1]) outs(%c[1, 0] [1, 14])

    Iterations at the ends of reduction loops are left out if all of the constant is zero there. The
    elements they would multiply are not read, so that infinities and NaN in them do not count.

    Refused: an operand that some call computes, or that is read by sums of loops; loops that are named
    twice, reduce, have been tiled, or have an unknown trip count, or too large a one.
    """

    NAME: ClassVar = "skip_zeros"

    operands_and_loops: tuple[str, ...]

    def apply(self, kernel: Kernel) -> None:
        name, *names = self.operands_and_loops or ("nothing",)
        if not names or len({*names}) < len(names):
            raise self.refused(
                kernel, "expected an operand and loops once each, found others; name them"
            )
        number = self.operand(kernel, name)
        loops = [self.loop(kernel, own) for own in names]
        leaves = self.unwritten(kernel)
        for leaf in leaves:
            for d in loops:
                self._check(kernel, leaf, d)
        iterations = [range(kernel.extents[d]) for d in loops]  # pyright: ignore
        self.at_least_one(kernel, prod(map(len, iterations)), "a number of iterations", MOST)
        read = _read_by(leaves[0].stage.accesses[number])
        arrays = kernel.packer.arrays(kernel.function, leaves[0].stage.accesses[number].value)
        if not read or not arrays:
            raise self.refused(
                kernel,
                f"expected constants for {name} in every call, read by one loop along each dimension, "
                "found others; tile the loops instead",
            )
        lead = tuple(range(arrays[0].ndim - len(read)))
        counts = np.logical_or.reduce([array.any(axis=lead) for array in arrays])
        for leaf in leaves:
            kernel.lift(leaf)
            each = (dict(zip(loops, at)) for at in product(*iterations))
            kernel.replace(leaf, [_turn(kernel, leaf, here, counts, read) for here in each])

    def _check(self, kernel: Kernel, leaf: Leaf, d: int) -> None:
        if d in leaf.reductions() or d in leaf.rooms or not isinstance(kernel.extents[d], int):
            raise self.refused(
                kernel,
                f"expected loops of the result that have a known number of iterations, found d{d} that "
                "reduces, has been tiled, or is symbolic; leave it out",
            )


def _read_by(access: TiledOperand) -> Sequence[int]:
    """Return the loop of each dimension after the leading ones; none if one is walked in another way."""
    exprs = () if access.map is None else access.map.results
    loops = [expr.position for expr in exprs if isinstance(expr, AffineDimExpr)]
    return loops if len(loops) == len(exprs) else []


def _turn(
    kernel: Kernel, leaf: Leaf, here: Mapping[int, int], counts: np.ndarray, read: Sequence[int]
) -> Leaf:
    """Return the leaf of one iteration of each loop; reduction loops keep the range between their zeros."""
    offsets, sizes = {**leaf.offsets, **here}, {**leaf.sizes, **dict.fromkeys(here, 1)}
    own = counts[tuple(here.get(d, slice(None)) for d in read)]
    rest = [d for d in read if d not in here]
    shorter: dict[int, int] = {}
    for axis, d in enumerate(rest):
        if d in leaf.reductions() and d not in leaf.rooms:
            kept = np.flatnonzero(own.any(axis=tuple(o for o in range(len(rest)) if o != axis)))
            if kept.size:
                offsets[d], shorter[d] = int(kept[0]), int(kept[-1] - kept[0] + 1)
    return replace(
        leaf,
        before=kernel.mark(leaf.before),
        offsets=offsets,
        sizes={**sizes, **shorter},
        rooms={**leaf.rooms, **dict.fromkeys(here, 1), **shorter},
        single=leaf.single | {*here},
        strips=[pair for pair in leaf.strips if here.keys().isdisjoint(pair)],
        ops=[],
    )
