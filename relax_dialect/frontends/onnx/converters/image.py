"""Images of other sizes, and samples of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.values import vector
from relax_dialect.symbolic import Expr

METHODS = {
    "nearest": "nearest_neighbor",
    "linear": "linear",
    "bilinear": "linear",
    "cubic": "cubic",
}
RESIZES = (op.resize1d, op.resize2d, op.resize3d)
LETTERS = ("W", "HW", "DHW")
POLICIES = {word: word for word in ("stretch", "not_larger", "not_smaller")}
SIMPLE = 64
"""The largest denominator of a scale whose sizes are written as symbolic expressions."""


@converter("Upsample")
def upsample(node: Node) -> Any:
    scales = node.attr("scales") if node.opset < 9 else _scales(node, 1)
    return _resized_10(node, np.array(scales, np.float32) if node.opset < 9 else scales)


@converter("Resize")
def resize_10(node: Node) -> Any:
    return _resized_10(node, _scales(node, 1))


def _resized_10(node: Node, scales: Any) -> Any:
    """The element before each place, or those around it."""
    found = by_scales(node, range(node.rank(0)), scales)
    options = {"method": node.choice("mode", METHODS), "rounding_method": "floor"}
    return _resized(node, found, coordinate_transformation_mode="asymmetric", **options)


@converter("Resize", since=11)
def resize(node: Node) -> Any:
    rank = node.rank(0)
    axes = [node.checked_axis(a, rank) for a in node.attr("axes", None) or range(rank)]
    sizes = None if not node.has(3) or _is_nothing(node, 3) else node.sizes(3)
    policy = node.choice("keep_aspect_ratio_policy", POLICIES, "stretch")
    if sizes is None:
        found = by_scales(node, axes, _scales(node, 2))
    elif len(sizes) != len(axes):
        node.fail(f"a size for each of {len(axes)} axes", str(len(sizes)), "correct the model")
    elif policy == "stretch":
        found = Target(dict(zip(axes, sizes)))
    else:
        found = in_proportion(node, axes, sizes, policy)
    mode = node.attr("coordinate_transformation_mode")
    options: dict[str, Any] = {"method": node.choice("mode", METHODS)}
    options["coordinate_transformation_mode"] = mode
    if options["method"] == "nearest_neighbor":
        options["rounding_method"] = node.attr("nearest_mode")
    else:
        options["antialias"] = bool(node.attr("antialias", 0))
        options["cubic_exclude"] = bool(node.attr("exclude_outside"))
    if options["method"] == "cubic":
        options["cubic_alpha"] = node.attr("cubic_coeff_a")
    if mode == "tf_crop_and_resize":
        parts = np.concatenate([np.zeros(rank), np.ones(rank)])
        given = node.array(1).reshape(-1)
        if len(given) != 2 * len(axes):
            node.fail(f"{2 * len(axes)} numbers in roi", str(len(given)), "correct the model")
        parts[[*axes, *(a + rank for a in axes)]] = given
        options |= {"roi": parts, "extrapolation_value": node.attr("extrapolation_value")}
    return _resized(node, found, **options)


def _is_nothing(node: Node, place: int) -> bool:
    """Whether an input is known to have no elements."""
    return any(size.value == 0 for size in node.shape(place))


def _scales(node: Node, place: int) -> Any:
    """The scales, known or a value of the program."""
    known = node.known(place)
    return node.tensor(place) if known is None else known.reshape(-1)


@dataclass
class Target:
    """What becomes of axes: their sizes, and their scales where these are not the ratios of sizes."""

    sizes: Mapping[int, Expr]
    scales: Any = None
    """A number for each of those axes: known ones, or a value of the program."""

    def changes(self, axis: int, old: Expr) -> bool:
        """Whether an axis may be another one."""
        if axis not in self.sizes:
            return False
        if isinstance(self.scales, np.ndarray):
            return self.scales[list(self.sizes).index(axis)] != 1
        return self.scales is not None or self.sizes[axis] is not old

    def scales_of(self, axes: Sequence[int]) -> Any:
        """The scales of some axes, 1 for those that are not named."""
        if self.scales is None or list(axes) == list(self.sizes):
            return self.scales
        places = [list(self.sizes).index(axis) for axis in axes]
        return op.take(self.scales, np.array(places, np.int64), 0)


def by_scales(node: Node, axes: Sequence[int], scales: Any) -> Target:
    """The sizes that scales lead to, which are rounded down; scales that are not known change the last
    axes, and are checked to leave two before them."""
    old = [node.shape(0)[axis] for axis in axes]
    if not isinstance(scales, np.ndarray):
        free = len(axes) - (2 if len(axes) > 3 else 0)
        kept = len(axes) - free
        sizes = _computed(
            node, op.multiply(_lengths(node, old), scales), [*old[:kept], *[None] * free]
        )
        last = scales if not kept else node.emit(op.take(scales, np.arange(kept, len(axes)), 0))
        return Target(dict(zip(axes[kept:], sizes[kept:])), last)
    if len(scales) != len(axes):
        node.fail(f"a scale for each of {len(axes)} axes", str(len(scales)), "correct the model")
    if not (np.isfinite(scales) & (scales > 0)).all():
        node.fail("scales above 0", str(scales.tolist()), "correct the model")
    found = [_size_by_scale(*pair) for pair in zip(old, scales)]
    sizes = [size for size in found if size is not None]
    if len(sizes) != len(found):
        sizes = _computed(node, op.multiply(_lengths(node, old), scales), found)
    exact = all(map(_is_ratio, scales, old, sizes))
    return Target(dict(zip(axes, sizes)), None if exact else scales)


def _size_by_scale(size: Expr, scale: Any) -> Expr | None:
    """A size times a scale, rounded down; None where it is computed at run time."""
    if size.value is not None:
        return symbolic.const(int(np.float32(size.value) * np.float32(scale)))
    exact = Fraction(float(scale))
    if exact.denominator > SIMPLE:
        return None
    return symbolic.floordiv(size * exact.numerator, exact.denominator)


def _is_ratio(scale: Any, size: Expr, new: Expr) -> bool:
    """Whether a scale is the ratio of two sizes."""
    exact = Fraction(float(scale))
    return size * exact.numerator is new * exact.denominator


def _lengths(node: Node, sizes: Sequence[Expr]) -> Any:
    """Sizes as a vector of f32."""
    return op.astype(node.context.placed(vector(sizes)), "f32")


def _computed(node: Node, lengths: Any, sizes: Sequence[Expr | None]) -> list[Expr]:
    """Lengths rounded down at run time, as sizes; those known are checked."""
    names = [node.fresh_size("size") if size is None else size for size in sizes]
    shape = node.emit(op.tensor_to_shape(op.astype(op.floor(lengths), "i64")))
    node.context.builder.match_shape(shape, names)
    return names


def in_proportion(node: Node, axes: Sequence[int], sizes: Sequence[Expr], policy: str) -> Target:
    """Sizes that keep the ratio of the old ones, within the wanted ones or around them."""
    old = [node.shape(0)[axis] for axis in axes]
    numbers = [size.value for size in (*old, *sizes)]
    smallest = policy == "not_larger"
    if None not in numbers:
        lengths, wanted = np.array(numbers, np.float32).reshape(2, -1)
        scale = (np.min if smallest else np.max)(wanted / lengths)
        found = [symbolic.const(int(length * scale + np.float32(0.5))) for length in lengths]
        return Target(dict(zip(axes, found)), np.full(len(axes), scale, np.float32))
    lengths, wanted = _lengths(node, old), _lengths(node, sizes)
    extreme = op.min if smallest else op.max
    scale = node.emit(extreme(op.divide(wanted, lengths), [0], True))
    found = _computed(node, op.add(op.multiply(lengths, scale), 0.5), [None] * len(axes))
    return Target(dict(zip(axes, found)), node.emit(op.broadcast_to(scale, [len(axes)])))


def _of_images(node: Node, target: Target, changed: Sequence[int]) -> tuple[Any, list[int]]:
    """The node's tensor, checked to keep its first two sizes, and the other axes that change."""
    shape = node.shape(0)
    kept = {axis: target.sizes[axis] for axis in changed if axis < 2}
    rest = [axis for axis in changed if axis >= 2]
    if len(rest) > 3 or any(symbolic.provably_different(shape[d], n) for d, n in kept.items()):
        node.unsupported(f"other sizes for {len(changed)} axes")
    return node.with_sizes(node.tensor(0), [kept.get(d, n) for d, n in enumerate(shape)]), rest


