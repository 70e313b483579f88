"""Pools: windows of images reduced to their maximum or average, each channel by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import result_def

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, TensorType
from relax_dialect.ops.demands import Demand, not_empty, refuse_unmet
from relax_dialect.ops.fields import Axes, Operand, OptionalAxes, flag, ints, tensor
from relax_dialect.ops.kinds import FOLLOW, K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import NUMBER, tensor_type
from relax_dialect.ops.windows import (
    ELEMENTS,
    LayoutOp,
    Sizes,
    Window,
    WindowOp,
    axis_numbers,
    each_axis,
    image_layout,
    padding_numbers,
    result_layout,
)


class PoolOp(WindowOp):
    """A reduction of the windows of `pool_size` elements that slide over a padded x.

    A size h becomes `(h + before + after - d * (k - 1) - 1) floordiv s + 1`, with `ceil_mode` divided
    up: then the last window may reach beyond the padding, if it begins in x or in the padding before it.

    (C6) `pool_size` is one number, or one for each spatial axis, of 1 or more.
    """

    SPLIT: ClassVar = "C"
    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE
    PRECISION: ClassVar = FOLLOW

    x: Operand = tensor(NUMBER)
    pool_size: Axes = ints(default=1, required=True, meaning=each_axis)
    strides: Axes = axis_numbers(1)
    padding: Axes = padding_numbers()
    dilation: Axes = axis_numbers(1)
    ceil_mode: bool = flag(default=False)
    count_include_pad: bool = flag(default=False)
    layout: str = image_layout()
    out_layout: str = result_layout()

    def pool_windows(self) -> list[Window]:
        """Return the window along each spatial axis."""
        sizes = self.per_axis("pool_size", 1, "C6")
        return self.windows([symbolic.const(size) for size in sizes])

    def extents(self, x: Sizes) -> list[Dim]:
        """Return the spatial sizes of the result."""
        rounded_up = self.ceil_mode
        return [window.count(x[window.letter], rounded_up) for window in self.pool_windows()]

    def demands(self, x: Sizes) -> Iterator[Demand]:
        """Return the demands on sizes of x, as far as these are known."""
        return self.not_negative(self.extents(x))

    def infer(self) -> Sequence[Attribute]:
        type, sizes = tensor_type(self.x), self.x_sizes
        refuse_unmet(self, self.demands(sizes))
        extents = self.extents(sizes)
        return (TensorType.get(self.laid_out(sizes["N"], sizes["C"], extents), type.dtype),)


class MaxPoolOp(PoolOp):
    """The maximum of each window, NaN if it contains one. Padding is less than every number: a window
    without any element of x yields the least value of the type. (`count_include_pad` has no effect here; it
    keeps the order of the arguments.)
    """


class IndexedMaxPoolOp(PoolOp):
    """The maximum of each window, and the index of the first such element as i64: its linear index in x in
    the order N, C, spatial axes, whatever the layout is. With `column_major` the first spatial axis is the
    innermost one. A NaN counts as the maximum; a window without any element of x yields the least value of
    the type, and the index -1.
    """

    column_major: bool = flag(default=False)
    maxima = result_def(TensorType)
    indices = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        (maxima,) = super().infer()
        assert isinstance(maxima, TensorType)
        return maxima, TensorType.get(maxima.shape, i64)


class AveragePoolOp(PoolOp):
    """The mean of each window: of its elements of x, and 0 if it has none. With `count_include_pad` the sum
    is divided by the number of its elements in the padded x instead, as in PyTorch. Integers are
    accumulated in 64 bits, and their mean is rounded towards zero.
    """


class AdaptivePoolOp(LayoutOp):
    """A reduction of equal parts, `output_size` of them along each spatial axis.

    (C3) x has 1 or more elements along each spatial axis; checked at run time unless proved.
    (C4) `output_size` is one number, or one for each spatial axis, of 1 or more.
    """

    SPLIT: ClassVar = "C"
    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE
    PRECISION: ClassVar = FOLLOW

    x: Operand = tensor(NUMBER)
    output_size: OptionalAxes = ints(default=None, meaning=each_axis)
    layout: str = image_layout()
    out_layout: str = result_layout()

    def extents(self, x: Sizes) -> list[Dim]:
        """Return the spatial sizes of the result."""
        if self.output_size is None:
            return [x[letter] for letter in self.SPATIAL]
        return [symbolic.const(size) for size in self.per_axis("output_size", 1, "C4")]

    def demands(self, x: Sizes) -> Iterator[Demand]:
        """Return the demands on sizes of x, as far as these are known."""
        extents = [x[letter] for letter in self.SPATIAL]
        return not_empty(extents, self.SPATIAL, ELEMENTS, "C3", "there is nothing to reduce")

    def infer(self) -> Sequence[Attribute]:
        type, sizes = tensor_type(self.x), self.x_sizes
        refuse_unmet(self, self.demands(sizes))
        extents = self.extents(sizes)
        return (TensorType.get(self.laid_out(sizes["N"], sizes["C"], extents), type.dtype),)


class AdaptiveMaxPoolOp(AdaptivePoolOp):
    """The maximum of equal parts, NaN if it contains one: along each axis of h elements, result p reduces
    the elements from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes
    are those of x.
    """


class AdaptiveAveragePoolOp(AdaptivePoolOp):
    """The mean of equal parts: along each axis of h elements, result p reduces the elements from
    `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those of x.
    Integers are accumulated in 64 bits, and their mean is rounded towards zero.
    """


@operator("relax.max_pool1d")
class MaxPool1dOp(MaxPoolOp):
    SPATIAL: ClassVar = "W"


@operator("relax.max_pool2d")
class MaxPool2dOp(MaxPoolOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.max_pool3d")
class MaxPool3dOp(MaxPoolOp):
    SPATIAL: ClassVar = "DHW"


@operator("relax.max_pool1d_with_indices")
class MaxPool1dWithIndicesOp(IndexedMaxPoolOp):
    SPATIAL: ClassVar = "W"


@operator("relax.max_pool2d_with_indices")
class MaxPool2dWithIndicesOp(IndexedMaxPoolOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.max_pool3d_with_indices")
class MaxPool3dWithIndicesOp(IndexedMaxPoolOp):
    SPATIAL: ClassVar = "DHW"


@operator("relax.avg_pool1d")
class AvgPool1dOp(AveragePoolOp):
    SPATIAL: ClassVar = "W"


@operator("relax.avg_pool2d")
class AvgPool2dOp(AveragePoolOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.avg_pool3d")
class AvgPool3dOp(AveragePoolOp):
    SPATIAL: ClassVar = "DHW"


@operator("relax.adaptive_max_pool1d")
class AdaptiveMaxPool1dOp(AdaptiveMaxPoolOp):
    SPATIAL: ClassVar = "W"


@operator("relax.adaptive_max_pool2d")
class AdaptiveMaxPool2dOp(AdaptiveMaxPoolOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.adaptive_max_pool3d")
class AdaptiveMaxPool3dOp(AdaptiveMaxPoolOp):
    SPATIAL: ClassVar = "DHW"


@operator("relax.adaptive_avg_pool1d")
class AdaptiveAvgPool1dOp(AdaptiveAveragePoolOp):
    SPATIAL: ClassVar = "W"


@operator("relax.adaptive_avg_pool2d")
class AdaptiveAvgPool2dOp(AdaptiveAveragePoolOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.adaptive_avg_pool3d")
class AdaptiveAvgPool3dOp(AdaptiveAveragePoolOp):
    SPATIAL: ClassVar = "DHW"


OPS = operators_in(globals())
