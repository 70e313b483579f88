"""The adjoints of operators against PyTorch's, in f64: at corners, zeros, infinities and NaN, with equal
elements, and of networks' layers."""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import amount, package, shortened

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import gradient
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

torch = package("torch")
F = torch.nn.functional

POINTS = np.array(
    [0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 6, 7, 50, -50, np.inf, -np.inf, np.nan, 1e-3]
)
SAME = """negative:neg abs square reciprocal exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos
atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid sign ceil floor round trunc"""
ACTIVATIONS = """relu relu6 leakyrelu:leaky_relu elu celu selu silu gelu hard_sigmoid:hardsigmoid
hard_swish:hardswish hard_tanh:hardtanh softplus softsign mish log_sigmoid:logsigmoid hard_shrink:hardshrink
soft_shrink:softshrink tanh_shrink:tanhshrink"""
PAIRS = """add subtract multiply divide power:pow maximum minimum atan2 log_add_exp:logaddexp
floor_mod:remainder mod:fmod"""
OTHERWISE = {"abs": [np.nan], "hard_swish": [np.nan], "softsign": [np.inf, -np.inf]}
"""Where PyTorch gives 0, 1 and NaN, and ours NaN, NaN and 0."""


def named(names: str, owner: Any) -> dict[str, Any]:
    """PyTorch's functions by our names."""
    pairs = (name.partition(":")[::2] for name in names.split())
    return {own: getattr(owner, theirs or own) for own, theirs in pairs}


def ours(build: Callable[..., Any], arrays: Sequence[np.ndarray]) -> Any:
    """The value and the gradients of the weighted sum of what is built."""
    builder = BlockBuilder()
    types = {f"x{i}": TensorType(array.shape, "f64") for i, array in enumerate(arrays)}
    with builder.function("loss", types) as values:
        value = builder.emit(build(*values))
        weights = weights_of(tuple(size.value for size in value.shape))
        builder.emit_func_output(builder.emit(op.sum(value * weights)))
    module = builder.get()
    gradient(module, "loss")
    return run(module, "loss_adjoint", *arrays)


def theirs(build: Callable[..., Any], arrays: Sequence[np.ndarray]) -> Any:
    """The same by PyTorch."""
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    value = build(*tensors)
    total = (value * torch.tensor(weights_of(tuple(value.shape)))).sum()
    total.backward()
    zeros = (torch.zeros_like(tensor) for tensor in tensors)
    found = (zero if t.grad is None else t.grad for t, zero in zip(tensors, zeros))
    return total.item(), [each.numpy() for each in found]


def weights_of(shape: tuple[int, ...]) -> np.ndarray:
    """Numbers that tell elements apart."""
    return 0.5 + np.arange(np.prod(shape), dtype=np.float64).reshape(shape) % 7


@pytest.mark.parametrize("name", named(SAME, torch) | named(ACTIVATIONS, F))
def test_slopes_at_points(name: str):
    function = (named(SAME, torch) | named(ACTIVATIONS, F))[name]
    others = OTHERWISE.get(name, [])
    points = POINTS[[not any(np.array_equal(p, o, equal_nan=True) for o in others) for p in POINTS]]
    with np.errstate(all="ignore"):
        (found,), (wanted,) = ours(getattr(op, name), [points])[1], theirs(function, [points])[1]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", named(PAIRS, torch))
def test_slopes_at_pairs_of_points(name: str):
    points = np.array([0.0, -0.0, 1, -1, 2, -0.5, np.inf, -np.inf, np.nan])
    arrays = [each.ravel() for each in np.meshgrid(points, points)]
    with np.errstate(all="ignore"):
        found, wanted = (
            ours(getattr(op, name), arrays)[1],
            theirs(named(PAIRS, torch)[name], arrays)[1],
        )
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


Pair = tuple[Callable[..., Any], Callable[..., Any]]
INDICES = np.array([[0, 2, 1], [1, 1, 0]])
AT = torch.tensor(INDICES)