def _resized(node: Node, target: Target, **options: Any) -> Any:
    """Resized along the axes that change, up to three."""
    x, shape = node.tensor(0), node.shape(0)
    rank, parts = len(shape), options.pop("roi", None)
    changed = [
        axis
        for axis, old in enumerate(shape)
        if target.changes(axis, old)
        or (parts is not None and (parts[axis], parts[axis + rank]) != (0, 1))
    ]
    if not changed:
        return x
    if len(changed) > 3:
        x, changed = _of_images(node, target, changed)
    new = [target.sizes.get(axis, shape[axis]) for axis in changed]
    if parts is not None:
        options["roi"] = [*parts[changed], *parts[[axis + rank for axis in changed]]]
    scales = target.scales_of(changed)
    if scales is not None:
        options["scales"] = node.emit(scales)
    if scales is None and all(
        symbolic.maximum(shape[axis], size) is size for axis, size in zip(changed, new)
    ):
        options.pop("antialias", None)
    make, letters = RESIZES[len(changed) - 1], LETTERS[len(changed) - 1]
    kept = [axis for axis in range(rank) if axis not in changed]
    if len(kept) == 2:
        named = dict(zip([*kept, *changed], f"NC{letters}"))
        layout = "".join(named[axis] for axis in range(rank))
        return make(x, new, layout=layout, **options)
    order = [*kept, *changed]
    sizes = [shape[axis] for axis in kept]
    moved = op.permute_dims(x, order) if order != sorted(order) else x
    leading = [*[symbolic.const(1)] * (2 - len(sizes)), *sizes]
    leading = [leading[0], symbolic.product(leading[1:])]
    y = make(op.reshape(moved, [*leading, *(shape[axis] for axis in changed)]), new, **options)
    y = op.reshape(y, [*sizes, *new])
    return (
        y if order == sorted(order) else op.permute_dims(y, [order.index(d) for d in range(rank)])
    )


