"""Operators that change the size of images: resize1d, resize2d, resize3d."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.types import Dim, Dims, ShapeType, TensorType
from relax_dialect.ops.create import Size
from relax_dialect.ops.demands import Demand, at_least, guarded, refuse_unmet
from relax_dialect.ops.fields import (
    Held,
    OfClass,
    Operand,
    OptionalDtype,
    OptionalOperand,
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
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.type_rules import FLOAT, Rank, is_bool, sizes_of, tensor_type
from relax_dialect.ops.vision import LEAVE_OUT
from relax_dialect.ops.windows import ELEMENTS, LayoutOp, Sizes, image_layout

Target: TypeAlias = SSAValue | Operation | Size | Sequence[Size]

METHODS = ("nearest_neighbor", "linear", "cubic")
COORDINATES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
    "half_pixel_symmetric",
)
ROUNDING = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


BY_SCALE: Mapping[str, Callable[[Any, Any, Any, Any], Any]] = {
    "half_pixel": lambda p, s, h, n: (p + 0.5) / s - 0.5,
    "pytorch_half_pixel": lambda p, s, h, n: (p + 0.5) / s - 0.5,
    "tf_half_pixel_for_nn": lambda p, s, h, n: (p + 0.5) / s,
    "asymmetric": lambda p, s, h, n: p / s,
    "align_corners": lambda p, s, h, n: p * (h - 1) / (s * h - 1),
    "half_pixel_symmetric": lambda p, s, h, n: h * 0.5 * (1 - n / (s * h)) + ((p + 0.5) / s - 0.5),
}
"""Maps index p of n to a coordinate on an axis of h elements under a scale s, all of one floating-point
type."""

ZERO_IF_SINGLE = ("pytorch_half_pixel", "align_corners")
"""The modes in which the only index of an axis maps to its first element."""

SizeField: TypeAlias = Held[Target, SSAValue]


def target_shape(cls: type[Any], size: Target) -> SSAValue | Operation:
    """Return a shape value; one number applies to all axes of the images."""
    if isinstance(size, SSAValue | Operation):
        return size
    sizes = list(size) if isinstance(size, Sequence) and not isinstance(size, str) else [size]
    return ShapeOp(sizes * len(cls.SPATIAL) if len(sizes) == 1 else sizes)


class ResizeOp(LayoutOp):
    """Resized images: element p of n along an axis of h elements is sampled at the coordinate
    `(p + 1/2) * h / n - 1/2` ("half_pixel"), the same but 0 if n is 1 ("pytorch_half_pixel"),
    `(p + 1/2) * h / n` ("tf_half_pixel_for_nn"), `p * h / n` ("asymmetric"), or `p * (h - 1) / (n - 1)`, 0
    if n is 1 ("align_corners"). With `scales` s, one for each spatial axis, `h / n` is `1 / s`, and n in
    "align_corners" is `s * h`, which may be a fraction; "half_pixel_symmetric" is "half_pixel" shifted so
    that the centre of the result is that of x. Mode "tf_crop_and_resize" crops each axis to the part from
    `roi[start]` to `roi[end]`, where 0 is the first element and 1 the last: at
    `(start + p * (end - start) / (n - 1)) * (h - 1)`, the midpoint if n is 1; points outside of x are
    `extrapolation_value`. (`roi` holds all starts, then all ends.)

    Method "linear" weights the two elements around the coordinate by their distance, "cubic" the four
    around it by the convolution kernel of Keys (1981) with `cubic_alpha`; elements at the edge are
    repeated, or excluded with `cubic_exclude`. With `antialias` the kernel of either is wider by `h / n`,
    or `1 / s`, if that is above 1, so that all elements count, and its weights are divided by their sum.
    "nearest_neighbor" takes one element by `rounding_method` (halves go up by "round" and
    "round_prefer_ceil", down by "round_prefer_floor"; "" is "round" for "align_corners", else "floor").
    Coordinates are exact; those by `scales` have their element type, f32 if that is narrower. Weighted sums
    of an integer type are rounded to the nearest integer, halves to the even one.

    (C4) `size` holds one number for each spatial axis.
    (C5) `method`, `coordinate_transformation_mode` and `rounding_method` are among those words.
    (C6) `out_dtype` is an element type that tensors can have; booleans are only taken nearest.
    (C7) x has 1 or more elements along each spatial axis, unless the result has none along it; checked at
         run time unless proved.
    (C8) `roi` holds two numbers for each spatial axis; it is required by mode "tf_crop_and_resize".
    (C9) `scales` holds one floating-point number for each spatial axis, checked at run time unless
         proved; that every size of the result is within 1 of `s * h` is checked at run time.
    (C10) `antialias` is for the methods "linear" and "cubic".
    """

    SPLIT: ClassVar = "C"
    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    ROUND: ClassVar[str] = ""
    """The default of `rounding_method`."""

    FITTING: ClassVar = (
        "every scale times the size of its axis within 1 of the size of the result (C9)"
    )

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
    scales: OptionalOperand = tensor(
        FLOAT.by("C9"), Rank(1, "C9", "write one scale for each spatial axis"), default=None
    )
    antialias: bool = flag(default=False)

    @property
    def rounding(self) -> str:
        """The rounding of coordinates to the nearest element."""
        return self.rounding_method or (
            "round" if self.coordinate_transformation_mode == "align_corners" else "floor"
        )

    @property
    def crops(self) -> bool:
        """Whether a part of x is taken, beyond which there is `filler`."""
        return self.coordinate_transformation_mode == "tf_crop_and_resize"

    def part(self, letter: str) -> tuple[float, float]:
        """Return the start and the end of the part of an axis that is sampled."""
        rank, d = len(self.SPATIAL), self.SPATIAL.index(letter)
        numbers = self.roi
        if len(numbers) != 2 * rank:
            expected = f"{2 * rank} numbers in 'roi' for mode tf_crop_and_resize (C8)"
            self.fail(expected, str(len(numbers)), "write all starts, then all ends")
        return numbers[d], numbers[rank + d]

    @property
    def target(self) -> list[Dim]:
        """The spatial sizes of the result."""
        sizes = sizes_of(self.size)
        if sizes is not None and len(sizes) != len(self.SPATIAL):
            expected = f"a size for each of {', '.join(self.SPATIAL)} (C4)"
            self.fail(expected, f"{len(sizes)} sizes", "correct 'size'")
        return [None] * len(self.SPATIAL) if sizes is None else list(sizes)

    @property
    def reach(self) -> int:
        """The distance from its centre at which the kernel of the method has weights."""
        return 1 if self.method == "linear" else 2

    def demands(
        self, x: Sizes, target: Sequence[Dim], scales: Dims | None = None
    ) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        for letter, size in zip(self.SPATIAL, target):
            least = None if size is None else guarded(partial(symbolic.minimum, size, 1))
            yield from at_least(f"{ELEMENTS} along {letter} (C7)", x[letter], least, LEAVE_OUT)
        if scales:
            rank = symbolic.const(len(self.SPATIAL))
            expected = f"a scale for each of {', '.join(self.SPATIAL)} (C9)"
            yield from equal_sizes(expected, scales[0], rank, "correct 'scales'")

    def result_dtype(self, given: Attribute | None) -> Attribute | None:
        """Return the element type of the result."""
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
        if self.antialias and self.method == "nearest_neighbor":
            mend = 'resize with method "linear" or "cubic", or leave antialias out'
            self.fail('the method "linear" or "cubic" for antialias (C10)', self.method, mend)
        scales = None if self.scales is None else tensor_type(self.scales).shape
        refuse_unmet(self, self.demands(sizes, target, scales))
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


RESIZES = operators_in(globals())