EQUALS: dict[str, Pair] = {
    "max": (lambda x: op.max(x, [1]), lambda x: x.amax(1)),
    "min": (lambda x: op.min(x, [0, 1]), lambda x: x.amin((0, 1))),
    "max_all": (op.max, torch.max),
    "prod": (lambda x: op.prod(x, [1]), lambda x: x.prod(1)),
    "prod_all": (op.prod, torch.prod),
    "cumprod": (lambda x: op.cumprod(x, 1), lambda x: x.cumprod(1)),
    "cummax": (lambda x: op.cummax(x, 1)[0], lambda x: x.cummax(1)[0]),
    "cummin": (lambda x: op.cummin(x, 0)[0], lambda x: x.cummin(0)[0]),
    "logcumsumexp": (lambda x: op.logcumsumexp(x, 1), lambda x: x.logcumsumexp(1)),
    "logsumexp": (lambda x: op.logsumexp(x, [1]), lambda x: x.logsumexp(1)),
    "median_all": (op.median, torch.median),
    "sort": (lambda x: op.sort(x, 1), lambda x: torch.sort(x, dim=1, stable=True)[0]),
    "norm": (lambda x: op.reduce_l2(x - x, [1]), lambda x: torch.linalg.vector_norm(x - x, dim=1)),
    "std": (lambda x: op.std(x * 0.0, [1]), lambda x: (x * 0.0).std(1, correction=0)),
    "cosine": (
        lambda x: op.cosine_similarity(x * 0.0, x + 1.0, 1, 0.5),
        lambda x: F.cosine_similarity(x * 0.0, x + 1.0, 1, 0.5),
    ),
    "clip": (lambda x: op.clip(x, -1.0, 2.0), lambda x: x.clamp(-1.0, 2.0)),
    "softmax": (lambda x: op.softmax(x, 1), lambda x: x.softmax(1)),
    "take": (lambda x: op.take(x, INDICES, 0), lambda x: x[AT]),
    "gather": (lambda x: op.gather_elements(x, INDICES, 0), lambda x: x.gather(0, AT)),
    **{
        f"scatter_{own}": (
            lambda x, o=own: op.scatter_elements(
                x, INDICES, op.strided_slice(op.roll(x, [1], [1]), [0, 1], [0, 0], [2, 3]), 0, o
            ),
            lambda x, t=theirs: x.scatter_reduce(0, AT, x.roll(1, 1)[:2, :3], t),
        )
        for own, theirs in (("mul", "prod"), ("max", "amax"), ("min", "amin"), ("mean", "mean"))
    },
    "pad": (lambda x: op.pad(x, [0, 0, 2, 1], "reflect"), lambda x: F.pad(x, (2, 1), "reflect")),
    "det": (lambda x: op.det(x @ op.permute_dims(x, [1, 0])), lambda x: (x @ x.T).det()),
    "unfolded": (lambda x: op.flip(op.roll(x, [1], [1]), 0), lambda x: x.roll(1, 1).flip(0)),
    "flat_norm": (lambda x: op.reduce_l1(x, [0]), lambda x: x.abs().sum(0)),
}
"""On a matrix of whole numbers, many of which are equal."""


@pytest.mark.parametrize("name", EQUALS)
def test_equal_elements(name: str):
    numbers = np.random.default_rng(zlib.crc32(name.encode()))
    build, wanted = EQUALS[name]
    array = numbers.integers(-1, 2, (3, 4)).astype(np.float64)
    check(ours(build, [array]), theirs(wanted, [array]))


def check(found: Any, wanted: Any) -> None:
    """Value and gradients agree."""
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-9, atol=1e-9)
    for one, other in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


