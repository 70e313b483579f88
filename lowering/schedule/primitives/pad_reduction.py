"""pad_reduction: a loop that reduces, made longer by zeros (MLIR's pad with pad_to_multiple_of)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand, TiledStage
from lowering.schedule.match.byte_products import is_sum_of_byte_products
from lowering.schedule.match.contraction import is_sum_of_products, walked
from lowering.schedule.pack.packing import apart, padded
from lowering.schedule.primitives.base import Primitive

MOST = 256
"""The greatest size that a loop is padded to."""


@dataclass(frozen=True)
class PadReduction(Primitive):
    """Make the iterations of a loop that adds up products a multiple of a number, with zeros after the
    operands.

        linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%a : 8 x 510, %b : 510 x 48) ...
    ->  with pad_reduction(d2, 4)
        %a4 = %a and two zeros after each row; %b4 = %b and two rows of zeros
        linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%a4 : 8 x 512, %b4 : 512 x 48) ...

    Operands that are constant in every call, and read here alone, are made longer ahead of time.

    Refused: a loop that does not add up products of two operands, operands that it walks together with
    another loop, a large multiple, tiles or versions that have been made.
    """

    NAME: ClassVar = "pad_reduction"

    loop_name: str
    multiple: int

    def apply(self, kernel: Kernel) -> None:
        d = self.loop(kernel, self.loop_name)
        self.at_least_one(kernel, self.multiple, "a multiple", MOST)
        leaf = self.whole_leaf(kernel)
        stage = leaf.stage
        maps = [access.map for access in stage.accesses]
        if d not in leaf.reductions() or not _adds_products(stage):
            raise self.refused(
                kernel,
                f"expected a loop that adds up products of two operands, found d{d}; leave it out",
            )
        if any(map_ is None or walked(map_) is None for map_ in maps):
            raise self.refused(
                kernel, "expected operands with one loop for each dimension, found others"
            )
        for number, access in enumerate(stage.accesses):
            if access.walks(d):
                self.given(kernel, leaf, number)
        extent = kernel.extents[d]
        write = kernel.writer(leaf.before)
        length = write.times(write.ceil_quotient(extent, self.multiple), self.multiple)
        if length == extent:
            return
        kernel.lift(leaf)
        old, leaf = leaf, apart(kernel, leaf)
        accesses = [
            self._longer(kernel, leaf, access, d, length) if access.walks(d) else access
            for access in stage.accesses
        ]
        stages = [*leaf.stages]
        stages[leaf.main] = replace(stage, accesses=tuple(accesses))
        kernel.extents = {**kernel.extents, d: length}
        kernel.multiples[d] = self.multiple
        sizes = {**leaf.sizes, d: length}
        kernel.replace(old, [replace(leaf, stages=tuple(stages), sizes=sizes, ops=[])])

    def _longer(
        self, kernel: Kernel, leaf: Leaf, access: TiledOperand, d: int, length: SSAValue | int
    ) -> TiledOperand:
        """Return an operand with zeros after its elements."""
        assert access.map is not None and isinstance(access.value.type, MemRefType)
        place = access.map.results.index(AffineDimExpr(d))
        found = None
        if isinstance(length, int) and access.value.first_use is None:
            more = length - access.value.type.get_shape()[place]

            def layout(array: np.ndarray) -> np.ndarray:
                return np.pad(array, [(0, more * (n == place)) for n in range(array.ndim)])

            found = kernel.packer.pack(kernel.function, access.value, (place, length), layout)
        if found is not None:
            return replace(access, value=found)
        return padded(kernel, leaf, access, d, length)


def _adds_products(stage: TiledStage) -> bool:
    """Return whether zeros add nothing."""
    assert stage.body is not None
    body = stage.body.block
    return is_sum_of_products(body) or is_sum_of_byte_products(body)
