"""Exponentials by few terms: how exact, at special values, and TVM's numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from optional import amount, package, shortened

from relax_dialect.frontends.tvmscript import loads
from relax_dialect.interpret import run
from relax_dialect.rewrites.algebra.fast_math import fast_math
from relax_dialect.transform.regions import functions

SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({shape}, "{dtype}")):
        y = R.{call}
        return y
"""
EXACT: dict[str, tuple[Any, float]] = {
    "exp": (np.exp, 4.1e-6),
    "tanh": (np.tanh, 3e-7),
    "erf": (np.vectorize(math.erf), 3.4e-7),
}


def script(call: str, shape: str = '("n",)', dtype: str = "float32") -> str:
    return SCRIPT.format(call=call, shape=shape, dtype=dtype)


@shortened
@pytest.mark.parametrize("name", EXACT)
def test_every_exponent(name: str):
    function, most = EXACT[name]
    bits = np.arange(0x0800_0000, 0x7F80_0000, amount(49_999, 499_999), dtype=np.uint32)
    x = np.concatenate([bits, bits | 0x8000_0000]).view(np.float32)
    module = loads(script(f"{name}(x)"))
    assert fast_math(module) == 1
    found = run(module, "main", x).astype(float)
    with np.errstate(all="ignore"):
        wanted = function(x.astype(float))
        apart = np.abs(found - wanted) / np.abs(wanted)
    kept = (np.abs(wanted) > 1.2e-38) & (np.abs(x) < (87.3 if name == "exp" else np.inf))
    assert kept.sum() > len(x) * 0.45
    assert np.max(apart[kept]) <= most
    special = run(module, "main", np.array([np.inf, -np.inf, 0, np.nan], np.float32))
    np.testing.assert_allclose(special, function(np.array([np.inf, -np.inf, 0, np.nan])), rtol=most)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(axis: int):
    x = np.random.default_rng(0).normal(size=(3, 4, 5), scale=20).astype("f")
    module = loads(script(f"nn.softmax(x, axis={axis})", '("n", 4, "m")'))
    assert fast_math(module) == 1
    powers = np.exp(x - x.max(axis, keepdims=True).astype(float))
    wanted = powers / powers.sum(axis, keepdims=True)
    np.testing.assert_allclose(run(module, "main", x), wanted, rtol=1e-5, atol=1e-37)


def test_what_stays():
    for call, shape, dtype in (
        ("exp(x)", '("n",)', "float16"),
        ("nn.softmax(x)", None, "float32"),
        ("log(x)", "(3,)", "float32"),
    ):
        text = script(call, shape or '("n",)', dtype)
        module = loads(
            text if shape else text.replace('("n",), "float32"', 'ndim=2, dtype="float32"')
        )
        before = str(module)
        assert fast_math(module) == 0
        assert str(module) == before


@pytest.mark.parametrize("name", EXACT)
def test_tvm_computes_the_same(name: str):
    tvm = package("tvm")
    text = script(f"{name}(x)")
    module, theirs = (
        loads(text),
        tvm.relax.transform.FastMathTransform()(tvm.script.from_source(text)),
    )
    assert fast_math(module) == 1
    machine = tvm.relax.VirtualMachine(tvm.compile(theirs, "llvm"), tvm.cpu())
    x = np.linspace(-100, 100, 2001, dtype="f")
    found = machine["main"](tvm.runtime.tensor(x)).numpy()
    np.testing.assert_allclose(run(module, "main", x), found, rtol=4e-6)
    assert [f.sym_name.data for f in functions(module)] == ["main"]
