"""Rows of f16 that are converted apart: every half, and the roundings in between, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from mlir_oracle import lower_and_load, parse
from optional import COMPILERS, MLIR, needs
from xdsl.dialects.func import FuncOp

import lowering
from lowering.emit_c import emit
from lowering.loops.emulate_unsupported_floats import emulate_unsupported_floats
from lowering.loops.narrow_rows import convert_rows, row_length
from lowering.runtime.loading import build
from lowering.support.target import find
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

HALVES = np.arange(2**16, dtype=np.uint16).view(np.float16)
ROW = row_length(find())
LENGTHS = (0, 1, 7, 8, 9, 31, 32, 33, ROW - 1, ROW, ROW + 1, 3 * ROW + 5)
RANDOM = np.random.default_rng(0)

CONVERT = """
func.func @widen(%n: index {relax.symbol = "n"}, %x: memref<?xf16> {relax.dims = ["n"]},
    %y: memref<?xf32> {relax.dims = ["n"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf16>
    %b = arith.extf %a : f16 to f32
    memref.store %b, %y[%i] : memref<?xf32>
  }
  func.return
}
func.func @round(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]},
    %y: memref<?xf16> {relax.dims = ["n"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = arith.truncf %a : f32 to f16
    memref.store %b, %y[%i] : memref<?xf16>
  }
  func.return
}
"""


def assert_same_halves(found: np.ndarray, expected: np.ndarray) -> None:
    """The same numbers by their bits; NaN is NaN."""
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), ~number)
    bits = f"u{expected.itemsize}"
    np.testing.assert_array_equal(found[number].view(bits), expected[number].view(bits))


@pytest.fixture(scope="module", name="convert", params=COMPILERS)
def convert_fixture(request: pytest.FixtureRequest):
    source = emit(parse(CONVERT), "rows")
    assert "f16_row_to_f32(&x[0], &y[0], n);" in source.c
    assert "f32_row_to_f16(&x[0], &y[0], n);" in source.c
    return build(source, cc=request.param)


def test_every_half_is_widened(convert):
    assert_same_halves(convert.widen(HALVES), HALVES.astype(np.float32))


def singles() -> np.ndarray:
    """f32 of every kind, those half way between two halves and next to them among them."""
    exact = HALVES[np.isfinite(HALVES)].astype(np.float32)
    order = np.sort(np.unique(exact))
    middle = (order[1:] + order[:-1]) / 2
    ends = np.array([65504, 65519.996, 65520, 65536, np.inf, np.nan, 1e38, 2**-25, 2**-26], "f4")
    edges = np.concatenate([exact, middle, ends, -ends])
    near = [np.nextafter(edges, np.float32(to)) for to in (-np.inf, np.inf)]
    scattered = RANDOM.integers(0, 2**32, 2_000_000, np.uint32).view(np.float32)
    return np.concatenate([edges, *near, scattered])


@pytest.mark.slow
def test_singles_are_rounded_to_nearest(convert):
    x = singles()
    with np.errstate(all="ignore"):
        assert_same_halves(convert.round(x), x.astype(np.float16))


@pytest.mark.parametrize("length", LENGTHS)
def test_every_length(convert, length: int):
    x = RANDOM.uniform(-9, 9, length).astype(np.float16)
    np.testing.assert_array_equal(convert.widen(x), x.astype(np.float32))
    np.testing.assert_array_equal(convert.round(x.astype(np.float32)), x)


def model(*sizes: int | str) -> BlockBuilder:
    """`(x * y + z) * y`, each operation rounded."""
    bb = BlockBuilder()
    type_ = TensorType(list(sizes), "f16")
    with bb.function("main", dict.fromkeys("xyz", type_)) as (x, y, z):
        with bb.dataflow():
            out = bb.emit_output(op.multiply(op.add(op.multiply(x, y), z), y))
        bb.emit_func_output(out)
    return bb


@pytest.fixture(scope="module", name="symbolic")
def symbolic_fixture():
    return lowering.compile(model("n").get())


@pytest.mark.parametrize("length", LENGTHS)
def test_results_in_between_are_rounded(symbolic, length: int):
    x, y, z = (RANDOM.choice(HALVES, length) for _ in "xyz")
    with np.errstate(all="ignore"):
        assert_same_halves(symbolic.main(x, y, z), (x * y + z) * y)


@pytest.mark.parametrize("factor", [1.0, 0.5, 0.1, 2.0**-14, 3.0, 1000.0])
def test_roundings_of_every_half(symbolic, factor: float):
    y, z = (np.full_like(HALVES, value) for value in (factor, 2.0**-20))
    with np.errstate(all="ignore"):
        assert_same_halves(symbolic.main(HALVES, y, z), (HALVES * y + z) * y)


LOOP = """
func.func @f(%n: index, %x: memref<?xf16>, %y: memref<?xf16>, %z: memref<?xf16>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
    %next = arith.addi %i, %c1 : index
    %a = memref.load %x[%i] : memref<?xf16>
    %b = memref.load %y[%i] : memref<?xf16>
    %s = arith.mulf %a, %b : f16
    %t = arith.addf %s, %b : f16
    memref.store %t, {target} : memref<?xf16>
  }}
  func.return
}}
"""


def rewritten(target: str):
    module = parse(LOOP.format(target=target))
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    emulate_unsupported_floats(function)
    before = str(module)
    convert_rows(function, find())
    module.verify()
    return module, str(module) != before


@needs(MLIR)
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("length", [1, 40, ROW, 2 * ROW + 3])
def test_mlir_agrees(length: int, contract: bool):
    module, changed = rewritten("%z[%i]")
    assert changed
    x, y = (RANDOM.choice(HALVES, length) for _ in "xy")
    z = np.zeros_like(x)
    lower_and_load(module, contract).call("f", [length], [x, y, z])
    with np.errstate(all="ignore"):
        assert_same_halves(z, x * y + y)


@pytest.mark.parametrize("target, split", [("%x[%i]", True), ("%x[%next]", False)])
def test_what_is_read_later_is_not_split(target: str, split: bool):
    assert rewritten(target)[1] == split
