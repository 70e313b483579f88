"""Schedules of one's own: what they compute is what the unscheduled loops do; what is illegal is refused."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, UNOPTIMISED, amount, needs, shortened
from sampling import sampled
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr

import lowering
from lowering import lower, topi
from lowering.pipeline import PASSES, optimizations
from lowering.schedule.relax_schedule import schedule
from lowering.schedule.schedule import PRIMITIVES, attach, parse, parse_steps, text
from lowering.support.target import find
from relax_dialect import te
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import core
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.prim.signature import SCHEDULE

from . import test_fuse_stages

WEIGHTS = np.random.default_rng(5).standard_normal((7, 21)).astype(np.float32)
BATCHES = np.random.default_rng(6).standard_normal((2, 7, 21)).astype(np.float32)
SPARSE = WEIGHTS * (np.add.outer(np.arange(7), np.arange(21)) % 9 > 4)

KNOWN = {"K": 7, "N": 21, "C": 3, "F": 8, "R": 3, "1": 1, "2": 2}


@dataclass(frozen=True)
class Case:
    """A program, what it is in numpy, and schedules of its kernel."""

    shapes: tuple[str, ...]
    make: Callable[..., Any]
    numpy: Callable[..., Any]
    schedules: Sequence[str]
    is_te: bool = False
    """Whether `make` is a function of tensor expressions, which become one prim func."""


REGISTERS = """
specialize(d0)
vectorize(d1, 4)
unroll_and_jam(d0)
unroll_and_jam(d1)
outline(product)
"""

SQUARES = """
when d0 >= {lanes} and d1 >= {lanes} {{
  tile(d1, 12)
  tile(d0, {lanes}, shifted=true)
  tile(d1, {lanes}, shifted=true)
  unroll_and_jam(d0)
  transpose(in0, d0)
  vectorize(d1, {lanes})
  unroll_and_jam(d1)
}}
"""

PIXELS = """
unroll_and_jam(d4)
unroll_and_jam(d5)
align_loads(in0, d3)
vectorize(d3, 4)
"""


def _of_groups(a: te.Tensor, b: te.Tensor, scales: te.Tensor) -> te.Tensor:
    """A product whose groups of weights have scales of their own."""
    groups, depth, columns = b.shape
    g, k = te.reduce_axis((0, groups), "g"), te.reduce_axis((0, depth), "k")
    return te.compute(
        [a.shape[0], columns], lambda i, j: te.sum(a[i, g, k] * (b[g, k, j] * scales[g, j]), [g, k])
    )


CASES = {
    "bias_relu": Case(
        ("mk", "kn", "n"),
        lambda a, b, c: op.relu(op.add(op.matmul(a, b), c)),
        lambda a, b, c: np.maximum(a @ b + c, 0),
        [
            "",
            "expect()\ninterchange(d0, d2, d1)",
            "interchange(d2, d1, d0)\nvectorize(d1, 4)",
            "interchange(d0, d2, d1)\nvectorize(d1, 4, shifted=true)",
            "vectorize(d1, 4)\nprefetch(in1, d2, 4)\nprefetch(in0, d0, 1)",
            "fuse_epilogue()\ntile(d0, 4)\ntile(d1, 8)\ntile(d2, 3)",
            "tile(d2, 2)\ntile(d0, 3, balanced=true)\nunroll(d2, 2)",
            "vectorize(d1, 8)\nunroll(d1, 2)\nunroll(d2, 3)",
            "tile(d1, 8)\npack(in1, d1)\ntile(d0, 2)\nvectorize(d1, 4)",
            "tile(d0, 4)\ntile(d1, 8)\npack(in1, d1)\ntile(d0, 2)\nhoist(in1)",
            "tile(d0, 4)\ntile(d1, 8)\npack(in1, d1)\nhoist(in1)\npack(in0, d0)\nhoist(in0)",
            f"fuse_epilogue()\ntile(d1, 12, multiple=4)\npack(in1, d1)\nhoist(in1)\n"
            f"tile(d0, 4, balanced=true)\npad(d1){REGISTERS}",
            f"tile(d0, 8)\ntile(d1, 12, multiple=4)\npack(in1, d1, rest=true)\nhoist(in1)\n"
            f"tile(d0, 4, balanced=true)\npad(d1){REGISTERS}",
            f"fuse_epilogue()\nwhen d0 >= 3 and d1 * d2 >= 20 {{\ntile(d1, 4, multiple=4)\n"
            f"pack(in1, d1)\ntile(d0, 2, balanced=true)\npad(d1){REGISTERS}}} else {{\ntile(d1, 2)\n}}",
        ],
    ),
    "constant": Case(
        ("mK",),
        lambda a: op.matmul(a, const(WEIGHTS)),
        lambda a: a @ WEIGHTS,
        [
            f"tile(d1, 12, multiple=4)\npack_constant(in1, d1)\ntile(d0, 4, balanced=true)\npad(d1)"
            f"{REGISTERS}",
            "tile(d1, 8)\npack_constant(in1, d1)",
            "tile(d2, 1)\ntile(d0, 8)\npack(in0, d2)\nhoist(in0)",
        ],
    ),
    "zeros": Case(
        ("mK",),
        lambda a: op.matmul(a, const(SPARSE)),
        lambda a: a @ SPARSE,
        [
            "skip_zeros(in1, d1)",
            "cache_write(d0, d1)\nskip_zeros(in1, d1)\ntile(d0, 2)\ntile(d2, 1)",
            "tile(d0, 4)\nskip_zeros(in1, d1)\npack(in0, d0)\nhoist(in0)",
        ],
    ),
    "split": Case(
        ("mk", "kn"),
        op.matmul,
        lambda a, b: a @ b,
        [
            "pad_reduction(d2, 3)\nsplit(d2, 3)",
            "pack(in0, d2)\npad_reduction(d2, 2)\nsplit(d2, 2)\ntile(d1, 8)\npack(in1, d1, inside=d3)",
            "pad_reduction(d2, 4)\npack(in1, d1)\ntile(d0, 4)\nvectorize(d1, 4)",
        ],
    ),
    "split_constant": Case(
        ("mK",),
        lambda a: op.matmul(a, const(WEIGHTS)),
        lambda a: a @ WEIGHTS,
        [
            "pad_reduction(d2, 2)\nsplit(d2, 2)\ntile(d1, 8)\npack_constant(in1, d1, inside=d3)",
            "split(d1, 7)\ntile(d0, 4)",
            "pad_reduction(d2, 2)\npack(in1, d1, inside=d2)",
        ],
    ),
    "constant_batches": Case(
        ("2mK",),
        lambda a: op.matmul(a, const(BATCHES)),
        lambda a: a @ BATCHES,
        [
            "tile(d0, 1)\ntile(d2, 8)\npack_constant(in1, d2)",
            "tile(d2, 8)\npack_constant(in1, d2)\ntile(d1, 4)",
        ],
    ),
    "batched": Case(
        ("bmk", "bkn"),
        op.matmul,
        np.matmul,
        [
            "tile(d0, 1)\ntile(d1, 4, balanced=true)\ntile(d2, 8)\npack(in1, d2)\nhoist(in1)",
            "tile(d2, 8)\nvectorize(d2, 8)",
        ],
    ),
    "shared": Case(  # the same matrices on the right for each outer batch
        ("bRmk", "Rkn"),
        op.matmul,
        np.matmul,
        [
            "tile(d0, 1)\ntile(d1, 1)\ntile(d3, 8)\npack(in1, d3)\nhoist(in1)\ntile(d2, 4)",
            "tile(d1, 1)\ntile(d0, 1)\ntile(d3, 8)\npack(in1, d3)\nhoist(in1)\ntile(d2, 4)",
        ],
    ),
    "turned": Case(
        ("mk", "nk"),
        lambda a, b: op.linear(a, b),
        lambda a, b: a @ b.T,
        [
            "split_reduction(d2, 4)",
            "tile(d0, 4)\nsplit_reduction(d2, 8)\nunroll(d2, 2)",
            "split_accumulators(d2, 3)",
            "tile(d0, 2, balanced=true)\nspecialize(d0)\nunroll_and_jam(d0)\nsplit_accumulators(d2, 4)",
        ],
    ),
    "groups": Case(
        ("m2K", "2KN", "2N"),
        _of_groups,
        lambda a, b, scales: np.einsum("mgk,gkn,gn->mn", a, b, scales),
        [
            "unroll_and_jam(d3)\nfactor_out(in2)",
            "tile(d0, 4)\ntile(d1, 8)\nunroll_and_jam(d3)\nfactor_out(in2)\nvectorize(d1, 4)",
        ],
        is_te=True,
    ),
    "prepared": Case(
        ("mk", "mk", "kn"),
        lambda a, b, c: topi.matmul(topi.add(a, b), c),
        lambda a, b, c: (a + b) @ c,
        [
            "fuse_producer(in0)\ntile(d0, 4)\ntile(d1, 8)",
            "fuse_producer(in0)\ntile(d2, 2)\ntile(d0, 4)",
        ],
        is_te=True,
    ),
    "samples": Case(
        ("bmk", "nk"),
        lambda a, b: op.linear(a, b),
        lambda a, b: a @ b.T,
        ["collapse(d0, d1)\ntile(d0, 4)\ntile(d1, 8)\npack(in1, d1)\nvectorize(d1, 4)"],
    ),
    "images": Case(
        ("bCmn", "FCRR"),
        lambda x, w: op.conv2d(x, w),
        lambda x, w: convolved(x, w),
        [
            "tile(d0, 1)\ntile(d2, 2)\nvectorize(d3, 4)",
            "tile(d1, 4)\ntile(d3, 4)\nunroll(d6, 3)",
            "interchange(d0, d2, d4, d5, d6, d1, d3)\nvectorize(d3, 4)",
            "tile(d0, 1)\nstrip(d2, d3, 12)\ncache_read(in0)\ntile(d2, 1)\nvectorize(d3, 4)",
            "strip(d2, d3, 5)\ncache_write(d0, d2, d3, d1)\ncache_read(in0)\ntile(d1, 3)",
            "img2col(4096)\ntile(d1, 8)\npack(in1, d1)\ntile(d0, 4)",
        ],
    ),
    "bordered": Case(
        ("bCmn", "FCRR", "F11"),
        lambda x, w, b: op.relu(op.add(op.conv2d(x, w, padding=[2, 2], strides=[2, 1]), b)),
        lambda x, w, b: np.maximum(convolved(bordered(x), w)[:, :, ::2] + b, 0),
        [
            "img2col(1)\nfuse_epilogue()\ntile(d0, 4)\nvectorize(d1, 4)",
            f"fuse_epilogue()\nfuse_producer(in0)\ntile(d0, 1)\nstrip(d2, d3, 12)\ncache_read(in0)\n"
            f"tile(d1, 4)\npack(in1, d1)\nhoist(in1)\ncache_write(d2, d3, d1)\ntile(d2, 1)\n"
            f"tile(d3, 3, balanced=true)\npad(d1){REGISTERS.replace('d0', 'd3')}",
            "fuse_producer(in0)\ntile(d0, 1)\ntile(d2, 3)\ncache_read(in0)",
            "fuse_producer(in0)\ntile(d1, 2)\ncache_read(in0)\ncache_write(d3, d2, d1, d0)",
        ],
    ),
    "channels": Case(
        ("b2mn", "21RR"),
        lambda x, w: op.relu(op.conv2d(x, w, padding=[1, 1], strides=[1, 2], groups=2)),
        lambda x, w: np.maximum(of_channels(np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]), w), 0),
        [
            f"fuse_epilogue()\nfuse_producer(in0)\ntile(d0, 1)\ntile(d1, 1)\nstrip(d2, d3, 16, high=2, "
            f"wide=4, whole=true)\ncache_read(in0, align=8)\ncache_write(d2, d3)\ntile(d2, 2)\npad(d2)\n"
            f"pad(d3)\nunroll_and_jam(d2){PIXELS}outline(depthwise)",
            f"fuse_epilogue()\nfuse_producer(in0)\ntile(d1, 1)\nstrip(d2, d3, 9, wide=4)\n"
            f"cache_read(in0, align=16)\ncache_write(d2, d0, d3)\npad(d3){PIXELS}",
            f"tile(d3, 4)\ntile(d2, 1)\ntile(d0, 1)\ntile(d1, 1)\ncache_read(in0, align=8)\n"
            f"pad(d3){PIXELS}unroll_and_jam(d3)",
        ],
    ),
    "pooled": Case(
        ("bCmn",),
        lambda x: op.max_pool2d(x, pool_size=3, strides=2, padding=1),
        lambda x: windows(x, -np.inf)[:, :, ::2, ::2].max((-1, -2)),
        [
            "fuse_producer(in0)\ntile(d1, 1)\ntile(d2, 2, balanced=true)\nseparate(d4)\n"
            "specialize(d4, iterations=3)\nvectorize(d6, 4, shifted=true)\nvectorize(d3, 4, shifted=true)\n"
            "unroll_and_jam(d4)\nunroll_and_jam(d5)",
            "fuse_producer(in0)\ntile(d0, 1)\nseparate(d4)\nvectorize(d3, 8, shifted=true)\nvectorize(d6, 4)\noutline(pool)",
            "fuse_producer(in0)\nseparate(d5)\nunroll(d6, 2)",
            "separate(d4, d5)\nunroll_and_jam(d5)",
            "tile(d3, 4)\nvectorize(d3, 4)\nunroll_and_jam(d5)",
        ],
    ),
    "averaged": Case(
        ("bmnC",),
        lambda x: op.avg_pool2d(x, pool_size=3, padding=1, layout="NHWC", count_include_pad=True),
        lambda x: windows(x.transpose(0, 3, 1, 2), 0).mean((-1, -2)).transpose(0, 2, 3, 1),
        [
            "fuse_epilogue()\nfuse_producer(in0)\ntile(d0, 1)\ntile(d1, 1)\nseparate(d4)\n"
            "unroll_and_jam(d5)\nvectorize(d3, 2, shifted=true)",
            "fuse_epilogue()\nseparate(d4)\nunroll_and_jam(d4)",
        ],
    ),
    "sums": Case(
        ("mn",),
        lambda x: op.sum(x, axis=[1]),
        lambda x: x.sum(1),
        ["split_reduction(d1, 8)\nunroll(d1, 2)", "tile(d0, 2)\ntile(d1, 4)"],
    ),
    "maxima": Case(
        ("mK",),
        lambda x: op.max(x, axis=[1]),
        lambda x: x.max(1),
        [
            "split_reduction(d1, 4)",
            "split_reduction(d1, 4)\nunroll(d1, 3)",
            "separate(d1)\ninterchange(d0, d1)",
        ],
    ),
    "places": Case(
        ("mK",),
        lambda x: op.argmax(x, axis=1),
        lambda x: x.argmax(1),
        [
            "split_reduction(d1, 4)",
            "interchange(d0, d1)\nsplit_reduction(d1, 2)\nunroll(d1, 3)\nprefetch(in0, d1, 4)",
            "unroll(d0, 2)\nsplit_reduction(d1, 4)\noutline(places)",
        ],
    ),
    "elements": Case(
        ("mn", "n"),
        lambda x, y: op.exp(op.multiply(x, y)),
        lambda x, y: np.exp(x * y),
        [
            "vectorize(d1, 8)\nunroll(d1, 2)",
            "prefetch(in0, d1, 9)\nvectorize(d1, 8, shifted=true)\nunroll(d1, 2)",
            "tile(d0, 3)\ntile(d1, 4)\nunroll(d0, 2)",
            "when d0 >= 3 {\ntile(d0, 3, shifted=true)\n}",
        ],
    ),
    "turned_elements": Case(
        ("mn", "nm"),
        lambda x, y: op.subtract(x, op.permute_dims(y, [1, 0])),
        lambda x, y: x - y.T,
        [
            "tile(d0, 4)\ntile(d1, 8)",
            SQUARES.format(lanes=4),
            SQUARES.format(lanes=8),
            "when d0 >= 8 {\ntile(d0, 8, shifted=true)\nunroll_and_jam(d0)\ntranspose(in0, d0)\n"
            "vectorize(d1, 4)\n}",
            "when d0 >= 6 {\ntile(d1, 8)\ntile(d0, 6, shifted=true)\ncache_write(d0, d1)\ntile(d1, 4)\n"
            "tile(d0, 2)\n}",
            "cache_write(d1, d0)\ntile(d0, 4)",
        ],
    ),
}


ALL = {
    f"{name}_{number}": (case, steps)
    for name, case in CASES.items()
    for number, steps in enumerate(case.schedules)
}
"""Every schedule of every case, by the name of a function."""


def convolved(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwrs,kcrs->nkhw", windows, w)


def of_channels(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
    return np.einsum("nchwrs,crs->nchw", windows[:, :, :, ::2], w[:, 0])


def bordered(x: np.ndarray) -> np.ndarray:
    return np.pad(x, [(0, 0), (0, 0), (2, 2), (2, 2)])


def windows(x: np.ndarray, around: float) -> np.ndarray:
    """All of 3 x 3 elements, the padding too."""
    x = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=around)
    return np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))


def program(case: Case, known: Mapping[str, int], steps: str = "") -> ModuleOp:
    """One case before bufferization, its kernel with a schedule."""
    return programs({"main": (case, steps)}, known)


def programs(cases: Mapping[str, tuple[Case, str]], known: Mapping[str, int]) -> ModuleOp:
    """Functions by name, each kernel with a schedule."""
    builder = BlockBuilder()
    sizes = {**KNOWN, **known}
    for name, (case, _) in cases.items():
        types = {
            f"x{i}": TensorType([sizes.get(letter, letter) for letter in shape], "f32")
            for i, shape in enumerate(case.shapes)
        }
        with builder.function(name, types) as values:
            emit = builder.emit_te if case.is_te else lambda f, *a: builder.emit(f(*a))
            builder.emit_func_output(emit(case.make, *values))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    names = [*optimizations(), *PASSES]
    lower(module, names[: names.index("relax-deduplicate-prim-funcs")])
    for name, (_, steps) in cases.items():
        kernels = [prim_funcs(module)[callee] for callee in callees(module, name)]
        kernel = next((k for k in kernels if "reduction" in str(k)), kernels[-1])
        if SCHEDULE in kernel.attributes:  # another function has the same
            kernel = copied(module, name, kernel)
        kernel.attributes[SCHEDULE] = StringAttr(steps)
    return module


def prim_funcs(module: ModuleOp) -> dict[str, func.FuncOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def callees(module: ModuleOp, name: str) -> list[str]:
    """The prim funcs that a function calls."""
    return [call.callee_name for call in calls(module, name)]


def calls(module: ModuleOp, name: str) -> list[CallTirOp]:
    (function,) = (f for f in module.ops if isinstance(f, core.FuncOp) and f.sym_name.data == name)
    return [op for op in function.walk() if isinstance(op, CallTirOp)]


def copied(module: ModuleOp, name: str, kernel: func.FuncOp) -> func.FuncOp:
    """A prim func for one function alone."""
    copy = kernel.clone()
    copy.sym_name = StringAttr(f"{kernel.sym_name.data}_of_{name}")
    module.body.block.add_op(copy)
    for call in calls(module, name):
        if call.callee_name == kernel.sym_name.data:
            call.callee = SymbolRefAttr(copy.sym_name)
    return copy


def prim_func(module: ModuleOp) -> func.FuncOp:
    """The kernel of a program of one."""
    (found,) = (f for f in prim_funcs(module).values() if SCHEDULE in f.attributes)
    return found


@cache
def compiled(known: tuple[tuple[str, int], ...] = ()) -> Any:
    """The cases with all their schedules, as one library."""
    cases = {name: own for name, own in ALL.items() if own[0] in map(CASES.get, sampled(CASES))}
    if known:
        cases = {name: own for name, own in cases.items() if name.endswith(KNOWN_NUMBERS)}
    flags = UNOPTIMISED
    return lowering.compile(
        programs(cases, dict(known)), "scheduled", extra_flags=flags, cache=False
    )


SIZES = {"m": (1, 4, 5, 9, 0), "n": (1, 8, 13, 25, 0), "k": (1, 2, 7, 0), "b": (2,)}


@pytest.mark.slow
@shortened
@pytest.mark.parametrize(
    ("name", "number"), [(n, i) for n, case in CASES.items() for i in range(len(case.schedules))]
)
def test_a_schedule_changes_no_result(name: str, number: int):
    case = CASES[name]
    own = set("".join(case.shapes))
    letters = sorted(own & set(SIZES))
    least = KNOWN["R"] if "C" in own else int("R" in own)
    for count, values in enumerate(itertools.product(*(SIZES[letter] for letter in letters))):
        sizes = {**KNOWN, **dict(zip(letters, values))}
        small = least and min(sizes["m"], sizes["n"]) < least  # than a window
        if count % amount(1, 4) == 0 and not small:
            check(case, compiled(), f"{name}_{number}", sizes)


STATIC = {"m": 9, "n": 13, "k": 7, "b": 2}
KNOWN_NUMBERS = tuple(f"_{number}" for number in range(0, 100, 2))
"""The ends of the names of schedules that are tried with known sizes: every other one of a case."""


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_known_sizes(name: str):
    for number in range(0, len(CASES[name].schedules), 2):
        model = compiled(tuple(STATIC.items()))
        check(CASES[name], model, f"{name}_{number}", {**KNOWN, **STATIC})


def check(case: Case, model: Any, function: str, sizes: Mapping[str, int]) -> None:
    random = np.random.default_rng(sum(sizes.values()))
    shapes = [[sizes[letter] for letter in shape] for shape in case.shapes]
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    expected = case.numpy(*arrays)
    np.testing.assert_allclose(model[function](*arrays), expected, rtol=1e-4, atol=1e-4)


DTYPES = {"ui8": np.uint8, "i8": np.int8, "f16": np.float16, "i64": np.int64, "f64": np.float64}


def test_vectors_of_other_types():
    builder = BlockBuilder()
    for dtype in DTYPES:
        with builder.function(dtype, {"x": TensorType(["n"], dtype)}) as (x,):
            builder.emit_func_output(builder.emit(op.maximum(x, op.multiply(x, x))))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    names = [*optimizations(), *PASSES]
    lower(module, names[: names.index("relax-deduplicate-prim-funcs")])
    for kernel in prim_funcs(module).values():
        attach(kernel, parse_steps("vectorize(d0, 8)\nunroll(d0, 2)", "here"))
    model = lowering.compile(module, "types", extra_flags=UNOPTIMISED, cache=False)
    for dtype, numpy in DTYPES.items():
        x = np.random.default_rng(1).integers(-100, 100, 45).astype(numpy)
        np.testing.assert_array_equal(model[dtype](x), np.maximum(x, x * x))


def test_the_greatest_of_vectors_carries_what_is_no_number():
    """Where one of both is known to be a number, an instruction does without the test of it."""
    builder = BlockBuilder()
    cases = {"given": lambda x, y: op.maximum(x, y), "known": lambda x, y: op.relu(op.add(x, y))}
    for name, make in cases.items():
        types = {"x": TensorType(["n", 21], "f32"), "y": TensorType(["n", 1], "f32")}
        with builder.function(name, types) as values:
            builder.emit_func_output(builder.emit(make(*values)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    names = [*optimizations(), *PASSES]
    lower(module, names[: names.index("relax-deduplicate-prim-funcs")])
    for kernel in prim_funcs(module).values():
        attach(kernel, parse_steps("vectorize(d1, 16, shifted=true)", "here"))
    model = lowering.compile(module, "greatest", extra_flags=UNOPTIMISED, cache=False)
    x = np.random.default_rng(1).standard_normal((4, 21)).astype(np.float32)
    x[0, 3] = x[1, 20] = np.nan
    y = np.array([[1], [np.nan], [-np.inf], [-1]], np.float32)
    np.testing.assert_array_equal(model["given"](x, y), np.maximum(x, y))
    np.testing.assert_array_equal(model["known"](x, y), np.maximum(x + y, 0))


INSTRUCTION = """
split(d2, 4)
tile(d1, 8)
{pack}(in1, d1, inside=d3)
intrinsic(dot4_u8i8, d3)
vectorize(d1, 4)
"""

BYTES = (
    "recenter(in1)\npad_reduction(d2, 4)" + INSTRUCTION.format(pack="pack_constant"),
    "recenter(in1)\nfuse_epilogue()\npad_reduction(d2, 4)" + INSTRUCTION.format(pack="pack"),
    "recenter(in0)\npad_reduction(d2, 8)" + INSTRUCTION.format(pack="pack") + "unroll(d2, 2)",
    "recenter(in0)\nvectorize(d1, 8)",
)
"""Schedules of a product of signed bytes."""


@pytest.mark.parametrize("steps", BYTES)
def test_bytes(steps: str):
    random = np.random.default_rng(2)
    x, w = (random.integers(-128, 127, s, np.int8, endpoint=True) for s in ((5, 7), (7, 21)))
    model = lowering.compile(
        product_of_bytes(steps, w), "bytes", extra_flags=UNOPTIMISED, cache=False
    )
    for rows in (5, 1, 0):
        found = model.main(x[:rows])
        np.testing.assert_array_equal(found, x[:rows].astype(np.int32) @ w.astype(np.int32))


REFUSED_BYTES = {
    "split(d2, 4)\nintrinsic(dot4_u8i8, d3)": "expected bytes of which one operand has signs, found i8 twice",
    "recenter(in1)\nintrinsic(dot4_u8i8, d1)": "expected a loop that reduces, of 4 iterations, found d1; split one",
    "recenter(in1)\nsplit(d2, 4)\nintrinsic(dot4_u8i8, d3)": "expected the elements of in1 to lie in a row",
    "recenter(in1)\nsplit(d2, 4)\nunroll_and_jam(d3)\nintrinsic(dot4_u8i8, d3)": "put it before vectorize",
}


@pytest.mark.parametrize(("steps", "message"), REFUSED_BYTES.items())
def test_what_is_refused_of_bytes(steps: str, message: str):
    module = bufferized(product_of_bytes(steps, np.ones((8, 16), np.int8)))
    with pytest.raises(RelaxError, match=re.escape(message)):
        lower(module, ["relax-schedule"])


def product_of_bytes(steps: str, weights: np.ndarray) -> ModuleOp:
    """A product with constants as it is before bufferization, with a schedule."""
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n", weights.shape[0]], "i8")}) as (x,):
        builder.emit_func_output(builder.emit(op.matmul(x, const(weights), out_dtype="i32")))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    names = [*optimizations(), *PASSES]
    lower(module, names[: names.index("relax-deduplicate-prim-funcs")])
    (kernel,) = prim_funcs(module).values()
    kernel.attributes[SCHEDULE] = StringAttr(steps)
    return module


# What is refused

ROWS = "tile(d1, 8)\ncache_read(in1, align=4)\n"

REFUSED = {
    "expect(cpu=other)": "expected the CPU other, which it was measured on, found",
    "expect(kernel=k0)": "expected the kernel k0, which it was measured for, found k",
    "tile(d3, 4)": "expected one of the loops d0, d1, d2, found d3; name one",
    "tile(x, 4)": "expected one of the loops d0, d1, d2, found x",
    "tile(d0, 10)": "expected a tile no larger than the loop, which has 9 iterations, found 10",
    "tile(d0, 0)": "expected a tile of at least 1, found 0",
    "tile(d0, 6, multiple=4)": "expected a size that 4 divides, found 6",
    "tile(d0, 1)\ntile(d0, 1)": "expected a loop with iterations, found one iteration of d0",
    "vectorize(d1, 4)\ntile(d0, 4)": "put it before interchange, vectorize, unroll",
    "vectorize(d0, 4)": "expected the elements of in0 to lie in a row along d0, found them apart",
    "vectorize(d2, 4)": "found d2, which reduces; split_reduction takes such a loop",
    "vectorize(d1, 3)": "expected a power of two as lanes, found 3",
    "split_reduction(d1, 4)": "found d1, which does not; vectorize takes it",
    "split_accumulators(d1, 4)": "expected a loop that reduces, found d1, which does not; name one",
    "split_accumulators(d2, 0)": "expected a number of accumulators of at least 1, found 0",
    "unroll(d2, 2)\nsplit_accumulators(d2, 4)": "found d2 jammed, unrolled or with lanes already; take",
    "factor_out(in1)": "expected jammed reduction loops, none of which walks in1, found others; jam them",
    "split_reduction(d2, 4)": "expected the elements of in1 to lie in a row along d2, found them apart",
    "interchange(d0, d1)": "expected each of d0 to d2 once, found d0, d1; name all loops",
    "unroll(d2, 0)": "expected a factor of at least 1, found 0",
    "unroll_and_jam(d0)\nunroll(d0, 2)": "expected an existing loop, found d0 jammed already",
    "unroll(d0, 2)\nunroll_and_jam(d0)": "expected a loop not yet unrolled, found d0 unrolled or shifted already",
    "vectorize(d1, 4, shifted=true)\nunroll_and_jam(d1)": "loop not yet unrolled, found d1 unrolled or shifted",
    "tile(d2, 4)\nvectorize(d1, 4, shifted=true)": "expected an op that only writes its results, which may be "
    "done twice, found sums",
    "unroll_and_jam(d1)\nvectorize(d1, 4, shifted=true)": "expected iterations that fill vectors of 4, found 13",
    "separate(d2)": "expected one sum, greatest or least of terms of one operand, found another body",
    "vectorize(d1, 4)\nunroll_and_jam(d1)": "expected iterations that fill vectors of 4, found 13 of d1; pad it",
    "unroll_and_jam(d1)\nvectorize(d1, 4)": "expected iterations that fill vectors of 4, found 13 of d1; pad it",
    "tile(d2, 1)\nprefetch(in1, d2, 4)": "expected a loop with iterations, found one iteration of d2",
    "tile(d1, 8)\ntile(d1, 4)\npack(in1, d1)\nhoist(in1)": "expected panels of a loop that was tiled once",
    "tile(d1, 8)\ntile(d1, 4)\npack_constant(in1, d1)": "tiled once, found tiles of tiles of d1",
    "prefetch(in1, d0, 4)": "expected a loop that in1 is read along, found d0; name another one",
    "prefetch(in1, d2, 0)": "expected a distance of at least 1, found 0",
    "unroll(d2, 1000000)": "expected a factor of at most 256, found 1000000; take a smaller one",
    "vectorize(d1, 65536)": "expected a vector of at most 1024, found 65536; take a smaller one",
    "transpose(out0, d0)": "expected an operand that is only read, found a result",
    "transpose(in0, d2)": "expected a loop of a known number of iterations that are done at once, found d2",
    "vectorize(d1, 4)\ntranspose(in0, d2)": "expected loops without vectors, found some; vectorize after",
    "unroll_and_jam(d0)\ntranspose(in0, d0)": "the elements of in0 to lie in a row along d0, found them apart",
    "unroll_and_jam(d2)\ntranspose(in0, d2)\nvectorize(d1, 4)": "expected in0, which is transposed, to be read "
    "along d1",
    "unroll_and_jam(d1)\ntranspose(in1, d1)\nvectorize(d1, 4)": "expected vectors along another loop than the "
    "transposed d1, whose 13 iterations they divide, found 4 along d1",
    "skip_zeros(in1)": "expected an operand and loops once each, found others; name them",
    "skip_zeros(in1, d1, d1)": "expected an operand and loops once each, found others; name them",
    "skip_zeros(in1, d2)": "found d2 that reduces, has been tiled, or is symbolic; leave it out",
    "skip_zeros(in1, d1)": "expected constants for in1 in every call, read by one loop along each dimension",
    "tile(d0, 4, shifted=true)": "expected one op that only writes its results, which may be done twice",
    "tile(d0, 4, balanced=true, shifted=true)": "expected tiles of one size, found balanced ones",
    "outline(f)": "expected loops that are vectorized, unrolled or jammed, found none; do so first",
    "tile(d0, 4)\nfuse_epilogue()": "expected the kernel as a whole, found tiles; fuse before tile",
    "collapse(d0, d1)": "expected d0 and d1 to be neighbours in the result and in every operand",
    "tile(d0, 4)\ncollapse(d0, d1)": "expected the kernel as it was, found it changed; collapse before",
    "fuse_producer(in0)": "expected an op right before that writes each element of in0 once, found none",
    "fuse_epilogue()\nfuse_epilogue()": "expected a kernel with nothing fused yet, found some; take one step out",
    "pack(in2, d1)": "expected one of the operands in0, in1, out0, found in2; name one",
    "pack(out0, d1)": "expected an operand that is only read, found a result",
    "tile(d0, 4)\npack(in1, d0)": "expected an operand read along a loop, found d0; name another one",
    "pack(in1, d1, rest=true)": "expected an operand read along a loop that has been tiled, found d1",
    "pack(in1, d1, inside=d0)": "expected another loop of known length inside that in1 is read along, found d0",
    "split(d2, 2)": "expected a number of iterations that 2 divides, found d2 of another; pad it",
    "split(d2, 0)": "expected a factor of at least 1, found 0",
    "tile(d0, 4)\nsplit(d1, 13)": "expected the kernel as a whole, found it in parts; put it before tile and when",
    "pad_reduction(d1, 4)": "expected a loop that adds up products of two operands, found d1; leave it out",
    "pad_reduction(d2, 1000)": "expected a multiple of at most 256, found 1000; take a smaller one",
    "img2col(4096)": "expected a convolution of an image n x c x .. and filters of known sizes",
    "tile(d0, 4)\nimg2col(4096)": "expected the kernel as it was, found it changed; put it before other",
    "recenter(in1)": "expected bytes whose products are added up in i32, one loop for each dimension",
    "tile(d0, 4)\nrecenter(in1)": "expected the kernel as it was, found it changed; put it before other",
    "intrinsic(dot5, d2)": "expected one of dot4_u8i8, dot4_u7i8, found dot5; name one",
    "intrinsic(dot4_u8i8, d2)": "expected a body that adds up products of bytes in i32, or scales them by group, found another",
    "tile(d1, 4)\npack(in1, d1)\npack(in1, d1)": "expected in1 in place, found it packed",
    "tile(d1, 4)\npack_constant(in1, d1)": "expected constants for in1 in every call",
    "tile(d1, 4)\npack_constant(in1, d1, inside=d1)": "expected another loop of known length inside that in1",
    "pack_constant(in1, d1)": "a loop of known length that has been tiled, found d1; tile it",
    "hoist(in1)": "expected in1 in panels, found it in place; pack it first",
    "pad(d1)": "expected a loop that has been tiled, found d1; tile it",
    "tile(d1, 8)\npad(d1)": "expected in1 in panels, which are filled up, found it in place; pack it first",
    "tile(d0, 4)\nwhen d0 >= 2 {\n}": "expected a kernel as a whole, found tiles; choose before tile",
    "strip(d0, d0, 8)": "expected two loops, found d0 twice; name another one",
    "strip(d0, d2, 8)": "expected loops over different elements, found d2, which reduces; tile it",
    "strip(d0, d1, 0)": "expected a strip of at least 1, found 0",
    "tile(d0, 4)\nstrip(d0, d1, 8)": "expected loops as they were, found d0 in tiles; put strip before tile",
    "cache_read(in0)": "expected tiles, found the kernel as a whole; tile it first",
    "cache_read(out0)": "expected an operand that is only read, found a result",
    "tile(d0, 4)\ncache_read(in0)\ncache_read(in0)": "expected in0 in place, found it copied already",
    "cache_write(d0)": "expected each loop of the result that is more than one iteration once, d0, d1, found d0;",
    "tile(d1, 8)\npack(in1, d1)\ntile(d1, 3)\npad(d1)": "expected tiles that fill the copy of in1, found some "
    "of 3 iterations of d1 that may reach beyond it",
    "cache_write(d0, d1)\ntile(d1, 8)\npack(in1, d1)\npad(d1)": "expected tiles that fill the copy of out0",
    "strip(d0, d1, 8, high=0)": "expected a height of at least 1, found 0",
    "strip(d0, d1, 8, wide=0)": "expected a width of at least 1, found 0",
    "tile(d1, 8)\ncache_read(in1, align=0)": "expected a multiple of at least 1, found 0",
    "align_loads(in1, d1)": "expected a copy of in1 in rows of whole vectors, found it elsewhere; make one",
    f"{ROWS}vectorize(d1, 4)\nalign_loads(in1, d1)": "expected loops without vectors, found some",
    f"{ROWS}align_loads(in1, d2)": "expected a loop along the rows of in1, by 1 or 2 elements, found d2",
    f"{ROWS}tile(d1, 4)\nalign_loads(in1, d1)": "expected tiles that begin where rows of in1 do, found some",
    f"{ROWS}align_loads(in1, d1)\nvectorize(d1, 8)": "expected rows of in1 that 8 divides, found those that 4",
    f"{ROWS}align_loads(in1, d1)\nvectorize(d1, 4)": "expected iterations of d1 that fill vectors of 4, found others",
    "tile(d2, 4)\ncache_write(d0, d1)": "expected a result that is filled before it is added to",
}

SYMBOLIC = {
    "tile(d1, 8)\npack(in1, d1)\npad(d1)": "expected tiles of known sizes, found d0 of a symbolic number",
    "tile(d0, 4096)\nunroll_and_jam(d0)": "expected a number of elements at once of at most 1024, found 4096",
    "tile(d0, 1000, balanced=true)\nspecialize(d0)": "expected a number of tiles that differ of at most 64",
    "specialize(d0)": "expected a loop that has been tiled, found d0 of any number of iterations; tile it",
    "unroll_and_jam(d0)": "expected a loop of a known number of iterations, found d0 of a symbolic one; tile it",
    "tile(d1, 8)\npack_constant(in1, d1)": "expected an operand read along a loop of known length",
}


@pytest.mark.parametrize(
    ("steps", "message", "known"),
    [(s, m, STATIC) for s, m in REFUSED.items()] + [(s, m, {}) for s, m in SYMBOLIC.items()],
)
def test_a_primitive_refuses(steps: str, message: str, known: dict[str, int]):
    module = bufferized(program(CASES["bias_relu"], known, steps))
    with pytest.raises(RelaxError) as caught:
        lower(module, ["relax-schedule"])
    step = [line for line in steps.split("\n") if line != "}"][-1].removesuffix(" {")
    assert f": {step} of the schedule of @matmul_add_relu: " in str(caught.value)
    assert message in str(caught.value)


BORDERED = {
    "fuse_producer(in0)\ntile(d0, 1)": "found one whose padding is fused, but not copied by cache_read",
    "fuse_epilogue()\nfuse_producer(in0)\ntile(d2, 1)\ntile(d5, 1)\ncache_read(in0)": "expected padding "
    "along dimensions that are read in tiles, found some of 2 of in0, along which one element is read",
}


@pytest.mark.parametrize("steps", BORDERED)
def test_padding_is_fused_where_it_is_copied(steps: str):
    module = bufferized(program(CASES["bordered"], STATIC, steps))
    with pytest.raises(RelaxError, match=BORDERED[steps]):
        lower(module, ["relax-schedule"])


POOLED = {
    "separate(d3)": "expected loops that reduce, found d3; name such ones",
    "separate()": "expected loops that reduce, found none",
    "tile(d5, 1)\nseparate(d4)": "expected a result that begins with what changes nothing, found another",
    "tile(d3, 2)\nseparate(d4)": "expected whole loops, found tiles of d3",
    "tile(d1, 1)\ncache_read(in0)\nseparate(d4)": "expected an operand in place, found it computed or copied",
    "separate(d4)\ntile(d2, 2)": "expected one reduction, found parts of it; put it before separate",
    "fuse_producer(in0)\ntile(d2, 1)\nseparate(d5)\nspecialize(d5, iterations=0)": "found d5 of any number of iterations",
    "fuse_producer(in0)\nseparate(d4)\nspecialize(d4, iterations=100)": "a number of iterations of at most 64, found 100",
    "vectorize(d1, 4, shifted=true)": "expected the elements of in0 to lie in a row along d1, found them apart",
}


@pytest.mark.parametrize("steps", POOLED)
def test_reductions_over_windows_are_separated_where_they_may_be(steps: str):
    module = bufferized(program(CASES["pooled"], {}, steps))
    with pytest.raises(RelaxError, match=re.escape(POOLED[steps])):
        lower(module, ["relax-schedule"])


def test_shifted_tiles_begin_in_no_copy():
    steps = "tile(d1, 10)\ncache_read(in0)\ntile(d1, 4, shifted=true)"
    module = bufferized(program(CASES["elements"], STATIC, steps))
    with pytest.raises(
        RelaxError, match=r"expected operands in place along d1, .* found some copied"
    ):
        lower(module, ["relax-schedule"])


def test_shifted_tiles_fit_into_their_loop():
    module = bufferized(program(CASES["elements"], {}, "tile(d0, 3, shifted=true)"))
    with pytest.raises(
        RelaxError, match=r"known to have 3 iterations, found d0 that may .* `when d0 >= 3`"
    ):
        lower(module, ["relax-schedule"])


def test_constants_of_two_versions_are_not_laid_out_for_one():
    steps = "when d0 >= 2 {\ntile(d1, 8)\npack_constant(in1, d1)\n}"
    module = bufferized(program(CASES["constant"], {}, steps))
    with pytest.raises(
        RelaxError, match="expected constants for in1 in every call, and no other use"
    ):
        lower(module, ["relax-schedule"])


def test_constants_that_the_epilogue_reads_too_stay_as_they_are():
    weights = const(WEIGHTS[:, :7])
    case = Case(("77",), lambda x: op.add(op.matmul(x, weights), weights), np.add, ())
    steps = "fuse_epilogue()\ntile(d1, 4)\npack_constant(in1, d1)"
    module = bufferized(program(case, {"7": 7}, steps))
    with pytest.raises(
        RelaxError, match="expected constants for in1 in every call, and no other use"
    ):
        lower(module, ["relax-schedule"])


def bufferized(module: ModuleOp) -> ModuleOp:
    names = [*PASSES]
    start, end = names.index("relax-deduplicate-prim-funcs"), names.index("relax-schedule")
    return lower(module, names[start:end])


def test_every_primitive_is_tried_and_refused():
    alone = (steps for case in CASES.values() for steps in case.schedules)
    of_stages = (steps for own in test_fuse_stages.TRIED.values() for steps in own)
    tried = " ".join((*alone, *of_stages, *BYTES))
    refused = " ".join((*REFUSED, *SYMBOLIC, *REFUSED_BYTES, *test_fuse_stages.REFUSED))
    assert [name for name in (*PRIMITIVES, "when") if name not in tried] == []
    assert [name for name in (*PRIMITIVES, "when") if name not in refused] == []


@pytest.mark.parametrize(
    ("name", "steps", "message"),
    [
        (
            "channels",
            "tile(d3, 4)\ncache_read(in0, align=8)\nalign_loads(in0, d3)",
            "expected all iterations of d5 at once, which walks the rows too, found them one by one",
        ),
        (
            "prepared",
            "fuse_producer(in0)\npack(in0, d0)",
            "in0 from outside, found what fuse_producer",
        ),
        ("constant", "pack(in0, d0, inside=d2)", "expected a known width of panels with d2 inside"),
    ],
)
def test_what_other_kernels_refuse(name: str, steps: str, message: str):
    module = bufferized(program(CASES[name], {}, steps))
    with pytest.raises(RelaxError, match=re.escape(message)):
        lower(module, ["relax-schedule"])


@pytest.mark.parametrize(
    "steps",
    ["unroll_and_jam(d1)\nsplit_reduction(d1, 4)", "split_reduction(d1, 4)\nunroll_and_jam(d1)"],
)
def test_partial_sums_need_a_loop(steps: str):
    module = bufferized(program(CASES["sums"], {"m": 9, "n": 8}, steps))
    with pytest.raises(
        RelaxError, match=r"expected an existing loop|without partial sums in lanes"
    ):
        lower(module, ["relax-schedule"])


def test_truth_values_are_no_vectors():
    case = Case(("mn",), lambda x: op.greater(x, op.exp(x)), np.greater, ())
    module = bufferized(program(case, {}, "vectorize(d1, 8)"))
    with pytest.raises(RelaxError, match="expected out0 of numbers, found elements of type i1"):
        lower(module, ["relax-schedule"])


def test_running_reductions_keep_their_order():
    case = Case(("mn",), lambda x: op.cumsum(x, axis=1), np.cumsum, ())
    module = bufferized(program(case, {}, "interchange(d1, d0)"))
    with pytest.raises(RelaxError, match="found a running reduction"):
        lower(module, ["relax-schedule"])


@pytest.mark.parametrize("steps", ["tile(d0, 4)", "split(d1, 7)", "collapse(d0, d1)", "hoist(in0)"])
def test_loops_that_count_places_stay_whole(steps: str):
    case = Case(("mK",), lambda x: op.argmax(x, axis=1), np.argmax, ())
    with pytest.raises(
        RelaxError, match="one that counts the iterations of d1; leave the loops whole"
    ):
        lower(bufferized(program(case, STATIC, steps)), ["relax-schedule"])


def test_a_kernel_that_reads_its_index_is_refused():
    case = Case(("mn",), lambda x: op.triu(x), np.triu, ())
    module = bufferized(program(case, {}, "tile(d0, 4)"))
    with pytest.raises(RelaxError, match="found one that reads the indices of its loops"):
        lower(module, ["relax-schedule"])


# Text

SLIPS = {
    "@f\ntile(d0, 4)": "1: @f: expected a kernel as in `@name:`, found none",
    "tile(d0, 4)": "1: tile(d0, 4): expected a kernel as in `@name:`",
    "@f:\n@f:": "2: @f:: expected one schedule of a kernel, found a second; join them",
    "@f:\n\n  // a comment\ntile d0": "4: tile d0: expected a step as in `tile(d0, 8)`, found none",
    "@f:\ntille(d0, 4)": "found tille; is tile meant?",
    "@f:\ntile(d0)": "2: tile(d0): expected loop, size in brackets, found 1 arguments",
    "@f:\ntile(4, d0)": "expected a name as loop, found 4; correct it",
    "@f:\ntile(d0, 4, ballanced=true)": "expected options balanced, multiple, shifted, found ballanced",
    "@f:\ntile(d0, 4, balanced=1)": "expected true or false as balanced, found 1; correct it",
    "@f:\ntile(d0, 4.5)": "expected names and numbers, found 4.5; correct it",
    "@f:\nwhen d0 > 4 {\n}": "expected conditions as in `d0 * d1 >= 64`, found d0 > 4; correct it",
    "@f:\nwhen d0 >= 4\n}": "expected `{` after the condition, found none; add it",
    "@f:\nwhen d0 >= 4 {\ntile(d0, 4)": "2: when d0 >= 4 {: expected `}` after the steps of a block",
    "@f:\n}": "2: }: expected a step, found the end of a block; take it out",
}


@pytest.mark.parametrize(("source", "message"), SLIPS.items())
def test_slips_in_a_file(source: str, message: str):
    with pytest.raises(RelaxError) as caught:
        parse(source, "my.schedule")
    assert str(caught.value).startswith("my.schedule:")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_printed_schedules_are_read_again(name: str):
    for steps in CASES[name].schedules:
        read = parse_steps(steps, "here")
        assert parse(f"@f:\n{text(read)}") == {"f": read}


def test_a_kernel_of_no_steps_stays_as_it_is():
    tiled, told = (bufferized(program(CASES["bias_relu"], {})) for _ in range(2))
    prim_func(tiled).attributes.pop(SCHEDULE, None)
    schedule(tiled, find())
    schedule(told, find(), {"matmul_add_relu": ()})
    assert "@contract" in str(tiled) and "@contract" not in str(told)


def test_the_most_that_is_written_out_is_taken():
    kernel: Any = None  # which an error alone would name
    (step,) = parse_steps("unroll(d0, 2)", "here")
    step.at_least_one(kernel, 5, "iterations", 5)
    with pytest.raises(AttributeError):
        step.at_least_one(kernel, 6, "iterations", 5)


def test_a_schedule_from_python():
    module = program(CASES["bias_relu"], STATIC)
    steps = parse_steps("fuse_epilogue()\ntile(d0, 4)", "here")
    attach(prim_func(module), steps)
    assert schedule(bufferized(module), find()) == {"matmul_add_relu": steps}


def test_fused_prim_funcs_keep_a_schedule():
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n", 4], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.relu(op.exp(x))))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    lower(module, ["relax-legalize"])
    attach(prim_funcs(module)["exp"], parse_steps("tile(d0, 4)", "here"))
    lower(module, ["relax-fuse-elementwise"])
    assert prim_func(module).sym_name.data == "exp_relu"
    assert prim_func(module).attributes[SCHEDULE] == StringAttr("tile(d0, 4)\n")


def test_names_that_the_module_has_not():
    module = bufferized(program(CASES["bias_relu"], STATIC, ""))
    with pytest.raises(RelaxError, match="is @matmul_add_relu meant"):
        schedule(module, find(), {"matmul_add_rely": ()})
    with pytest.raises(RelaxError, match="expected a number below 2"):
        schedule(module, find(), {"matmul_add_relu#2": ()})


def test_files_that_cannot_be_read(tmp_path: Path):
    module = bufferized(program(CASES["bias_relu"], STATIC, ""))
    with pytest.raises(RelaxError, match="expected a file of schedules as"):
        lower(module, [f'relax-schedule{{file="{tmp_path / "none"}"}}'])


@pytest.mark.long
@needs(MLIR)
@pytest.mark.parametrize("known", [{}, STATIC], ids=str)
def test_mlir_accepts_the_scheduled(known: dict[str, int]):
    own = dict([*ALL.items()][bool(known) :: 3])
    module = lower(bufferized(programs(own, known)), ["relax-schedule"])
    check_accepted(ModuleOp([f.clone() for f in prim_funcs(module).values()]))
