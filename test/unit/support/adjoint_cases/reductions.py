"""Reductions."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op

from .case import Case, case, fixed

CASES: dict[str, Case] = {}

REDUCED: dict[str, dict[str, Any]] = {
    "all": {},
    "1": {"axis": [1]},
    "ends": {"axis": [0, -1], "keepdims": True},
}
for name in [
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "reduce_l1",
    "reduce_sum_square",
    "variance",
    "std",
    "reduce_l2",
    "reduce_log_sum",
    "logsumexp",
]:
    for kind, how in REDUCED.items():
        CASES[f"{name}_{kind}"] = case(
            lambda x, f=name, h=how: getattr(op, f)(x, **h), (2, 3, 4), low=0.2, high=1.5
        )
CASES |= {
    "median": case(lambda x: op.median(x, [1])[0], (2, 5)),
    "median_kept": case(lambda x: op.median(x, [-2], keepdims=True)[0], (2, 4, 3)),
    "median_all": case(op.median, (2, 3)),
    "unique": fixed(lambda x: op.unique(x), (2, 3)),
    "unique_slices": fixed(lambda x: op.unique(x, axis=1, return_counts=True)[0], (2, 3)),
}
for axis in (0, 1):
    CASES |= {
        f"cumprod_{axis}": case(lambda x, a=axis: op.cumprod(x, a), (2, 3)),
        f"cummax_{axis}": case(lambda x, a=axis: op.cummax(x, a)[0], (2, 3)),
        f"cummin_{axis}": case(lambda x, a=axis: op.cummin(x, a)[0], (2, 3)),
        f"logcumsumexp_{axis}": case(lambda x, a=axis: op.logcumsumexp(x, a), (2, 3)),
        f"sort_{axis}": case(lambda x, a=axis: op.sort(x, a, descending=a == 0), (2, 3)),
    }
CASES |= {
    "cumprod_flat": case(lambda x: op.cumprod(x, exclusive=True), (2, 3)),
    "topk": fixed(lambda x: op.topk(x, 2, 1)[0], (2, 4)),
    "topk_smallest": fixed(lambda x: op.topk(x, 2, 0, "values", False), (3, 2)),
}
