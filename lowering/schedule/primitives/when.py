"""when: two versions, chosen by sizes (loop versioning; Halide's specialize with a condition)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.primitives.base import Primitive


@dataclass(frozen=True)
class AtLeast:
    """The condition that the product of some loops has a least trip count: `d0 * d1 >= 1024`."""

    loops: tuple[str, ...]
    least: int

    def __str__(self) -> str:
        return f"{' * '.join(self.loops)} >= {self.least}"


@dataclass(frozen=True)
class When(Primitive):
    """Apply some steps if loops have enough iterations, and others if not.

        linalg.generic ...
    ->  with when d0 >= 2 { tile(d0, 8) }
        scf.if %m >= 2 { scf.for ... } else { linalg.generic ... }

    If the sizes are known, only one version is made. Refused: a kernel that has been tiled.
    """

    NAME: ClassVar = "when"

    conditions: tuple[AtLeast, ...]
    then: tuple[Primitive, ...]
    otherwise: tuple[Primitive, ...] = ()

    def __str__(self) -> str:
        return f"when {' and '.join(map(str, self.conditions))}"

    def apply(self, kernel: Kernel) -> None:
        (leaf,) = kernel.leaves[:1]
        if len(kernel.leaves) > 1 or leaf.rooms or leaf.directives:
            raise self.refused(
                kernel, "expected a kernel as a whole, found tiles; choose before tile"
            )
        test = self._test(kernel, leaf)
        if isinstance(test, bool):
            for step in self.then if test else self.otherwise:
                step.apply(kernel)
            return
        blocks = [Block([scf.YieldOp()]) for _ in range(2)]
        kernel.lift(leaf)
        branch = scf.IfOp(test, [], Region(blocks[0]), Region(blocks[1]))
        Inserter(before=leaf.before).place(branch)
        versions: list[Leaf] = []
        for block in blocks:
            end = block.last_op
            assert end is not None
            scopes = (*leaf.scopes, (branch, None))
            versions.append(replace(leaf, before=end, scopes=scopes, ops=[]))
        then, otherwise = versions
        then = replace(then, least={**then.least, **self._known(kernel)})
        kernel.leaves = [
            *_apart(kernel, then, self.then),
            *_apart(kernel, otherwise, self.otherwise),
        ]

    def _known(self, kernel: Kernel) -> dict[int, int]:
        """Return the least trip count of loops if the conditions hold."""
        alone = (c for c in self.conditions if len(c.loops) == 1)
        return {self.loop(kernel, c.loops[0]): c.least for c in alone}

    def _test(self, kernel: Kernel, leaf: Leaf) -> bool | SSAValue:
        """Return whether all conditions hold."""
        write = kernel.writer(leaf.before)
        found: list[SSAValue] = []
        for condition in self.conditions:
            loops = [self.loop(kernel, name) for name in condition.loops]
            iterations = reduce(write.times, (kernel.extents[d] for d in loops))
            if isinstance(iterations, int):
                if iterations < condition.least:
                    return False
            else:
                found.append(write.compared(iterations, "sge", condition.least))
        insert = Inserter(before=leaf.before)
        return reduce(lambda a, b: insert(arith.AndIOp(a, b)), found) if found else True


def _apart(kernel: Kernel, leaf: Leaf, steps: Sequence[Primitive]) -> list[Leaf]:
    """Return the leaves of one version after its steps."""
    kernel.leaves, end, tilings = [leaf], kernel.end, kernel.tilings
    kernel.end, kernel.tilings = leaf.before, dict(tilings)
    for step in steps:
        step.apply(kernel)
    kernel.end, kernel.tilings = end, tilings
    return kernel.leaves
