"""Sorting rows of every length and element type, as compiled C, bit for bit against numpy's stable sort."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from optional import package

from lowering.legalize.row_sort import SHORT
from lowering.legalize.sorting import FEW
from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.sorting import order
from relax_dialect.ir.spelling import as_dtype
from relax_dialect.ops.search import UniqueOp
from relax_dialect.ops.sorting import ArgsortOp, SortOp, TopkOp

from .compiled import Case, compile_cases, tensor

INTEGERS = ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
DTYPES = ("f16", "bf16", "f32", "f64", *INTEGERS)
LENGTHS = (0, 1, 2, SHORT - 1, SHORT, SHORT + 1, 255, 256, 257, 1000)


def case(operator: object, *shape: object, dtype: str = "f32") -> Case:
    return Case(operator, [tensor(*shape, dtype=dtype)], lambda x: x)  # pyright: ignore


def all_sorted(dtype: str, descending: bool, axis: int, *shape: object) -> Case:
    """All elements in order, and their places."""
    return case(lambda x: TopkOp(x, 0, axis, "both", descending, "i64"), *shape, dtype=dtype)


def topk(k: int, dtype: str, largest: bool = True) -> Case:
    return case(lambda x: TopkOp(x, k, -1, "both", largest, "i64"), "n", "m", dtype=dtype)


TAKEN = (1, 5, FEW, FEW + 1, SHORT, 300)

CASES: dict[str, Case] = {
    **{f"all_{t}": all_sorted(t, False, 1, "n", "m") for t in DTYPES},
    **{f"descending_{t}": all_sorted(t, True, 1, "n", "m") for t in ("f16", "f32", "i64", "ui8")},
    "first_axis": all_sorted("f32", False, 0, "m", "n"),
    "short": all_sorted("f32", True, 1, "n", SHORT),
    "long": all_sorted("f32", False, 1, "n", SHORT + 1),
    "sort": case(lambda x: SortOp(x), "n", "m"),
    **{
        f"places_{t}": case(lambda x: ArgsortOp(x, 1, False, "i64"), "n", "m", dtype=t)
        for t in ("f16", "f32", "f64", "i1", "ui32")
    },
    "argsort": case(lambda x: ArgsortOp(x, -1, True, "i32"), "n", "m"),
    "unique": case(lambda x: UniqueOp(x, return_inverse=True, return_counts=True), "n", "m"),
    **{f"top_{k}": topk(k, "f32") for k in TAKEN},
    "lowest_5_i64": topk(5, "i64", False),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def bits(x: Array) -> Array:
    return x.view(f"u{x.dtype.itemsize}")


def rows(dtype: str, size: int) -> Iterator[Array]:
    """One kind of row after the other: any bits, special values, few values, equal, sorted, reversed."""
    random, type = np.random.default_rng(size), numpy_dtype(as_dtype(dtype))
    if dtype == "i1":
        any_bits = random.integers(0, 2, size).astype(type)
    else:
        any_bits = np.frombuffer(random.bytes(size * type.itemsize), type).copy()
    yield any_bits
    few = random.integers(0, 5, size).astype(type)
    yield few
    if type.kind not in "iub":  # bf16 has a kind of its own
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -1.5], type)
        yield special[random.integers(0, len(special), size)]
        yield random.standard_normal(size).astype(type)
    yield np.full(size, few[0] if size else 0, type)
    ascending = any_bits[order(any_bits, 0, False)]
    yield ascending
    yield ascending[::-1].copy()


def expect(name: str, found: tuple[Array, Array], x: Array, axis: int, descending: bool) -> None:
    places = np.take(order(x, axis, descending), range(found[0].shape[axis]), axis)
    np.testing.assert_array_equal(found[1], places, name)
    values = np.take_along_axis(x, places, axis)
    np.testing.assert_array_equal(bits(found[0]), bits(values), name)


@pytest.mark.long
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_every_type_are_sorted_stably(model: CompiledModule, dtype: str):
    for size in LENGTHS:
        x = np.stack(list(rows(dtype, size)))
        expect(f"ascending, {size}", model[f"all_{dtype}"](x), x, 1, False)
        if f"places_{dtype}" in CASES:
            places = model[f"places_{dtype}"](x)
            np.testing.assert_array_equal(places, order(x, 1, False), f"places, {size}")
        if f"descending_{dtype}" in CASES:
            expect(f"descending, {size}", model[f"descending_{dtype}"](x), x, 1, True)


@pytest.mark.slow
def test_other_axes_and_known_sizes(model: CompiledModule):
    for size in LENGTHS:
        x = np.stack(list(rows("f32", size)), axis=1)
        expect(f"the first axis, {size}", model.first_axis(x), x, 0, False)
    for name, size, descending in (("short", SHORT, True), ("long", SHORT + 1, False)):
        x = np.stack(list(rows("f32", size)))
        expect(name, model[name](x), x, 1, descending)


@pytest.mark.parametrize("k", TAKEN)
def test_the_first_so_many(model: CompiledModule, k: int):
    for size in (k, k + 1, 4 * k, 4 * k + 1, 2000, 5000):
        if size >= k:
            x = np.stack(list(rows("f32", size)))
            expect(f"{k} of {size}", model[f"top_{k}"](x), x, 1, True)


def test_the_lowest_so_many_integers(model: CompiledModule):
    x = np.stack(list(rows("i64", 1000)))
    expect("integers", model.lowest_5_i64(x), x, 1, False)


@pytest.mark.slow
def test_long_rows(model: CompiledModule):
    x = np.random.default_rng(0).standard_normal((2, 70_000)).astype(np.float32)
    np.testing.assert_array_equal(model.sort(x), np.sort(x))
    places = model.argsort(x)
    np.testing.assert_array_equal(places, order(x, 1, True))
    expect("topk", model.top_300(x), x, 1, True)


@pytest.mark.long
def test_agrees_with_torch(model: CompiledModule):
    torch = package("torch")
    for size in (SHORT, 1000):
        x = np.stack(list(rows("f32", size)))
        for name, descending in (("all_f32", False), ("descending_f32", True)):
            wanted = torch.sort(torch.from_numpy(x), stable=True, descending=descending)
            values, places = model[name](x)
            np.testing.assert_array_equal(values, wanted.values.numpy())
            np.testing.assert_array_equal(places, wanted.indices.numpy())


def test_unique_of_long_rows(model: CompiledModule):
    x = np.stack(list(rows("f32", 1000)))
    found = model.unique(x)
    for result, wanted in zip(found, np.unique(x, return_inverse=True, return_counts=True)):
        np.testing.assert_array_equal(result, wanted.reshape(-1))
