"""Work on rows in several stages: fused over tiles of rows, compared with numpy and with the loops as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import LONG, MLIR, UNOPTIMISED, needs
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops

import lowering
from lowering import lower
from lowering.ir.constants import known_integer
from lowering.pipeline import PASSES, optimizations
from lowering.schedule.memrefs.pack_constants import ConstantPacker
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.scheduler import Scheduler
from lowering.schedule.strategies import rows
from lowering.schedule.strategies.rows import RowTiles
from lowering.support.target import find
from relax_dialect import parse
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """A program, the letters of the shapes of its parameters, and what it is in numpy."""

    shapes: tuple[str, ...]
    make: Callable[..., Any]
    numpy: Callable[..., Array]
    dtype: str = "f32"


def softmax(x: Array, axis: int = -1) -> Array:
    with np.errstate(all="ignore"):
        x = x.astype("d")
        powers = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
        return powers / powers.sum(axis, keepdims=True)


def log_softmax(x: Array) -> Array:
    with np.errstate(all="ignore"):
        x = x.astype("d") - x.max(-1, keepdims=True, initial=-np.inf).astype("d")
        return x - np.log(np.exp(x).sum(-1, keepdims=True))


def normed(x: Array, *axes: int) -> Array:
    with np.errstate(all="ignore"):
        x = x.astype("d")
        return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def attention(q: Array, k: Array, v: Array, *bias: Array, causal: bool = False) -> Array:
    heads = q.shape[2] // k.shape[2]
    q, k, v = (x.astype("d").swapaxes(1, 2) for x in (q, k, v))
    k, v = np.repeat(k, heads, 1), np.repeat(v, heads, 1)
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    scores = scores + bias[0] if bias else scores
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[2:])) == 1, scores, -np.inf)
    weights = np.nan_to_num(softmax(scores)) if scores.shape[3] else scores
    return (weights @ v).swapaxes(1, 2)


CASES = {
    "softmax": Case(("nm",), lambda x: op.softmax(x), softmax),
    "batched": Case(("bnm",), lambda x: op.softmax(op.multiply(x, x)), lambda x: softmax(x * x)),
    "double": Case(("nm",), lambda x: op.softmax(x), softmax, "f64"),
    "half": Case(("nm",), lambda x: op.softmax(x), softmax, "f16"),
    "planes": Case(("bnmk",), lambda x: op.softmax(x, axis=1), lambda x: softmax(x, 1)),
    "columns": Case(("nm",), lambda x: op.softmax(x, axis=0), lambda x: softmax(x, 0)),
    "log_softmax": Case(("bnm",), lambda x: op.log_softmax(x), log_softmax),
    "layer_norm": Case(
        ("nm", "m", "m"),
        lambda x, g, b: op.layer_norm(x, g, b, axes=[-1]),
        lambda x, g, b: normed(x, -1) * g + b,
    ),
    "rms_norm": Case(
        ("bnm", "m"),
        lambda x, w: op.rms_norm(x, w, axes=[-1]),
        lambda x, w: x / np.sqrt((x.astype("d") ** 2).mean(-1, keepdims=True) + 1e-5) * w,
    ),
    "instance_norm": Case(
        ("bnmk", "n", "n"),
        lambda x, g, b: op.instance_norm(x, g, b, channel_axis=1, axes=[2, 3]),
        lambda x, g, b: normed(x, 2, 3) * g[:, None, None] + b[:, None, None],
    ),
    "group_norm": Case(
        ("b6mk", "6", "6"),
        lambda x, g, b: op.group_norm(x, g, b, num_groups=3, channel_axis=1, axes=[2, 3]),
        lambda x, g, b: (
            normed(x.reshape(len(x), 3, 2, *x.shape[2:]), 2, 3, 4).reshape(x.shape)
            * g[:, None, None]
            + b[:, None, None]
        ),
    ),
    "variance": Case(("nm",), lambda x: op.variance(x, axis=[1]), lambda x: x.astype("d").var(1)),
    "attention": Case(("bn25", "bm25", "bm23"), lambda *x: op.attention(*x), attention),
    "causal": Case(
        ("bn25", "bn25", "bn23"),
        lambda *x: op.attention(*x, causal_mask="TopLeft"),
        lambda *x: attention(*x, causal=True),
    ),
    "biased": Case(("bn25", "bm25", "bm23", "b2nm"), lambda *x: op.attention(*x), attention),
    "shared_heads": Case(("bn45", "bm25", "bm23"), lambda *x: op.attention(*x), attention),
}

SIZES = (
    {"b": 2, "n": 7, "m": 5, "k": 3},
    {"b": 1, "n": 3, "m": 1, "k": 2},
    {"b": 3, "n": 4, "m": 131, "k": 1},
    {"b": 1, "n": 1, "m": 16, "k": 5},
    {"b": 2, "n": 2, "m": 33, "k": 1},
    {"b": 1, "n": 0, "m": 3, "k": 2},
    {"b": 0, "n": 2, "m": 3, "k": 2},
)
"""Rows around tiles of three, short rows and long ones, and none."""

TINY = RowTiles(bytes=1 << 12, near_bytes=1 << 12, rows=3, stack_bytes=64)
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
TOLERANCE = {"f32": 1e-4, "f64": 1e-12, "f16": 2e-3}


def shape_of(letters: str, sizes: Mapping[str, Any]) -> list[Any]:
    return [int(x) if x.isdigit() else sizes.get(x, x) for x in letters]


def program(sizes: Mapping[str, int], names: Sequence[str] = tuple(CASES)) -> ModuleOp:
    """Cases as one module, the letters in `sizes` known."""
    builder = BlockBuilder()
    for name in names:
        case = CASES[name]
        types = {
            f"x{i}": TensorType(shape_of(letters, sizes), case.dtype)
            for i, letters in enumerate(case.shapes)
        }
        with builder.function(name, types) as values:
            builder.emit_func_output(builder.emit(case.make(*values)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return module


@cache
def compiled(sizes: tuple[tuple[str, int], ...] = ()) -> Any:
    """All cases as one library, in tiny tiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "row_tiles", lambda cpu: TINY)
        return build(program(dict(sizes)))


