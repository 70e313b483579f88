"""Adjoints of operators on images: resizes by the matrix of each axis, samples by the elements around."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, TypeAlias

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.builder.values import Expression
from relax_dialect.gradient.adjoints.convolution import permuted
from relax_dialect.gradient.adjoints.pooling import along, sizes_in_order
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ir.order import describe
from relax_dialect.ops import image as ops
from relax_dialect.ops.resizing import Resize1dOp, Resize2dOp, Resize3dOp, ResizeOp
from relax_dialect.ops.type_rules import sizes_of
from relax_dialect.symbolic import Expr

# Resizes -----------------------------------------------------------------------------------------

UNMOVED = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners")
"""Coordinate transformations that leave elements unmoved if the size is unchanged."""


@adjoint(Resize1dOp, Resize2dOp, Resize3dOp)
def resize(of: Applied[ResizeOp], gy: Any) -> Any:
    """For each axis the product with the matrix of its weights, which the rows of the identity become."""
    this = of.op
    gy = permuted(gy, this.x_layout, this.letters)
    sizes = sizes_in_order(of)
    shape = [*sizes[:2], *this.target]
    for axis, (size, target) in enumerate(zip(sizes[2:], this.target), 2):
        assert target is not None
        stays = this.coordinate_transformation_mode in UNMOVED and this.scales is None
        factor = symbolic.exact_quotient(target, size)
        if stays and size == target:
            continue
        if factor is not None and factor.value is not None and _repeats(this):
            split = [*shape[:axis], size, factor, *shape[axis + 1 :]]
            gy = op.sum(op.reshape(gy, split), [axis + 1])
        else:
            gy = along(gy, _weights(of, axis - 2, size, target), axis, len(sizes))
        shape[axis] = size
    found = permuted(gy, this.letters, this.x_layout)
    return found, *(None for _ in of.inputs[1:])


def _repeats(this: ResizeOp) -> bool:
    """Return whether a resize by an integer factor repeats each element of x."""
    if this.method != "nearest_neighbor" or this.scales is not None:
        return False
    mode = this.coordinate_transformation_mode
    if this.rounding == "floor":
        return mode in ("asymmetric", "tf_half_pixel_for_nn")
    return mode == "half_pixel" and this.rounding.startswith("round")


def _weights(of: Applied[ResizeOp], d: int, size: Expr, target: Expr) -> Any:
    """The weight of each element of a spatial axis in each of the result, [target, size]."""
    this, (*_, scales) = of.op, of.arguments()
    found = op.resize1d(
        op.expand_dims(op.eye(size, dtype=of.type().dtype), [1]),
        [target],
        this.part(this.SPATIAL[d]) if this.crops else None,
        "NCW",
        this.method,
        this.coordinate_transformation_mode,
        this.rounding,
        this.cubic_alpha,
        this.cubic_exclude,
        0.0,
        None,
        None if scales is None else op.strided_slice(scales, [0], [d], [d + 1]),
        this.antialias,
    )
    return op.permute_dims(op.squeeze(found, [1]), [1, 0])


# Samples -----------------------------------------------------------------------------------------

Tap: TypeAlias = tuple[Any, Any]
"""Positions along an axis, as integral floats that may be out of bounds, and the weights of the
elements."""


@expansion(ops.GridSampleOp, ops.GridSample3dOp)
def grid_sample(of: Applied[ops.SamplingOp]) -> Any:
    """The elements around each position, weighted by their distance, which depends on the grid, too."""
    this, sizes, rank = of.op, sizes_in_order(of), len(of.op.SPATIAL)
    x = op.permute_dims(of.x, [this.x_layout.index(d) for d in f"N{this.SPATIAL}C"])
    rows, grid = op.reshape(x, [symbolic.product([sizes[0], *sizes[2:]]), sizes[1]]), of.inputs[1]
    along_axes: list[list[Tap]] = []
    for d, size in enumerate(sizes[2:]):
        c = op.squeeze(op.strided_slice(grid, [-1], [rank - 1 - d], [rank - d]), [-1])
        along_axes.append(_taps(this, c, number(size, of.type().dtype)))
    image = op.expand_dims(op.arange(0, sizes[0], 1), list(range(1, rank + 1)))
    found = weighed(rows, image, sizes[2:], product(*along_axes))
    return op.permute_dims(found, [f"N{this.SPATIAL}C".index(d) for d in this.result_layout])


def weighed(rows: Any, image: Any, sizes: Sequence[Expr], taps: Any, join: Any = None) -> Any:
    """The weighted sum of elements of images, [all pixels, channels], by their positions along the axes,
    zero out of bounds; or another reduction `join`."""
    total: Any = None
    for tap in taps:
        place: Any = image
        weight: Any = None
        for (c, share), size in zip(tap, sizes):
            inside = op.logical_and(c >= 0.0, c < number(size, "f32"))
            share = op.where(inside, share, 0.0)
            weight = share if weight is None else weight * share
            place = place * number(size, "i64") + op.where(inside, c, 0.0).astype("i64")
        addend = op.take(rows, place, 0) * op.expand_dims(weight, [-1])
        total = addend if total is None else join(total, addend) if join else total + addend
    return total


def _taps(this: ops.SamplingOp, g: Any, size: Any) -> list[Tap]:
    """The taps around the positions that normalized coordinates from -1 to 1 denote."""
    c = (g + 1.0) * 0.5 * (size - 1.0) if this.align_corners else ((g + 1.0) * size - 1.0) * 0.5
    if this.method == "bicubic":
        low = op.floor(c)
        return [
            (_padded(this, low + float(k), size), _keys(c - low - float(k))) for k in (-1, 0, 1, 2)
        ]
    c = _padded(this, c, size)
    if this.method == "nearest":
        return [(op.round(c), op.ones_like(c))]
    low = op.floor(c)
    return [(low, 1.0 - (c - low)), (low + 1.0, c - low)]


def _padded(this: ops.SamplingOp, c: Any, size: Any) -> Any:
    """Positions clamped or reflected into the axis, or left out of bounds with zero padding."""
    if this.padding_mode == "zeros":
        return c
    if this.padding_mode == "reflection":
        low, high = (0.0, size - 1.0) if this.align_corners else (-0.5, size - 0.5)
        span = op.maximum(high - low, 1.0) if isinstance(size, Expression) else max(high - low, 1.0)
        distance = op.floor_mod(op.abs(c - low), 2.0 * span)
        c = op.where(distance > span, 2.0 * span - distance, distance) + low
    last = size - 1.0
    return op.where(c <= 0.0, 0.0, op.where(c >= last, last, c))


def _keys(distance: Any) -> Any:
    """The kernel of Keys (1981) with -0.75."""
    a, d = -0.75, op.abs(distance)
    near = ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0
    far = ((d - 5.0) * d + 8.0) * d - 4.0
    return op.where(d <= 1.0, near, op.where(d < 2.0, a * far, 0.0))


@adjoint(ops.AffineGridOp)
def affine_grid(of: Applied[ops.AffineGridOp], gy: Any) -> Any:
    """The cotangents times the coordinates that the map was applied to, summed over all positions; the
    coordinates are the grid of the identity."""
    given, batch, dtype = sizes_of(of.op.size) or (), of.sizes()[0], of.type().dtype
    sizes = [size for size in given if size is not None]
    if not sizes or None in given:
        raise GradientError(
            f"{describe(of.op)}: expected known sizes of the grid to differentiate it, found "
            f"{of.op.size.type}; name them by a relax.match_shape before it"
        )
    d, count = len(sizes), symbolic.product(sizes)
    identity = op.expand_dims(op.eye(d, d + 1, dtype=dtype), [0])
    places = op.reshape(op.affine_grid(identity, of.inputs[1], of.op.align_corners), [d, count])
    ones = op.ones_like(op.strided_slice(places, [0], [0], [1]))
    homogeneous = op.permute_dims(op.concat([places, ones], axis=0), [1, 0])
    return op.matmul(op.reshape(gy, [batch, d, count]), homogeneous), None
