"""signal-join-filters: two filters with known taps, one after the other -> one filter.

```mlir
%a = signal.fir %x, %p : ([n], [3]) -> [n - 2]
%b = signal.fir %a, %q : ([n - 2], [2]) -> [n - 3]    ->    %b = signal.fir %x, %pq : ([n], [4]) -> [n - 3]
```

The taps of the one are the convolution of those of both. A filter that is used elsewhere stays, and so do
two whose taps are arguments. The sums are rounded in another order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.builder import Value
from relax_dialect.dpl import FunctionRule, Match, apply_rules, is_constant, is_op, wildcard
from relax_dialect.dpl.look_through import owner
from relax_dialect.interpret.values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import ConstantOp
from relax_dialect.rewrites.fold_constant import constant_of
from relax_signal.ops import FirOp

x, first, second = wildcard(), is_constant(), is_constant()
two_filters = is_op(FirOp)(is_op(FirOp)(x, first), second)


def taps_of(value: Value) -> np.ndarray:
    """The numbers of a constant."""
    op = owner(value.value)
    assert isinstance(op, ConstantOp)
    return from_dense(op.value)


def one_filter(root: Value, m: Match) -> FirOp:
    """The filter that does what two do."""
    p, q = taps_of(m[first]), taps_of(m[second])
    taps = np.convolve(p.astype(np.float64), q).astype(p.dtype)
    type = m[first].type
    assert isinstance(type, TensorType)
    return FirOp(m[x].value, constant_of(taps, TensorType(taps.shape, type.dtype)))


RULES = [FunctionRule(two_filters, one_filter, "join filters")]


@dataclass(frozen=True)
class JoinFiltersPass(ModulePass):
    """Two filters with known taps, one after the other -> one filter."""

    name = "signal-join-filters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_rules(RULES, op)
