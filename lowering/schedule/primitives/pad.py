"""pad: tiles that are not filled, computed as whole ones in memory of their own (MLIR's pad-tiling)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand, TiledStage
from lowering.schedule.pack.packing import copy_stage, reading
from lowering.schedule.primitives.base import Primitive
from lowering.support.target import ALIGNMENT


@dataclass(frozen=True)
class Pad(Primitive):
    """Compute tiles of whole size for the rest of a loop's iterations, and keep their valid part.

        linalg.generic ins(%a [8, k], %b [k, 5]) outs(%c [8, 5])
    ->  with pad(d1), %b packed in panels of 16 columns
        linalg.generic ins(%a [8, k], %panel [k, 16]) outs(%tile [8, 16])
        linalg.generic ins(%tile [8, 5]) outs(%c [8, 5])

    An op that overwrites the result at once reads the tile instead of a copy.

    Refused: an input that is read along the loop and has not been packed, a loop that has not been tiled,
    other untiled loops of symbolic sizes, a result that is read before it is written.
    """

    NAME: ClassVar = "pad"

    loop_name: str

    def apply(self, kernel: Kernel) -> None:
        d = self.loop(kernel, self.loop_name)
        for leaf in self.unwritten(kernel):
            if d not in leaf.rooms:
                raise self.refused(
                    kernel, f"expected a loop that has been tiled, found d{d}; tile it"
                )
            if leaf.is_rest(d):
                self._pad(kernel, leaf, d)

    def _pad(self, kernel: Kernel, leaf: Leaf, d: int) -> None:
        main = leaf.stage
        room = leaf.room(d)
        for number, access in enumerate(main.accesses):
            is_copied = d in access.filled
            if access.walks(d) and not is_copied and number < main.inputs:
                raise self.refused(
                    kernel,
                    f"expected {kernel.operand_name(number)} in panels, which are filled up, found it "
                    f"in place; pack it first",
                )
            if is_copied and not kernel.divides(room, access.filled[d]):
                raise self.refused(
                    kernel,
                    f"expected tiles that fill the copy of {kernel.operand_name(number)}, found some of "
                    f"{room if isinstance(room, int) else 'any number of'} iterations of d{d} that may "
                    "reach beyond it; tile before it is copied, by what divides it",
                )
        (out,) = main.outputs
        if d in out.filled:  # a tile in memory of its own already, with capacity
            kernel.lift(leaf)
            stages = [
                replace(stage, filled=stage.filled | {d})
                if any(access.value is out.value for access in stage.outputs)
                else stage
                for stage in leaf.stages
            ]
            kernel.replace(leaf, [replace(leaf, stages=tuple(stages), ops=[])])
            return
        first = leaf.stages[leaf.main - 1] if leaf.main else None
        if first is None or not first.overwrites(out.value) or main.reads(out.value):
            raise self.refused(
                kernel,
                "expected a result that is filled before it is added to, found what was there before",
            )
        shape = dict(_shape(leaf, out))
        if unknown := [e for e, most in shape.items() if most is None]:
            raise self.refused(
                kernel,
                f"expected tiles of known sizes, found d{unknown[0]} of a symbolic number; tile it",
            )
        kernel.lift(leaf)
        local = _local(kernel, leaf, out, [most or 0 for most in shape.values()])
        stages = [
            self._onto(stage, out.value, local, d)
            if number in (leaf.main - 1, leaf.main)
            else stage
            for number, stage in enumerate(leaf.stages)
        ]
        after = leaf.main + 1
        if after < len(stages) and stages[after].overwrites(out.value):
            stages[after] = reading(stages[after], out.value, local)
        else:
            stages.insert(after, copy_stage(local, out, _loops(local)))
        kernel.replace(leaf, [replace(leaf, stages=tuple(stages), ops=[])])

    def _onto(self, stage: TiledStage, value: SSAValue, local: TiledOperand, d: int) -> TiledStage:
        """Return a stage on the tile in memory of its own."""
        accesses = tuple(local if access.value is value else access for access in stage.accesses)
        return replace(stage, accesses=accesses, filled=stage.filled | {d})


def _shape(leaf: Leaf, out: TiledOperand) -> Iterator[tuple[int, int | None]]:
    """Yield the loops of a tile of the result, each with the most iterations that it has."""
    assert out.map is not None
    for d in dict.fromkeys(_dims(out.map)):
        size = leaf.room(d)
        yield d, size if isinstance(size, int) else max(leaf.choices.get(d, ()), default=None)


def _local(kernel: Kernel, leaf: Leaf, out: TiledOperand, shape: Sequence[int]) -> TiledOperand:
    """Memory for a tile of the result."""
    assert out.map is not None and isinstance(out.value.type, MemRefType)
    loops = list(dict.fromkeys(_dims(out.map)))
    op = memref.AllocaOp.get(out.value.type.element_type, ALIGNMENT, shape)
    first = kernel.function.body.block.first_op
    assert first is not None
    kernel.function.body.block.insert_op_before(op, first)
    op.memref.name_hint = "tile"
    map_ = AffineMap(kernel.count, 0, tuple(AffineDimExpr(d) for d in loops))
    return TiledOperand(op.memref, map_, {d: leaf.offsets[d] for d in loops})


def _dims(map_: AffineMap) -> Iterator[int]:
    for expr in map_.results:
        yield from sorted(expr.used_dims())


def _loops(access: TiledOperand) -> Sequence[int]:
    assert access.map is not None
    return tuple(_dims(access.map))
