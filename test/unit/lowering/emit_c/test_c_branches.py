"""Branches around loads in short loops, which gcc 12 compiles wrongly without our guard."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import lowering
from lowering.emit_c.syntax.compiler_attributes import keeps_branches
from relax_dialect import parse, te
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

OUTER, MIDDLE, CHANNELS = (1, 4, 7, 10), (1, 2), (1, 2, 3, 4)


def padded(x: te.Tensor) -> te.Tensor:
    """Two rows of zeros before the rows of x."""
    rows, middle, channels = x.shape
    return te.compute(
        (rows + 2, middle, channels),
        lambda i, j, k: te.if_then_else(i >= 2, x[i - 2, j, k], 0.0),
        name="padded",
    )


@pytest.fixture(scope="module")
def model():
    bb = BlockBuilder()
    for rows in OUTER:
        for middle in MIDDLE:
            for channels in CHANNELS:
                shape = TensorType([rows, middle, channels], "f32")
                with bb.function(f"pad_{rows}_{middle}_{channels}", {"x": shape}) as (x,):
                    bb.emit_func_output(bb.emit_te(padded, x))
    return lowering.compile(bb.get(), "padding", extra_flags=("-Wall", "-Wextra", "-Werror"))


@pytest.mark.slow
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("middle", MIDDLE)
@pytest.mark.parametrize("rows", OUTER)
def test_rows_of_zeros_before_others(model, rows: int, middle: int, channels: int):
    x = np.arange(1, 1 + rows * middle * channels, dtype=np.float32)
    x = x.reshape(rows, middle, channels)
    expected = np.concatenate([np.zeros((2, middle, channels), np.float32), x])
    np.testing.assert_array_equal(model[f"pad_{rows}_{middle}_{channels}"](x), expected)


def test_only_short_loops_with_branches_are_guarded():
    def text(channels: int | str) -> str:
        bb = BlockBuilder()
        with bb.function("main", {"x": TensorType(["n", "m", channels], "f32")}) as (x,):
            bb.emit_func_output(bb.emit_te(padded, x))
        return lowering.to_c(bb.get(), "padding", cpu="generic").c

    assert "\nKEEP_BRANCHES\nstatic" in text(2)
    assert "KEEP_BRANCHES" not in text(5)
    assert "KEEP_BRANCHES" not in text("k")


@pytest.mark.parametrize("padding", [0, 1])
def test_windows_without_padding_need_no_branch(padding: int):
    """Else what is fused behind a pool's gradient, as that of relu, would keep its branches, too."""
    bb = BlockBuilder()
    types = [TensorType([8, 8, size, size], "f32") for size in (8 + padding, 16)]
    with bb.function("main", dict(zip("gx", types))) as (g, x):
        found = op.max_pool2d_backward(
            g, x, pool_size=[2, 2], strides=[2, 2], padding=[padding] * 4
        )
        bb.emit_func_output(bb.emit(op.where(x > 0.0, found, 0.0)))
    assert ("KEEP_BRANCHES" in lowering.to_c(bb.get(), "pool", cpu="generic").c) is bool(padding)


NEST = """
func.func private @nest(%x: memref<2x{turns}xf32> {{relax.dims = ["2", "{turns}"]}}, %y: memref<2x{turns}xf32> {{relax.dims = ["2", "{turns}"], relax.result}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant {turns} : index
  scf.for %i = %c0 to %c2 step %c1 {{
    %is = arith.cmpi eq, %i, %c1 : index
    scf.if %is {{
      scf.for %j = %c0 to %n step %c1 {{
        %v = memref.load %x[%i, %j] : memref<2x{turns}xf32>
        memref.store %v, %y[%i, %j] : memref<2x{turns}xf32>
      }}
    }}
  }}
  func.return
}}"""


@pytest.mark.parametrize(("turns", "guarded"), [(1, True), (8, True), (100, False)])
def test_a_short_loop_around_one_that_stays_is_not_innermost(turns: int, guarded: bool):
    """A convolution of few groups of filters holds a branch and long loops: all of it would lose its masks."""
    module = parse(NEST.format(turns=turns))
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    assert keeps_branches(function) is guarded
