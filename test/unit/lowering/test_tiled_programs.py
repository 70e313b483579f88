"""Tiled prim funcs through all passes on loops: views with a last stride of 1, local buffers and vectors.

What a schedule leaves after bufferization: `memref.subview`, `memref.alloca`, linalg on tiles, vectors that loops
carry. Each program is verified after every pass, and compared with numpy, compiled by gcc and clang.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import COMPILERS, MLIR, needs
from sanitizers import run_sanitized

from lowering.emit_c import emit
from lowering.pipeline import PASSES, lower
from lowering.runtime import loading as runtime
from relax_dialect import parse

ON_LOOPS = list(PASSES)[list(PASSES).index("relax-linalg-to-loops") :]
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")


@dataclass(frozen=True)
class Case:
    """A function, what numpy makes of its arguments, and arguments."""

    text: str
    numpy: Callable[..., np.ndarray]
    arguments: Callable[[np.random.Generator], list[tuple[np.ndarray, ...]]]
    rtol: float = 1e-5
    holds: str = ""
    """A text in its C, which a pass must have made."""


def floats(
    *shapes: tuple[int, ...], dtype: str = "float32"
) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: tuple((rng.standard_normal(s) * 2).astype(dtype) for s in shapes)  # type: ignore


ROWS = "memref<1x?xf32, strided<[?, 1], offset: ?>>"

MATMUL = """
func.func @matmul(%n: index {relax.symbol = "n"}, %x: memref<?x64xf32> {relax.dims = ["n", "64"]},
    %w: memref<64x40xf32> {relax.dims = ["64", "40"]}, %out: memref<?x40xf32> {relax.dims = ["n", "40"], relax.result})
    attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  %z = arith.constant 0.0 : f32
  %r = arith.remui %n, %c4 : index
  %main = arith.subi %n, %r : index
  scf.for %j = %c0 to %c40 step %c8 {
    %ws = memref.subview %w[0, %j] [64, 8] [1, 1] : memref<64x40xf32> to memref<64x8xf32, strided<[40, 1], offset: ?>>
    scf.for %i = %c0 to %main step %c4 {
      %acc = memref.alloca() : memref<4x8xf32>
      %xs = memref.subview %x[%i, 0] [4, 64] [1, 1] : memref<?x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
      %os = memref.subview %out[%i, %j] [4, 8] [1, 1] : memref<?x40xf32> to memref<4x8xf32, strided<[40, 1], offset: ?>>
      linalg.fill ins(%z : f32) outs(%acc : memref<4x8xf32>)
      linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i, k)>, affine_map<(k, i, j) -> (k, j)>, affine_map<(k, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%xs, %ws : memref<4x64xf32, strided<[64, 1], offset: ?>>, memref<64x8xf32, strided<[40, 1], offset: ?>>) outs(%acc : memref<4x8xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      }
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%acc : memref<4x8xf32>) outs(%os : memref<4x8xf32, strided<[40, 1], offset: ?>>) {
      ^bb0(%a: f32, %o: f32):
        %m = math.exp %a : f32
        linalg.yield %m : f32
      }
    }
    scf.for %i = %main to %n step %c1 {
      %xs = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
      %os = memref.subview %out[%i, %j] [1, 8] [1, 1] : memref<?x40xf32> to memref<8xf32, strided<[1], offset: ?>>
      linalg.fill ins(%z : f32) outs(%os : memref<8xf32, strided<[1], offset: ?>>)
      linalg.generic {indexing_maps = [affine_map<(k, j) -> (0, k)>, affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>], iterator_types = ["reduction", "parallel"]} ins(%xs, %ws : memref<1x64xf32, strided<[64, 1], offset: ?>>, memref<64x8xf32, strided<[40, 1], offset: ?>>) outs(%os : memref<8xf32, strided<[1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        linalg.yield %s : f32
      }
      linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%os : memref<8xf32, strided<[1], offset: ?>>) {
      ^bb0(%o: f32):
        %m = math.exp %o : f32
        linalg.yield %m : f32
      }
    }
  }
  func.return
}"""

SOFTMAX = f"""
func.func @softmax(%n: index {{relax.symbol = "n"}}, %m: index {{relax.symbol = "m"}},
    %x: memref<?x?xf32> {{relax.dims = ["n", "m"]}}, %out: memref<?x?xf32> {{relax.dims = ["n", "m"], relax.result}})
    attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %row = memref.alloc(%m) : memref<1x?xf32>
  %max = memref.alloca() : memref<1xf32>
  %sum = memref.alloca() : memref<1xf32>
  scf.for %i = %c0 to %n step %c1 {{
    %xs = memref.subview %x[%i, 0] [1, %m] [1, 1] : memref<?x?xf32> to {ROWS}
    %os = memref.subview %out[%i, 0] [1, %m] [1, 1] : memref<?x?xf32> to {ROWS}
    linalg.fill ins(%low : f32) outs(%max : memref<1xf32>)
    linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}} ins(%xs : {ROWS}) outs(%max : memref<1xf32>) {{
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %b, %a : f32
      linalg.yield %c : f32
    }}
    linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} ins(%xs, %max : {ROWS}, memref<1xf32>) outs(%row : memref<1x?xf32>) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %c = arith.subf %a, %b : f32
      %e = math.exp %c : f32
      linalg.yield %e : f32
    }}
    linalg.fill ins(%z : f32) outs(%sum : memref<1xf32>)
    linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}} ins(%row : memref<1x?xf32>) outs(%sum : memref<1xf32>) {{
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    }}
    linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} ins(%row, %sum : memref<1x?xf32>, memref<1xf32>) outs(%os : {ROWS}) {{
    ^bb0(%a: f32, %b: f32, %o: f32):
      %c = arith.divf %a, %b : f32
      linalg.yield %c : f32
    }}
  }}
  memref.dealloc %row : memref<1x?xf32>
  func.return
}}"""


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=1, keepdims=True)


HALF = "memref<2x?xf16, strided<[?, 1], offset: ?>>"
HALF_ROWS = f"""
func.func @half(%n: index {{relax.symbol = "n"}}, %x: memref<4x?xf16> {{relax.dims = ["4", "n"]}},
    %out: memref<4x?xf16> {{relax.dims = ["4", "n"], relax.result}}) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c2 {{
    %xs = memref.subview %x[%i, 0] [2, %n] [1, 1] : memref<4x?xf16> to {HALF}
    %os = memref.subview %out[%i, 0] [2, %n] [1, 1] : memref<4x?xf16> to {HALF}
    linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} ins(%xs : {HALF}) outs(%os : {HALF}) {{
    ^bb0(%a: f16, %o: f16):
      %c = math.exp %a : f16
      linalg.yield %c : f16
    }}
  }}
  func.return
}}"""

COUNT = """
func.func @count(%n: index {relax.symbol = "n"}, %x: memref<?x300xi1> {relax.dims = ["n", "300"]},
    %out: memref<?xi32> {relax.dims = ["n"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i, 7] [1, 256] [1, 1] : memref<?x300xi1> to memref<256xi1, strided<[1], offset: ?>>
    %os = memref.subview %out[%i] [1] [1] : memref<?xi32> to memref<i32, strided<[], offset: ?>>
    linalg.fill ins(%z : i32) outs(%os : memref<i32, strided<[], offset: ?>>)
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]} ins(%xs : memref<256xi1, strided<[1], offset: ?>>) outs(%os : memref<i32, strided<[], offset: ?>>) {
    ^bb0(%a: i1, %b: i32):
      %w = arith.extui %a : i1 to i32
      %c = arith.addi %b, %w : i32
      linalg.yield %c : i32
    }
  }
  func.return
}"""

FLATTEN = """
func.func @flatten(%n: index {relax.symbol = "n"}, %x: memref<?x8x30xf32> {relax.dims = ["n", "8", "30"]},
    %out: memref<?x120xf32> {relax.dims = ["n", "120"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i, 4, 0] [1, 4, 30] [1, 1, 1] : memref<?x8x30xf32> to memref<4x30xf32, strided<[30, 1], offset: ?>>
    %os = memref.subview %out[%i, 0] [1, 120] [1, 1] : memref<?x120xf32> to memref<120xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%os : memref<120xf32, strided<[1], offset: ?>>) {
    ^bb0(%o: f32):
      %c30 = arith.constant 30 : index
      %k = linalg.index 0 : index
      %row = arith.divsi %k, %c30 : index
      %column = arith.remsi %k, %c30 : index
      %v = memref.load %xs[%row, %column] : memref<4x30xf32, strided<[30, 1], offset: ?>>
      linalg.yield %v : f32
    }
  }
  func.return
}"""

REPEAT = """
func.func @repeat(%n: index {relax.symbol = "n"}, %x: memref<4x64xf32> {relax.dims = ["4", "64"]},
    %out: memref<4x?xf32> {relax.dims = ["4", "n"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %xs = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %os = memref.subview %out[%i, 0] [1, %n] [1, 1] : memref<4x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%os : memref<?xf32, strided<[1], offset: ?>>) {
    ^bb0(%o: f32):
      %c64 = arith.constant 64 : index
      %c3 = arith.constant 3 : index
      %k = linalg.index 0 : index
      %third = arith.divsi %k, %c3 : index
      %at = arith.remsi %third, %c64 : index
      %v = memref.load %xs[%at] : memref<64xf32, strided<[1], offset: ?>>
      linalg.yield %v : f32
    }
  }
  func.return
}"""


DOT = """
func.func private @dots(%rows: memref<2x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>, %out: memref<2xf32, strided<[1], offset: ?>>)
    attributes {relax.noinline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %n = memref.dim %y, %c0 : memref<?xf32>
  %rest = arith.remsi %n, %c8 : index
  %main = arith.subi %n, %rest : index
  %v:2 = scf.for %k = %c0 to %main step %c8 iter_args(%s0 = %zero, %s1 = %zero) -> (vector<8xf32>, vector<8xf32>) {
    %b = vector.load %y[%k] : memref<?xf32>, vector<8xf32>
    %a0 = vector.load %rows[%c0, %k] : memref<2x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
    %a1 = vector.load %rows[%c1, %k] : memref<2x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
    %t0 = vector.fma %a0, %b, %s0 : vector<8xf32>
    %t1 = vector.fma %a1, %b, %s1 : vector<8xf32>
    scf.yield %t0, %t1 : vector<8xf32>, vector<8xf32>
  }
  %r0 = vector.reduction <add>, %v#0 : vector<8xf32> into f32
  %r1 = vector.reduction <add>, %v#1 : vector<8xf32> into f32
  %f:2 = scf.for %k = %main to %n step %c1 iter_args(%s0 = %r0, %s1 = %r1) -> (f32, f32) {
    %b = memref.load %y[%k] : memref<?xf32>
    %a0 = memref.load %rows[%c0, %k] : memref<2x?xf32, strided<[?, 1], offset: ?>>
    %a1 = memref.load %rows[%c1, %k] : memref<2x?xf32, strided<[?, 1], offset: ?>>
    %p0 = arith.mulf %a0, %b : f32
    %p1 = arith.mulf %a1, %b : f32
    %t0 = arith.addf %s0, %p0 : f32
    %t1 = arith.addf %s1, %p1 : f32
    scf.yield %t0, %t1 : f32, f32
  }
  memref.store %f#0, %out[%c0] : memref<2xf32, strided<[1], offset: ?>>
  memref.store %f#1, %out[%c1] : memref<2xf32, strided<[1], offset: ?>>
  func.return
}
func.func @dot(%n: index {relax.symbol = "n"}, %x: memref<6x?xf32> {relax.dims = ["6", "n"]}, %y: memref<?xf32> {relax.dims = ["n"]},
    %out: memref<6xf32> {relax.dims = ["6"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c2 {
    %xs = memref.subview %x[%i, 0] [2, %n] [1, 1] : memref<6x?xf32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
    %os = memref.subview %out[%i] [2] [1] : memref<6xf32> to memref<2xf32, strided<[1], offset: ?>>
    func.call @dots(%xs, %y, %os) : (memref<2x?xf32, strided<[?, 1], offset: ?>>, memref<?xf32>, memref<2xf32, strided<[1], offset: ?>>) -> ()
  }
  func.return
}"""


NARROW = """
func.func @narrow(%x: memref<16xf16> {relax.dims = ["16"]}, %y: memref<16xf16> {relax.dims = ["16"]},
    %out: memref<16xf16> {relax.dims = ["16"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-100.0> : vector<8xf16>
  %max = scf.for %i = %c0 to %c16 step %c8 iter_args(%so_far = %low) -> (vector<8xf16>) {
    %a = vector.load %x[%i] : memref<16xf16>, vector<8xf16>
    %b = vector.load %y[%i] : memref<16xf16>, vector<8xf16>
    %s = arith.addf %a, %b : vector<8xf16>
    %n = arith.negf %s : vector<8xf16>
    %f = vector.fma %n, %b, %a : vector<8xf16>
    vector.store %f, %out[%i] : memref<16xf16>, vector<8xf16>
    %next = arith.maximumf %so_far, %f : vector<8xf16>
    scf.yield %next : vector<8xf16>
  }
  %m = vector.reduction <maximumf>, %max : vector<8xf16> into f16
  %all = vector.broadcast %m : f16 to vector<8xf16>
  scf.for %i = %c0 to %c16 step %c8 {
    %f = vector.load %out[%i] : memref<16xf16>, vector<8xf16>
    %r = arith.mulf %f, %all : vector<8xf16>
    vector.store %r, %out[%i] : memref<16xf16>, vector<8xf16>
  }
  func.return
}"""


def narrow(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    s = (x + y).astype("float32")
    f = (-s * y + x).astype("float16")
    return f * f.max()


CASES = {
    "narrow": Case(
        NARROW, narrow, lambda rng: [floats((16,), (16,), dtype="float16")(rng)], rtol=2e-3
    ),
    "matmul": Case(
        MATMUL,
        lambda x, w: np.exp(x @ w),
        lambda rng: [
            (
                rng.uniform(-0.3, 0.3, (n, 64)).astype("f"),
                rng.uniform(-0.3, 0.3, (64, 40)).astype("f"),
            )
            for n in (0, 1, 4, 11)
        ],
    ),
    "softmax": Case(
        SOFTMAX,
        softmax,
        lambda rng: [floats((n, m))(rng) for n, m in ((0, 3), (3, 1), (2, 127), (3, 300))],
        holds="lanes",
    ),
    "half": Case(
        HALF_ROWS,
        lambda x: np.exp(x.astype(np.float64)),
        lambda rng: [floats((4, n), dtype="float16")(rng) for n in (0, 5, 1100)],
        rtol=2e-3,
        holds="f16_row_to_f32",
    ),
    "count": Case(
        COUNT,
        lambda x: x[:, 7:263].astype(np.int32).sum(axis=1),
        lambda rng: [(rng.integers(0, 2, (n, 300)) == 1,) for n in (0, 3)],
        rtol=0,
        holds="(int16_t)",
    ),
    "flatten": Case(
        FLATTEN,
        lambda x: x[:, 4:].reshape(len(x), 120),
        lambda rng: [floats((n, 8, 30))(rng) for n in (0, 3)],
        rtol=0,
    ),
    "repeat": Case(
        REPEAT,
        lambda x, n: x[:, np.arange(n) // 3 % 64],
        lambda rng: [(*floats((4, 64))(rng), n) for n in (0, 7, 200)],
        rtol=0,
    ),
    "dot": Case(
        DOT,
        lambda x, y: x @ y,
        lambda rng: [floats((6, n), (n,))(rng) for n in (0, 3, 8, 300)],
        rtol=1e-4,
        holds="NOINLINE",
    ),
}


def through_all_passes(text: str):
    """The program as the C target gets it."""
    return lower(parse(text), ON_LOOPS, verify_each=True)


@pytest.fixture(scope="module", params=COMPILERS)
def compiled(request: pytest.FixtureRequest) -> runtime.CompiledModule:
    """All programs in one file."""
    module = through_all_passes("\n".join(case.text for case in CASES.values()))
    return runtime.build(emit(module, "model"), cc=request.param, extra_flags=STRICT)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_compared_with_numpy(compiled: runtime.CompiledModule, name: str):
    case = CASES[name]
    for arguments in case.arguments(np.random.default_rng(0)):
        found = getattr(compiled, name)(*arguments)
        np.testing.assert_allclose(
            found, case.numpy(*arguments), rtol=case.rtol, atol=case.rtol / 100
        )


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.holds])
def test_a_tile_gets_what_a_whole_buffer_gets(name: str):
    assert CASES[name].holds in emit(through_all_passes(CASES[name].text), "model").c


@needs(MLIR)
def test_mlir_accepts_what_stands_after_each_pass():
    text = "\n".join(case.text for case in CASES.values())
    for count in range(len(ON_LOOPS) + 1):
        check_accepted(lower(parse(text), ON_LOOPS[:count]))


DRIVER = """
#include <stdlib.h>
#include "model.h"

static int64_t shapes[][2] = {{5, 64}, {64, 40}, {3, 300}, {4, 1100}, {6, 11}, {11, 0}};

static DLTensor input(int number, int ndim, int bits)
{
    int64_t *shape = shapes[number], count = shape[0] * (ndim == 2 ? shape[1] : 1);
    DLTensor t = {.ndim = ndim, .shape = shape};
    t.data = calloc((size_t)count, (size_t)bits / 8);
    t.device.device_type = kDLCPU;
    t.dtype.code = kDLFloat;
    t.dtype.bits = (uint8_t)bits;
    t.dtype.lanes = 1;
    return t;
}

int main(void)
{
    DLTensor a = input(0, 2, 32), b = input(1, 2, 32), c = input(2, 2, 32), d = input(3, 2, 16);
    DLTensor e = input(4, 2, 32), f = input(5, 1, 32), out[4] = {{0}};
    const int failed = model_matmul(&a, &b, &out[0]) || model_softmax(&c, &out[1])
        || model_half(&d, &out[2]) || model_dot(&e, &f, &out[3]);
    for (int i = 0; i < 4; ++i)
        model_release(&out[i]);
    DLTensor inputs[] = {a, b, c, d, e, f};
    for (int i = 0; i < 6; ++i)
        free(inputs[i].data);
    (void)model_trim();
    return failed;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", COMPILERS)
def test_under_sanitizers(cc: str, tmp_path: Path):
    text = "\n".join(CASES[name].text for name in ("matmul", "softmax", "half", "dot"))
    emit(through_all_passes(text), "model").write(tmp_path)
    run_sanitized(cc, tmp_path, DRIVER)
