"""Operators that read and write elements at indices, as compiled C, against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.indexing import OPS, GatherElementsOp, GatherNdOp, IndexTensorOp, TakeOp

from .compiled import SIZES, STATIC, Case, Sizes, check, compile_cases, each_case, keep, tensor
from .indices import EQUAL, PROVED, SOME, index, of_size
from .scatters import CASES as SCATTERS
from .slices import CASES as SLICES

Meaning = Callable[..., np.ndarray]


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
            if mode == "nan":
                result[place] = rows[at] if 0 <= at < len(rows) else np.nan
                continue
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


CASES: dict[str, Case] = {
    "take": take(0, tensor(5, "m"), index("k"), 5),
    "take_symbolic": take(0, tensor("n", "m"), index("k", "b"), 1),
    "take_last": take(-1, tensor("n", 3, dtype="f64"), index("k", 2, dtype="i32"), 3),
    "take_vector": take(None, tensor(9, dtype="i8"), index("k", dtype="ui8"), 9),
    "take_scalar": take(1, tensor("n", 4), index(), 4),
    "take_clip": take(0, tensor(5, "m"), index("k"), 5, "clip"),
    "take_clip_unsigned": take(0, tensor(5, "m"), index("k", dtype="ui64"), 5, "clip"),
    "take_clip_scalar": take(0, tensor(5), index(), 5, "clip"),
    "take_nan": take(1, tensor("n", "m", 2), index("k", 3, dtype="i16"), 5, "nan", sizes=SIZES),
    "take_nan_unsigned": take(0, tensor(5, "n", dtype="f16"), index("k", dtype="ui64"), 5, "nan"),
    "take_nan_scalar": take(0, tensor("n", dtype="f64"), index(), 3, "nan", sizes=SIZES),
    "take_wrap_scalar": take(0, tensor(5, "m"), index(), 5, "wrap"),
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
    **SCATTERS,
    **SLICES,
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
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
            "dynamic_strided_slice_static",
            [np.zeros(5, np.int8), *(at(k, dtype="int8") for k in (0, 3, 0))],
            "expected strides other than 0 (C3)",
        ),
        (
            "dynamic_strided_slice_unproved",
            [zeros(5), at(0), at(3), at(1, 2)],
            "expected 'strides' to have one element for each of 1 axes (C2)",
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
