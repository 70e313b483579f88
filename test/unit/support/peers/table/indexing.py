"""Operators on indices, and slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import ANY, Draw, UnsuitableError, finite, normal
from peers.libraries import by_numpy, by_onnx, by_torch, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import indexing as ops
from relax_dialect.ops import scattering, slicing

SOME = (0, 1, 2, 3, 5)


@peer("take", **exact)
def take(d: Draw) -> tuple[Build, Meaning]:
    shape, mode = d.shape(1), d.one(("fast", "clip", "wrap"))
    axis = d.axis(len(shape)) if len(shape) > 1 or d.flag() else None
    d.array(shape, d.one(ANY))
    size = shape[0 if axis is None else axis]
    if mode == "fast":
        d.indices(d.shape(0, 2), size)
    else:
        d.array(d.shape(0, 2), d.one(("int32", "int64")))

    def theirs(x: np.ndarray, i: np.ndarray) -> np.ndarray:
        if not size and i.size:
            raise UnsuitableError
        if mode == "wrap":  # numpy subtracts the size as often as it takes
            i = np.mod(i, max(size, 1))
        return np.take(x, i, axis, mode="clip" if mode == "clip" else "raise")

    return lambda x, i: ops.TakeOp(x, i, axis, mode), by_numpy(theirs)


def from_front(indices: Any, size: int) -> Any:
    """Indices counted from the front, for functions of PyTorch that know no others."""
    if (indices < -size).any() or (indices >= size).any():
        raise UnsuitableError
    return torch.where(indices < 0, indices + size, indices).long()


@peer("gather_elements", **exact)
def gather_elements(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    d.array(shape, d.one(ANY))
    taken = [*shape]
    taken[axis] = d.size()
    d.indices(taken, shape[axis])
    return lambda x, i: ops.GatherElementsOp(x, i, axis), by_torch(
        lambda x, i: torch.gather(x, axis, from_front(i, x.shape[axis]))
    )


@peer("gather_nd", **exact)
def gather_nd(d: Draw) -> tuple[Build, Meaning]:
    batch = d.whole(0, 1)
    d.unknown = 0.0  # or the rank of the result is unknown
    shape = [d.fixed(1, 4) for _ in range(d.whole(batch + 1, 4))]
    count = d.whole(1, len(shape) - batch)
    d.array(shape, d.one(("float32", "int64", "float64")))
    kept = shape[:batch] + [d.size((1, 2, 3)) for _ in range(d.whole(1 - batch, 2))]
    bounds = np.array(shape[batch : batch + count])
    d.array([*kept, count], "int64", lambda x, d: d.numbers.integers(-bounds, bounds, x.shape))
    return lambda x, i: ops.GatherNdOp(x, i, batch), by_onnx("GatherND", batch_dims=batch)


def index_tensors(d: Draw, shape: list[int]) -> int:
    """Tensors of indices for the first axes, which broadcast; how many."""
    common, count = d.shape(0, 2, SOME), d.whole(1, len(shape))
    for axis in range(count):
        d.indices(common if axis == 0 else d.broadcast(common), shape[axis])
    return count


@peer("index_tensor", **exact)
def index_tensor(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1, 3)
    d.array(shape, d.one(ANY))
    index_tensors(d, shape)
    return lambda x, *i: ops.IndexTensorOp(x, list(i)), by_torch(
        lambda x, *i: x[tuple(each.long() for each in i)]
    )


REDUCE = {"add": "sum", "mul": "prod", "mean": "mean", "max": "amax", "min": "amin"}
NAMES = {"update": "none", "add": "add", "mul": "mul", "max": "max", "min": "min"}


@peer("scatter_elements", cancels=10, digits=10)
def scatter_elements(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1, 3)
    axis, reduction = d.axis(len(shape)), d.one(list(REDUCE))
    dtype = d.one(("float32", "float64", "int64", "int32"))
    d.array(shape, dtype, finite)
    taken = [*shape]
    taken[axis] = d.size()
    indices = d.indices(taken, shape[axis])
    d.array(taken, dtype, finite)
    if reduction == "mean" and "int" in dtype and not indices.size:
        raise UnsuitableError
    return lambda x, i, u: scattering.ScatterElementsOp(x, i, u, axis, reduction), by_torch(
        lambda x, i, u: x.scatter_reduce(axis, from_front(i, x.shape[axis]), u, REDUCE[reduction])
    )


@peer("scatter_elements", **exact)
def scatter_different(d: Draw) -> tuple[Build, Meaning]:
    """Each place once, since libraries leave open which update is the last."""
    shape = d.shape(1, 3, (1, 2, 3, 5, 7))
    axis, dtype = d.axis(len(shape)), d.one(ANY)
    d.array(shape, dtype)

    def places(x: np.ndarray, d: Draw) -> np.ndarray:
        return d.numbers.permuted(np.broadcast_to(np.arange(x.shape[-1]), x.shape), axis=-1)

    d.array(shape, "int64", lambda x, d: np.swapaxes(places(np.swapaxes(x, axis, -1), d), axis, -1))
    d.array(shape, dtype)
    return lambda x, i, u: scattering.ScatterElementsOp(x, i, u, axis), by_torch(
        lambda x, i, u: x.scatter(axis, i, u)
    )


@peer("scatter_nd", cancels=10, digits=10)
def scatter_nd(d: Draw) -> tuple[Build, Meaning]:
    shape, reduction = [d.fixed(1, 5) for _ in range(d.whole(1, 3))], d.one(list(NAMES))
    count, dtype = d.whole(1, len(shape)), d.one(("float32", "float64", "int64"))
    d.unknown = 0.0  # or the length of a row is no number
    d.array(shape, dtype, normal)
    bounds = np.array(shape[:count])
    rows = d.size((0, 1, 2, 3))

    def places(x: np.ndarray, d: Draw) -> np.ndarray:
        if reduction != "update":
            return d.numbers.integers(-bounds, bounds, x.shape)
        total = int(np.prod(bounds))
        if len(x) > total:
            raise UnsuitableError
        chosen = d.numbers.permutation(total)[: len(x)]
        return np.stack(np.unravel_index(chosen, tuple(bounds)), -1)

    d.array([rows, count], "int64", places)
    d.array([rows, *shape[count:]], dtype, normal)
    return lambda *o: scattering.ScatterNdOp(*o, reduction), by_onnx(
        "ScatterND", reduction=NAMES[reduction]
    )


@peer("index_put", **exact)
def index_put_different(d: Draw) -> tuple[Build, Meaning]:
    """Each place once, values that broadcast."""
    shape, dtype = d.shape(1, 3, (1, 2, 3, 5)), d.one(ANY)
    d.array(shape, dtype)
    rows = d.whole(0, min(3, int(shape[0])))
    d.array([rows], "int64", lambda x, d: d.numbers.permutation(int(shape[0]))[: len(x)])
    d.array(d.broadcast([rows, *shape[1:]]), dtype)
    return lambda x, i, v: scattering.IndexPutOp(x, [i], v), by_torch(
        lambda x, i, v: x.index_put((i,), v)
    )


@peer("index_put", cancels=10, digits=10)
def index_put(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1, 3, (1, 2, 3, 5))
    dtype = d.one(("float32", "float64", "int64"))
    d.array(shape, dtype, finite)
    count = d.whole(1, len(shape))
    places = [d.size((0, 1, 2, 3))]
    for axis in range(count):
        d.indices(places, shape[axis])
    d.array([*places, *shape[count:]], dtype, finite)
    return lambda x, *o: scattering.IndexPutOp(x, list(o[:-1]), o[-1], True), by_torch(
        lambda x, *o: x.index_put(tuple(i.long() for i in o[:-1]), o[-1], accumulate=True)
    )


def bounds(d: Draw) -> tuple[int | None, int | None, int]:
    step = d.one((-3, -2, -1, 1, 1, 2, 3))
    return d.maybe(d.whole(-9, 9)), d.maybe(d.whole(-9, 9)), step


@peer("strided_slice", **exact)
def strided_slice(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    d.array(shape, d.one(ANY))
    axes = d.axes(len(shape), least=1)
    cuts = [bounds(d) for _ in axes]
    begin, end, steps = zip(*cuts)

    def theirs(x: np.ndarray) -> np.ndarray:
        index = [slice(None)] * x.ndim
        for axis, cut in zip(axes, cuts):
            index[axis] = slice(*cut)
        return x[tuple(index)]

    return lambda x: slicing.StridedSliceOp(x, axes, begin, end, steps), by_numpy(theirs)


@peer("dynamic_strided_slice", **exact)
def dynamic_strided_slice(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1, 3)
    rank = len(shape)
    d.array(shape, d.one(ANY))
    integer: Any = lambda low, high: lambda x, d: d.numbers.integers(low, high, x.shape)  # noqa: E731
    for low, high in ((-9, 9), (-9, 9), (1, 4)):
        d.array([rank], "int64", integer(low, high))
    return slicing.DynamicStridedSliceOp, by_numpy(
        lambda x, b, e, s: x[tuple(slice(*map(int, cut)) for cut in zip(b, e, s))]
    )


@peer("slice_scatter", **exact)
def slice_scatter(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1, 3), d.one(ANY)
    axis, start, end = d.axis(len(shape)), d.whole(-9, 9), d.whole(-9, 9)
    step = d.whole(1, 3)
    d.array(shape, dtype)
    cut = [*shape]
    cut[axis] = len(range(int(shape[axis]))[start:end:step])
    d.array(cut, dtype)
    return lambda x, s: slicing.SliceScatterOp(x, s, start, end, step, axis), by_torch(
        lambda x, s: torch.slice_scatter(x, s, axis, start, end, step)
    )
