"""The adjoint of every operator against differences of the interpreter's results, in f64."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import gradient, registry
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify

STEP = 1e-6


class Case(NamedTuple):
    """An expression of tensors, with their shapes; `low` and `high` bound their elements."""

    build: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    low: float = -2.0
    high: float = 2.0
    is_symbolic: bool = True


def case(build: Callable[..., Any], *shapes: tuple[int, ...], **bounds: Any) -> Case:
    return Case(build, shapes, **bounds)


def fixed(build: Callable[..., Any], *shapes: tuple[int, ...], **bounds: Any) -> Case:
    """One whose sizes are known: those of others, but 1, are symbolic as well."""
    return Case(build, shapes, is_symbolic=False, **bounds)


CASES: dict[str, Case] = {}
for name in (
    *[
        "negative",
        "abs",
        "square",
        "exp",
        "exp2",
        "expm1",
        "cbrt",
        "sin",
        "cos",
        "tan",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "erf",
        "erfc",
    ],
    *[
        "sigmoid",
        "relu",
        "relu6",
        "leakyrelu",
        "elu",
        "celu",
        "selu",
        "silu",
        "gelu",
        "gelu_tanh",
        "quick_gelu",
        "hard_sigmoid",
    ],
    *[
        "hard_swish",
        "hard_tanh",
        "softplus",
        "softsign",
        "mish",
        "log_sigmoid",
        "thresholded_relu",
        "hard_shrink",
    ],
    *["soft_shrink", "tanh_shrink"],
):
    CASES[name] = case(getattr(op, name), (2, 3))
for name in [
    "reciprocal",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "asin",
    "acos",
    "atanh",
]:
    CASES[name] = case(getattr(op, name), (2, 3), low=0.2, high=0.9)
CASES["acosh"] = case(op.acosh, (2, 3), low=1.1, high=3.0)

PAIRS = {
    "same": ((2, 3), (2, 3)),
    "row": ((2, 3), (3,)),
    "both": ((1, 3), (2, 1)),
    "number": ((), (3,)),
}
for name in ["add", "subtract", "multiply", "maximum", "minimum", "atan2", "log_add_exp"]:
    for kind, shapes in PAIRS.items():
        CASES[f"{name}_{kind}"] = case(getattr(op, name), *shapes)
for kind, shapes in PAIRS.items():
    CASES[f"divide_{kind}"] = case(op.divide, *shapes, low=0.5)
    CASES[f"power_{kind}"] = case(op.power, *shapes, low=0.2)
CASES |= {
    "where": case(lambda a, b, c: op.where(a > 0.0, b, c), (2, 3), (2, 3), (3,)),
    "ewise_fma": case(op.ewise_fma, (2, 3), (3,), (2, 1)),
    "lerp": case(op.lerp, (2, 3), (3,), (2, 1)),
    "clip": case(lambda x: op.clip(x, -0.5, 0.5), (2, 3)),
    "clip_one_side": case(lambda x: op.clip(x, None, 0.5), (2, 3)),
    "masked_fill": case(lambda x, y: op.masked_fill(x, y > 0.0, 2.0), (2, 3), (2, 3)),
    "prelu": case(lambda x, a: op.prelu(x, a, 1), (2, 3, 2), (3,)),
    "glu": fixed(lambda x: op.glu(x, 1), (2, 4)),
    "astype": case(lambda x: op.astype(x, "f64"), (2, 3)),
}
for name in ["softmax", "log_softmax"]:
    for axis in (0, -1):
        CASES[f"{name}_{axis}"] = case(lambda x, f=name, a=axis: getattr(op, f)(x, a), (2, 3))

REDUCED: dict[str, dict[str, Any]] = {
    "all": {},
    "1": {"axis": [1]},
    "ends": {"axis": [0, -1], "keepdims": True},
}
for name in [
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "reduce_l1",
    "reduce_sum_square",
    "variance",
    "std",
    "reduce_l2",
    "reduce_log_sum",
    "logsumexp",
]:
    for kind, how in REDUCED.items():
        CASES[f"{name}_{kind}"] = case(
            lambda x, f=name, h=how: getattr(op, f)(x, **h), (2, 3, 4), low=0.2, high=1.5
        )
for axis in (0, 1):
    CASES |= {
        f"concat_{axis}": case(lambda x, y, a=axis: op.concat([x, y], axis=a), (2, 2), (2, 2)),
        f"stack_{axis}": case(lambda x, y, a=axis: op.stack([x, y], axis=a), (2, 3), (2, 3)),
        f"cumsum_{axis}": case(lambda x, a=axis: op.cumsum(x, a), (2, 3)),
        f"flip_{axis}": case(lambda x, a=axis: op.flip(x, a), (2, 3)),
        f"roll_{axis}": case(lambda x, a=axis: op.roll(x, [2], [a]), (2, 3)),
        f"repeat_{axis}": case(lambda x, a=axis: op.repeat(x, 3, a), (2, 3)),
        f"take_{axis}": fixed(lambda x, a=axis: op.take(x, np.array([[0, 1], [1, -1]]), a), (2, 3)),
        f"gather_elements_{axis}": fixed(
            lambda x, a=axis: op.gather_elements(x, np.array([[0, 1, 1], [1, 1, 0]]), a), (2, 3)
        ),
    }
CASES |= {
    "reshape": fixed(lambda x: op.reshape(x, [3, 2]), (2, 3)),
    "flatten": case(op.flatten, (2, 3)),
    "batch_flatten": case(op.batch_flatten, (2, 3, 2)),
    "expand_dims": case(lambda x: op.expand_dims(x, [0, 2]), (2, 3)),
    "squeeze": case(lambda x: op.squeeze(x, [1]), (3, 1)),
    "permute_dims": case(lambda x: op.permute_dims(x, [2, 0, 1]), (2, 3, 4)),
    "broadcast_to": fixed(lambda x: op.broadcast_to(x, [2, 3, 4]), (3, 1)),
    "collapse_sum_to": fixed(lambda x: op.collapse_sum_to(x, [1, 4]), (2, 4)),
    "collapse_sum_like": case(op.collapse_sum_like, (2, 3), (3,)),
    "concat_flat": case(lambda x, y: op.concat([x, y], axis=None), (2, 3), (3,)),
    "split": fixed(lambda x: op.split(x, [1, 2], 1)[1], (2, 4)),
    "meshgrid": case(lambda x, y: op.meshgrid([x, y], "xy")[1], (2,), (3,)),
    "cumsum_flat": case(op.cumsum, (2, 3)),
    "cumsum_exclusive": case(lambda x: op.cumsum(x, 1, exclusive=True), (2, 3)),
    "take_flat": fixed(lambda x: op.take(x, np.array([0, 1, 1])), (2,)),
    "index_tensor": fixed(
        lambda x: op.index_tensor(x, [np.array([0, 1, 1]), np.array([1, 1, -1])]), (2, 3)
    ),
    "strided_slice": case(lambda x: op.strided_slice(x, [1], [0], [2]), (2, 3)),
    "strided_slice_back": fixed(lambda x: op.strided_slice(x, [1], [-1], [0], [-2]), (2, 5)),
    "tile": case(lambda x: op.tile(x, [2, 1, 3]), (2, 3)),
    "repeat_flat": case(lambda x: op.repeat(x, 3), (2, 3)),
    "reverse_sequence": fixed(lambda x: op.reverse_sequence(x, np.array([2, 3]), 1, 0), (2, 3)),
    "tril": case(lambda x: op.tril(x, 1), (2, 4)),
    "triu": case(lambda x: op.triu(x, 1), (2, 4)),
    "full": case(lambda x: op.full([2, 3], op.sum(x)), (2,)),
    "full_like": case(lambda x: op.full_like(x, op.sum(x)), (2,)),
    "linear": case(op.linear, (2, 3), (4, 3), (4,)),
    "linear_vector": case(op.linear, (2, 3), (3,)),
    "outer": case(op.outer, (2,), (3,)),
    "tensordot": case(lambda x, y: op.tensordot(x, y, [[1, 2], [0, 2]]), (2, 3, 4), (3, 2, 4)),
    "einsum": case(
        lambda x, y, z: op.einsum([x, y, z], "bi,ijd,bj->bd"), (2, 3), (3, 4, 5), (2, 4)
    ),
    "einsum_alone": case(lambda x, y: op.einsum([x, y], "bij,b->b"), (2, 3, 4), (1,)),
    "einsum_dots": case(lambda x, y: op.einsum([x, y], "...i,i...->..."), (2, 3), (3, 1)),
    "linear_batch": case(op.linear, (2, 5, 3), (4, 3)),
}
PAIR_LOSSES: dict[str, dict[str, Any]] = {
    "mse_loss": {},
    "l1_loss": {},
    "smooth_l1_loss": {"beta": 0.7},
    "huber_loss": {"delta": 0.8},
    "hinge_loss": {},
    "soft_margin_loss": {},
    "poisson_nll_loss": {"full": True},
    "kl_div": {},
    "binary_cross_entropy": {},
    "binary_cross_entropy_with_logits": {},
}
for name, numbers in PAIR_LOSSES.items():
    bounds = {"low": 0.2, "high": 0.8} if name.startswith(("kl", "binary")) else {}
    for how in ("none", "sum", "mean"):
        CASES[f"{name}_{how}"] = case(
            lambda p, t, f=name, n=numbers, h=how: getattr(op, f)(p, t, reduction=h, **n),
            (2, 3),
            (2, 3),
            **bounds,
        )
QUERY, KEY = (2, 3, 4, 5), (2, 6, 2, 5)
CASES |= {
    "hinge_embedding_loss": case(
        lambda p, t: op.hinge_embedding_loss(p, op.where(t > 0.0, 1.0, op.full_like(t, -1.0))),
        (2, 3),
        (2, 3),
    ),
    "kl_div_batchmean": case(
        lambda p, t: op.kl_div(p, t, reduction="batchmean", log_target=True), (2, 3), (2, 3)
    ),
    "binary_cross_entropy_weighted": case(
        op.binary_cross_entropy, (2, 3), (2, 3), (2, 3), low=0.2, high=0.8
    ),
    "with_logits_weighted": case(
        lambda p, t, w, q: op.binary_cross_entropy_with_logits(p, t, w, "mean", q),
        (2, 3),
        (2, 3),
        (2, 3),
        (3,),
    ),
    "cross_entropy_with_logits": case(op.cross_entropy_with_logits, (2, 3), (2, 3)),
    "cosine_similarity": case(op.cosine_similarity, (2, 3), (2, 3)),
    "nll_loss": fixed(lambda p: op.nll_loss(p, np.array([2, 0, -100])), (3, 4)),
    "nll_loss_weighted": fixed(
        lambda p, w: op.nll_loss(p, np.array([[2, 0], [1, 1]]), w, "mean", 0),
        (2, 4, 2),
        (4,),
        low=0.3,
    ),
    "layer_norm": case(lambda x, g, b: op.layer_norm(x, g, b, [-1]), (2, 3), (3,), (3,)),
    "layer_norm_two": case(
        lambda x, g, b: op.layer_norm(x, g, b, [-1, -2]), (2, 3, 2), (2, 3), (2, 3)
    ),
    "instance_norm": case(lambda x, g, b: op.instance_norm(x, g, b, 1, [2]), (2, 3, 4), (3,), (3,)),
    "group_norm": fixed(lambda x, g, b: op.group_norm(x, g, b, 2, 1, [2]), (2, 4, 3), (4,), (4,)),
    "rms_norm": case(op.rms_norm, (2, 3), (3,)),
    "batch_norm": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 1)[0],
        (4, 3),
        (3,),
        (3,),
        (3,),
        (3,),
        low=0.3,
    ),
    "batch_norm_statistics": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 1)[2],
        (4, 3),
        (3,),
        (3,),
        (3,),
        (3,),
        low=0.3,
    ),
    "batch_norm_inference": case(
        lambda x, g, b, m, v: op.batch_norm(x, g, b, m, v, 1, training=False)[0],
        *((4, 3), (3,), (3,), (3,), (3,)),
        low=0.3,
    ),
    "attention": fixed(op.attention, QUERY, KEY, KEY),
    "attention_causal": fixed(
        lambda q, k, v, b: op.attention(q, k, v, b, causal_mask="BottomRight", window_size=3),
        *(QUERY, KEY, KEY, (2, 4, 3, 6)),
    ),
    "rotary_embedding": fixed(op.rotary_embedding, (1, 3, 2, 4), (1, 3, 2), (1, 3, 2)),
    "rotary_embedding_interleaved": fixed(
        lambda x, c, s: op.rotary_embedding(x, c, s, interleaved=True),
        (1, 3, 2, 6),
        (1, 3, 2),
        (1, 3, 2),
    ),
    "slice_scatter": fixed(lambda x, y: op.slice_scatter(x, y, [0], [4], [2], [1]), (2, 5), (2, 2)),
    "scatter_elements_add": fixed(
        lambda x, y: op.scatter_elements(x, np.array([[0, 0, 1]]), y, 0, "add"), (2, 3), (1, 3)
    ),
    "scatter_elements_update": fixed(
        lambda x, y: op.scatter_elements(x, np.array([[0, 1, 1]]), y, 0), (2, 3), (1, 3)
    ),
    "scatter_nd": fixed(
        lambda x, y: op.scatter_nd(x, np.array([[1], [1]]), y, "add"), (2, 3), (2, 3)
    ),
    "index_put": fixed(lambda x, y: op.index_put(x, [np.array([1, 0])], y), (2, 3), (2, 3)),
    "gather_nd": fixed(lambda x: op.gather_nd(x, np.array([[1, 0], [1, 2]])), (2, 3)),
}
CONVOLUTIONS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "1d": ("conv1d", (2, 3, 7), (4, 3, 3), {}),
    "1d_strided": ("conv1d", (2, 3, 8), (4, 3, 3), {"strides": 2, "padding": 1}),
    "2d": ("conv2d", (2, 3, 6, 5), (4, 3, 3, 2), {"padding": [1, 0]}),
    "2d_padded_unevenly": (
        "conv2d",
        (1, 2, 6, 7),
        (3, 2, 3, 3),
        {"strides": 3, "padding": [2, 0, 1, 2]},
    ),
    "2d_groups": ("conv2d", (2, 4, 6, 6), (6, 2, 3, 3), {"groups": 2, "dilation": 2, "strides": 2}),
    "2d_depthwise": (
        "conv2d",
        (1, 3, 5, 5),
        (3, 1, 3, 3),
        {"groups": 3, "padding": 1, "strides": 2},
    ),
    "2d_last": (
        "conv2d",
        (1, 5, 5, 2),
        (3, 3, 2, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO", "padding": 1},
    ),
    "3d": ("conv3d", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), {"padding": 1}),
    "1d_transpose": ("conv1d_transpose", (2, 3, 5), (3, 4, 3), {"strides": 2, "output_padding": 1}),
    "2d_transpose": (
        "conv2d_transpose",
        (1, 4, 4, 3),
        (4, 2, 3, 3),
        {"strides": 2, "padding": 1, "groups": 2, "output_padding": 1},
    ),
    "2d_transpose_dilated": ("conv2d_transpose", (1, 2, 4, 3), (2, 3, 2, 2), {"dilation": 2}),
}
for name, (called, image, kernel, how) in CONVOLUTIONS.items():
    CASES[f"conv_{name}"] = fixed(
        lambda x, w, f=called, h=how: getattr(op, f)(x, w, **h), image, kernel
    )
for left, right in (
    ((2, 3), (3, 4)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((3,), (3,)),
    ((2, 2, 3), (3, 4)),
    ((2, 1, 2, 3), (3, 3, 4)),
    ((3,), (2, 3, 4)),
    ((2, 4, 3), (3,)),
):
    CASES[f"matmul_{len(left)}_{len(right)}_{left[0]}"] = case(op.matmul, left, right)


def differentiated(case: Case) -> Any:
    """A module with `@loss`, a sum of numbers that tell the elements of the case's value apart."""
    builder = BlockBuilder()
    names: dict[int, str] = {}
    params = {
        f"x{i}": TensorType(
            [names.setdefault(d, f"n{d}") if case.is_symbolic and d > 1 else d for d in shape],
            "f64",
        )
        for i, shape in enumerate(case.shapes)
    }
    with builder.function("loss", params) as values:
        value = builder.emit(case.build(*values))
        builder.emit_func_output(builder.emit(op.sum(op.sin(value * 1.3 + 0.7))))
    module = builder.get()
    gradient(module, "loss")
    verify(module)
    return module


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_differences(name: str):
    case = CASES[name]
    module = differentiated(case)
    random = np.random.default_rng(zlib.crc32(name.encode()))
    arrays = [random.uniform(case.low, case.high, shape) for shape in case.shapes]
    value, found = run(module, "loss_adjoint", *arrays)
    np.testing.assert_array_equal(value, run(module, "loss", *arrays))
    assert [g.shape for g in found] == list(case.shapes)
    for _ in range(2):
        ways = [random.standard_normal(shape) for shape in case.shapes]
        ahead, behind = (
            run(module, "loss", *(a + step * way for a, way in zip(arrays, ways)))
            for step in (STEP, -STEP)
        )
        expected = (ahead - behind) / (2 * STEP)
        along = sum(np.sum(g * way) for g, way in zip(found, ways))
        np.testing.assert_allclose(along, expected, rtol=1e-5, atol=1e-6)


def test_every_rule_has_a_case():
    registry.load_rules()
    tried = set()
    for name in ("add_same", *CASES):
        for each in differentiated(CASES[name]).walk():
            tried.add(type(each))
    missing = {r.name for r in {**registry.RULES, **registry.EXPANSIONS}} - {t.name for t in tried}
    assert not missing


def test_a_product_with_zeros_among_its_factors():
    array = np.array([[0.0, 2, 3], [0, 0, 1], [1, 2, 3]])
    builder = BlockBuilder()
    with builder.function("loss", {"x": TensorType(["n", "m"], "f64")}) as (x,):
        builder.emit_func_output(builder.emit(op.sum(op.prod(x, axis=[1]))))
    module = builder.get()
    gradient(module, "loss")
    _, (found,) = run(module, "loss_adjoint", array)
    np.testing.assert_array_equal(found, [[6, 0, 0], [0, 0, 0], [6, 3, 2]])
