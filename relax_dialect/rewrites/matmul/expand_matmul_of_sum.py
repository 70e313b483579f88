"""relax-expand-matmul-of-sum: the product with a sum of matrices becomes the sum of two products.

```mlir
%w = relax.add %a, %b : ([16, 8], [16, 8]) -> [16, 8]          %u = relax.matmul %x, %a : ... -> [n, 8]
%y = relax.matmul %x, %w : ([n, 16], [16, 8]) -> [n, 8]   ->   %v = relax.matmul %x, %b : ... -> [n, 8]
                                                               %y = relax.add %u, %v
```

`relax.linear` is expanded likewise, and so is a product with the transposed sum. By itself it is more work:
it serves layers adapted by matrices of low rank, where `%b` is a product that relax-adjust-matmul-order
then splits, and relax-combine-parallel-matmul joins products of the same `%x`.

A sum is kept if it has other uses, its terms are broadcast, or it is known at compile time (from constants
and weights only: a function's attribute `num_input` is the number of leading parameters that are no
weights). Floats are rounded differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, apply_rules, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner, source
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting, known_shape
from relax_dialect.rewrites.matmul.adjust_matmul_order import known_before_the_run

x, a, b, bias = wildcard(), wildcard(), wildcard(), wildcard()
total = is_op("add")(a, b)
turned = is_op("permute_dims")(total)


@dataclass
class Expansion:
    """The rules, and the values known at compile time."""

    known: set[SSAValue]

    def rules(self) -> list[PatternRule]:
        """For each way to multiply with a sum."""
        forms = (
            (is_op("matmul")(x, total), self._product, "x (a + b)"),
            (is_op("matmul")(x, turned), self._transposed, "x transpose(a + b)"),
            (is_op("linear")(x, total), self._linear, "linear(x, a + b)"),
            (is_op("linear")(x, total, bias), self._linear, "linear(x, a + b, bias)"),
        )
        return [FunctionRule(form, to, name) for form, to, name in forms]

    def _product(self, root: Value, m: Match) -> object | None:
        if not self._may_expand(m):
            return None
        op: Any = owner(root.value)
        terms = (MatmulOp(m[x].value, m[each].value, op.out_dtype) for each in (a, b))
        return fitting(root, lambda: AddOp(*terms))

    def _transposed(self, root: Value, m: Match) -> object | None:
        if not self._may_expand(m):
            return None
        op, axes = owner(root.value), owner(m[turned].value).axes  # pyright: ignore
        matrices = (PermuteDimsOp(m[each].value, axes) for each in (a, b))
        terms = (MatmulOp(m[x].value, each, op.out_dtype) for each in matrices)  # pyright: ignore
        return fitting(root, lambda: AddOp(*terms))

    def _linear(self, root: Value, m: Match) -> object | None:
        if not self._may_expand(m):
            return None
        op: Any = owner(root.value)
        biases = (None, m[bias].value if bias in m else None)
        pairs = zip((a, b), biases)
        terms = (LinearOp(m[x].value, m[each].value, add, op.out_dtype) for each, add in pairs)
        return fitting(root, lambda: AddOp(*terms))

    def _may_expand(self, m: Match) -> bool:
        shape = known_shape(m[a])
        is_plain = shape is not None and shape == known_shape(m[b])
        return is_plain and source(m[total].value) not in self.known


def expand_matmuls_of_sums(module: ModuleOp) -> int:
    """Distribute products over sums; returns the number of rewrites."""
    return apply_rules(Expansion(known_before_the_run(module)).rules(), module)


class ExpandMatmulOfSumPass(ModulePass):
    """Distribute products over sums of matrices."""

    name = "relax-expand-matmul-of-sum"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_matmuls_of_sums(op)
