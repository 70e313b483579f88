"""relax-reorder-take-after-matmul: columns or matrices are chosen from a product, not from a weight.

```mlir
%c = relax.take %w, %i {axis = 1} : ([16, v], [k]) -> [16, k]      %u = relax.matmul %x, %w : ... -> [n, v]
%y = relax.matmul %x, %c : ([n, 16], [16, k]) -> [n, k]        ->  %y = relax.take %u, %i {axis = 1} : ...

%c = relax.take %w, %i {axis = 0} : ([v, 16, 8], [b]) -> [b, 16, 8]
%y = relax.matmul %x, %c : ([b, s, 16], [b, 16, 8]) -> [b, s, 8]
    ->
%p = relax.permute_dims %w {axes = [1, 0, 2]} : ... -> [16, v, 8]
%m = relax.reshape %p, %shape : ... -> [16, v * 8]
%u = relax.reshape (relax.matmul %x, %m), %shape1 : ... -> [b, s, v, 8]
%y = the rows %u[b, s, %i[b]] : [b, s, 8]
```

Each row of a batch may be adapted by separate matrices (several LoRAs in one batch): then no matrix is
copied for each row, and the matrices of all may be joined with others that are multiplied by `%x`. It is
more work if few of many matrices are selected, so the pass is part of no optimisation level. The `take`
is in mode "fast", as an index out of range is an error before and after; its result is used by the
product only.
"""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, apply_rules, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.indexing import GatherNdOp, TakeOp
from relax_dialect.ops.linear_algebra import MatmulOp
from relax_dialect.ops.manipulate import BroadcastToOp, PermuteDimsOp, ReshapeOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting, known_shape
from relax_dialect.symbolic import Expr, const

x, weight, indices = wildcard(), wildcard(), wildcard()
taken = is_op("take")(weight, indices)


def _taken_later(root: Value, m: Match) -> object | None:
    take: Any = owner(m[taken].value)
    shapes = [known_shape(m[each]) for each in (x, weight, indices)]
    if None in shapes or take.mode != "fast":
        return None
    left, matrices, chosen = shapes
    assert left is not None and matrices is not None and chosen is not None
    axis, dtype = take.axis_of(len(matrices)), owner(root.value).out_dtype  # pyright: ignore
    x_, w, i = (m[each].value for each in (x, weight, indices))
    if len(matrices) == 2 and axis == 1 and len(chosen) == 1:
        return fitting(root, lambda: _columns(x_, w, i, len(left) - 1, dtype))
    batches = len(left) == len(matrices) == 3 and len(chosen) == 1 and axis == 0
    if batches and left[0] == chosen[0]:
        return fitting(root, lambda: _batches(x_, w, i, left, matrices, dtype))
    return None


def _columns(x: SSAValue, w: SSAValue, i: SSAValue, axis: int, dtype: Any) -> TakeOp:
    return TakeOp(MatmulOp(x, w, dtype), i, axis)


def _batches(
    x: SSAValue,
    w: SSAValue,
    i: SSAValue,
    left: tuple[Expr, ...],
    matrices: tuple[Expr, ...],
    dtype: Any,
) -> GatherNdOp:
    """Multiply every row with every matrix, and select the product with the row's matrix."""
    (batch, rows, inner), (count, _, columns) = left, matrices
    joined = ReshapeOp(PermuteDimsOp(w, [1, 0, 2]), ShapeOp([inner, count * columns]))
    products = ReshapeOp(MatmulOp(x, joined, dtype), ShapeOp([batch, rows, count, columns]))
    places = BroadcastToOp(ReshapeOp(i, ShapeOp([batch, 1, 1])), ShapeOp([batch, rows, const(1)]))
    return GatherNdOp(products, places, 2)


RULE = FunctionRule(is_op("matmul")(x, taken), _taken_later, "matmul of take")


def reorder_takes(module: ModuleOp) -> int:
    """Select from products; returns the number of rewrites."""
    return apply_rules([RULE], module)


class ReorderTakeAfterMatmulPass(ModulePass):
    """Choose from a product instead of from a weight."""

    name = "relax-reorder-take-after-matmul"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        reorder_takes(op)
