"""Activations."""

from __future__ import annotations

from collections.abc import Callable

from peers.drawing import FLOATS, INTEGERS, Draw, everything, finite, mixture, normal, ties, wide
from peers.libraries import by_onnx, by_torch, functional, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import activation as ops

bounded = mixture(normal, ties, wide)
"""Without infinities, where PyTorch's gelu is NaN."""

PLAIN: dict[str, tuple[Build, Callable]] = {
    "selu": (ops.SeluOp, torch.selu),
    "silu": (ops.SiluOp, functional.silu),
    "gelu": (ops.GeluOp, functional.gelu),
    "quick_gelu": (ops.QuickGeluOp, lambda x: x * torch.sigmoid(1.702 * x)),
    "gelu_tanh": (ops.GeluTanhOp, lambda x: functional.gelu(x, approximate="tanh")),
    "hard_sigmoid": (ops.HardSigmoidOp, functional.hardsigmoid),
    "hard_swish": (ops.HardSwishOp, functional.hardswish),
    "softsign": (ops.SoftsignOp, functional.softsign),
    "mish": (ops.MishOp, functional.mish),
    "log_sigmoid": (ops.LogSigmoidOp, functional.logsigmoid),
    "tanh_shrink": (ops.TanhShrinkOp, functional.tanhshrink),
}


def enter(name: str, build: Build, function: Callable) -> None:
    @peer(name)
    def draw(d: Draw) -> tuple[Build, Meaning]:
        d.array(d.shape(), d.one(FLOATS), bounded if "gelu" in name else everything)
        return build, by_torch(function)


for name, (build, function) in PLAIN.items():
    enter(name, build, function)


@peer("relu", "relu6", **exact)
def rectifiers(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(), d.one((*FLOATS, *INTEGERS)))
    return {
        "relu": (ops.ReluOp, by_torch(torch.relu)),
        "relu6": (ops.Relu6Op, by_torch(functional.relu6)),
    }[d.operator]


@peer("leakyrelu", "thresholded_relu", "hard_shrink", "soft_shrink", "hard_tanh", cancels=0)
def pieces(d: Draw) -> tuple[Build, Meaning]:
    """Straight lines between numbers that narrow types have."""
    thresholds = d.operator == "thresholded_relu"  # of NaN it is 0 in ONNX, NaN in PyTorch
    d.array(d.shape(), d.one(FLOATS), finite if thresholds else everything)
    a = d.whole(0, 8) / 8
    build, function = {
        "leakyrelu": (lambda x: ops.LeakyreluOp(x, a), lambda x: functional.leaky_relu(x, a)),
        "thresholded_relu": (
            lambda x: ops.ThresholdedReluOp(x, a),
            lambda x: functional.threshold(x, a, 0.0),
        ),
        "hard_shrink": (lambda x: ops.HardShrinkOp(x, a), lambda x: functional.hardshrink(x, a)),
        "soft_shrink": (  # whose 0 has the sign of x in PyTorch, none in ONNX
            lambda x: ops.SoftShrinkOp(x, a),
            lambda x: functional.softshrink(x, a) + 0.0,
        ),
        "hard_tanh": (
            lambda x: ops.HardTanhOp(x, -a, 2 * a),
            lambda x: functional.hardtanh(x, -a, 2 * a),
        ),
    }[d.operator]
    return build, by_torch(function)


@peer("elu", "celu", "softplus")
def smooth(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(), d.one(FLOATS))
    a, threshold = d.whole(1, 16) / 8, d.whole(1, 40)
    build, function = {
        "elu": (lambda x: ops.EluOp(x, a), lambda x: functional.elu(x, a)),
        "celu": (lambda x: ops.CeluOp(x, a), lambda x: functional.celu(x, a)),
        "softplus": (
            lambda x: ops.SoftplusOp(x, a, threshold),
            lambda x: functional.softplus(x, a, threshold),
        ),
    }[d.operator]
    return build, by_torch(function)


@peer("prelu", cancels=0, zeros="C")  # PyTorch multiplies zeros, ONNX Runtime does not
def prelu(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(2), d.one(FLOATS)
    d.array(shape, dtype)
    d.array([1 if d.flag() else shape[1]], dtype, finite)  # of inf PyTorch has 0 * inf at zeros
    return lambda x, a: ops.PreluOp(x, a, 1), by_torch(functional.prelu)


@peer("softmax", "log_softmax")
def softmaxes(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    d.array(shape, d.one(FLOATS))
    axis = d.axis(len(shape))
    build, function = {
        "softmax": (ops.SoftmaxOp, torch.softmax),
        "log_softmax": (ops.LogSoftmaxOp, torch.log_softmax),
    }[d.operator]
    return lambda x: build(x, axis), by_torch(lambda x: function(x, axis))


@peer("glu")
def glu(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    d.unknown = 0.0  # a size is even provably
    shape[axis] = 2 * d.fixed(0, 5)
    d.array(shape, d.one(FLOATS), finite)
    return lambda x: ops.GluOp(x, axis), by_torch(lambda x: functional.glu(x, axis))


@peer("elu", "selu", "softplus", "softsign", "thresholded_relu", "hard_swish", "gelu", "mish")
def by_onnx_runtime(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(), d.one(("float32", "float16", "float64")), bounded)
    a = d.whole(1, 16) / 8
    return {
        "elu": (lambda x: ops.EluOp(x, a), by_onnx("Elu", alpha=a)),
        "selu": (ops.SeluOp, by_onnx("Selu")),
        "softplus": (ops.SoftplusOp, by_onnx("Softplus")),
        "softsign": (ops.SoftsignOp, by_onnx("Softsign")),
        "thresholded_relu": (
            lambda x: ops.ThresholdedReluOp(x, a),
            by_onnx("ThresholdedRelu", alpha=a),
        ),
        "hard_swish": (ops.HardSwishOp, by_onnx("HardSwish", opset=14)),
        "gelu": (ops.GeluOp, by_onnx("Gelu")),
        "mish": (ops.MishOp, by_onnx("Mish")),
    }[d.operator]
