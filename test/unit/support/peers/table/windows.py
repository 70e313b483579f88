"""Operators with windows: pools and convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import FLOATS, INDICES, WIDE, Draw, UnsuitableError, Values, everything, finite
from peers.libraries import by_onnx, by_torch, functional, onnx_runtime
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import convolution, pooling
from relax_dialect.ops.quantization import Conv2dIntegerOp

IMAGES = (1, 2, 3, 4, 5, 5, 7, 9)
FEW = (0, 1, 1, 2, 3)
OPS: dict[str, Build] = {
    op.name.removeprefix("relax."): op for op in (*pooling.OPS, *convolution.OPS)
}
LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def rank_of(operator: str) -> int:
    return next(rank for rank in (1, 2, 3) if f"{rank}d" in operator)


def windows(d: Draw, rank: int, symmetric: bool) -> dict[str, Any]:
    """Attributes of a pool, with windows that do not fit evenly."""
    sizes = [d.whole(1, 4) for _ in range(rank)]
    before = [d.whole(0, size // 2) for size in sizes]
    after = before if symmetric else [d.whole(0, size - 1) for size in sizes]
    return {
        "pool_size": sizes,
        "strides": [d.whole(1, 4) for _ in range(rank)],
        "padding": [*before, *after],
        "ceil_mode": d.build.random() < 0.6,
    }


def images(d: Draw, rank: int, dtype: str, values: Values) -> list[int]:
    shape = [d.size(FEW), d.size(FEW), *(d.size(IMAGES) for _ in range(rank))]
    d.array(shape, dtype, values)
    return shape


MAXIMA = tuple(f"max_pool{rank}d" for rank in (1, 2, 3))
MEANS = tuple(f"avg_pool{rank}d" for rank in (1, 2, 3))


@peer(*MAXIMA, zeros="", **exact)
def max_pools(d: Draw) -> tuple[Build, Meaning]:
    rank = rank_of(d.operator)
    images(d, rank, d.one((*FLOATS, *INDICES, "int8", "uint8")), everything)
    how = windows(d, rank, True)
    dilation = [d.whole(1, 3) for _ in range(rank)]
    pool, build = getattr(functional, d.operator), OPS[d.operator]
    theirs = how["pool_size"], how["strides"], how["padding"][:rank], dilation, how["ceil_mode"]
    return lambda x: build(x, **how, dilation=dilation), by_torch(lambda x: pool(x, *theirs))


@peer(*(f"{name}_with_indices" for name in MAXIMA), zeros="", **exact)
def max_pools_with_indices(d: Draw) -> tuple[Build, Meaning]:
    """The peer counts the elements of each channel."""
    rank = rank_of(d.operator)
    images(d, rank, d.one((*FLOATS, "int8")), finite)
    how, dilation = windows(d, rank, True), [d.whole(1, 2) for _ in range(rank)]
    pool = getattr(functional, f"max_pool{rank}d")
    theirs = how["pool_size"], how["strides"], how["padding"][:rank], dilation, how["ceil_mode"]
    several = by_torch(lambda x: pool(x, *theirs, return_indices=True))

    def meaning(x: np.ndarray) -> tuple[np.ndarray, ...]:
        maxima, indices = several(x)
        if not np.isfinite(maxima.astype("f")).all():  # windows that see nothing
            raise UnsuitableError
        channels = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * rank)
        return maxima, indices + channels * int(np.prod(x.shape[2:]))

    return lambda x: OPS[d.operator](x, **how, dilation=dilation), meaning


@peer(*MEANS)
def average_pools(d: Draw) -> tuple[Build, Meaning]:
    rank, counted = rank_of(d.operator), d.flag()
    images(d, rank, d.one((*WIDE, "int64")), finite)
    how = windows(d, rank, True)
    pool, build = getattr(functional, d.operator), OPS[d.operator]
    theirs = how["pool_size"], how["strides"], how["padding"][:rank], how["ceil_mode"], counted
    return lambda x: build(x, **how, count_include_pad=counted), by_torch(
        lambda x: pool(x, *theirs)
    )


@peer(*MAXIMA, *MEANS)
def pools_by_onnx(d: Draw) -> tuple[Build, Meaning]:
    """Padding that differs at the two ends, and means with dilation."""
    rank, mean, counted = rank_of(d.operator), d.operator in MEANS, d.flag()
    shape = images(d, rank, "float32", finite)
    how = windows(d, rank, False)
    dilation = [d.whole(1, 3) for _ in range(rank)]
    for i, size in enumerate(shape[2:]):  # ONNX Runtime rounds what is negative up
        if size + sum(how["padding"][i::rank]) <= dilation[i] * (how["pool_size"][i] - 1):
            raise UnsuitableError
    more = {"count_include_pad": int(counted)} if mean else {}
    node: Any = {
        "kernel_shape": how["pool_size"],
        "strides": how["strides"],
        "pads": how["padding"],
        "dilations": dilation,
        "ceil_mode": int(how["ceil_mode"]),
        **more,
    }

    def theirs(x: np.ndarray) -> tuple[np.ndarray, ...]:
        (found,) = onnx_runtime("AveragePool" if mean else "MaxPool", [x], opset=22, **node)
        return (np.where(found == np.finfo("f").min, -np.inf, found),)  # windows that see nothing

    ours: Any = {**how, "dilation": dilation, "count_include_pad": mean and counted}
    return lambda x: OPS[d.operator](x, **ours), theirs


@peer(*MAXIMA, *MEANS)
def pools_of_layouts(d: Draw) -> tuple[Build, Meaning]:
    """Channels last in the operand, the result or both."""
    rank, given, made = rank_of(d.operator), d.flag(), d.flag()
    names = LAYOUTS[rank]
    first = [d.size(FEW), d.size(FEW), *(d.size(IMAGES) for _ in range(rank))]
    d.array([first[0], *first[2:], first[1]] if given else first, d.one(WIDE), finite)
    how = windows(d, rank, True)
    pool = getattr(functional, d.operator)
    theirs: Any = {"ceil_mode": how["ceil_mode"]}
    if d.operator in MEANS:
        theirs["count_include_pad"] = False

    def function(x: Any) -> Any:
        x = x.movedim(-1, 1) if given else x
        y = pool(x, how["pool_size"], how["strides"], how["padding"][:rank], **theirs)
        return y.movedim(1, -1) if made else y

    layouts = {"layout": names[given], "out_layout": names[made]}
    return lambda x: OPS[d.operator](x, **how, **layouts), by_torch(function)


@peer(*(f"adaptive_{kind}_pool{rank}d" for kind in ("max", "avg") for rank in (1, 2, 3)))
def adaptive_pools(d: Draw) -> tuple[Build, Meaning]:
    rank = rank_of(d.operator)
    images(d, rank, d.one(WIDE), finite)
    sizes = [d.whole(1, 6) for _ in range(rank)]
    pool, build = getattr(functional, d.operator), OPS[d.operator]
    return lambda x: build(x, sizes), by_torch(lambda x: pool(x, sizes if rank > 1 else sizes[0]))


def swap(layout: str, default: str) -> list[int]:
    """Where the axes of the default layout stand in another."""
    return [layout.index(letter) for letter in default]


@peer("conv1d", "conv2d", "conv3d", cancels=10, digits=10)
def convolutions(d: Draw) -> tuple[Build, Meaning]:
    rank = rank_of(d.operator)
    dtype = d.one((*WIDE, "float16", "int32", "int64", "int8"))
    groups, wider = d.one((1, 1, 2, 3)), "i32" if dtype == "int8" else None
    data, kernel = d.one(LAYOUTS[rank]), d.one((f"OI{'DHW'[3 - rank :]}", f"{'DHW'[3 - rank :]}IO"))
    default = LAYOUTS[rank][0], f"OI{'DHW'[3 - rank :]}"
    channels = groups * d.fixed(1, 3)
    sizes = {"N": d.size(FEW), "C": channels, "O": groups * d.fixed(1, 3), "I": channels // groups}
    spatial = "DHW"[3 - rank :]
    x = {**sizes, **{letter: d.size((1, 3, 5, 6, 7)) for letter in spatial}}
    w = {**sizes, **{letter: d.fixed(1, 3) for letter in spatial}}
    d.array([x[letter] for letter in data], dtype, finite)
    d.array([w[letter] for letter in kernel], dtype, finite)
    strides, dilation = ([d.whole(1, 3) for _ in range(rank)] for _ in range(2))
    padding = [d.whole(0, 3) for _ in range(rank)]
    conv, build = getattr(functional, d.operator), OPS[d.operator]

    def theirs(x: Any, w: Any) -> Any:
        if wider is not None:
            x, w = x.int(), w.int()
        x, w = x.permute(swap(data, default[0])), w.permute(swap(kernel, default[1]))
        y = conv(x, w, None, strides, padding, dilation, groups)
        return y.permute([default[0].index(letter) for letter in data])

    return lambda x, w: build(
        x, w, strides, padding, dilation, groups, data, kernel, None, wider
    ), by_torch(theirs)


@peer("conv1d_transpose", "conv2d_transpose", "conv3d_transpose", cancels=10, digits=10)
def transposed(d: Draw) -> tuple[Build, Meaning]:
    rank = rank_of(d.operator)
    dtype, groups = d.one((*WIDE, "float16", "int32")), d.one((1, 1, 2))
    channels = groups * d.fixed(1, 3)
    d.array([d.size(FEW), channels, *(d.size((1, 2, 3, 5)) for _ in range(rank))], dtype, finite)
    d.array([channels, d.fixed(1, 3), *(d.fixed(1, 3) for _ in range(rank))], dtype, finite)
    strides, dilation = ([d.whole(1, 3) for _ in range(rank)] for _ in range(2))
    padding = [d.whole(0, 2) for _ in range(rank)]
    more = [d.whole(0, max(s, e) - 1) for s, e in zip(strides, dilation)]
    conv, build = getattr(functional, f"conv_transpose{rank}d"), OPS[d.operator]
    return lambda x, w: build(x, w, strides, padding, more, dilation, groups), by_torch(
        lambda x, w: conv(x, w, None, strides, padding, more, groups, dilation)
    )


@peer("conv1d", "conv2d", cancels=10, digits=10)
def convolutions_by_onnx(d: Draw) -> tuple[Build, Meaning]:
    """Padding that differs at the two ends."""
    rank, groups = rank_of(d.operator), d.one((1, 1, 2))
    channels = groups * d.fixed(1, 3)
    d.array(
        [d.size((1, 2, 3)), channels, *(d.size((2, 3, 5, 7)) for _ in range(rank))],
        "float32",
        finite,
    )
    d.array(
        [groups * d.fixed(1, 3), channels // groups, *(d.fixed(1, 3) for _ in range(rank))],
        "float32",
        finite,
    )
    how = [[d.whole(1, 3) for _ in range(rank)] for _ in range(2)]
    pads = [d.whole(0, 3) for _ in range(2 * rank)]
    node = by_onnx("Conv", strides=how[0], dilations=how[1], pads=pads, group=groups)
    return lambda x, w: OPS[d.operator](x, w, how[0], pads, how[1], groups), node


@peer("conv2d_integer", **exact)
def conv2d_integer(d: Draw) -> tuple[Build, Meaning]:
    groups = d.one((1, 1, 2))
    channels = groups * d.fixed(1, 3)
    d.array([d.size((1, 2, 3)), channels, d.size((2, 3, 5, 7)), d.size((2, 3, 5))], "uint8")
    d.array([groups * d.fixed(1, 3), channels // groups, d.fixed(1, 3), d.fixed(1, 3)], "uint8")
    d.array([], "uint8")
    d.array([], "uint8")
    how = [[d.whole(1, 3) for _ in range(2)] for _ in range(2)]
    pads = [d.whole(0, 3) for _ in range(4)]
    node = by_onnx("ConvInteger", strides=how[0], dilations=how[1], pads=pads, group=groups)
    return lambda *o: Conv2dIntegerOp(*o, how[0], pads, how[1], groups=groups), node
