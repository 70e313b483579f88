"""Convolutions in other layouts compute what they did; conversions are left at the ends of a network alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.support.target import NATIVE
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify
from relax_dialect.rewrites.layout.convert_layout import convert_layout

from .quantizable import names, normal

LAYOUTS = {
    "blocks": ("NCHW4c", "OIHW4i4o", None),
    "channels_last": ("NHWC", "OHWI", None),
    "result_in_blocks": ("NCHW", "OIHW4i2o", "NCHW8c"),
    "inner_first": ("4cNHWC", "2oOIHW", "NHWC2c"),
}


def network() -> ModuleOp:
    """Convolutions with biases, a sum around one of them, pools, and a layer that knows no layouts."""

    def layer(x: Any, seed: int, i: int, o: int, padding: int) -> Any:
        y = op.conv2d(x, const(normal(seed, o, i, 3, 3, scale=0.2)), 1, padding)
        return y + const(normal(seed + 1, o, 1, 1))

    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n", 4, "h", "w"], "f32")}) as (x,):
        with bb.dataflow():
            y = bb.emit(op.max_pool2d(op.relu(layer(x, 1, 4, 8, 0)), 2, 2))
            z = bb.emit(op.clip(y + op.tanh(layer(y, 3, 8, 8, 1)) * const(0.5, "f32"), -1, 1))
            z = bb.emit(op.avg_pool2d(layer(z, 5, 8, 16, 1), 2))
            means = op.adaptive_avg_pool2d(z, 1)
            result = bb.emit_output(op.reshape(means, ["n", 16]) @ const(normal(7, 16, 3)))
        bb.emit_func_output(result)
    return bb.get()


X = normal(9, 2, 4, 11, 12)


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_a_network_computes(name: str):
    module = network()
    expected = run(module, "main", X)
    data, kernel, out = LAYOUTS[name]
    convert_layout(module, "conv2d", data, kernel, out)
    verify(module)
    np.testing.assert_allclose(run(module, "main", X), expected, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", ["generic", NATIVE])
def test_what_compiled_networks_compute(cpu: str, tmp_path: Path):
    module = network()
    expected = run(module, "main", X)
    convert_layout(module, "conv2d", *LAYOUTS["blocks"])
    model = lowering.compile(module, "net", directory=tmp_path, cpu=cpu, extra_flags=LIGHTLY)
    np.testing.assert_allclose(model.main(X), expected, atol=2e-5)


def test_conversions_are_at_the_ends():
    module = network()
    convert_layout(module, "conv2d", "NCHW4c", "OIHW4i4o")
    lowering.lower(module, ["relax-fold-constant"])
    found = [name for name in names(module) if name != "shape"]
    assert found[:3] == ["reshape", "permute_dims", "conv2d"]
    views = ["permute_dims", "reshape"]
    assert found[-4:] == [*views, "reshape", "matmul"]
    assert not {*views} & {*found[2:-4]}


def test_what_does_not_fit_stays():
    """Three channels are no blocks of four; a convolution of another name."""
    bb = BlockBuilder()
    with bb.function(
        "main",
        {
            "x": TensorType(["n", 3, 8, 8], "f32"),
            "c": TensorType(["n", "k", 8, 8], "f32"),
            "w": TensorType([8, "k", 1, 1], "f32"),
        },
    ) as (x, c, w):
        with bb.dataflow():
            y = op.conv2d(x, const(normal(1, 8, 3, 3, 3)), 1, 1)
            result = bb.emit_output(y + op.conv2d(c, w))
        bb.emit_func_output(result)
    module = bb.get()
    before = str(module)
    convert_layout(module, "conv2d", "NCHW4c", "OIHW4i4o")
    assert str(module) == before
    convert_layout(module, "conv1d", "NCW4c", "OIW4i4o")
    assert str(module) == before


BAD = {
    "op": ("add", "NHWC", "OHWI", "expected op to be a convolution, as conv2d, found add"),
    "data": (
        "conv2d",
        "NHC",
        "OHWI",
        'expected data to name each of N, C, H, W once, .* found "NHC"',
    ),
    "kernel": ("conv2d", "NHWC", "OHWI4h", "expected kernel to name each of O, I, H, W once"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_options(name: str):
    *options, message = BAD[name]
    with pytest.raises(RelaxError, match=message):
        convert_layout(network(), *options)
