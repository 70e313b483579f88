"""relax-simplify-algebra: ops that change nothing, undo one another or repeat one another are removed.

```mlir
%a = relax.multiply %x, %one : (T, T1) -> T
%b = relax.permute_dims %a : (T) -> U                  %e = relax.relu %x : (T) -> T
%c = relax.permute_dims %b : (U) -> T             ->
%d = relax.relu %c : (T) -> T
%e = relax.relu %d : (T) -> T
```

The rules are in tables by topic:

| file of `rule_sets`     | rules                                                                       |
|-------------------------|-----------------------------------------------------------------------------|
| `neutral.py`            | `x * 1 -> x`, `x & 0 -> 0`, for constants, `full`, `zeros`, ... of any shape |
| `inverses.py`           | `-(-x) -> x`, `relu(relu(x)) -> relu(x)`, `x + (-y) -> x - y`               |
| `casts.py`              | `astype(astype(x, f64), f32) -> x` for x of f32                             |
| `view_rules.py`         | `reshape(reshape(x, s), t) -> reshape(x, t)`, and so on                     |
| `broadcast_operands.py` | `x + broadcast_to(y, shape_of(x)) -> x + y`                                 |
| `slice_rules.py`        | `strided_slice(permute_dims(x)) -> permute_dims(strided_slice(x))`          |

Every result is bitwise equal, except for the bits of a NaN: also for -0.0, infinities and integers that
wrap around. So `x + 0.0` is kept, which turns -0.0 into 0.0; `x + -0.0` is removed. A value of another
shape is kept too: `x + zeros` is not x if the sum has more elements. `{fast-math=true}` adds rules that
hold for real numbers only: `x + 0.0 -> x`, `x * 0.0 -> 0.0`, `exp(log(x)) -> x`.

xDSL's own `canonicalize` applies the same rules, which the operators have as canonicalization patterns.

An inner value that is used elsewhere is kept for those uses: only the outer op is replaced, by one op at
most, besides permutations and views. Unused constants are left to relax-dce.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.dpl import RuleSet, RuleTable, apply_rules
from relax_dialect.rewrites.algebra.rule_sets import (
    broadcast_operands,
    casts,
    inverses,
    neutral,
    slice_rules,
    view_rules,
)


@cache
def rules(fast_math: bool = False) -> RuleTable:
    """Return all rules; where several match the first one is applied."""
    return RuleTable(
        [
            *neutral.rules(fast_math),
            *inverses.rules(fast_math),
            *casts.rules(),
            *view_rules.rules(),
            *broadcast_operands.rules(),
            *slice_rules.rules(),
        ]
    )


def rule_set() -> RuleSet:
    """Return the rules that hold for all numbers, as the pattern for xDSL's `canonicalize`."""
    return RuleSet(rules())


def simplify_algebra(module: ModuleOp, fast_math: bool = False) -> int:
    """Apply the rules until none matches; returns the number of rewrites."""
    return apply_rules(rules(fast_math), module)


@dataclass(frozen=True)
class SimplifyAlgebraPass(ModulePass):
    """Remove ops that change nothing, undo one another or repeat one another."""

    name = "relax-simplify-algebra"

    fast_math: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        simplify_algebra(op, self.fast_math)
