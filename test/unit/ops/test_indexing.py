"""Operators that read and write elements at indices, as compiled C, against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.indexing import OPS, GatherElementsOp, GatherNdOp, IndexTensorOp, TakeOp
from relax_dialect.ops.scattering import IndexPutOp, ScatterElementsOp, ScatterNdOp
from relax_dialect.types import TensorType

from .compiled import STATIC, Case, Sizes, check, compile_cases, keep, over, tensor
from .slices import CASES as SLICES

Meaning = Callable[..., np.ndarray]

SOME: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3, "b": 2},
    {"n": 1, "m": 1, "k": 1, "b": 1},
    {"n": 2, "m": 0, "k": 4, "b": 1},
    {"n": 3, "m": 2, "k": 0, "b": 0},
    {"n": 0, "m": 2, "k": 0, "b": 3},
)
"""Where an axis that indices count along is empty, there are no indices."""


EQUAL: Sequence[Sizes] = (
    {"n": 3, "m": 2, "k": 3, "b": 3},
    {"n": 1, "m": 2, "k": 1, "b": 1},
)
"""Sizes that operators demand to be equal, under several names."""

PROVED: Sequence[Sizes] = ({"n": 3, "m": 4, "k": 3, "b": 4},)


def of_size(size: int) -> Callable[[np.ndarray], np.ndarray]:
    """Random numbers as indices of an axis, negative ones among them where the type has them."""
    return lambda i: i % size if i.dtype.kind == "u" else i % (2 * size) - size


def index(*dims: object, dtype: str = "i64") -> TensorType:
    return tensor(*dims, dtype=dtype)


def take(
    axis: int | None,
    data: TensorType,
    indices: TensorType,
    size: int,
    mode: str = "fast",
    **more: Any,
) -> Case:
    """Slice by slice, with indices that reach over the ends unless the mode is fast."""

    def meaning(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        rows = np.moveaxis(x, axis or 0, 0)
        result = np.zeros((*indices.shape, *rows.shape[1:]), x.dtype)
        for place in np.ndindex(indices.shape):
            at = int(indices[place])
            at = {"fast": at, "clip": sorted([0, at, len(rows) - 1])[1], "wrap": at % len(rows)}[
                mode
            ]
            result[place] = rows[at]
        front = list(range(indices.ndim))
        return np.moveaxis(result, front, [f + (axis or 0) % x.ndim for f in front])

    values = [keep, of_size(size if mode == "fast" else 3 * size)]
    sizes = more.pop("sizes", SOME)
    return Case(lambda x, i: TakeOp(x, i, axis, mode), [data, indices], meaning, sizes, values)


def gather_elements(
    axis: int, data: TensorType, indices: TensorType, size: int, sizes: Sequence[Sizes] = SOME
) -> Case:
    def meaning(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
        result = np.zeros(indices.shape, data.dtype)
        for place in np.ndindex(indices.shape):
            source = list(place)
            source[axis] = int(indices[place])
            result[place] = data[tuple(source)]
        return result

    build = lambda d, i: GatherElementsOp(d, i, axis)  # noqa: E731
    return Case(build, [data, indices], meaning, sizes, [keep, of_size(size)])


def gather_nd(
    data: TensorType,
    indices: TensorType,
    size: int,
    batch: int = 0,
    sizes: Sequence[Sizes] = SOME,
) -> Case:
    def meaning(data: np.ndarray, indices: np.ndarray) -> np.ndarray:
        rest = data.shape[batch + indices.shape[-1] :]
        result = np.zeros((*indices.shape[:-1], *rest), data.dtype)
        for place in np.ndindex(indices.shape[:-1]):
            result[place] = data[(*place[:batch], *map(int, indices[place]))]
        return result

    build = lambda d, i: GatherNdOp(d, i, batch)  # noqa: E731
    return Case(build, [data, indices], meaning, sizes, [keep, of_size(size)])


def index_tensor(
    data: TensorType, *indices: TensorType, size: int, sizes: Sequence[Sizes] = SOME
) -> Case:
    def meaning(data: np.ndarray, *indices: np.ndarray) -> np.ndarray:
        shape = np.broadcast_shapes(*(i.shape for i in indices))
        spread = [np.broadcast_to(i, shape) for i in indices]
        result = np.zeros((*shape, *data.shape[len(indices) :]), data.dtype)
        for place in np.ndindex(shape):
            result[place] = data[tuple(int(i[place]) for i in spread)]
        return result

    values = [keep, *(of_size(size) for _ in indices)]
    build = lambda d, *i: IndexTensorOp(d, list(i))  # noqa: E731
    return Case(build, [data, *indices], meaning, sizes, values)


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
    values = [keep, of_size(size), keep]
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
    "take": take(0, tensor(5, "m"), index("k"), 5),
    "take_symbolic": take(0, tensor("n", "m"), index("k", "b"), 1),
    "take_last": take(-1, tensor("n", 3, dtype="f64"), index("k", 2, dtype="i32"), 3),
    "take_vector": take(None, tensor(9, dtype="i8"), index("k", dtype="ui8"), 9),
    "take_scalar": take(1, tensor("n", 4), index(), 4),
    "take_clip": take(0, tensor(5, "m"), index("k"), 5, "clip"),
    "take_clip_unsigned": take(0, tensor(5, "m"), index("k", dtype="ui64"), 5, "clip"),
    "take_wrap": take(1, tensor("n", 5), index("k", dtype="i16"), 5, "wrap"),
    "take_wrap_unsigned": take(1, tensor("n", 5), index("k", dtype="ui8"), 5, "wrap"),
    "take_wrap_symbolic": take(0, tensor("n"), index("k"), 4, "wrap"),
    "take_bf16": take(0, tensor(5, 3, dtype="bf16"), index(7), 5, sizes=STATIC),
    "gather_elements": gather_elements(0, tensor(5, "m"), index("k", "m"), 5),
    "gather_elements_last": gather_elements(
        -1, tensor("n", "m", 4, dtype="i1"), index("n", "m", "k", dtype="i32"), 4
    ),
    "gather_elements_narrow": gather_elements(0, tensor("n", 3), index("k", 2), 1),
    "gather_elements_unproved": gather_elements(
        0, tensor(5, "m"), index("n", "b"), 5, sizes=PROVED
    ),
    "gather_nd": gather_nd(tensor(4, 4, "m"), index("k", 2), 4),
    "gather_nd_batch": gather_nd(tensor("n", 4, "m"), index("n", "k", 1, dtype="i32"), 4, 1),
    "gather_nd_elements": gather_nd(tensor("b", 3, 3), index("b", 2), 3, 1),
    "gather_nd_none": gather_nd(tensor("n", "m"), index("k", 0), 1),
    "gather_nd_static": gather_nd(tensor(3, 3, dtype="f16"), index(2, 5, 2), 3),
    "gather_nd_unproved": gather_nd(tensor("n", 3), index("k", "b", 1), 3, 1, sizes=EQUAL),
    "index_tensor": index_tensor(tensor(6, 6, "m"), index("k", 1), index("b"), size=6),
    "index_tensor_one": index_tensor(tensor(4, "m", dtype="ui16"), index("k", "b"), size=4),
    "index_tensor_ones": index_tensor(tensor(4, 4), index("k"), index(1, dtype="i32"), size=4),
    "index_tensor_unproved": index_tensor(
        tensor(4, 4), index("k"), index("b", dtype="i32"), size=4, sizes=EQUAL
    ),
    "scatter_elements": scatter_elements(0, tensor(5, "m"), index("k", "m"), 5),
    "scatter_elements_add": scatter_elements(0, tensor(3, "m"), index("n", "m"), 3, "add"),
    "scatter_elements_mul": scatter_elements(
        -1, tensor("n", 3, dtype="f64"), index("n", "k", dtype="i32"), 3, "mul"
    ),
    "scatter_elements_max": scatter_elements(1, tensor("n", 2), index("n", "k"), 2, "max"),
    "scatter_elements_min": scatter_elements(
        0, tensor(2, "m", dtype="ui8"), index("n", "m"), 2, "min"
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
    **SLICES,
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


def both_stop(model: CompiledModule, name: str, arrays: Sequence[Any], message: str):
    """A case stops with the message, interpreted and compiled."""
    module = ModuleOp([CASES[name].function(name)])
    tensors = [a for a in arrays if isinstance(a, np.ndarray)]
    for attempt in (lambda: run(module, name, *arrays), lambda: model[name](*tensors)):
        with pytest.raises(RelaxError, match=re.escape(message)):
            attempt()


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def at(*indices: Any, dtype: str = "int64") -> np.ndarray:
    return np.array(indices, dtype)


WITHIN = "expected every index to be within -size..size-1 of axis"
OUTSIDE: dict[str, tuple[list[Any], int]] = {
    "take": ([zeros(5, 2), at(0, 5)], 0),
    "take_symbolic": ([zeros(0, 2), at([0])], 0),
    "take_last": ([np.zeros((2, 3)), at([0, -4], dtype="int32")], 1),
    "take_vector": ([np.zeros(9, np.int8), at(9, dtype="uint8")], 0),
    "gather_elements": ([zeros(5, 2), at([0, -6])], 0),
    "gather_nd": ([zeros(4, 4, 1), at([3, 4])], 1),
    "gather_nd_batch": ([zeros(1, 4, 1), at([[9]], dtype="int32")], 1),
    "index_tensor": ([zeros(6, 6, 1), at([0]), at(-7)], 1),
    "scatter_elements": ([zeros(5, 1), at([5]), zeros(1, 1)], 0),
    "scatter_nd": ([zeros(4, 4, 1), at([2**40, 0]), zeros(1, 1)], 0),
    "index_put": ([zeros(5, 5, 1), at([0]), at(5), zeros(1, 1, 1)], 1),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_index_outside_is_an_error(model: CompiledModule, name: str):
    arrays, axis = OUTSIDE[name]
    both_stop(model, name, arrays, f"{WITHIN} {axis}")


@pytest.mark.parametrize(
    ("name", "arrays", "message"),
    [
        ("take_wrap_symbolic", [zeros(0), at(1)], "expected axis 0 to have elements to take"),
        (
            "gather_elements_unproved",
            [zeros(5, 3), at([0, 0, 0, 0])],
            "expected 'indices' to be at most as long as 'data' along axis 1 (C3)",
        ),
        (
            "gather_nd_unproved",
            [zeros(2, 3), at([[0]])],
            "expected the size of axis 0 of 'data' and 'indices' to be equal (C4)",
        ),
        (
            "index_tensor_unproved",
            [zeros(4, 4), at(0, 1), at(0, 1, 2, dtype="int32")],
            "to broadcast: to be equal, or one of them 1",
        ),
        (
            "scatter_elements_unproved",
            [zeros(5, 1), at([0]), zeros(2, 1)],
            "expected the size of axis 0 of 'indices' and 'updates' to be equal (C3)",
        ),
        (
            "scatter_nd_unproved",
            [zeros(4, 2), at([0]), zeros(1, 1)],
            "expected axis 1 of 'updates' to be as long as 'indices' and 'data' say (C3)",
        ),
        (
            "index_put_unproved",
            [zeros(5, 2), at(0, 1, 2), zeros(2, 2)],
            "expected 'values' to broadcast to the elements at the indices (C5)",
        ),
        (
            "slice_scatter_unproved",
            [zeros(4, 2), zeros(2, 2)],
            "expected axis 0 of 'src' to be as long as the slice (C5)",
        ),
        (
            "strided_slice_inbound",
            [zeros(1, 5)],
            "expected begin and end inside of axis 0, in this order (C5)",
        ),
    ],
)
def test_other_sizes_are_an_error(
    model: CompiledModule, name: str, arrays: Sequence[Any], message: str
):
    both_stop(model, name, arrays, message)


def test_nothing_is_read_where_a_result_is_empty(model: CompiledModule):
    found = model.take_symbolic(zeros(0, 2), np.zeros((0, 3), np.int64))
    assert found.shape == (0, 3, 2)