def build(module: ModuleOp) -> Any:
    return lowering.compile(module, "rows", extra_flags=UNOPTIMISED, cache=False)


def arrays(case: Case, sizes: Mapping[str, int]) -> list[Array]:
    random = np.random.default_rng(sum(sizes.values()))
    shapes = [shape_of(letters, sizes) for letters in case.shapes]
    return [(random.standard_normal(s) * 2).astype(NUMPY[case.dtype]) for s in shapes]


def check(model: Any, name: str, given: list[Array]) -> None:
    case = CASES[name]
    result, expected = model[name](*given), case.numpy(*given)
    assert result.shape == expected.shape
    tolerance = TOLERANCE[case.dtype]
    np.testing.assert_allclose(result, expected, tolerance, tolerance, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_artifact_for_all_sizes(name: str):
    for sizes in SIZES:
        check(compiled(), name, arrays(CASES[name], sizes))


@needs(LONG)
def test_tiles_of_this_machine():
    names = [*CASES][::2]
    model = build(program({}, names))
    for name in names:
        for sizes in SIZES:
            check(model, name, arrays(CASES[name], sizes))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [SIZES[0], pytest.param(SIZES[2], marks=needs(LONG))], ids=str)
def test_static_sizes(sizes: dict[str, int]):
    for name, case in CASES.items():
        check(compiled(tuple(sizes.items())), name, arrays(case, sizes))


@pytest.mark.slow
@pytest.mark.parametrize("length", [37, 331])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "batched"])
def test_values_that_no_number_is_like(name: str, length: int):
    """The maximum leaves NaN out, which is in the sum."""
    x: Array = np.random.default_rng(1).standard_normal((8, length)).astype(np.float32)
    x[0], x[1, 3], x[2, 5], x[3] = -np.inf, np.nan, np.inf, x[3] * 1e37
    x[4, ::2], x[5], x[6], x[7] = -np.inf, np.nan, 1e-42, 3.0
    x[1, length - 1] = 4.0
    given = [x[None] if name != "softmax" else x]
    if name == "batched":
        given[0] = np.abs(given[0]) ** 0.5
    check(compiled(), name, given)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [7, 150])
