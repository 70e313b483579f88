"""Operators on images: resize1d, resize2d, resize3d, grid_sample, affine_grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, ShapeType, TensorType, is_element_type
from relax_dialect.ops import vision
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.create import Size
from relax_dialect.ops.demands import Demand, not_empty, refuse_unmet
from relax_dialect.ops.fields import (
    Held,
    OfClass,
    Operand,
    OptionalDtype,
    Reals,
    element_type,
    flag,
    operand,
    real,
    reals,
    string,
    tensor,
)
from relax_dialect.ops.indices import equal_sizes
from relax_dialect.ops.kinds import K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.type_rules import FLOAT, Rank, is_bool, sizes_of, tensor_type
from relax_dialect.ops.vision import ELEMENTS, LEAVE_OUT
from relax_dialect.ops.windows import LayoutOp, Sizes, image_layout

Target: TypeAlias = SSAValue | Operation | Size | Sequence[Size]

METHODS = ("nearest_neighbor", "linear", "cubic")
COORDINATES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
ROUNDING = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


SizeField: TypeAlias = Held[Target, SSAValue]


def target_shape(cls: type[Any], size: Target) -> SSAValue | Operation:
    """A shape value; one number stands for all axes of the images."""
    if isinstance(size, SSAValue | Operation):
        return size
    sizes = list(size) if isinstance(size, Sequence) and not isinstance(size, str) else [size]
    return ShapeOp(sizes * len(cls.SPATIAL) if len(sizes) == 1 else sizes)


class ResizeOp(LayoutOp):
    """Images of another size: element p of n along an axis of h elements is taken at the coordinate
    `(p + 1/2) * h / n - 1/2` ("half_pixel"), the same but 0 where n is 1 ("pytorch_half_pixel"),
    `(p + 1/2) * h / n` ("tf_half_pixel_for_nn"), `p * h / n` ("asymmetric"), or
    `p * (h - 1) / (n - 1)`, 0 where n is 1 ("align_corners"). Mode "tf_crop_and_resize" takes the part of
    an axis from `roi[start]` to `roi[end]`, where 0 is the first element and 1 the last: at
    `(start + p * (end - start) / (n - 1)) * (h - 1)`, the middle of both where n is 1; what is outside of
    x becomes `extrapolation_value`. (`roi` holds all starts, then all ends.)

    Method "linear" weighs the two elements around that by their distance, "cubic" the four around it by
    the convolution kernel of Keys (1981) with `cubic_alpha`; the elements at the edge are repeated, or
    with `cubic_exclude` left out. "nearest_neighbor" takes one element by `rounding_method` (halves go
    up by "round" and "round_prefer_ceil", down by "round_prefer_floor"; "" is "round" for
    "align_corners", else "floor"). Coordinates are exact. Weighted sums of an integer type are rounded to
    the nearest integer, halves to the even one.

    (C4) `size` holds one number for each spatial axis.
    (C5) `method`, `coordinate_transformation_mode` and `rounding_method` are among those words.
    (C6) `out_dtype` is an element type that tensors can have; booleans are only taken nearest.
    (C7) x has 1 or more elements along each spatial axis; checked at run time where it is not proved.
    (C8) `roi` holds two numbers for each spatial axis; it is given for mode "tf_crop_and_resize".
    """

    PATTERN_KIND: ClassVar = K_INJECTIVE

    ROUND: ClassVar[str] = ""
    """The default of `rounding_method`."""

    x: Operand = tensor()
    size: SizeField = operand(ShapeType, make=target_shape)
    roi: Reals = reals(default=None, absent=())
    layout: str = image_layout()
    method: str = string(default="linear", among=METHODS, constraint="C5")
    coordinate_transformation_mode: str = string(
        default="half_pixel", among=COORDINATES, constraint="C5"
    )
    rounding_method: str = string(
        default=OfClass(lambda cls: cls.ROUND), among=ROUNDING, constraint="C5"
    )
    cubic_alpha: float = real(default=-0.75)
    cubic_exclude: bool = flag(default=False)
    extrapolation_value: float = real(default=0.0)
    out_dtype: OptionalDtype = element_type(default=None)

    @property
    def rounding(self) -> str:
        """How the nearest element is found."""
        return self.rounding_method or (
            "round" if self.coordinate_transformation_mode == "align_corners" else "floor"
        )

    @property
    def crops(self) -> bool:
        """Whether a part of x is taken, beyond which there is `filler`."""
        return self.coordinate_transformation_mode == "tf_crop_and_resize"

    def part(self, letter: str) -> tuple[float, float]:
        """Where the part of an axis that is taken starts and ends."""
        rank, d = len(self.SPATIAL), self.SPATIAL.index(letter)
        numbers = self.roi
        if len(numbers) != 2 * rank:
            expected = f"{2 * rank} numbers in 'roi' for mode tf_crop_and_resize (C8)"
            self.fail(expected, str(len(numbers)), "give all starts, then all ends")
        return numbers[d], numbers[rank + d]

    @property
    def target(self) -> list[Dim]:
        """The spatial sizes of the result."""
        sizes = sizes_of(self.size)
        if sizes is not None and len(sizes) != len(self.SPATIAL):
            expected = f"a size for each of {', '.join(self.SPATIAL)} (C4)"
            self.fail(expected, f"{len(sizes)} sizes", "correct 'size'")
        return [None] * len(self.SPATIAL) if sizes is None else list(sizes)

    def demands(self, x: Sizes, target: Sequence[Dim]) -> Iterator[Demand]:
        """The demands on the sizes, as far as these are known."""
        extents = [x[letter] for letter in self.SPATIAL]
        yield from not_empty(extents, self.SPATIAL, ELEMENTS, "C7", LEAVE_OUT)
        yield from not_empty(target, self.SPATIAL, "a size of 1 or more", "C3", "correct 'size'")

    def result_dtype(self, given: Attribute | None) -> Attribute | None:
        """The element type of the result."""
        dtype = given if self.out_dtype is None else self.out_dtype
        if dtype is not None and not is_element_type(dtype):
            self.fail("an element type that tensors can have (C6)", str(dtype), "correct out_dtype")
        for each in (given, dtype):
            if each is not None and is_bool(each) and self.method != "nearest_neighbor":
                mend = 'convert with relax.astype, or resize with method "nearest_neighbor"'
                self.fail("a numeric element type to interpolate (C6)", str(each), mend)
        return dtype

    def infer(self) -> Sequence[Attribute]:
        type, sizes = tensor_type(self.x), self.x_sizes
        dtype, target = self.result_dtype(type.dtype), self.target
        if self.crops:
            self.part(self.SPATIAL[0])
        refuse_unmet(self, self.demands(sizes, target))
        return (TensorType.get(self.laid_out(sizes["N"], sizes["C"], target), dtype),)


@operator("relax.resize1d")
class Resize1dOp(ResizeOp):
    """Rows of another length."""

    SPATIAL: ClassVar = "W"


@operator("relax.resize2d")
class Resize2dOp(ResizeOp):
    """Images of another size."""

    SPATIAL: ClassVar = "HW"
    ROUND: ClassVar = "round"


@operator("relax.resize3d")
class Resize3dOp(ResizeOp):
    """Volumes of another size."""

    SPATIAL: ClassVar = "DHW"


SAMPLING = ("bilinear", "nearest", "bicubic")
PADDING = ("zeros", "border", "reflection")


@operator("relax.grid_sample", K_INJECTIVE)
class GridSampleOp(LayoutOp):
    """Images sampled at the coordinates `grid[n, y, x] = (gx, gy)`, where -1 and 1 are the edges of x: the
    centres of its outermost elements with `align_corners`, else their outer sides.

    Method "bilinear" weighs the four elements around a place by their distance, "bicubic" sixteen by the
    kernel of Keys (1981) with -0.75, "nearest" takes one (halves go to the even index). Outside of x,
    padding mode "zeros" has zeros, "border" the elements at the edge, "reflection" those of x mirrored
    at its edges as often as needed. (Spatial transformer networks; Jaderberg and others, 2015.)

    (C3) x has 1 or more elements along each spatial axis; checked at run time where it is not proved.
    (C4) x and grid have one floating-point element type, which is that of the result.
    (C5) `grid` has the shape [n, h, w, 2] for n images; checked at run time where it is not proved.
    (C6) `method` and `padding_mode` are among those words.
    """

    SPATIAL: ClassVar = "HW"

    x: Operand = tensor(FLOAT.by("C4"))
    grid: Operand = tensor(FLOAT.by("C4"), Rank(4, "C5", "give a shape [n, h, w, 2]"))
    method: str = string(default="bilinear", among=SAMPLING, constraint="C6")
    layout: str = image_layout()
    padding_mode: str = string(default="zeros", among=PADDING, constraint="C6")
    align_corners: bool = flag(default=False)

    def demands(self, x: Sizes, grid: Dims) -> Iterator[Demand]:
        """The demands on the sizes, as far as these are known."""
        yield from not_empty([x["H"], x["W"]], self.SPATIAL, ELEMENTS, "C3", LEAVE_OUT)
        mend = "correct the shape of 'grid'"
        expected = "as many grids as images (C5)"
        yield from equal_sizes(expected, grid[0], x["N"], mend)
        expected = "two coordinates in the last dimension of 'grid' (C5)"
        yield from equal_sizes(expected, grid[3], symbolic.const(2), mend)

    def infer(self) -> Sequence[Attribute]:
        type, grid, sizes = tensor_type(self.x), tensor_type(self.grid), self.x_sizes
        dtype = common_dtype(self, type, grid, "C4")
        shape = grid.shape or (None,) * 4
        refuse_unmet(self, self.demands(sizes, shape))
        batch = shape[0] if sizes["N"] is None else sizes["N"]
        return (TensorType.get(self.laid_out(batch, sizes["C"], shape[1:3]), dtype),)


@operator("relax.affine_grid", K_INJECTIVE)
class AffineGridOp(OperatorOp):
    """The coordinates of a grid of `size` under affine maps: `result[n, :, y, x]` is
    `data[n] * (gx, gy, 1)`, where the coordinates gx and gy of the places run from -1 to 1, between the
    centres of the outermost places with `align_corners` (0 where there is one place), else between
    their outer sides. For volumes `(gx, gy, gz, 1)`.

    (C1) The element type is a floating-point type.
    (C2) `size` holds two or three numbers.
    (C3) `data` has the shape [n, d, d + 1] for d numbers in `size`; checked at run time where it is
         not proved.
    """

    SPATIAL: ClassVar = "HW"
    """The axes that one number as `size` stands for."""

    data: Operand = tensor(FLOAT, Rank(3, "C3", "give a shape [n, d, d + 1]"))
    size: SizeField = operand(ShapeType, make=target_shape)
    align_corners: bool = flag(default=True, shown=True)

    def demands(self, data: Dims, rank: int) -> Iterator[Demand]:
        """The demands on the sizes, as far as these are known."""
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


OPS = [*operators_in(globals()), *vision.VISION]
