"""Communication between ranks: simulated ones, or the only one.

Bytes are counted as rings of ranks send them: an allreduce is a reduce-scatter and an allgather of chunks,
in which each rank passes every chunk but one on to the next rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.communicator import Exchange
from relax_dialect.interpret.machine import frame_of, machine
from relax_dialect.interpret.runtime_values import Array, dtype_name, fresh, numpy_dtype
from relax_dialect.ir.order import describe
from relax_dialect.ops.axes import normalize_axis
from relax_dialect.ops.ccl import (
    AllgatherOp,
    AllreduceOp,
    AllToAllOp,
    BroadcastFromWorker0Op,
    CollectiveOp,
    CommunicationOp,
    PeerOp,
    RankOp,
    RecvOp,
    ReduceScatterOp,
    ScatterFromWorker0Op,
    SendOp,
    WorkerRankOp,
    WorldSizeOp,
)

Parts: TypeAlias = Sequence[Array]
Results: TypeAlias = tuple[Sequence[Any], Sequence[int]]
"""The values of the ranks of a group after a collective, and the bytes that each sends."""

REDUCE: dict[str, Callable[[Any, Any], Any]] = {
    "sum": np.add,
    "avg": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def reduced(op_type: str, parts: Parts) -> Array:
    """Return the elements of all ranks reduced in rising order; floats narrower than f32 in f32."""
    dtype = parts[0].dtype
    is_narrow = dtype.kind not in "biu" and dtype.itemsize < 4
    wide = [x.astype(np.float32) for x in parts] if is_narrow else parts
    total = reduce(REDUCE[op_type], wide)
    return (total / len(parts) if op_type == "avg" else total).astype(dtype)


def _equal_parts(op: CollectiveOp, x: Array, axis: int, count: int) -> list[Array]:
    """Return the parts of an axis, one for each rank."""
    axis = normalize_axis(op, axis, x.ndim)
    if x.shape[axis] % count:
        raise RelaxError(
            f"expected a size that the number of ranks divides, along axis {axis} (C4), found "
            f"{x.shape[axis]} for {count} ranks; pad the axis first"
        )
    return np.split(x, count, axis)


def _ring(chunks: Sequence[int]) -> list[int]:
    """Return the bytes that each rank of a ring sends that passes all chunks but that of the next rank."""
    return [sum(chunks) - chunks[(i + 1) % len(chunks)] for i in range(len(chunks))]


def allreduce(op: AllreduceOp, parts: Parts) -> Results:
    result, count = reduced(op.op_type, parts), len(parts)
    chunks = [c.nbytes for c in np.array_split(result.reshape(-1), count)]
    scattered, gathered = _ring(chunks), _ring([*chunks[1:], chunks[0]])
    return [result] * count, [a + b for a, b in zip(scattered, gathered)]


def allgather(op: AllgatherOp, parts: Parts) -> Results:
    result = np.concatenate(parts, op.axis)
    return [result] * len(parts), _ring([x.nbytes for x in parts])


def reduce_scatter(op: ReduceScatterOp, parts: Parts) -> Results:
    shares = _equal_parts(op, reduced(op.op_type, parts), op.axis, len(parts))
    return shares, _ring([x.nbytes for x in shares])


def broadcast(op: BroadcastFromWorker0Op, parts: Parts) -> Results:
    return [parts[0]] * len(parts), [parts[0].nbytes] * (len(parts) - 1) + [0]


def scatter(op: ScatterFromWorker0Op, parts: Parts) -> Results:
    shares = _equal_parts(op, parts[0], op.axis, len(parts))
    return shares, [sum(x.nbytes for x in shares[1:])] + [0] * (len(parts) - 1)


def all_to_all(op: AllToAllOp, parts: Parts) -> Results:
    cut = [_equal_parts(op, x, op.split_axis, len(parts)) for x in parts]
    results = [np.concatenate(column, op.concat_axis) for column in zip(*cut)]
    return results, [
        sum(c.nbytes for j, c in enumerate(row) if j != i) for i, row in enumerate(cut)
    ]


def group_of(interpreter: Interpreter, op: CommunicationOp) -> tuple[int, ...]:
    """Return the ranks of the group of the rank that runs."""
    own = machine(interpreter).communicator
    return tuple(op.grouping.group(own.rank, own.world))


def collective(op_type: type[CollectiveOp], finish: Callable[[Any, Parts], Results]) -> Any:
    """Return the semantics of a collective by a function of the op and the values of all ranks."""

    def run(_: Any, interpreter: Interpreter, op: CollectiveOp, args: PythonValues) -> PythonValues:
        group, x = group_of(interpreter, op), np.asarray(args[0])
        _require_workers(args[1:], group)
        agreed = _kind(x.shape, x.dtype) | {k: str(v) for k, v in op.properties.items()}
        where = frame_of(interpreter).located(describe(op))
        exchange = Exchange(op.name, where, group, agreed, x, lambda parts: finish(op, parts))
        return (fresh(machine(interpreter).communicator.exchange(exchange)),)

    return impl(op_type)(run)


def _kind(shape: Sequence[int], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return the sizes and the element type, which agree between ranks."""
    return {"the shape": list(shape), "the element type": dtype_name(dtype)}


