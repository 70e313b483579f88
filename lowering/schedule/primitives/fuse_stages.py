"""fuse_stages: stages on the same rows in one loop over tiles of rows (Halide's and TVM's compute_at,
MLIR's fuse_into_containing_op)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.row_groups import RowGroup, Stage, between, group, with_fills
from lowering.schedule.match.tile_sizes import can_tile, put_views_first, rows_in
from lowering.schedule.memrefs.tile_views import Size
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.regroup.stage_fuser import StageFuser


@dataclass(frozen=True)
class FuseStages(Primitive):
    """Compute all stages of a tile of rows, then those of the next tile.

        linalg.generic {(d0, d1) -> (d0)} ins(%x : n x 1000) outs(%m : n)           // @softmax#0
        linalg.generic {(d0, d1), (d0)} ins(%x, %m) outs(%p : n x 1000)             // @softmax#1
        linalg.generic {(d0, d1) -> (d0)} ins(%p) outs(%s : n)                      // @softmax#2
        linalg.generic {(d0, d1), (d0)} ins(%p, %s) outs(%out : n x 1000)           // @softmax#3
    ->  @softmax#0-3: fuse_stages(d0, rows=8)
        scf.for %t = 0 to n step 8 {
          %rows = min(n - %t, 8)
          linalg.generic ins(%x[%t, 0] [%rows, 1000]) outs(%m_1 : 8)
          linalg.generic ins(%x[%t, 0] [%rows, 1000], %m_1) outs(%p_1 : 8 x 1000)
          linalg.generic ins(%p_1) outs(%s_1 : 8)
          linalg.generic ins(%p_1, %s_1) outs(%out[%t, 0] [%rows, 1000])
        }

    The loops are named as those of the last stage, outermost first; all but the last have a step of one, so
    that the stages no longer have them; of the last, `rows` iterations are a tile. With `bytes`, the rows
    of a tile in all arrays together have at most that many bytes, and their number is at most `rows`. The
    fills of the stages' memory are fused, too; memory without other uses shrinks to that of one tile. No
    element is computed twice.

    `first` and `last` name a part of the stages by their numbers. The stages keep theirs: `@softmax#2` is
    the one inside, and takes its own schedule after this one.

    Refused: a kernel that is one op; stages without such a loop in common, or in different loops; ops
    between them that are no stages, and read or write memory; memory that two stages know by different
    names; parts that are not together in memory; tiles of a loop that is part of a sum in a subscript.
    """

    NAME: ClassVar = "fuse_stages"
    TAKES_STAGES: ClassVar = True

    loops: tuple[str, ...]
    rows: int = 1
    bytes: int = 0
    first: int = -1
    last: int = -1

    def apply(self, kernel: Kernel) -> None:
        self.at_least_one(kernel, self.rows, "a number of rows")
        found = self._group(kernel)
        fuser = StageFuser(found, kernel.memref_sizes)
        self._check_rows(kernel, found, fuser.extents[-1])
        around = next((nest for nest in kernel.nests if nest.is_ancestor(fuser.last)), None)
        rows: Size = self.rows
        if self.bytes > 0:
            insert = Inserter(before=around or fuser.first)
            rows = rows_in(found, kernel.memref_sizes, self.bytes, self.rows, insert)
        nest = fuser.build(rows, self.rows)
        if around is None:
            kernel.nests.append(nest)
        kernel.name_loops(kernel.op)

    def part(self, kernel: Kernel) -> Sequence[Stage]:
        """Return the stages that this is for; the last of them is that whose loops are named from now
        on."""
        if not kernel.stages:
            raise self.refused(
                kernel,
                f"expected several stages, as in @{kernel.name}#0-2, found one kernel; name them",
            )
        numbers = [*kernel.stages]
        ends = numbers[0], numbers[-1]
        first, last = (end if own < 0 else own for own, end in zip((self.first, self.last), ends))
        if not ends[0] <= first < last <= ends[1]:
            raise self.refused(
                kernel,
                f"expected two stages from #{ends[0]} to #{ends[1]}, found #{first} and #{last}; correct "
                "the numbers",
            )
        found = between(kernel.stages[first], kernel.stages[last])
        if isinstance(found, Operation):
            raise self._not_together(kernel, found, kernel.stages[last])
        kernel.name_loops(kernel.stages[last])
        return found

    def _not_together(self, kernel: Kernel, found: Operation, last: linalg.GenericOp) -> Exception:
        if found is last:
            why = "expected stages one after the other in one block, found some in different loops"
        else:
            why = f"expected nothing between the stages that reads or writes memory, found {found.name}"
        return self.refused(kernel, f"{why}; choose adjacent ones")

    def _group(self, kernel: Kernel) -> RowGroup:
        """Return the stages with their common loops."""
        stages = self.part(kernel)
        loops = [self.loop(kernel, name) for name in self.loops]
        if not loops or len({*loops}) < len(loops):
            found = ", ".join(self.loops) or "none"
            raise self.refused(
                kernel, f"expected one loop or several, found {found}; name each once"
            )
        stages = with_fills(stages, loops)
        put_views_first(stages)
        found = group(stages, loops)
        if isinstance(found, str):
            raise self.refused(kernel, found)
        return found

    def _check_rows(self, kernel: Kernel, found: RowGroup, extent: Size) -> None:
        """Raises `RelaxError` if a tile may not have `rows` rows."""
        if self.rows > 1 and not can_tile(found):
            raise self.refused(
                kernel,
                f"expected rows=1 for {self.loops[-1]}, which is part of a sum in a subscript, found "
                f"{self.rows}; leave it out",
            )
        if isinstance(extent, int) and 0 < extent < self.rows and not self.bytes:
            raise self.refused(
                kernel,
                f"expected a tile no larger than the loop, which has {extent} iterations, found "
                f"{self.rows}; make it smaller or leave it out",
            )
