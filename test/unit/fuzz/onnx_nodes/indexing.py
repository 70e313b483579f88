"""Elements at places, and places of elements."""

from __future__ import annotations

import numpy as np

from .drawing import Draw, Drawn, draws
from .shaping import PLAIN

INDICES = ("int64", "int64", "int32")


def places(draw: Draw, size: int, shape):
    """Indices of an axis; those from the end on came with opset 11."""
    low = -size if draw.opset >= 11 else 0
    return draw.ints(low, size - 1, shape, draw.dtype(INDICES, 1))


@draws("Gather")
def gather(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(PLAIN), draw.shape(1, empty=False))
    axis = draw.axis(x.ndim)
    indices = places(draw, x.shape[axis], draw.shape(0, 2))
    return Drawn("Gather", [x, indices], {"axis": axis}, [1] if draw.chance(0.3) else [])


@draws("GatherElements")
def gather_elements(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(PLAIN), draw.shape(1, empty=False))
    axis = draw.axis(x.ndim)
    shape = [draw.int(1, d) for d in x.shape]
    return Drawn("GatherElements", [x, places(draw, x.shape[axis], shape)], {"axis": axis})


@draws("GatherND")
def gather_nd(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(PLAIN), draw.shape(1, empty=False))
    batch = draw.int(0, x.ndim - 1) if draw.opset >= 12 else 0
    depth = draw.int(1, x.ndim - batch)
    shape = (*x.shape[:batch], *draw.shape(0, 2, empty=False))
    indices = [draw.ints(-d, d - 1, shape) for d in x.shape[batch : batch + depth]]
    given = {"batch_dims": batch} if draw.opset >= 12 else {}
    return Drawn("GatherND", [x, np.stack(indices, -1)], given, symbolic=False)


def modes(draw: Draw) -> list[str]:
    found = ["none"] if draw.opset < 16 else ["none", "add", "mul"]
    return found if draw.opset < 18 else [*found, "min", "max"]


@draws("Scatter ScatterElements")
def scatter_elements(draw: Draw) -> Drawn:
    """No place twice where one would win."""
    x = draw.array(
        draw.dtype(("float32", "float64", "int64", "int32")),
        draw.shape(1, empty=False),
        special=False,
    )
    axis = draw.axis(x.ndim)
    shape = [draw.int(1, d) for d in x.shape]
    mode = draw.one(*modes(draw)) if draw.op_type == "ScatterElements" else "none"
    indices = places(draw, x.shape[axis], shape)
    if mode == "none":
        order = np.argsort(
            draw.numbers.random([*shape[:axis], x.shape[axis], *shape[axis:][1:]]), axis
        )
        indices = np.take(order, range(shape[axis]), axis) if axis >= 0 else None
        if indices is None:
            full = list(shape)
            full[axis] = x.shape[axis]
            indices = np.take(np.argsort(draw.numbers.random(full), axis), range(shape[axis]), axis)
    given = {"axis": axis} | ({} if mode == "none" else {"reduction": mode})
    updates = draw.array(str(x.dtype), shape, special=False)
    return Drawn(draw.op_type, [x, indices.astype("int64"), updates], given, tolerance=4)


@draws("ScatterND")
def scatter_nd(draw: Draw) -> Drawn:
    x = draw.array(
        draw.dtype(("float32", "float64", "int64")), draw.shape(1, empty=False), special=False
    )
    depth, mode = draw.int(1, x.ndim), draw.one(*modes(draw))
    spots = int(np.prod(x.shape[:depth]))
    count = draw.int(1, spots if mode == "none" else 4)
    flat = (
        draw.numbers.permutation(spots)[:count]
        if mode == "none"
        else draw.ints(0, spots - 1, [count])
    )
    indices = np.stack(np.unravel_index(flat, x.shape[:depth]), -1).astype("int64")
    given = {} if mode == "none" else {"reduction": mode}
    updates = draw.array(str(x.dtype), [count, *x.shape[depth:]], special=False)
    return Drawn("ScatterND", [x, indices, updates], given, tolerance=4, symbolic=False)


@draws("OneHot")
def one_hot(draw: Draw) -> Drawn:
    depth = draw.int(1, 5)
    indices = draw.ints(-depth - 2, depth + 1, draw.shape(0, 3)).astype(
        draw.dtype(("int64", "int32", "float32"))
    )
    values = draw.array(draw.dtype(("float32", "int64", "int32"), 2), [2], special=False)
    axis = draw.int(-indices.ndim - 1, indices.ndim)
    size = np.array(depth) if draw.chance() else np.array([depth])
    return Drawn("OneHot", [indices, size, values], {"axis": axis}, [1] if draw.chance() else [])
