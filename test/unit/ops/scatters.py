"""Cases of the operators that write elements at indices: every element is made of the list of its
updates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.scattering import IndexPutOp, ScatterElementsOp, ScatterNdOp

from .compiled import Case, Sizes, Values, keep, special, tensor
from .indices import EQUAL, PROVED, SOME, index, of_size

FOLD: dict[str, Callable[[list[Any]], Any]] = {
    "update": lambda values: values[-1],
    "add": lambda values: sum(values[1:], values[0]),
    "mul": lambda values: np.multiply.reduce(values),
    "max": lambda values: np.maximum.reduce(values),
    "min": lambda values: np.minimum.reduce(values),
}


def folded(data: np.ndarray, lists: dict[tuple[int, ...], list[Any]], reduction: str) -> np.ndarray:
    """Each element with all updates that it gets, which were collected before."""
    result = data.copy()
    for place, updates in lists.items():
        values = [data[place], *updates]
        if data.dtype.kind == "f":
            values = [np.float32(v) if data.dtype.itemsize == 2 else v for v in values]
        if reduction != "mean":
            result[place] = FOLD[reduction](values)
        elif data.dtype.kind == "f":
            result[place] = FOLD["add"](values) / len(values)
        else:
            result[place] = FOLD["add"](values) // data.dtype.type(len(values))
    return result


def scatter_elements(
    axis: int,
    data: TensorType,
    indices: TensorType,
    size: int,
    reduction: str = "update",
    updates: TensorType | None = None,
    sizes: Sequence[Sizes] = SOME,
    data_values: Values = keep,
) -> Case:
    updates = updates or TensorType(indices.shape, data.dtype)

    def meaning(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        lists: dict[tuple[int, ...], list[Any]] = {}
        for place in np.ndindex(indices.shape):
            target = list(place)
            target[axis] = int(indices[place]) % data.shape[axis]
            lists.setdefault(tuple(target), []).append(updates[place])
        return folded(data, lists, reduction)

    build = lambda d, i, u: ScatterElementsOp(d, i, u, axis, reduction)  # noqa: E731
    values = [data_values, of_size(size), data_values]
    return Case(build, [data, indices, updates], meaning, sizes, values)


def scatter_nd(
    data: TensorType,
    indices: TensorType,
    updates: TensorType,
    size: int,
    reduction: str = "update",
    sizes: Sequence[Sizes] = SOME,
) -> Case:
    def meaning(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        lists: dict[tuple[int, ...], list[Any]] = {}
        rank = indices.ndim - 1
        for place in np.ndindex(updates.shape):
            row = [int(i) % s for i, s in zip(indices[place[:rank]], data.shape)]
            lists.setdefault((*row, *place[rank:]), []).append(updates[place])
        return folded(data, lists, reduction)

    build = lambda d, i, u: ScatterNdOp(d, i, u, reduction)  # noqa: E731
    return Case(build, [data, indices, updates], meaning, sizes, [keep, of_size(size), keep])


def index_put(
    data: TensorType,
    *indices: TensorType,
    values: TensorType,
    size: int,
    accumulate: bool = False,
    sizes: Sequence[Sizes] = SOME,
) -> Case:
    def meaning(data: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        *indices, values = rest
        shape = np.broadcast_shapes(*(i.shape for i in indices))
        spread = [np.broadcast_to(i, shape) for i in indices]
        updates = np.broadcast_to(values, (*shape, *data.shape[len(indices) :]))
        lists: dict[tuple[int, ...], list[Any]] = {}
        for place in np.ndindex(updates.shape):
            row = [int(i[place[: len(shape)]]) % s for i, s in zip(spread, data.shape)]
            lists.setdefault((*row, *place[len(shape) :]), []).append(updates[place])
        return folded(data, lists, "add" if accumulate else "update")

    def build(d: Any, *rest: Any) -> IndexPutOp:
        return IndexPutOp(d, list(rest[:-1]), rest[-1], accumulate)

    changed = [keep, *(of_size(size) for _ in indices), keep]
    return Case(build, [data, *indices, values], meaning, sizes, changed)


CASES: dict[str, Case] = {
    "scatter_elements": scatter_elements(0, tensor(5, "m"), index("k", "m"), 5),
    "scatter_elements_add": scatter_elements(0, tensor(3, "m"), index("n", "m"), 3, "add"),
    "scatter_elements_mul": scatter_elements(
        -1, tensor("n", 3, dtype="f64"), index("n", "k", dtype="i32"), 3, "mul"
    ),
    "scatter_elements_max": scatter_elements(1, tensor("n", 2), index("n", "k"), 2, "max"),
    "scatter_elements_min": scatter_elements(
        0, tensor(2, "m", dtype="ui8"), index("n", "m"), 2, "min"
    ),
    "scatter_elements_max_special": scatter_elements(
        0, tensor(3, "m"), index("n", "m"), 3, "max", data_values=special
    ),
    "scatter_elements_add_special": scatter_elements(
        0, tensor(3, "m"), index("n", "m"), 3, "add", data_values=special
    ),
    "scatter_elements_mean": scatter_elements(0, tensor(2, "m"), index("n", "m"), 2, "mean"),
    "scatter_elements_mean_i32": scatter_elements(
        0, tensor(2, "m", dtype="i32"), index("n", "m"), 2, "mean"
    ),
    "scatter_elements_add_f16": scatter_elements(
        0, tensor(2, "m", dtype="f16"), index("n", "m"), 2, "add"
    ),
    "scatter_elements_i1": scatter_elements(0, tensor("n", dtype="i1"), index("k"), 1),
    "scatter_elements_unproved": scatter_elements(
        0, tensor(5, "m"), index("k", "m"), 5, "add", updates=tensor("n", "m"), sizes=EQUAL
    ),
    "scatter_nd": scatter_nd(tensor(4, 4, "m"), index("k", 2), tensor("k", "m"), 4),
    "scatter_nd_add": scatter_nd(
        tensor(4, "m"), index("k", "b", 1), tensor("k", "b", "m"), 4, "add"
    ),
    "scatter_nd_max": scatter_nd(
        tensor(2, 2, dtype="i64"), index("k", 2), tensor("k", dtype="i64"), 2, "max"
    ),
    "scatter_nd_mean": scatter_nd(tensor(2, "m"), index("n", 1), tensor("n", "m"), 2, "mean"),
    "scatter_nd_all": scatter_nd(tensor("n", "m"), index("k", 0), tensor("k", "n", "m"), 1, "add"),
    "scatter_nd_unproved": scatter_nd(
        tensor(4, "m"), index("k", 1), tensor("k", "b"), 4, sizes=PROVED
    ),
    "index_put": index_put(
        tensor(5, 5, "m"), index("k", 1), index("b"), values=tensor("k", "b", "m"), size=5
    ),
    "index_put_one": index_put(
        tensor("n", dtype="i32"), index("k"), values=tensor(dtype="i32"), size=1
    ),
    "index_put_row": index_put(tensor(4, "m"), index("k"), values=tensor("m"), size=4),
    "index_put_add": index_put(
        tensor(3, "m"), index("n"), values=tensor("n", 1), size=3, accumulate=True
    ),
    "index_put_add_f16": index_put(
        tensor(2, dtype="f16"), index("n"), values=tensor("n", dtype="f16"), size=2, accumulate=True
    ),
    "index_put_unproved": index_put(
        tensor(5, "m"), index("k"), values=tensor("b", "m"), size=5, sizes=EQUAL
    ),
}
