"""Reductions over windows by rows against PyTorch's way to say them in numpy, and what stays as it is."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from numpy.lib.stride_tricks import sliding_window_view
from optional import MLIR, UNOPTIMISED, needs
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering import lower
from lowering.pipeline import PASSES
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops

TO_SCHEDULE = tuple(PASSES)[: tuple(PASSES).index("relax-schedule") + 1]
WINDOWS = {
    "halves": {"pool_size": 2, "strides": 2},
    "resnet": {"pool_size": 3, "strides": 2, "padding": 1},
    "same": {"pool_size": 3, "padding": 1},
    "dilated": {"pool_size": (3, 2), "dilation": (2, 3), "padding": (2, 1)},
    "wide": {"pool_size": (1, 5), "strides": (1, 3), "padding": (0, 2)},
    "high": {"pool_size": (7, 5), "strides": (3, 1), "padding": (3, 2)},
}


def pooled(x: np.ndarray, how: dict[str, Any], *, mean: bool) -> np.ndarray:
    """The pool, from all windows of a padded image."""

    def each(name: str, default: int) -> tuple[int, int]:
        value = how.get(name, default)
        return value if isinstance(value, tuple) else (value, value)

    size, step, around, far = (
        each(*a) for a in (("pool_size", 1), ("strides", 1), ("padding", 0), ("dilation", 1))
    )
    least = 0 if mean else -np.inf
    x = np.pad(x, [(0, 0), (0, 0), *((a, a) for a in around)], constant_values=least)
    spans = tuple(f * (s - 1) + 1 for s, f in zip(size, far))
    seen = sliding_window_view(x, spans, axis=(2, 3))[:, :, :: step[0], :: step[1]]
    seen = seen[..., :: far[0], :: far[1]]
    return seen.mean((-1, -2)) if mean else seen.max((-1, -2))


@cache
def compiled() -> Any:
    """Maxima and means by all windows, for all sizes."""
    builder = BlockBuilder()
    for name, how in WINDOWS.items():
        for kind, layout in (("max", "NCHW"), ("avg", "NCHW"), ("max", "NHWC")):
            sizes = ["n", "c", "h", "w"] if layout == "NCHW" else ["n", "h", "w", "c"]
            make = op.max_pool2d if kind == "max" else op.avg_pool2d
            more = {"count_include_pad": True} if kind == "avg" else {}
            with builder.function(f"{kind}_{layout}_{name}", {"x": TensorType(sizes, "f32")}) as (
                x,
            ):
                builder.emit_func_output(builder.emit(make(x, layout=layout, **how, **more)))
    return lowering.compile(builder.get(), "pools", extra_flags=UNOPTIMISED)


@pytest.mark.slow
@pytest.mark.parametrize("name", WINDOWS)
def test_pools_agree_with_numpy(name: str):
    random, how = np.random.default_rng(0), WINDOWS[name]
    for sizes in ((1, 1, 6, 7), (2, 3, 17, 16), (1, 2, 33, 31), (3, 0, 8, 9), (0, 2, 8, 48)):
        x = random.standard_normal(sizes).astype(np.float32)
        expected = pooled(x, how, mean=False)
        np.testing.assert_array_equal(compiled()[f"max_NCHW_{name}"](x), expected)
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        found = compiled()[f"max_NHWC_{name}"](last).transpose(0, 3, 1, 2)
        np.testing.assert_array_equal(found, expected)
        mean = compiled()[f"avg_NCHW_{name}"](x)
        np.testing.assert_allclose(mean, pooled(x, how, mean=True), rtol=1e-5, atol=1e-6)


def scheduled(how: dict[str, Any], sizes: Any = ("n", 8, "h", "w"), dtype: str = "f32") -> Any:
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(list(sizes), dtype)}) as (x,):
        builder.emit_func_output(builder.emit(op.max_pool2d(x, **how)))
    return lower(builder.get(), TO_SCHEDULE)


@pytest.mark.parametrize("name", WINDOWS)
@needs(MLIR)
def test_mlir_accepts_the_rows(name: str):
    for sizes in (("n", 8, "h", "w"), (1, 4, 20, 21)):
        functions = [
            op.clone() for op in scheduled(WINDOWS[name], sizes).ops if isinstance(op, FuncOp)
        ]
        check_accepted(ModuleOp(functions))


@pytest.mark.parametrize("dtype", ["f32", "i8", "ui8"])
def test_the_border_is_not_copied(dtype: str):
    """One buffer, of rows, whatever is pooled."""
    module = scheduled(WINDOWS["resnet"], dtype=dtype)
    ops = [o for f in module.ops for o in walk_ops(f)]
    (rows,) = (o for o in ops if isinstance(o, memref.AllocOp))
    assert rows.memref.type.get_num_dims() < 3
    assert not any(isinstance(o, memref.CopyOp) for o in ops)
    assert any(isinstance(o, scf.IfOp) for o in ops)


def test_long_windows_are_not_written_out():
    ops = [o for f in scheduled({"pool_size": (2, 40)}, (1, 4, 64, 64)).ops for o in walk_ops(f)]
    assert sum(isinstance(o, arith.MaximumfOp) for o in ops) < 6


def test_another_layout_is_a_copy_of_the_rows():
    """The reduction is the one of the layout of x."""
    ops = [o for f in scheduled({"pool_size": 2}).ops for o in walk_ops(f)]
    turned = [o for f in scheduled({"pool_size": 2, "out_layout": "NHWC"}).ops for o in walk_ops(f)]
    reductions = [sum(isinstance(o, arith.MaximumfOp) for o in own) for own in (ops, turned)]
    assert reductions[0] == reductions[1] > 0
    assert any(isinstance(o, scf.ForOp) for o in turned)