def _require_workers(shapes: PythonValues, group: Sequence[int]) -> None:
    for (workers,) in shapes:
        if workers != len(group):
            raise RelaxError(
                f"expected the {len(group)} ranks of the group as num_workers, found {workers}; pass "
                "relax.ccl.world_size, or start as many ranks"
            )


MESSAGE = "relax.ccl.send and relax.ccl.recv"


def _message(
    interpreter: Interpreter, op: PeerOp, worker: int, sends: bool, value: Array | None, shape: Any
) -> Any:
    """Exchange a message with another rank of the group."""
    group, own = group_of(interpreter, op), machine(interpreter).communicator
    if not 0 <= worker < len(group) or group[worker] == own.rank:
        raise RelaxError(
            f"expected another rank of the group, from 0 to {len(group) - 1}, as worker, found {worker}; "
            "count the ranks of the group from 0"
        )
    pair = (own.rank, group[worker]) if sends else (group[worker], own.rank)
    where = frame_of(interpreter).located(describe(op))
    name = f"{MESSAGE} with tag {op.tag}"  # pyright: ignore
    return own.exchange(Exchange(name, where, pair, shape, value, _delivered, is_message=True))


def _delivered(values: Sequence[Any]) -> Results:
    sent, nothing = values
    return [nothing, sent], [sent.nbytes, 0]


def _number(interpreter: Interpreter, op: RankOp) -> PythonValues:
    group = group_of(interpreter, op)
    is_rank = isinstance(op, WorkerRankOp)
    rank = machine(interpreter).communicator.rank
    return ((group.index(rank) if is_rank else len(group),),)


@register_impls
class CclFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.ccl`."""

    allreduce = collective(AllreduceOp, allreduce)
    allgather = collective(AllgatherOp, allgather)
    reduce_scatter = collective(ReduceScatterOp, reduce_scatter)
    broadcast_from_worker0 = collective(BroadcastFromWorker0Op, broadcast)
    scatter_from_worker0 = collective(ScatterFromWorker0Op, scatter)
    all_to_all = collective(AllToAllOp, all_to_all)

    @impl(SendOp)
    def run_send(self, interpreter: Interpreter, op: SendOp, args: PythonValues) -> PythonValues:
        x, (worker,) = np.asarray(args[0]), args[1]
        _message(interpreter, op, worker, True, x, _kind(x.shape, x.dtype))
        return ()

    @impl(RecvOp)
    def run_recv(self, interpreter: Interpreter, op: RecvOp, args: PythonValues) -> PythonValues:
        (worker,), shape = args
        kind = _kind(shape, numpy_dtype(op.dtype))
        return (fresh(_message(interpreter, op, worker, False, None, kind)),)

    @impl(WorkerRankOp)
    def run_rank(
        self, interpreter: Interpreter, op: WorkerRankOp, args: PythonValues
    ) -> PythonValues:
        return _number(interpreter, op)

    @impl(WorldSizeOp)
    def run_world_size(
        self, interpreter: Interpreter, op: WorldSizeOp, args: PythonValues
    ) -> PythonValues:
        return _number(interpreter, op)
