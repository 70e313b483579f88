"""The order of the loops that a `linalg` op becomes."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from lowering.ir.memref_views import is_contiguous, strides


@dataclass(frozen=True)
class LoopNest:
    """The loops of a `linalg` op: the maps of its operands, and the reduction loops."""

    input_maps: Sequence[AffineMap]
    output_maps: Sequence[AffineMap]
    reductions: frozenset[int]
    extents: Sequence[int]

    @staticmethod
    def of(op: LinalgStructuredOperation, extents: Sequence[int]) -> "LoopNest":
        """Return the loops of `op`, whose trip counts are `extents` (negative if unknown)."""
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        kinds = op.get_iterator_types()
        reductions = frozenset(i for i, kind in enumerate(kinds) if kind.data.value != "parallel")
        count = len(op.inputs)
        maps = [_in_memory(map_, o.type) for map_, o in zip(maps, (*op.inputs, *op.outputs))]
        return LoopNest(maps[:count], maps[count:], reductions, extents)

    def order(self) -> list[int]:
        """Return the loops, outermost first.

        Only the innermost loop is chosen, the others keep their order. Any parallel loop may be
        it, and the last reduction loop: thus each element is still reduced in the order written.
        The best has the least

        1. trip count of one (nothing to walk),
        2. number of operands it strides through, an output counting twice: it neither leaves them
           in place nor walks their last dimension step by step,
        3. number of outputs that it does not walk contiguously: a vector of outputs beats a sum,
        4. distance from the innermost loop as written.

        So a matmul (i, j, k) runs i-k-j, a sum over rows keeps its reduction innermost, a sum over
        columns runs its reduction outside, and a transpose writes contiguously.
        """
        loops = range(len(self.extents))
        last_reduction = max(self.reductions, default=None)
        candidates = [i for i in loops if i not in self.reductions or i == last_reduction]
        if not candidates:
            return []
        inner = min(candidates, key=self._cost)
        return [i for i in loops if i != inner] + [inner]

    def _cost(self, loop: int) -> tuple[bool, int, int, int]:
        inputs = [_stride(map_, loop) for map_ in self.input_maps]
        outputs = [_stride(map_, loop) for map_ in self.output_maps]
        strided = sum(s is None for s in inputs) + 2 * sum(s is None for s in outputs)
        broken = sum(s != 1 for s in outputs)
        return self.extents[loop] == 1, strided, broken, -loop


def _in_memory(map_: AffineMap, t: Attribute) -> AffineMap:
    """Return the subscripts of an operand with the one last whose neighbours lie side by side in memory:
    that of a transposed view is another than its last one, and others have none."""
    if not isinstance(t, MemRefType) or is_contiguous(t):
        return map_
    found, results = strides(t) or [], list(map_.results)
    results.append(results.pop(found.index(1)) if 1 in found else AffineConstantExpr(0))
    return AffineMap(map_.num_dims, map_.num_symbols, tuple(results))


def _stride(map_: AffineMap, loop: int) -> int | None:
    """Return the stride of one step of a loop in elements: 0, 1, or None if larger."""
    using = [i for i, expr in enumerate(map_.results) if loop in expr.used_dims()]
    if not using:
        return 0
    return 1 if using == [len(map_.results) - 1] and _steps_by_one(map_.results[-1], loop) else None


def _steps_by_one(expr: AffineExpr, loop: int) -> bool:
    """Return whether a subscript is the loop plus something that does not depend on it."""
    while isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Add:
        in_left = loop in expr.lhs.used_dims()
        if in_left and loop in expr.rhs.used_dims():
            return False
        expr = expr.lhs if in_left else expr.rhs
    return isinstance(expr, AffineDimExpr)