def test_a_score_that_is_no_number_makes_its_row_so(keys: int):
    case, sizes = CASES["biased"], {"b": 1, "n": 3, "m": keys}
    q, k, v, bias = arrays(case, sizes)
    bias[:, :, 1] = -np.inf
    bias[:, :, 0, keys - 1] = bias[:, :, 1, 2] = np.nan
    result = compiled()["biased"](q, k, v, bias)
    assert np.isnan(result[:, :2]).all() and np.isfinite(result[:, 2]).all()


@pytest.mark.slow
def test_rows_that_see_no_key_are_zero():
    case, sizes = CASES["biased"], {"b": 2, "n": 5, "m": 7}
    q, k, v, bias = arrays(case, sizes)
    bias[:, :, 1::2] = -np.inf
    result = compiled()["biased"](q, k, v, bias)
    assert not result[:, 1::2].any()
    check(compiled(), "biased", [q, k, v, bias])


# What stands after the pass


def scheduled(module: ModuleOp, tiles: RowTiles) -> ModuleOp:
    passes = [*optimizations(), *PASSES]
    lower(module, passes[: passes.index("relax-schedule")])
    functions, packer = TileFunctions(module), ConstantPacker(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "row_tiles", lambda cpu: tiles)
        for function in module.ops:
            if isinstance(function, FuncOp):
                Scheduler(function, find(), functions, packer, {}, {}).fuse_rows()
    module.verify()
    return ModuleOp([f.clone() for f in module.ops if isinstance(f, FuncOp)])


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [{}, SIZES[0]], ids=str)
def test_stages_are_in_one_nest(sizes: dict[str, int]):
    """But for rows that lie across memory."""
    outside: list[tuple[int, int]] = []
    for function in scheduled(program(sizes), TINY).ops:
        assert isinstance(function, FuncOp)
        stages = [o for o in walk_ops(function) if isinstance(o, ops.GenericOp)]
        left = [o for o in stages if not isinstance(o.parent_op(), scf.ForOp)]
        if left and len(stages) > 1:
            outside.append((len(left), len(stages)))
    assert outside == [(5, 5)]


@needs(MLIR)
@pytest.mark.parametrize("sizes", [{}, SIZES[0]], ids=str)
def test_mlir_accepts_the_loops(sizes: dict[str, int]):
    check_accepted(scheduled(program(sizes), TINY))


