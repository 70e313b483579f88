"""relax-reorder-permute-dims-after-concat: tensors are joined before they are transposed, not after.

```mlir
%s = relax.permute_dims %a : ([8, 16]) -> [16, 8]
%t = relax.permute_dims %b : ([k, 16]) -> [16, k]
%y = relax.concat %s, %t {axis = 1} : ... -> [16, 8 + k]
    ->
%c = relax.concat %a, %b {axis = 0} : ... -> [8 + k, 16]
%y = relax.permute_dims %c : ... -> [16, 8 + k]
```

One transposition replaces several, and `x @ transpose(c)`, which relax-combine-parallel-matmul may produce,
is a pattern of other passes (relax-fold-transpose-into-matmul makes it `relax.linear`). All parts have the
same permutation; their transpositions are kept for other users.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, apply_rules, is_op
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting


def _transposed_later(root: Value, m: Match) -> object | None:
    concat = owner(root.value)
    assert isinstance(concat, ConcatOp)
    parts = [owner(value) for value in concat.tensors]
    rank = root.type.rank  # pyright: ignore
    if concat.axis is None or rank is None or not parts:
        return None
    permutes = [part for part in parts if isinstance(part, PermuteDimsOp)]
    if len(permutes) < len(parts) or any(p.x.type.rank != rank for p in permutes):  # pyright: ignore
        return None
    first = permutes[0].permutation(rank)
    if any(permute.permutation(rank) != first for permute in permutes):
        return None
    axis = first[concat.axis % rank]
    tensors, axes = [permute.x for permute in permutes], permutes[0].axes
    return fitting(root, lambda: PermuteDimsOp(ConcatOp(tensors, axis), axes))


RULE = FunctionRule(is_op("concat"), _transposed_later, "concat of permute_dims")


def reorder_permute_dims(module: ModuleOp) -> int:
    """Concatenate tensors before they are transposed; returns the number of rewrites."""
    return apply_rules([RULE], module)


class ReorderPermuteDimsAfterConcatPass(ModulePass):
    """Join tensors before they are transposed."""

    name = "relax-reorder-permute-dims-after-concat"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        reorder_permute_dims(op)
