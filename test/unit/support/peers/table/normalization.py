"""Normalizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.drawing import Draw, finite, normal, positive
from peers.libraries import by_torch, functional, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import normalization as ops

TYPES = ("float32", "float32", "float64", "float16")
NORMS: dict[str, float] = {"cancels": 30, "digits": 30}


def in_f64(function: Callable[..., Any]) -> Meaning:
    """A function of PyTorch in f64, rounded: in f32 it loses digits of the variance of a few numbers."""
    return by_torch(lambda x, *more: function(x.double(), *(m.double() for m in more)).to(x.dtype))


def shifted(x: np.ndarray, d: Draw) -> np.ndarray:
    return normal(x, d) + 3


@peer("layer_norm", "rms_norm", **NORMS)
def of_last_axes(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1, 4, (0, 1, 2, 3, 5, 7, 13)), d.one(TYPES)
    count = d.whole(1, len(shape))
    axes = [i - (0 if d.flag() else len(shape)) for i in range(len(shape) - count, len(shape))]
    epsilon = d.one((1e-5, 1e-3, 0.25))
    d.array(shape, dtype, shifted)
    d.array(shape[-count:], dtype, finite)
    if d.operator == "rms_norm":
        return lambda *a: ops.RmsNormOp(*a, axes, epsilon), in_f64(
            lambda x, w: functional.rms_norm(x, w.shape, w, epsilon)
        )
    d.array(shape[-count:], dtype, finite)
    return lambda *a: ops.LayerNormOp(*a, axes, epsilon), in_f64(
        lambda x, w, b: functional.layer_norm(x, w.shape, w, b, epsilon)
    )


@peer("layer_norm", "rms_norm", **NORMS)
def of_any_axes(d: Draw) -> tuple[Build, Meaning]:
    """PyTorch has them over the last axes alone: those are moved there."""
    shape, dtype = d.shape(1, 4, (1, 2, 3, 5)), d.one(("float32", "float64"))
    axes = [axis % len(shape) for axis in d.axes(len(shape), least=1)]
    sizes = [shape[axis] for axis in axes]
    d.array(shape, dtype, shifted)
    d.array(sizes, dtype, finite)
    last = list(range(-len(axes), 0))
    if d.operator == "rms_norm":
        return lambda x, w: ops.RmsNormOp(x, w, axes, 0.25), in_f64(
            lambda x, w: functional.rms_norm(x.movedim(axes, last), w.shape, w, 0.25).movedim(
                last, axes
            )
        )
    d.array(sizes, dtype, finite)
    return lambda *a: ops.LayerNormOp(*a, axes, 0.25), in_f64(
        lambda x, w, b: functional.layer_norm(x.movedim(axes, last), w.shape, w, b, 0.25).movedim(
            last, axes
        )
    )


@peer("batch_norm", "group_norm", "instance_norm", **NORMS)
def channels_last(d: Draw) -> tuple[Build, Meaning]:
    groups, dtype, rank = d.fixed(1, 3), d.one(("float32", "float64")), d.whole(3, 4)
    channels = groups * d.fixed(1, 3)
    shape = [d.size((1, 2, 3)), *(d.size((1, 2, 3, 5)) for _ in range(rank - 2)), channels]
    d.array(shape, dtype, shifted)
    for kind in (finite, finite, *((normal, positive) if d.operator == "batch_norm" else ())):
        d.array([channels], dtype, kind)
    axes = list(range(1, rank - 1))
    if d.operator == "batch_norm":
        return lambda *a: ops.BatchNormOp(*a, axis=-1, training=False), by_torch(
            lambda x, w, b, m, v: (
                functional.batch_norm(x.movedim(-1, 1), m, v, w, b).movedim(1, -1),
                m,
                v,
            )
        )
    count = groups if d.operator == "group_norm" else channels
    function = in_f64(
        lambda x, w, b: functional.group_norm(x.movedim(-1, 1), count, w, b).movedim(1, -1)
    )
    if d.operator == "group_norm":
        return lambda *a: ops.GroupNormOp(*a, groups, -1, axes), function
    return lambda *a: ops.InstanceNormOp(*a, -1, axes), function


@peer("batch_norm", **NORMS)
def batch_norm(d: Draw) -> tuple[Build, Meaning]:
    """PyTorch's moving variance takes in that of a sample, ours that of all elements: n - 1 by n."""
    shape, dtype = d.shape(2, 4, (1, 2, 3, 5, 7)), d.one(("float32", "float64"))
    training, momentum, epsilon = d.flag(), d.whole(0, 8) / 8, d.one((1e-5, 1e-3))
    d.array(shape, dtype, shifted)
    for kind in (finite, finite, normal, positive):
        d.array([shape[1]], dtype, kind)

    def theirs(x: Any, gamma: Any, beta: Any, mean: Any, var: Any) -> Any:
        new = mean.clone(), var.clone()
        y = functional.batch_norm(x, *new, gamma, beta, training, momentum, epsilon)
        if training:
            count = x.numel() // x.shape[1]
            new[1].copy_(
                (1 - momentum) * var + (new[1] - (1 - momentum) * var) * (count - 1) / count
            )
        return y, *new

    return lambda *a: ops.BatchNormOp(
        *a, epsilon=epsilon, momentum=momentum, training=training
    ), by_torch(theirs)


@peer("group_norm", "instance_norm", **NORMS)
def of_groups(d: Draw) -> tuple[Build, Meaning]:
    groups, dtype, epsilon = d.fixed(1, 3), d.one(("float32", "float64")), d.one((1e-5, 1e-3))
    channels = groups * d.fixed(1, 3)
    shape = [d.size((1, 2, 3)), channels, *d.shape(1, 3, (1, 2, 3, 5))]
    d.array(shape, dtype, shifted)
    d.array([channels], dtype, finite)
    d.array([channels], dtype, finite)
    axes = list(range(2, len(shape)))
    return {
        "group_norm": (
            lambda *a: ops.GroupNormOp(*a, groups, 1, axes, epsilon),
            in_f64(lambda x, w, b: functional.group_norm(x, groups, w, b, epsilon)),
        ),
        "instance_norm": (
            lambda *a: ops.InstanceNormOp(*a, 1, axes, epsilon),
            in_f64(lambda x, w, b: functional.instance_norm(x, weight=w, bias=b, eps=epsilon)),
        ),
    }[d.operator]


@peer("local_response_norm", **NORMS)
def local_response_norm(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(3, 4, (0, 1, 2, 3, 5)), d.one(("float32", "float64")), finite)
    how = d.whole(1, 6), d.number(0, 1), d.number(0.2, 1.2), d.number(0.5, 2)
    return lambda x: ops.LocalResponseNormOp(x, *how), by_torch(
        lambda x: functional.local_response_norm(x, *how)
    )


@peer("dropout", **exact)
def dropout(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(), d.one(TYPES))
    rate = d.whole(0, 4) / 4
    return lambda x: ops.DropoutOp(x, rate), by_torch(
        lambda x: (functional.dropout(x, rate, training=False), torch.ones_like(x))
    )