GRID_METHODS = {"bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest"}
GRID_METHODS |= {"bicubic": "bicubic", "cubic": "bicubic"}


@converter("GridSample")
def grid_sample(node: Node) -> Any:
    """Of images and volumes."""
    rank = node.rank(0)
    if rank not in (4, 5):
        node.unsupported(f"{rank - 2} spatial axes", "use two or three")
    make = op.grid_sample if rank == 4 else op.grid_sample3d
    return make(
        node.tensor(0), node.tensor(1), node.choice("mode", GRID_METHODS),
        padding_mode=node.attr("padding_mode"), align_corners=bool(node.attr("align_corners")),
    )  # fmt: skip


@converter("AffineGrid")
def affine_grid(node: Node) -> Any:
    """Places (x, y, 1) or (x, y, z, 1), from -1 to 1, under maps; an axis of one place has the first."""
    batch, _, *size = node.sizes(1)
    dtype, rank = node.dtype(0).name, len(size)
    lengths = op.astype(run_time.sizes_vector(node, size), dtype)
    axes = [op.full(size, np.ones((), dtype))]
    for axis, count in enumerate(size):
        at: Any = op.astype(op.arange(0, count, dtype="i64"), dtype)
        length: Any = op.strided_slice(lengths, [0], [axis], [axis + 1])
        if node.attr("align_corners"):
            at = at * 2.0 / op.maximum(length - 1.0, np.ones((), dtype))
        else:
            at = (at * 2.0 + 1.0) / length
        at = op.expand_dims(at - 1.0, list(range(1, rank - axis)))
        axes.insert(0, op.broadcast_to(at, size))
    places = op.reshape(op.stack(axes, -1), [symbolic.product(size), rank + 1])
    maps = op.permute_dims(node.with_first_size(node.tensor(0), batch), [0, 2, 1])
    return op.reshape(op.matmul(places, maps), [batch, *size, rank])


@converter("MaxRoiPool")
def max_roi_pool(node: Node) -> Any:
    size, scale = node.attr("pooled_shape"), node.attr("spatial_scale")
    return op.roi_pool(node.tensor(0), node.tensor(1), size, scale)


@converter("RoiAlign")
def roi_align(node: Node) -> Any:
    """ONNX has the numbers of the images apart; its maxima are of weighed elements, not of their sums."""
    images = op.expand_dims(op.astype(node.tensor(2), node.dtype(1).name), [1])
    aligned = node.opset >= 16 and node.attr("coordinate_transformation_mode") == "half_pixel"
    return op.roi_align(
        node.tensor(0), op.concat([images, node.tensor(1)], 1),
        [node.attr("output_height"), node.attr("output_width")], node.attr("spatial_scale"),
        sample_ratio=node.attr("sampling_ratio") or -1, aligned=aligned,
        mode="max_addend" if node.attr("mode") == "max" else "avg",
    )  # fmt: skip
