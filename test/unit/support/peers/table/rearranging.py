"""Operators that make, join, move and choose elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import (
    ANY,
    NUMBERS,
    WIDE,
    Draw,
    Size,
    UnsuitableError,
    finite,
    spelled,
)
from peers.libraries import by_numpy, by_onnx, by_torch, functional, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.interpret.runtime_values import dtype_name
from relax_dialect.ops import collapse, create, joining, layout, manipulate, moving, ranges
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.memory import SizeOp, ViewOp

SMALL = (0, 1, 1, 2, 3, 5)

# Shapes --------------------------------------------------------------------------------------


@peer("permute_dims", **exact)
def permute_dims(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape()
    d.array(shape, d.one(ANY))
    if d.flag():
        return lambda x: manipulate.PermuteDimsOp(x), by_numpy(np.transpose)
    axes = [a - len(shape) * d.flag() for a in d.build.sample(range(len(shape)), len(shape))]
    return lambda x: manipulate.PermuteDimsOp(x, axes), by_torch(lambda x: x.permute(axes))


@peer("reshape", "flatten", "batch_flatten", **exact)
def reshapes(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    d.unknown = 0.0  # which the attribute names
    d.array(shape, d.one(ANY))
    split = d.whole(0, len(shape))
    sizes = [*map(spelled, shape[:split]), -1]
    theirs = [*map(int, shape[:split]), -1]
    return {
        "reshape": (
            lambda x: manipulate.ReshapeOp(x, sizes),
            by_torch(lambda x: torch.reshape(x, theirs)),
        ),
        "flatten": (manipulate.FlattenOp, by_torch(torch.flatten)),
        "batch_flatten": (
            manipulate.BatchFlattenOp,
            by_torch(lambda x: torch.flatten(x[..., None], 1)),
        ),
    }[d.operator]


@peer("expand_dims", **exact)
def expand_dims(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(0, 3)
    d.array(shape, d.one(ANY))
    rank = len(shape) + d.whole(1, 3)
    axes = d.build.sample(range(rank), rank - len(shape))
    axes = [axis - rank * d.flag() for axis in axes]
    return lambda x: manipulate.ExpandDimsOp(x, axes), by_numpy(
        lambda x: np.expand_dims(x, tuple(axes))
    )


@peer("squeeze", **exact)
def squeeze(d: Draw) -> tuple[Build, Meaning]:
    shape = [1 if d.flag() else size for size in d.shape()]
    d.array(shape, d.one(ANY))
    ones = [i for i, size in enumerate(shape) if not isinstance(size, Size) and size == 1]
    axes = [i - len(shape) * d.flag() for i in ones if d.flag()]
    if not axes:
        known = d.types[-1].shape
        if any(isinstance(size, Size) for size in shape) or known is None or None in known:
            raise UnsuitableError  # the rank of the result is unknown
        return lambda x: manipulate.SqueezeOp(x), by_torch(torch.squeeze)
    return lambda x: manipulate.SqueezeOp(x, axes), by_torch(lambda x: torch.squeeze(x, axes))


@peer("broadcast_to", **exact)
def broadcast_to(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape()
    d.array(d.broadcast(shape), d.one(ANY))
    d.sizes(shape)
    return manipulate.BroadcastToOp, by_torch(lambda x, shape: torch.broadcast_to(x, shape))


@peer("collapse_sum_to", "collapse_sum_like", cancels=20, digits=10)
def collapses(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(), d.one(NUMBERS)
    d.array(shape, dtype, finite)
    target = d.broadcast(shape)
    theirs = lambda x, shape: x.sum_to_size(shape).to(x.dtype)  # noqa: E731
    if d.operator == "collapse_sum_to":
        d.sizes(target)
        return collapse.CollapseSumToOp, by_torch(theirs)
    d.array(target, d.one(ANY))
    return collapse.CollapseSumLikeOp, by_torch(lambda x, like: theirs(x, like.shape))


# Filling -------------------------------------------------------------------------------------


@peer("full", "zeros", "ones", **exact)
def filled(d: Draw) -> tuple[Build, Meaning]:
    dtype = d.one(NUMBERS)
    d.sizes(d.shape())
    name = dtype_name(np.dtype(dtype))
    if d.operator == "full":
        d.array([], dtype)
        return create.FullOp, by_torch(lambda shape, x: torch.broadcast_to(x, shape))
    build, function = {
        "zeros": (create.ZerosOp, torch.zeros),
        "ones": (create.OnesOp, torch.ones),
    }[d.operator]
    return lambda s: build(s, name), by_torch(lambda s: function(s, dtype=getattr(torch, dtype)))


@peer("full_like", "zeros_like", "ones_like", **exact)
def filled_like(d: Draw) -> tuple[Build, Meaning]:
    dtype = d.one(NUMBERS)
    d.array(d.shape(), dtype)
    if d.operator == "full_like":
        d.array([], dtype)
        return create.FullLikeOp, by_torch(lambda x, v: torch.broadcast_to(v, x.shape))
    return {
        "zeros_like": (create.ZerosLikeOp, by_torch(torch.zeros_like)),
        "ones_like": (create.OnesLikeOp, by_torch(torch.ones_like)),
    }[d.operator]


@peer("eye", "eye_like", **exact)
def eyes(d: Draw) -> tuple[Build, Meaning]:
    diagonal = d.whole(-4, 4)
    shape = [d.size(), d.size()]
    if d.operator == "eye_like":
        d.array(shape, d.one(("float32", "int32", "int64", "float64")))
        return lambda x: create.EyeLikeOp(x, diagonal), by_numpy(
            lambda x: np.eye(*x.shape, k=diagonal, dtype=x.dtype)
        )
    d.sizes(shape)
    rows, columns = map(spelled, shape)
    return lambda _: create.EyeOp(rows, columns, diagonal), by_numpy(
        lambda s: np.eye(*s, k=diagonal, dtype="f")
    )


@peer("tril", "triu", **exact)
def triangles(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(2), d.one(ANY))
    diagonal = d.whole(-5, 5)
    build, function = {
        "tril": (create.TrilOp, torch.tril),
        "triu": (create.TriuOp, torch.triu),
    }[d.operator]
    return lambda x: build(x, diagonal), by_torch(lambda x: function(x, diagonal))


@peer("arange", **exact)
def arange(d: Draw) -> tuple[Build, Meaning]:
    end = d.size()
    d.sizes([end])
    start, step = d.whole(-3, 9), d.one((-3, -1, 1, 2, 5))
    dtype = d.one(("int64", "int32", "float32", "float64"))
    return lambda _: ranges.ArangeOp(
        start, spelled(end), step, dtype_name(np.dtype(dtype))
    ), by_numpy(lambda s: np.arange(start, s[0], step, dtype))


@peer("arange", cancels=1)
def arange_of_floats(d: Draw) -> tuple[Build, Meaning]:
    d.sizes([d.size()])
    start, end, step = d.number(-3, 3), d.number(-9, 9), d.one((0.3, -0.7, 0.25, 1.1))
    return lambda _: ranges.ArangeOp(start, end, step, "f64"), by_torch(
        lambda _: torch.arange(start, end, step, dtype=torch.float64)
    )


@peer("linspace")
def linspace(d: Draw) -> tuple[Build, Meaning]:
    size, dtype = d.size(), d.one(WIDE)
    d.sizes([size])
    start, stop = d.number(-9, 9), d.number(-9, 9)
    return lambda _: ranges.LinspaceOp(
        start, stop, spelled(size), dtype_name(np.dtype(dtype))
    ), by_torch(lambda s: torch.linspace(start, stop, s[0], dtype=getattr(torch, dtype)))


@peer("hamming_window")
def hamming_window(d: Draw) -> tuple[Build, Meaning]:
    size, dtype, periodic = d.size(), d.one(WIDE), d.flag()
    d.sizes([size])
    how = periodic, d.number(0.2, 0.8), d.number(0.2, 0.8)
    return lambda _: ranges.HammingWindowOp(
        spelled(size), *how, dtype_name(np.dtype(dtype))
    ), by_torch(lambda s: torch.hamming_window(s[0], *how, dtype=getattr(torch, dtype)))


@peer("one_hot", **exact)
def one_hot(d: Draw) -> tuple[Build, Meaning]:
    shape, depth = d.shape(0, 3), d.whole(1, 9)
    axis = d.axis(len(shape) + 1)
    d.array(shape, "int64", lambda x, d: d.numbers.integers(0, depth + 2, x.shape))
    numbers = np.array([-1, 2.5], np.float32)
    onnx = by_onnx("OneHot", axis=axis)
    return lambda x: ranges.OneHotOp(x, 2.5, -1.0, depth, axis), lambda x: onnx(
        x, np.array([depth]), numbers
    )


# Joining -------------------------------------------------------------------------------------


@peer("concat", **exact)
def concat(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1), d.one(ANY)
    axis = d.axis(len(shape))
    for _ in range(d.whole(1, 4)):
        shape[axis] = d.size()
        d.array(shape, dtype)
    return lambda *t: joining.ConcatOp(t, axis), by_torch(lambda *t: torch.cat(t, axis))


@peer("stack", **exact)
def stack(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(0, 3), d.one(ANY)
    axis = d.axis(len(shape) + 1)
    for _ in range(d.whole(1, 4)):
        d.array(shape, dtype)
    return lambda *t: joining.StackOp(t, axis), by_torch(lambda *t: torch.stack(t, axis))


@peer("split", **exact)
def split(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    d.array(shape, d.one(ANY))
    places = sorted(d.whole(0, 9) for _ in range(d.whole(1, 3)))
    if d.flag():
        return lambda x: joining.SplitOp(x, places, axis), by_torch(
            lambda x: torch.tensor_split(x, places, axis)
        )
    pieces = d.whole(1, 5)

    def theirs(x: Any) -> Any:
        long = -(-x.shape[axis] // pieces)
        if not long:
            raise UnsuitableError
        cut = torch.split(x, long, axis)
        return (*cut, *[x.narrow(axis, 0, 0)] * (pieces - len(cut)))

    return lambda x: joining.SplitOp(x, pieces, axis), by_torch(theirs)


@peer("meshgrid", **exact)
def meshgrid(d: Draw) -> tuple[Build, Meaning]:
    dtype, indexing = d.one(ANY), d.one(("ij", "xy"))
    for _ in range(d.whole(1, 3)):
        d.array([d.size()], dtype)
    return lambda *t: joining.MeshgridOp(t, indexing), by_numpy(
        lambda *t: tuple(np.meshgrid(*t, indexing=indexing))
    )


# Moving --------------------------------------------------------------------------------------


@peer("tile", "repeat", "flip", "roll", **exact)
def moved(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1, 3)
    d.array(shape, d.one(ANY))
    axis, times = d.axis(len(shape)), d.whole(0, 3)
    repeats = [d.whole(0, 3) for _ in range(d.whole(1, 4))]
    axes = sorted(d.axes(len(shape), least=1), key=lambda a: a % len(shape))
    shifts = [d.whole(-9, 9) for _ in axes]
    if d.operator in ("repeat", "roll") and d.flag():
        shift = d.whole(-20, 20)
        return {
            "repeat": (
                lambda x: moving.RepeatOp(x, times),
                by_torch(lambda x: torch.repeat_interleave(x, times)),
            ),
            "roll": (lambda x: moving.RollOp(x, shift), by_torch(lambda x: torch.roll(x, shift))),
        }[d.operator]
    build, function = {
        "tile": (lambda x: moving.TileOp(x, repeats), lambda x: torch.tile(x, repeats)),
        "repeat": (
            lambda x: moving.RepeatOp(x, times, axis),
            lambda x: torch.repeat_interleave(x, times, axis),
        ),
        "flip": (lambda x: moving.FlipOp(x, axis), lambda x: torch.flip(x, [axis])),
        "roll": (lambda x: moving.RollOp(x, shifts, axes), lambda x: torch.roll(x, shifts, axes)),
    }[d.operator]
    return build, by_torch(function)


@peer("reverse_sequence", **exact)
def reverse_sequence(d: Draw) -> tuple[Build, Meaning]:
    shape, batch = d.shape(2), d.flag()
    d.array(shape, d.one(("float32", "int64", "float64", "int8")))
    d.array(
        [shape[not batch]],
        "int64",
        lambda x, d: d.numbers.integers(0, int(shape[batch]) + 1, x.shape),
    )
    return lambda x, n: moving.ReverseSequenceOp(x, n, int(batch), 1 - batch), by_onnx(
        "ReverseSequence", time_axis=int(batch), batch_axis=1 - batch
    )


MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@peer("pad", **exact)
def pad(d: Draw) -> tuple[Build, Meaning]:
    shape, mode = d.shape(1), d.one(list(MODES))
    dtype = d.one(("float32", "float64", "int32", "int64", "uint8", "bool"))
    d.array(shape, dtype)
    widths = [(d.whole(0, 3), d.whole(0, 3)) for _ in shape]
    value = d.whole(0, 1)
    short = (int(n) - (mode == "reflect") < max(w) for n, w in zip(shape, widths))
    if (mode == "reflect" or mode == "circular") and any(short):
        raise UnsuitableError
    if mode == "replicate" and any(max(w) and not n for n, w in zip(shape, widths)):
        raise UnsuitableError
    how = {"constant_values": value} if mode == "constant" else {}
    return lambda x: moving.PadOp(x, sum(widths, ()), mode, value), by_numpy(
        lambda x: np.pad(x, widths, MODES[mode], **how)  # pyright: ignore
    )


@peer("pad", **exact)
def pad_by_torch(d: Draw) -> tuple[Build, Meaning]:
    shape = [d.size((1, 2, 3, 5, 7)), d.size((1, 2, 3, 5, 7))]
    d.array(shape, d.one(WIDE))
    mode = d.one(list(MODES))
    widths = [d.whole(0, 6) for _ in range(4)]
    last_first = [*widths[2:], *widths[:2]]
    value = {"value": 2.5} if mode == "constant" else {}
    if mode == "circular" and any(max(w) > int(n) for n, w in zip(shape, (widths[:2], widths[2:]))):
        raise UnsuitableError
    return lambda x: moving.PadOp(x, widths, mode, 2.5), by_torch(
        lambda x: functional.pad(x[None, None], last_first, mode, **value)[0, 0]
    )


# Layout --------------------------------------------------------------------------------------


@peer("pixel_shuffle", "pixel_unshuffle", "depth_to_space", "space_to_depth", **exact)
def pixels(d: Draw) -> tuple[Build, Meaning]:
    factor, mode = d.whole(1, 3), d.one(("DCR", "CRD"))
    size = lambda: d.size(SMALL)  # noqa: E731
    if d.operator in ("pixel_shuffle", "depth_to_space"):
        shape = [size(), factor**2 * d.fixed(1, 3), size(), size()]
    else:  # PyTorch leaves empty images as they are
        shape = [d.size((1, 2, 3)), d.size((1, 3)), factor * d.fixed(1, 4), factor * d.fixed(1, 4)]
    if d.operator.startswith("pixel") and d.flag():
        del shape[0]
    d.array(shape, d.one(("float32", "float64")))
    return {
        "pixel_shuffle": (
            lambda x: layout.PixelShuffleOp(x, factor),
            by_torch(lambda x: torch.pixel_shuffle(x, factor)),
        ),
        "pixel_unshuffle": (
            lambda x: layout.PixelUnshuffleOp(x, factor),
            by_torch(lambda x: torch.pixel_unshuffle(x, factor)),
        ),
        "depth_to_space": (
            lambda x: layout.DepthToSpaceOp(x, factor, mode),
            by_onnx("DepthToSpace", blocksize=factor, mode=mode),
        ),
        "space_to_depth": (
            lambda x: layout.SpaceToDepthOp(x, factor),
            by_onnx("SpaceToDepth", blocksize=factor),
        ),
    }[d.operator]


# Element types -------------------------------------------------------------------------------


@peer("astype", **exact)
def astype(d: Draw) -> tuple[Build, Meaning]:
    source, target = d.one(ANY), d.one(ANY)
    d.array(d.shape(), source)
    name = dtype_name(np.dtype(target))

    def theirs(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            if np.dtype(target).kind in "iu" and np.dtype(source).kind not in "iub":
                info = np.iinfo(target)
                inside = np.trunc(x.astype(np.float64))
                low, high = float(info.min), float(info.max)
                inside = np.where(np.isnan(inside), 0, np.clip(inside, low, high))
                if high > 2**53:
                    return np.where(
                        inside >= high, info.max, np.where(inside >= high, 0, inside).astype(target)
                    )
                return inside.astype(target)
            return (x.astype(np.float32) if name == "bf16" else x).astype(target)

    return lambda x: AstypeOp(x, name), by_numpy_raw(theirs)


def by_numpy_raw(function: Any) -> Meaning:
    return lambda *arrays: (np.asarray(function(*arrays)),)


@peer("size", **exact)
def size(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(), d.one(ANY))
    return SizeOp, by_numpy(lambda x: np.asarray(x.size, np.int64))


@peer("view", **exact)
def view(d: Draw) -> tuple[Build, Meaning]:
    """Whole rows of bytes, from some number of them on."""
    source, target = d.one(NUMBERS), d.one(NUMBERS)
    old, new = (np.dtype(t).itemsize for t in (source, target))
    rows, kept, offset = d.size((2, 3, 5)), d.fixed(0, 2), d.one((0, 0, 1, 4, 8))
    d.array([rows, 8], source)
    count = (8 * old - offset) // new
    if count < 1:
        raise UnsuitableError
    name = dtype_name(np.dtype(target))

    def theirs(x: np.ndarray) -> np.ndarray:
        found = np.frombuffer(x.tobytes(), np.uint8)[offset : offset + kept * count * new]
        return found.copy().view(target).reshape(kept, count)

    return lambda x: ViewOp(x, [kept, count], name, offset), by_numpy_raw(theirs)
