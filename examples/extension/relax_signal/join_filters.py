"""signal-join-filters: two filters with known taps, one after the other -> one filter.

```mlir
%a = signal.fir %x, %p : ([n], [3]) -> [n - 2]
%b = signal.fir %a, %q : ([n - 2], [2]) -> [n - 3]    ->    %b = signal.fir %x, %pq : ([n], [4]) -> [n - 3]
```

The new taps are the convolution of both filters' taps. A filter with other uses is kept, and so are filters
whose taps are arguments. The sums are rounded in another order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import ConstantOp
from relax_dialect.rewrites.algebra.fold_constant import constant_of
from relax_signal.ops import FirOp


class JoinFilters(RewritePattern):
    """`fir(fir(x, p), q)` -> `fir(x, convolve(p, q))`, if p and q are constants."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FirOp, rewriter: PatternRewriter) -> None:
        first = op.x.owner
        if not isinstance(first, FirOp) or not first.result.has_one_use():
            return
        if (taps := convolution(first.taps, op.taps)) is None:
            return
        rewriter.insert(taps)
        rewriter.replace(op, FirOp(first.x, taps.result))
        rewriter.erase(first)


def convolution(first: SSAValue, second: SSAValue) -> ConstantOp | None:
    """Convolve the taps of two consecutive filters."""
    if not (isinstance(first.owner, ConstantOp) and isinstance(second.owner, ConstantOp)):
        return None
    p, q = from_dense(first.owner.value), from_dense(second.owner.value)
    taps = np.convolve(p.astype(np.float64), q).astype(p.dtype)
    assert isinstance(first.type, TensorType)
    return constant_of(taps, TensorType(taps.shape, first.type.dtype))


@dataclass(frozen=True)
class JoinFiltersPass(ModulePass):
    """Two filters with known taps, one after the other -> one filter."""

    name = "signal-join-filters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = GreedyRewritePatternApplier([JoinFilters()])
        PatternRewriteWalker(patterns).rewrite_module(op)
