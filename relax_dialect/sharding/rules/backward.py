"""Gradients of losses of samples."""

from __future__ import annotations

from relax_dialect.ops import backward as ops
from relax_dialect.sharding.registry import Factors, shape_of, shards
from relax_dialect.sharding.rules.loss import samples


@shards(ops.NllLossBackwardOp)
def nll_loss_backward(op: ops.NllLossBackwardOp) -> Factors | None:
    if op.reduction == "mean":
        return None
    predictions, targets = samples(len(shape_of(op.predictions)))
    given = targets if op.reduction == "none" else ()
    return Factors(
        [given, predictions, targets, *[(None,)] * (op.weights is not None)], [predictions]
    )
