"""Other shapes, orders and parts of tensors."""

from __future__ import annotations

import numpy as np

from .drawing import ALL, Draw, Drawn, draws, vector

PLAIN = ("float32", "float32", "int64", "int32", "float64", "uint8", "bool", "float16")


def drawn(draw: Draw, low: int = 0, empty: bool = True):
    return draw.array(draw.dtype(PLAIN), draw.shape(low, empty=empty))


@draws("Reshape")
def reshape(draw: Draw) -> Drawn:
    x = drawn(draw)
    target = list(x.shape)
    draw.rng.shuffle(target)
    if draw.chance() and len(target) > 1:
        target[:2] = [target[0] * target[1]]
    if draw.chance(0.3):
        target.insert(draw.int(0, len(target)), 1)
    if target and draw.chance(0.4) and x.size:
        target[draw.int(0, len(target) - 1)] = -1
    places = [i for i, d in enumerate(target) if i < x.ndim and d == x.shape[i]]
    if places and draw.chance(0.4):
        target[draw.rng.choice(places)] = 0
    given = {"allowzero": draw.int(0, 1)} if draw.opset >= 14 and 0 not in target else {}
    return Drawn("Reshape", [x, vector(target)], given, [1] if draw.chance(0.7) else [])


@draws("Flatten")
def flatten(draw: Draw) -> Drawn:
    x = drawn(draw, 1)
    axis = draw.int(-x.ndim if draw.opset >= 11 else 0, x.ndim)
    return Drawn("Flatten", [x], {"axis": axis} if draw.chance(0.8) else {})


@draws("Transpose")
def transpose(draw: Draw) -> Drawn:
    x = drawn(draw)
    order = draw.rng.sample(range(x.ndim), x.ndim)
    return Drawn("Transpose", [x], {"perm": order} if x.ndim and draw.chance(0.8) else {})


@draws("Squeeze")
def squeeze(draw: Draw) -> Drawn:
    shape = list(draw.shape(1))
    places = draw.rng.sample(range(len(shape)), draw.int(1, len(shape)))
    for place in places:
        shape[place] = 1
    axes = [p - len(shape) if draw.opset >= 11 and draw.chance(0.3) else p for p in places]
    x = draw.array(draw.dtype(PLAIN), shape)
    if draw.chance(0.2):
        return Drawn("Squeeze", [x], symbolic=False)
    return by_axes(draw, x, axes)


@draws("Unsqueeze")
def unsqueeze(draw: Draw) -> Drawn:
    x = drawn(draw)
    count = draw.int(1, 2)
    rank = x.ndim + count
    places = draw.rng.sample(range(rank), count)
    axes = [p - rank if draw.opset >= 11 and draw.chance(0.3) else p for p in places]
    return by_axes(draw, x, axes)


def by_axes(draw: Draw, x, axes: list[int]) -> Drawn:
    """Axes are an attribute in old opsets."""
    if draw.opset < 13:
        return Drawn(draw.op_type, [x], {"axes": axes})
    return Drawn(draw.op_type, [x, vector(axes)], {}, [1] if draw.chance(0.7) else [])


@draws("Expand")
def expand(draw: Draw) -> Drawn:
    shape = draw.shape()
    x = draw.array(draw.dtype(PLAIN), draw.broadcast(shape))
    target = [1 if draw.chance(0.2) else d for d in shape]
    return Drawn("Expand", [x, vector(target)], {}, [1] if draw.chance() else [])


@draws("Tile")
def tile(draw: Draw) -> Drawn:
    x = drawn(draw, 1)
    return Drawn(
        "Tile",
        [x, draw.ints(0 if draw.chance(0.1) else 1, 3, [x.ndim])],
        {},
        [1] if draw.chance() else [],
    )


@draws("Concat")
def concat(draw: Draw) -> Drawn:
    shape, dtype = list(draw.shape(1)), draw.dtype(PLAIN)
    axis = draw.int(-len(shape) if draw.opset >= 11 else 0, len(shape) - 1)
    parts = []
    for _ in range(draw.int(1, 4)):
        shape[axis] = draw.int(0, 4)
        parts.append(draw.array(dtype, shape))
    return Drawn("Concat", parts, {"axis": axis})


@draws("Split")
def split(draw: Draw) -> Drawn:
    lengths = [draw.int(0, 3) for _ in range(draw.int(1, 4))]
    is_even = draw.chance(0.4)
    if is_even:
        lengths = [draw.int(1, 3)] * len(lengths)
    shape = list(draw.shape(1))
    axis = draw.int(-len(shape) if draw.opset >= 11 else 0, len(shape) - 1)
    shape[axis] = sum(lengths)
    x, given = draw.array(draw.dtype(PLAIN), shape), {"axis": axis}
    if is_even and draw.chance():
        if draw.opset >= 18:
            given["num_outputs"] = len(lengths)
        return Drawn("Split", [x], given, outputs=len(lengths), symbolic=False)
    if draw.opset < 13:
        return Drawn("Split", [x], {**given, "split": lengths}, outputs=len(lengths))
    return Drawn(
        "Split", [x, vector(lengths)], given, [1] if draw.chance(0.7) else [], outputs=len(lengths)
    )


