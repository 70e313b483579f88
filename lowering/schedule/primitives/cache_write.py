"""cache_write: a result in memory of its own until it is complete (TVM's cache_write)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.index_writer import Term
from lowering.schedule.emit.materialize import place
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand
from lowering.schedule.pack.packing import copy_stage, reading, room
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class CacheWrite(Primitive):
    """Compute a tile of the result in memory of its own, its loops in a chosen order, then copy it.

        linalg.generic ins(%x, %w) outs(%c[0, %j] [32, 14])                 // loops d0, d1
    ->  with cache_write(d1, d0)
        linalg.generic ins(%x, %w) outs(%tile [14, 32])
        linalg.generic {transpose} ins(%tile) outs(%c[0, %j] [32, 14])

    Ops fused after the main op follow the copy, or read the tile itself if their loops are in the order of
    the result and they overwrite that. Later steps divide the main op alone, so that the copy is made once
    for all tiles that they make.

    If nothing is added up, the copy decides the order in which the result is written.

    Refused: loops that are not those of the result once each, a result that is read before it is written.
    """

    NAME: ClassVar = "cache_write"

    loops: tuple[str, ...]

    def apply(self, kernel: Kernel) -> None:
        order = [self.loop(kernel, name) for name in self.loops]
        leaves = self.unwritten(kernel)
        for leaf in leaves:
            main = leaf.stage
            own = {d for d in main.loops if d not in leaf.single} - leaf.reductions()
            if sorted(order) != sorted(own):
                raise self.refused(
                    kernel,
                    "expected each loop of the result that is more than one iteration once, "
                    f"{', '.join(f'd{d}' for d in sorted(own))}, found {', '.join(self.loops)}; name them",
                )
            first = leaf.stages[max(leaf.main - 1, 0)]
            values = [access.value for access in main.outputs]
            if len(values) != 1 or not first.overwrites(values[0]) or main.reads(values[0]):
                raise self.refused(
                    kernel,
                    "expected a result that is filled before it is added to, found what was there before; "
                    "leave it out",
                )
        for leaf in leaves:
            kernel.lift(leaf)
        rooms: dict[object, SSAValue] = {}
        for leaf in leaves:
            key = leaf.start.parent
            if key not in rooms:
                same = [other for other in leaves if other.start.parent is key]
                sizes = [_most([other.room(d) for other in same]) for d in order]
                value = leaf.stage.outputs[0].value
                rooms[key] = room(kernel, value, sizes, leaf.start, kernel.end, "tile")[0]
            _write(kernel, leaf, order, rooms[key])


def _most(sizes: Sequence[Term]) -> Term:
    """Return the largest of some sizes; all are known, or they are the same."""
    known = [size for size in sizes if isinstance(size, int)]
    return max(known) if len(known) == len(sizes) else sizes[0]


def _write(kernel: Kernel, leaf: Leaf, order: Sequence[int], tile: SSAValue) -> None:
    """Make a leaf write to a tile, and insert the copy to the result."""
    out = leaf.stage.outputs[0]
    assert isinstance(out.value.type, MemRefType)
    map_ = AffineMap(kernel.count, 0, tuple(AffineDimExpr(d) for d in order))
    origin = {d: leaf.offsets[d] for d in order}
    local = TiledOperand(tile, map_, origin, filled={d: leaf.room(d) for d in order})
    stages = [
        replace(
            stage,
            accesses=tuple(local if a.value is out.value else a for a in stage.accesses),
        )
        for stage in leaf.stages[: leaf.main + 1]
    ]
    inside = replace(leaf, before=kernel.mark(leaf.before), stages=tuple(stages), ops=[])
    kernel.replace(leaf, [inside])
    after = leaf.stages[leaf.main + 1 :]
    in_order = [d for d in _dims(out) if d not in leaf.single] == [*order]
    if after and in_order and after[0].overwrites(out.value):
        after = (reading(after[0], out.value, local), *after[1:])
    else:
        after = (copy_stage(local, out, _dims(out)), *after)
    whole = [
        (a, b) for a, b in pairwise(order) if b not in leaf.rooms
    ]  # the iterations of b follow each other
    strips = [*leaf.strips, *whole]
    place(kernel, replace(leaf, stages=after, main=len(after), strips=strips, ops=[]))


def _dims(access: TiledOperand) -> Sequence[int]:
    assert access.map is not None
    return [d for expr in access.map.results for d in sorted(expr.used_dims())]
