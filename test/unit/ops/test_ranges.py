"""Operators that make tensors by the place of each element, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f16, i64

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.ranges import OPS, ArangeOp, HammingWindowOp, LinspaceOp, OneHotOp

from .compiled import Case, Sizes, check, compile_cases, each_case, shape, tensor
from .inputs import inferred, refused, x
from .inputs import shape as value


def hot(on: Any, off: Any, depth: int, axis: int, dtype: str):
    """Index by index."""

    def meaning(indices: np.ndarray) -> np.ndarray:
        result = np.full((*indices.shape, depth), off, dtype)
        for place, index in np.ndenumerate(indices):
            if 0 <= index < depth:
                result[(*place, index)] = on
        return np.moveaxis(result, -1, axis)

    return meaning


def near(x: np.ndarray) -> np.ndarray:
    """Indices in and around 0..4."""
    return np.arange(x.size).reshape(x.shape).astype(x.dtype) - (x.dtype.kind == "i")


def one_hot(on: Any, off: Any, axis: int, type: TensorType, dtype: str) -> Case:
    numbers = [getattr(getattr(v, "value", v), "data", v) for v in (on, off)]
    meaning = hot(*numbers, 4, axis, dtype)
    return Case(lambda i: OneHotOp(i, on, off, 4, axis), [type], meaning, values=near)


def counted(start: float, end: float, step: float, dtype: str) -> np.ndarray:
    """One step after the other, until the end is reached."""
    values, place = [], start
    while (place < end) if step > 0 else (place > end):
        values.append(place)
        place = start + len(values) * step
    return np.array(values).astype(numpy_dtype(parse_dtype(dtype)))


def arange(bounds: tuple, dtype: str | None, found: str, **more: Any) -> Case:
    """Of bounds that may be named n or m, the sizes of a shape parameter; `found` is the element type
    of the result."""

    def meaning(sizes: tuple[int, int]) -> np.ndarray:
        named = {"n": sizes[0], "m": sizes[1], "n + 2": sizes[0] + 2}
        start, *rest = (named.get(bound, bound) for bound in bounds)
        end, step, *_ = (*rest, 1) if rest else (start, 1)
        return counted(start if rest else 0, end, step, found)

    return Case(lambda _: ArangeOp(*bounds, dtype=dtype), [shape("n", "m")], meaning, **more)


def linspace(start: float, stop: float, count: Any, dtype: str) -> Case:
    """Weighted means of both ends."""

    def meaning(sizes: tuple[int]) -> np.ndarray:
        number = sizes[0] if count == "n" else count
        weights = [place / (number - 1) if place else 0 for place in range(number)]
        values = [(1 - weight) * start + weight * stop for weight in weights]
        return np.array(values, float).astype(numpy_dtype(parse_dtype(dtype)))

    return Case(lambda _: LinspaceOp(start, stop, count, dtype), [shape("n")], meaning)


def hamming(size: Any, periodic: bool, alpha: float, beta: float, dtype: str, **more: Any) -> Case:
    def meaning(sizes: tuple[int]) -> np.ndarray:
        count = sizes[0] if size == "n" else size
        if periodic:  # a symmetric window of one more, without its last element
            count += 1
        place = np.linspace(-np.pi, np.pi, count) if count > 1 else np.zeros(count)
        window = alpha + beta * np.cos(place)
        if sizes[0] == 1 == size or (size == "n" and sizes[0] == 1):
            return np.ones(1, dtype)
        return (window[:-1] if periodic else window).astype(dtype)

    return Case(
        lambda _: HammingWindowOp(size, periodic, alpha, beta, dtype_name(dtype)),
        [shape("n")],
        meaning,
        **more,
    )


def dtype_name(numpy: str) -> str:
    return {"e": "f16", "f": "f32", "d": "f64"}[numpy]


CASES: dict[str, Case] = {
    "hot": one_hot(1.0, 0.0, -1, tensor("n", dtype="i64"), "f"),
    "hot_first": one_hot(7, -1, 0, tensor("n", "m", dtype="i32"), "q"),
    "hot_middle": one_hot(True, False, 1, tensor("n", 2, dtype="ui8"), "?"),
    "hot_f16": one_hot(FloatAttr(0.5, f16), FloatAttr(2.0, f16), -1, tensor(dtype="i8"), "e"),
    "arange": arange(("n",), None, "i64"),
    "arange_two": arange(("n", "m"), None, "i64"),
    "arange_step": arange(("n", "m", 3), "i32", "i32"),
    "arange_down": arange(("n", -1, -1), "f32", "f32"),
    "arange_from": arange((-3, "n + 2", 2), "f64", "f64"),
    "arange_down_two": arange(("n", "m", -2), "i8", "i8"),
    "arange_static": arange((2, 11, 4), None, "i64"),
    "arange_floats": arange((0.5, -2.0, -0.25), None, "f32"),
    "arange_whole": arange((0.5, 4), "i16", "i16"),
    "arange_bf16": arange((-3, "n", 2), "bf16", "bf16"),
    "arange_empty": arange((3, 3), "ui8", "ui8"),
    "linspace": linspace(-1.0, 2, "n", "f32"),
    "linspace_static": linspace(3.0, -3.0, 7, "f64"),
    "linspace_f16": linspace(0.1, 0.7, "n", "f16"),
    "hamming": hamming("n", True, 0.54, 0.46, "f"),
    "hamming_symmetric": hamming("n", False, 0.5, 0.5, "d"),
    "hamming_static": hamming(6, False, 0.54, 0.46, "e"),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_one_hot_C1():
    refused("C1", lambda: OneHotOp(x("n"), 1.0, 0.0, 4))
    refused("C1", lambda: OneHotOp(x("n", dtype="i1"), 1.0, 0.0, 4))


def test_one_hot_C2():
    refused("C2", lambda: OneHotOp(x("n", dtype="i64"), 1.0, 0, 4))


def test_one_hot_C3():
    refused("C3", lambda: OneHotOp(x("n", dtype="i64"), 1.0, 0.0, -1))


def test_one_hot_C4():
    refused("C4", lambda: OneHotOp(x("n", dtype="i64"), 1.0, 0.0, 4, 2))


def test_arange_C1():
    refused("C1", lambda: ArangeOp(3, dtype="i1"))


def test_arange_C2():
    numbers = {"start": IntegerAttr(0, i64), "step": IntegerAttr(1, i64)}
    refused("C2", lambda: inferred(ArangeOp, [], **numbers))
    refused("C2", lambda: inferred(ArangeOp, [value("n", 2)], **numbers))
    assert inferred(ArangeOp, [value("n")], **numbers)


def test_arange_C3():
    refused("C3", lambda: ArangeOp(0, 3, 0))
    refused("C3", lambda: ArangeOp(0, "n", 0.5))
    refused("C3", lambda: ArangeOp(0, float("inf")))


def test_arange_C4():
    refused("C4", lambda: ArangeOp(-1, 3, dtype="ui8"))
    refused("C4", lambda: ArangeOp(0, 129, dtype="i8"))
    assert ArangeOp(0, 128, dtype="i8").result.type == TensorType([128], "i8")


def test_linspace_C3():
    refused("C3", lambda: LinspaceOp(0.0, np.inf))


def test_linspace_C1():
    refused("C1", lambda: LinspaceOp(0, 1, dtype="i32"))


def test_hamming_window_C1():
    refused("C1", lambda: HammingWindowOp("n", dtype="i32"))


def test_hamming_window_C2():
    refused("C2", lambda: inferred(HammingWindowOp, [value("n", 2)]))
