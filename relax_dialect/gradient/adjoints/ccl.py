"""Adjoints of communication: of the sum of the results of all ranks, each times its own cotangent.

So the adjoint of a sum over ranks is a sum over ranks, and gathering and reduce-scattering are adjoint. A
loss that every rank computes equally counts once for each rank: begin with a cotangent of one over the
number of ranks, or reduce it by "avg".
"""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, adjoint, constant, refused
from relax_dialect.ir.order import describe
from relax_dialect.ops import ccl as ops


def _grid(of: Applied[Any]) -> dict[str, Any]:
    """Return the groups of an op as arguments of another one."""
    grouping = of.op.grouping
    return {"grid": list(grouping.grid), "grid_axes": list(grouping.axes)}


def _on_worker0(of: Applied[Any], value: Any) -> Any:
    """Return a value on rank 0 of a group, and zeros on the others."""
    rank = op.shape_to_tensor(op.ccl.rank(**_grid(of)))
    is_first = op.equal(op.reshape(rank, []), 0)
    return op.where(is_first, value, op.zeros_like(value))


def _require(of: Applied[Any], *kinds: str) -> None:
    if of.op.op_type not in kinds:
        raise GradientError(
            f'{describe(of.op)}: expected op_type "sum", "avg" or that of an allreduce "min" or "max", to '
            f'differentiate it, found "{of.op.op_type}"; gather the tensors and reduce them'
        )


@adjoint(ops.AllreduceOp)
def allreduce(of: Applied[ops.AllreduceOp], gy: Any) -> Any:
    kind, grid = of.op.op_type, _grid(of)
    if kind in ("sum", "avg"):
        return op.ccl.allreduce(gy, kind, **grid)
    _require(of, "min", "max")
    total = op.ccl.allreduce(gy, "sum", **grid)
    is_extreme = op.astype(op.equal(of.x, of.y), of.x.dtype)
    return op.divide(op.multiply(total, is_extreme), op.ccl.allreduce(is_extreme, "sum", **grid))


@adjoint(ops.AllgatherOp)
def allgather(of: Applied[ops.AllgatherOp], gy: Any) -> Any:
    workers = of.inputs[1]
    return op.ccl.reduce_scatter(gy, workers, "sum", axis=of.op.axis, **_grid(of)), None


@adjoint(ops.ReduceScatterOp)
def reduce_scatter(of: Applied[ops.ReduceScatterOp], gy: Any) -> Any:
    workers, kind = of.inputs[1], of.op.op_type
    _require(of, "sum", "avg")
    found = op.ccl.allgather(gy, workers, axis=of.op.axis, **_grid(of))
    count = op.astype(op.reshape(op.shape_to_tensor(workers), []), of.x.dtype)
    return (found if kind == "sum" else op.divide(found, count)), None


@adjoint(ops.BroadcastFromWorker0Op)
def broadcast_from_worker0(of: Applied[ops.BroadcastFromWorker0Op], gy: Any) -> Any:
    return _on_worker0(of, op.ccl.allreduce(gy, "sum", **_grid(of)))


@adjoint(ops.ScatterFromWorker0Op)
def scatter_from_worker0(of: Applied[ops.ScatterFromWorker0Op], gy: Any) -> Any:
    whole = op.ccl.allgather(gy, of.inputs[1], axis=of.op.axis, **_grid(of))
    return _on_worker0(of, whole), None


@adjoint(ops.AllToAllOp)
def all_to_all(of: Applied[ops.AllToAllOp], gy: Any) -> Any:
    axes = {"split_axis": of.op.concat_axis, "concat_axis": of.op.split_axis}
    return op.ccl.all_to_all(gy, of.inputs[1], **axes, **_grid(of)), None


constant("it is a whole number", ops.WorkerRankOp, ops.WorldSizeOp)
refused(
    "its adjoint is a message the other way, which the other rank has to receive at that point",
    ops.SendOp,
    ops.RecvOp,
)
