"""Norms as arithmetic: the values of the norm in the mode that the pass is named for; TVM's ops and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import op
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript import from_tvm, loads
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.algebra.decompose_ops_for_inference import decompose_ops_for_inference
from relax_dialect.rewrites.algebra.decompose_ops_for_training import decompose_ops_for_training
from relax_dialect.rewrites.forms.canonicalize_bindings import canonicalize_bindings

from .rewritten import assert_kept, function, names, outcome

RANDOM = np.random.default_rng(0)


def batch_norm(training: bool, **options: Any) -> Callable[..., Any]:
    """All three results."""

    def make(bb: Any, *values: Any) -> Any:
        return tuple(bb.emit(op.batch_norm(*values, training=training, epsilon=1e-2, **options)))

    return make


NORMS: dict[str, tuple[Any, Any, list[Any], tuple[int, ...]]] = {
    # the pass, the norm, the shape of x and of its parameters, actual sizes of x
    "inference": (False, {}, ["n", 3, "h"], (4, 3, 5)),
    "inference, channels last": (False, {"axis": -1, "scale": False}, ["n", 2, 3], (1, 2, 3)),
    "training": (True, {"momentum": 0.3}, ["n", 3, "h"], (4, 3, 5)),
    "training, channels last": (True, {"axis": -1, "center": False}, ["n", 3], (6, 3)),
}


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("form", NORMS)
def test_a_norm_of_channels(form: str, dtype: str):
    training, options, shape, sizes = NORMS[form]
    made = batch_norm(training, **options)
    module = function(made, shape, *[[3]] * 4, dtype=dtype)
    given = [
        RANDOM.uniform(0.5, 2, size).astype(dtype.replace("f", "float"))
        for size in (sizes, *[3] * 4)
    ]
    apply = decompose_ops_for_training if training else decompose_ops_for_inference
    tolerance = 1e-5 if dtype == "f32" else 2e-3
    assert assert_kept(module, apply, *given, tolerance=tolerance) == 1
    assert "batch_norm" not in names(module)


@pytest.mark.parametrize("axes", [[-1], [0, 2], [2, 1]])
def test_a_norm_of_axes(axes: list[int]):
    sizes = (2, 3, 4)
    parameter = [sizes[axis] for axis in axes]
    module = function(
        lambda bb, x, g, b: op.layer_norm(x, g, b, axes=axes), list(sizes), parameter, parameter
    )
    given = [RANDOM.uniform(-1, 1, size).astype("f") for size in (sizes, parameter, parameter)]
    assert decompose_ops_for_inference(module) == 0
    assert assert_kept(module, decompose_ops_for_training, *given) == 1
    assert "layer_norm" not in names(module)


def test_what_stays():
    """Sizes that are not known to agree are for the norm to check; other functions are not asked for."""
    unknown = function(batch_norm(False), ["n", "c"], *[["k"]] * 4)
    assert decompose_ops_for_inference(unknown) == decompose_ops_for_training(unknown) == 0
    with pytest.raises(
        RelaxError, match="relax-decompose-ops-for-training: expected the name of a"
    ):
        decompose_ops_for_training(unknown, "mian")


SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, "h", "w"), "float32"), p: R.Tensor((3,), "float32"),
             q: R.Tensor((3,), "float32"), m: R.Tensor((3,), "float32"), v: R.Tensor((3,), "float32"),
             s: R.Tensor((2, 4), "float32"), t: R.Tensor((4,), "float32")):
        y = R.nn.batch_norm(x, p, q, m, v, axis=1, epsilon=1e-3, momentum=0.25)
        z = R.nn.layer_norm(s, t, t, axes=[-1], epsilon=1e-3)
        a = y[0]
        b = y[1]
        c = y[2]
        return (a, b, c, z)
"""


@pytest.mark.parametrize(
    ("name", "apply"),
    [
        ("DecomposeOpsForInference", decompose_ops_for_inference),
        ("DecomposeOpsForTraining", decompose_ops_for_training),
    ],
)
def test_tvm_gives_the_same(name: str, apply: Callable[[ModuleOp], int]):
    tvm = package("tvm")
    module = loads(SCRIPT)
    apply(module)
    given = from_tvm(getattr(tvm.relax.transform, name)()(tvm.script.from_source(SCRIPT)))
    for each in (module, given):
        canonicalize_bindings(each)
        eliminate_dead_code(each)
    assert sorted(names(module)) == sorted(names(given))
    shapes = (2, 3, 2, 5), *[(3,)] * 4, (2, 4), (4,)
    values = [RANDOM.uniform(0.5, 2, shape).astype("f") for shape in shapes]
    for found, wanted in zip(outcome(module, *values), outcome(given, *values), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
