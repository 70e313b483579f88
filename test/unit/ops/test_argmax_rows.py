"""argmax and argmin over rows, in vectors and what these leave over, against numpy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from optional import LIGHTLY, UNOPTIMISED
from other_cpu import OWN_CPU
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.runtime.loading import CompiledModule
from lowering.schedule.match.arg_reduction import Placed
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

CASES = {
    "all": (None, False),
    "all_kept": (None, True),
    "last": (-1, False),
    "last_kept": (-1, True),
    "middle": (1, False),
}
"""The axis of a tensor of three, and whether the result keeps it."""

SHAPES = ((1, 2, 33), (1, 1, 128), (2, 3, 127), (3, 1, 129), (1, 4, 200), (3, 2, 1000))
RANDOM = np.random.default_rng(0)


@pytest.fixture(scope="module", name="model", params=["f32", "f64", "f16", "i8"])
def model_fixture(request: pytest.FixtureRequest) -> tuple[CompiledModule, str]:
    bb = BlockBuilder()
    type_ = TensorType(["a", "b", "c"], request.param)
    for name in ("argmax", "argmin"):
        for case, (axis, keepdims) in CASES.items():
            with bb.function(f"{name}_{case}", {"x": type_}) as (x,):
                found = getattr(op, name)(x, axis=axis, keepdims=keepdims)
                bb.emit_func_output(bb.emit(found))
    dtype = {"f": "float", "i": "int"}[request.param[0]] + request.param[1:]
    module = bb.get()
    assert isinstance(module, ModuleOp)
    flags = LIGHTLY if request.param in ("f32", "i8") else UNOPTIMISED
    return lowering.compile(module, extra_flags=flags), dtype


def arrays(shape: tuple[int, ...], dtype: str):
    """Numbers with ties, one value alone, the extreme in every row, and NaN after infinities."""
    x = RANDOM.integers(-9, 9, shape).astype(dtype)
    yield x
    yield np.zeros_like(x)
    for place in RANDOM.integers(0, x.size, 4):
        for value in (99, -99):
            one = x.copy()
            one.flat[place] = value
            one.flat[RANDOM.integers(0, x.size)] = value
            yield one
    if x.dtype.kind == "f":
        yield np.full_like(x, -np.inf)
        yield np.full_like(x, np.inf)
        for place in RANDOM.integers(0, x.size, 4):
            one = x.copy()
            one.flat[RANDOM.integers(0, x.size, 3)] = [np.inf, -np.inf, 99]
            one.flat[[place, -1]] = np.nan
            yield one


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_first_place_of_the_extreme(model, name: str, case: str, shape: tuple[int, ...]):
    compiled, dtype = model
    for x in arrays(shape, dtype):
        y = compiled[f"{name}_{case}"](x)
        axis, keepdims = CASES[case]
        expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(y, expected, strict=True)


def test_places_that_lanes_do_not_hold(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Placed, "most", 70)
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.argmax(x)))
    main = lowering.compile(builder.get(), cache=False).main
    for place in (0, 15, 63, 64, 69, 70, 71, 199):
        x = RANDOM.uniform(0, 1, 200).astype(np.float32)
        x[place] = 2
        assert main(x) == place


LENGTHS = (16, 32)
"""Lengths that the lanes of all CPUs divide."""


@pytest.mark.slow
@pytest.mark.parametrize("cpu", OWN_CPU)
def test_nan_where_vectors_hold_all_elements(cpu: str):
    bb = BlockBuilder()
    for name in ("argmax", "argmin"):
        for length, dtype in product(LENGTHS, ("f32", "f64")):
            x_type = TensorType([3, length], dtype)
            with bb.function(f"{name}_{dtype}_{length}", {"x": x_type}) as (x,):
                bb.emit_func_output(bb.emit(getattr(op, name)(x, axis=1)))
    compiled = lowering.compile(bb.get(), cpu=cpu, extra_flags=LIGHTLY)
    for name, length in product(("argmax", "argmin"), LENGTHS):
        for place, dtype in product((0, length // 2, length - 1), ("f32", "f64")):
            x = RANDOM.standard_normal((3, length)).astype(f"float{dtype[1:]}")
            x[1, place:] = np.nan
            found = compiled[f"{name}_{dtype}_{length}"](x)
            np.testing.assert_array_equal(found, getattr(np, name)(x, axis=1), strict=True)