IMAGE, ROWS, QUERY = (2, 3, 6, 5), (2, 4, 6), (2, 4, 3, 5)
TURNED = (0, 2, 1, 3)
LAYERS: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[tuple[int, ...]]]] = {
    "conv2d": (
        lambda x, w: op.conv2d(x, w, 2, [1, 0], 1, 1),
        lambda x, w: F.conv2d(x, w, None, 2, (1, 0)),
        [IMAGE, (4, 3, 3, 2)],
    ),
    "conv1d_transpose": (
        lambda x, w: op.conv1d_transpose(x, w, 2, 1, 1),
        lambda x, w: F.conv_transpose1d(x, w, None, 2, 1, 1),
        [ROWS, (4, 2, 3)],
    ),
    "max_pool2d": (
        lambda x: op.max_pool2d(x, 3, 2, 1),
        lambda x: F.max_pool2d(x, 3, 2, 1),
        [IMAGE],
    ),
    "avg_pool2d": (
        lambda x: op.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
        lambda x: F.avg_pool2d(x, 3, 2, 1, True, False),
        [IMAGE],
    ),
    "adaptive_avg_pool2d": (
        lambda x: op.adaptive_avg_pool2d(x, [4, 2]),
        lambda x: F.adaptive_avg_pool2d(x, (4, 2)),
        [IMAGE],
    ),
    "adaptive_max_pool2d": (
        lambda x: op.adaptive_max_pool2d(x, [4, 2]),
        lambda x: F.adaptive_max_pool2d(x, (4, 2)),
        [IMAGE],
    ),
    **{
        f"resize_{mode}": (
            lambda x, h=how: op.resize2d(x, [4, 9], None, "NCHW", **h),
            lambda x, t=told: F.interpolate(x, (4, 9), **t),
            [IMAGE],
        )
        for mode, how, told in (
            (
                "nearest",
                {
                    "method": "nearest_neighbor",
                    "coordinate_transformation_mode": "asymmetric",
                    "rounding_method": "floor",
                },
                {"mode": "nearest"},
            ),
            ("linear", {}, {"mode": "bilinear"}),
            (
                "corners",
                {"coordinate_transformation_mode": "align_corners"},
                {"mode": "bilinear", "align_corners": True},
            ),
            ("cubic", {"method": "cubic"}, {"mode": "bicubic"}),
            (
                "antialias",
                {"antialias": True, "cubic_exclude": True},
                {"mode": "bilinear", "antialias": True},
            ),
        )
    },
    **{
        f"grid_sample_{mode}": (
            lambda x, g, m=mode, p=padding: op.grid_sample(x, g, m, padding_mode=p),
            lambda x, g, m=mode, p=padding: F.grid_sample(
                x, g, m, padding_mode=p, align_corners=False
            ),
            [IMAGE, (2, 3, 2, 2)],
        )
        for mode, padding in (
            ("bilinear", "border"),
            ("bicubic", "zeros"),
            ("nearest", "reflection"),
        )
    },
    "affine_grid": (
        lambda x: op.affine_grid(x, [3, 4], False),
        lambda x: F.affine_grid(x, [2, 1, 3, 4], align_corners=False).permute(0, 3, 1, 2),
        [(2, 2, 3)],
    ),
    "layer_norm": (
        lambda x, w, b: op.layer_norm(x, w, b, [-2, -1]),
        lambda x, w, b: F.layer_norm(x, (4, 6), w, b),
        [ROWS, (4, 6), (4, 6)],
    ),
    "group_norm": (
        lambda x, w, b: op.group_norm(x, w, b, 2, 1, [2]),
        lambda x, w, b: F.group_norm(x, 2, w, b),
        [ROWS, (4,), (4,)],
    ),
    "rms_norm": (
        lambda x, w: op.rms_norm(x, w, -1),
        lambda x, w: F.rms_norm(x, (6,), w, 1e-5),
        [ROWS, (6,)],
    ),
    "batch_norm": (
        lambda x, w, b: op.batch_norm(x, w, b, np.zeros(4), np.ones(4), 1)[0],
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
        [ROWS, (4,), (4,)],
    ),
    "local_response_norm": (
        lambda x: op.local_response_norm(x, 3, 0.5),
        lambda x: F.local_response_norm(x, 3, 0.5),
        [ROWS],
    ),
    "attention": (
        lambda q, k, v: op.attention(q, k, v, causal_mask="TopLeft"),
        lambda q, k, v: F.scaled_dot_product_attention(
            *(x.permute(TURNED) for x in (q, k, v)), is_causal=True, enable_gqa=True
        ).permute(TURNED),
        [(2, 4, 4, 5), (2, 4, 2, 5), (2, 4, 2, 5)],
    ),
    "pixel_shuffle": (
        lambda x: op.pixel_shuffle(x, 2),
        lambda x: F.pixel_shuffle(x, 2),
        [(1, 8, 2, 3)],
    ),
    "cosine_similarity": (
        lambda a, b: op.cosine_similarity(a, b, 1),
        lambda a, b: F.cosine_similarity(a, b, 1),
        [ROWS, ROWS],
    ),
    "smooth_l1_loss": (
        lambda a, b: op.smooth_l1_loss(a, b, reduction="mean"),
        F.smooth_l1_loss,
        [ROWS, ROWS],
    ),
}


@shortened
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str):
    numbers = np.random.default_rng(zlib.crc32(name.encode()))
    build, wanted, shapes = LAYERS[name]
    for turn in range(amount(2, 1)):
        arrays = [numbers.standard_normal(shape) for shape in shapes]
        if turn:  # equal elements
            arrays[0] = (
                np.round(arrays[0]) if "sample" not in name and "loss" not in name else arrays[0]
            )
        check(ours(build, arrays), theirs(wanted, arrays))


PARTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


@pytest.mark.parametrize("name", ["rnn", "gru", "lstm"])
def test_recurrent_networks(name: str):
    numbers = np.random.default_rng(7)
    steps, batch, inputs, hidden = 4, 2, 3, 5
    layer = getattr(torch.nn, name.upper())(inputs, hidden, bidirectional=True, dtype=torch.float64)
    suffixes = ("", "_reverse")
    rows = {part: [getattr(layer, f"{part}_l0{s}") for s in suffixes] for part in PARTS}
    states = 2 if name == "lstm" else 1
    arrays = [numbers.standard_normal((steps, batch, inputs))]
    arrays += [numbers.standard_normal((2, batch, hidden)) for _ in range(states)]
    arrays += [np.stack([p.detach().numpy() for p in parts]) for parts in rows.values()]
    x, *first = (torch.tensor(each, requires_grad=True) for each in arrays[: 1 + states])
    value = layer(x, tuple(first) if states == 2 else first[0])[0]
    (value * torch.tensor(weights_of(tuple(value.shape)))).sum().backward()
    wanted = [each.grad.numpy() for each in (x, *first)]
    wanted += [np.stack([p.grad.numpy() for p in parts]) for parts in rows.values()]
    found = ours(lambda *x: getattr(op, name)(*x, direction="bidirectional")[0], arrays)[1]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)


@pytest.mark.shortened
@pytest.mark.filterwarnings("ignore")  # numpy's, on large numbers
def test_gradients_of_drawn_operators():
    """`python test/unit/fuzz --kinds gradients` searches on."""
    from fuzz.gradients import batch

    seed = os.environ.get("RELAX_FUZZ_SEED", "0")
    count = amount(20, 8)
    assert batch(random.Random(f"gradients {seed}"), count) > count / 4