@pytest.mark.slow
@pytest.mark.parametrize("length", ["l", 1000, 4096])
def test_no_scores_but_those_of_a_tile(length: str | int):
    """The memory of attention grows with the keys, not with queries times keys."""
    builder = BlockBuilder()
    shapes = TensorType([2, length, 8, 64], "f32")
    with builder.function("main", {"q": shapes, "k": shapes, "v": shapes}) as values:
        builder.emit_func_output(builder.emit(op.attention(*values)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    cpu = find("x86-64-v4")
    found = lowering.estimate_memory_usage(module, cpu=cpu.name).usage
    (usage,) = [each for each in found if each.name.startswith("attention")]
    assert not usage.unknown
    peak = usage.peak.evaluate({"l": 4096})
    keys = 64 * 4 * (4096 if length == "l" else int(length))
    assert keys < peak < 3 * keys + cpu.l2 // 2


ILLEGAL = {
    "other rows are read": (
        "affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>",
        "%a, %a : memref<8x8xf32>, memref<8x8xf32>",
    ),
    "rows are read from the last one on": (
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (-i + 7, j)>, affine_map<(i, j) -> (i, j)>",
        "%x, %a : memref<8x8xf32>, memref<8x8xf32>",
    ),
    "one row is read by all": (
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>",
        "%x, %a : memref<8x8xf32>, memref<8x8xf32>",
    ),
    "another name for the same rows": (
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>",
        "%x, %view : memref<8x8xf32>, memref<8x8xf32, strided<[8, 1]>>",
    ),
}

TEXT = """
func.func @f(%x: memref<8x8xf32>, %a: memref<8x8xf32>, %s: memref<8xf32>, %out: memref<8x8xf32>) {{
  %zero = arith.constant 0.0 : f32
  {between}
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>) {{
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %p : f32
    linalg.yield %r : f32
  }}
  linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
  {middle}
  linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}} ins(%a : memref<8x8xf32>) outs(%s : memref<8xf32>) {{
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  }}
  linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel", "parallel"]}} ins({operands}) outs(%out : memref<8x8xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  }}
  func.return
}}
"""

VIEW = """%view = memref.subview %a[0, 0] [8, 8] [1, 1]
      : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>"""
PLAIN = (
    "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>",
    "%a, %s : memref<8x8xf32>, memref<8xf32>",
)


def stages_of(maps: str, operands: str, middle: str = "") -> int:
    """How many stages are found that may be fused."""
    text = TEXT.format(maps=maps, operands=operands, between=VIEW, middle=middle)
    module = parse(text)
    (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
    return max(
        (len(group.stages) for group in rows.find(function.body.block, {*function.body.block.ops})),
        default=0,
    )


def test_all_stages_are_found():
    assert stages_of(*PLAIN) == 4


@pytest.mark.parametrize("why", ILLEGAL)
def test_what_may_not_be_fused_stays_outside(why: str):
    """The last stage needs rows that another turn writes; those before it are fused without it."""
    assert stages_of(*ILLEGAL[why]) == 3


@pytest.mark.parametrize(
    "read, fused",
    [
        ("memref.load %a[%c0, %c0] : memref<8x8xf32>", 3),
        ("memref.load %x[%c0, %c0] : memref<8x8xf32>", 4),
    ],
)
def test_what_a_stage_reads_from_within_is_seen(read: str, fused: int):
    """The stage that writes them stays outside: they may be those of another turn."""
    body = TEXT.replace(
        "%r = arith.addf %p, %q : f32", f"%v = {read}\n    %r = arith.addf %p, %v : f32"
    )
    text = body.format(
        maps=PLAIN[0],
        operands=PLAIN[1],
        between=VIEW + "\n  %c0 = arith.constant 0 : index",
        middle="",
    )
    (function,) = [op for op in parse(text).ops if isinstance(op, FuncOp)]
    assert [
        len(group.stages) for group in rows.find(function.body.block, {*function.body.block.ops})
    ] == [fused]


def test_rows_of_images_are_one():
    """Statistics of planes are those of long rows, unless their elements are counted."""
    builder = BlockBuilder()
    types = {"x": TensorType(["n", 3, "h", "w"], "f32"), "g": TensorType([3], "f32")}
    with builder.function("main", types) as (x, g):
        builder.emit_func_output(
            builder.emit(op.instance_norm(x, g, g, channel_axis=1, axes=[2, 3]))
        )
    text = str(scheduled(builder.get(), TINY))
    assert "memref.collapse_shape %x [[0 : i64], [1 : i64], [2 : i64, 3 : i64]]" in text
    assert "(d0, d1, d2, d3) ->" not in text


def test_what_reads_elements_ends_a_group():
    middle = "%c0 = arith.constant 0 : index\n  %v = memref.load %a[%c0, %c0] : memref<8x8xf32>"
    assert stages_of(*PLAIN, middle=middle) == 2


def test_sizes_of_tiles():
    """As many rows as fit, tiles of one size if there is a large one."""
    for count, expected in ((12, 4), (13, 5), (5, 5), (14, 5), (20, 5)):
        builder = BlockBuilder()
        with builder.function("main", {"x": TensorType([count, 16], "f32")}) as (x,):
            builder.emit_func_output(builder.emit(op.softmax(x)))
        module = scheduled(
            builder.get(), RowTiles(0, near_bytes=5 * (2 * 64 + 8), rows=64, stack_bytes=256)
        )
        loops = [o for o in walk_ops(module) if isinstance(o, scf.ForOp)]
        steps = [known_integer(loop.step) for loop in loops]
        assert steps == ([] if count <= 5 else [expected]), count
