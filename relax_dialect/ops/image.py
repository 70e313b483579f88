"""Operators on images: resize1d, resize2d, resize3d, grid_sample, affine_grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, ShapeType, TensorType
from relax_dialect.ops import resizing, vision
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, not_empty, refuse_unmet
from relax_dialect.ops.fields import (
    Operand,
    flag,
    operand,
    string,
    tensor,
)
from relax_dialect.ops.indices import equal_sizes
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.resizing import SizeField, target_shape
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import FLOAT, Rank, sizes_of, tensor_type
from relax_dialect.ops.vision import LEAVE_OUT
from relax_dialect.ops.windows import ELEMENTS, LayoutOp, Sizes, image_layout

SAMPLING = ("bilinear", "nearest", "bicubic")
PADDING = ("zeros", "border", "reflection")


class SamplingOp(LayoutOp):
    """Images sampled at the points of a grid."""

    SPLIT: ClassVar = "C"
    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    x: Operand = tensor(FLOAT.by("C4"))
    grid: Operand = tensor(FLOAT.by("C4"))
    method: str = string(default="bilinear", among=SAMPLING, constraint="C6")
    layout: str = image_layout()
    padding_mode: str = string(default="zeros", among=PADDING, constraint="C6")
    align_corners: bool = flag(default=False)

    def demands(self, x: Sizes, grid: Dims) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        yield from not_empty([x[d] for d in self.SPATIAL], self.SPATIAL, ELEMENTS, "C3", LEAVE_OUT)
        mend = "correct the shape of 'grid'"
        expected = "as many grids as images (C5)"
        yield from equal_sizes(expected, grid[0], x["N"], mend)
        count = {2: "two", 3: "three"}[len(self.SPATIAL)]
        expected = f"{count} coordinates in the last dimension of 'grid' (C5)"
        yield from equal_sizes(expected, grid[-1], symbolic.const(len(self.SPATIAL)), mend)

    def infer(self) -> Sequence[Attribute]:
        type, grid, sizes = tensor_type(self.x), tensor_type(self.grid), self.x_sizes
        dtype = common_dtype(self, type, grid, "C4")
        shape = grid.shape or (None,) * (len(self.SPATIAL) + 2)
        refuse_unmet(self, self.demands(sizes, shape))
        batch = shape[0] if sizes["N"] is None else sizes["N"]
        return (TensorType.get(self.laid_out(batch, sizes["C"], shape[1:-1]), dtype),)


@operator("relax.grid_sample")
class GridSampleOp(SamplingOp):
    """Images sampled at the coordinates `grid[n, y, x] = (gx, gy)`, where -1 and 1 are the edges of x: the
    centres of its outermost elements with `align_corners`, else their outer edges.

    Method "bilinear" weights the four elements around a point by their distance, "bicubic" sixteen by the
    kernel of Keys (1981) with -0.75, "nearest" takes one (halves round to the even index). Outside of x,
    padding mode "zeros" has zeros, "border" the elements at the edge, "reflection" those of x mirrored at
    its edges as often as needed. (Spatial transformer networks; Jaderberg and others, 2015.)

    (C3) x has 1 or more elements along each spatial axis; checked at run time unless proved.
    (C4) x and grid have one floating-point element type, which is that of the result.
    (C5) `grid` has the shape [n, h, w, 2] for n images; checked at run time unless proved.
    (C6) `method` and `padding_mode` are among these words.
    """

    SPATIAL: ClassVar = "HW"

    grid: Operand = tensor(FLOAT.by("C4"), Rank(4, "C5", "write a shape [n, h, w, 2]"))


@operator("relax.grid_sample3d")
class GridSample3dOp(SamplingOp):
    """Volumes sampled as images are (`relax.grid_sample`), at `grid[n, z, y, x] = (gx, gy, gz)`; "bilinear"
    weights the eight elements around a point.

    (C3) x has 1 or more elements along each spatial axis; checked at run time unless proved.
    (C4) x and grid have one floating-point element type, which is that of the result.
    (C5) `grid` has the shape [n, d, h, w, 3] for n volumes; checked at run time unless proved.
    (C6) `method` is "bilinear" or "nearest", `padding_mode` is among those of `relax.grid_sample`.
    """

    SPATIAL: ClassVar = "DHW"

    grid: Operand = tensor(FLOAT.by("C4"), Rank(5, "C5", "write a shape [n, d, h, w, 3]"))
    method: str = string(default="bilinear", among=SAMPLING[:2], constraint="C6")


@operator("relax.affine_grid", K_INJECTIVE, FOLLOW)
class AffineGridOp(OperatorOp):
    """The coordinates of a grid of `size` under affine maps: `result[n, :, y, x]` is
    `data[n] * (gx, gy, 1)`, where the coordinates gx and gy of the points run from -1 to 1, between the
    centres of the outermost points with `align_corners` (0 for a single point), else between their outer
    edges. For volumes `(gx, gy, gz, 1)`.

    (C1) The element type is a floating-point type.
    (C2) `size` holds two or three numbers.
    (C3) `data` has the shape [n, d, d + 1] for d numbers in `size`; checked at run time unless
         proved.
    """

    SPATIAL: ClassVar = "HW"
    """The axes to which a single number as `size` applies."""

    data: Operand = tensor(FLOAT, Rank(3, "C3", "write a shape [n, d, d + 1]"))
    size: SizeField = operand(ShapeType, make=target_shape)
    align_corners: bool = flag(default=True, shown=True)

    def demands(self, data: Dims, rank: int) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        for axis, wanted in ((1, rank), (2, rank + 1)):
            expected = (
                f"axis {axis} of 'data' to be {wanted} long for {rank} numbers in 'size' (C3)"
            )
            yield from equal_sizes(expected, data[axis], symbolic.const(wanted), "correct 'data'")

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.data)
        sizes = sizes_of(self.size)
        batch = None if type.shape is None else type.shape[0]
        if sizes is None:
            return (TensorType.get(None, type.dtype),)
        if len(sizes) not in (2, 3):
            self.fail("two or three numbers in 'size' (C2)", str(len(sizes)), "correct 'size'")
        if type.shape is not None:
            refuse_unmet(self, self.demands(type.shape, len(sizes)))
        return (TensorType.get((batch, symbolic.const(len(sizes)), *sizes), type.dtype),)


OPS = [*resizing.RESIZES, *operators_in(globals()), *vision.VISION]