@draws("Slice")
def slices(draw: Draw) -> Drawn:
    """An end that is far off stands for the end of the axis."""
    x = drawn(draw, 1)
    axes = draw.axes(x.ndim, 1)
    steps = [draw.one(1, 1, 2, 3, -1, -2) if draw.opset >= 10 else 1 for _ in axes]
    far = (2**31 - 1, 2**63 - 1)
    starts = [draw.one(draw.int(-9, 9), draw.int(-4, 4)) for _ in axes]
    ends = [
        draw.one(draw.int(-9, 9), draw.one(*far) if step > 0 else -draw.one(*far)) for step in steps
    ]
    if draw.opset < 10:
        axes = [a % x.ndim for a in axes]
        return Drawn("Slice", [x], {"starts": starts, "ends": ends, "axes": axes})
    inputs = [x, *map(vector, (starts, ends, axes))]
    if draw.chance(0.6) or min(steps) < 0:
        inputs.append(vector(steps))
    constants = draw.one([1, 2, 3, 4], [3, 4], [1, 3, 4], [])
    return Drawn("Slice", inputs, {}, [c for c in constants if c < len(inputs)])


@draws("Pad")
def pad(draw: Draw) -> Drawn:
    mode = draw.one(
        "constant", "constant", "reflect", "edge", *(["wrap"] if draw.opset >= 19 else [])
    )
    x = drawn(draw, 1, empty=False)
    x = x if x.dtype.kind != "b" else x.astype("float32")
    low = -1 if mode == "constant" and draw.chance(0.2) else 0
    most = [3 if mode in ("constant", "edge") else max(d - 1, 0) for d in x.shape]
    axes = draw.axes(x.ndim, 1) if draw.opset >= 18 and draw.chance(0.4) else list(range(x.ndim))
    pads = [draw.int(low, min(most[a], 3)) for a in axes * 2]
    if draw.opset < 11:
        return Drawn("Pad", [x.astype("float32")], {"mode": mode, "pads": pads})
    value = np.array(draw.one(0, 1, 7), x.dtype) if draw.chance() and mode == "constant" else None
    inputs = [x, vector(pads), value]
    if len(axes) < x.ndim or axes != list(range(x.ndim)):
        inputs.append(vector(axes))
    constants = draw.one([1, 3], [1, 3], [])
    return Drawn("Pad", inputs, {"mode": mode}, [c for c in constants if c < len(inputs)])


@draws("DepthToSpace")
def depth_to_space(draw: Draw) -> Drawn:
    block = draw.int(1, 3)
    x = draw.array(
        draw.dtype(("float32", "float64")), [draw.int(1, 2), draw.int(1, 2) * block**2, 2, 3]
    )
    mode = {"mode": draw.one("DCR", "CRD")} if draw.opset >= 11 else {}
    return Drawn("DepthToSpace", [x], {"blocksize": block, **mode})


@draws("SpaceToDepth")
def space_to_depth(draw: Draw) -> Drawn:
    block = draw.int(1, 3)
    x = draw.array(draw.dtype(("float32", "float64")), [draw.int(1, 2), 2, 2 * block, 3 * block])
    return Drawn("SpaceToDepth", [x], {"blocksize": block})


@draws("Trilu")
def trilu(draw: Draw) -> Drawn:
    x = drawn(draw, 2)
    inputs = [x, *([np.array(draw.int(-5, 5))] if draw.chance(0.7) else [])]
    return Drawn(
        "Trilu", inputs, {"upper": draw.int(0, 1)}, [1][: len(inputs) - 1] if draw.chance() else []
    )


@draws("EyeLike")
def eye_like(draw: Draw) -> Drawn:
    x = draw.array(
        draw.dtype(("float32", "int64", "int32", "float64")), [draw.int(0, 5), draw.int(0, 5)]
    )
    return Drawn(
        "EyeLike",
        [x],
        {"k": draw.int(-4, 4)} | ({"dtype": draw.one(1, 7, 11)} if draw.chance() else {}),
    )


@draws("Range")
def ranges(draw: Draw) -> Drawn:
    dtype = draw.dtype(("float32", "int64", "int32", "float64", "int16"))
    step = draw.one(1, 2, 3, -1, -3) if dtype[0] == "i" else draw.one(0.5, 0.25, -0.75, 2.0)
    values = (draw.int(-9, 9), draw.int(-9, 9), step)
    return Drawn("Range", [np.array(v, dtype) for v in values], {}, draw.one([], [0], [0, 2], [2]))


@draws("ConstantOfShape")
def constant_of_shape(draw: Draw) -> Drawn:
    given = {}
    if draw.chance(0.7):
        from onnx import numpy_helper

        given["value"] = numpy_helper.from_array(draw.array(draw.one(*ALL), [1]))
    return Drawn("ConstantOfShape", [vector(draw.shape())], given, [0] if draw.chance() else [])


@draws("CenterCropPad")
def center_crop_pad(draw: Draw) -> Drawn:
    x = draw.array("float32", draw.shape(1, 3, empty=False))
    axes = draw.axes(x.ndim, 1)
    return Drawn("CenterCropPad", [x, draw.ints(1, 6, [len(axes)])], {"axes": axes}, [1])


@draws("ReverseSequence")
def reverse_sequence(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(PLAIN), draw.shape(2, 3, empty=False))
    time = draw.int(0, 1)
    lengths = draw.ints(0, x.shape[time], [x.shape[1 - time]])
    return Drawn("ReverseSequence", [x, lengths], {"time_axis": time, "batch_axis": 1 - time})


@draws("Compress")
def compress(draw: Draw) -> Drawn:
    x = drawn(draw, 1, empty=False)
    axis = draw.axis(x.ndim) if draw.chance(0.7) else None
    if draw.opset < 11 and axis is not None:
        axis %= x.ndim
    size = x.size if axis is None else x.shape[axis]
    condition = draw.array("bool", [draw.int(1, size)])
    return Drawn("Compress", [x, condition], {} if axis is None else {"axis": axis})
