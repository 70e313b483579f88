"""Losses of samples: summed over ranks. A mean is a sum that is divided, see `sharding/expansion.py`."""

from __future__ import annotations

from relax_dialect.ops import loss as ops
from relax_dialect.sharding.registry import Factors, Labels, named, shape_of, shards


def samples(rank: int) -> tuple[Labels, Labels]:
    """Return names of the dimensions of predictions [n, classes, ...] and targets [n, ...]."""
    predictions = named(rank, 0 if rank == 1 else 1)
    return predictions, tuple(name for name in predictions if name is not None)


@shards(ops.NllLossOp)
def nll_loss(op: ops.NllLossOp) -> Factors | None:
    if op.reduction == "mean":
        return None
    predictions, targets = samples(len(shape_of(op.predictions)))
    operands = [predictions, targets, *[(None,)] * (op.weights is not None)]
    if op.reduction == "none":
        return Factors(operands, [targets])
    return Factors(operands, [()], dict.fromkeys(targets, "sum"))  # pyright: ignore
