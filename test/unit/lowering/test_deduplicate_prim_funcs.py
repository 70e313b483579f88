"""Functions with the same layers have one kernel for each, whatever their sizes are called."""

from __future__ import annotations

import re

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

W = np.arange(12, dtype=np.float32).reshape(3, 4) / 8


def two_functions():
    """A layer for rows of two names, with another bias too, and another layer."""
    bb = BlockBuilder()
    for name, size, bias, last in (
        ("prefill", "n", 1.0, op.relu),
        ("decode", "m", 2.0, op.relu),
        ("other", "n", 1.0, op.tanh),
    ):
        with bb.function(name, {"x": TensorType([size, 3], "f32")}) as (x,):
            with bb.dataflow():
                y = last(op.matmul(x, const(W)) - const(np.float32(bias)))
                result = bb.emit_output(op.softmax(y, -1))
            bb.emit_func_output(result)
    return bb.get()


def kernels(c: str) -> list[str]:
    """The functions on two tensors and more; not those of loops that threads share."""
    found = re.findall(r"^(?:static|MODEL_LOCAL) \w+ (\w*matmul\w*)\([^;]*\)\n\{", c, re.M)
    return [name for name in found if "_loop" not in name]


@pytest.mark.slow
def test_equal_kernels_are_made_once():
    module = two_functions()
    c = lowering.to_c(module).c
    assert sorted(re.sub(r"_\d+$", "", name) for name in kernels(c)) == [
        "matmul_subtract_relu",
        "matmul_subtract_tanh",
    ]
    model = lowering.compile(module, extra_flags=UNOPTIMISED)
    x = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    for name in ("prefill", "decode", "other"):
        expected = interpret.run(module, name, x)
        np.testing.assert_allclose(model[name](x), expected, rtol=2e-6)
        assert model[name](x[:0]).shape == (0, 4)


def test_a_program_without_any_stays_as_it_is():
    module = two_functions()
    lowering.lower(module, ["relax-legalize", "relax-fuse-elementwise"])
    lowering.lower(module, ["relax-deduplicate-prim-funcs"])
    once = str(module)
    lowering.lower(module, ["relax-deduplicate-prim-funcs"], verify_each=True)
    assert str(module) == once
