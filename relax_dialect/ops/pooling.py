"""Pools: windows of images reduced to their maximum or average, each channel by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from relax_dialect import symbolic
from relax_dialect.ops.demands import Demand, refuse_unmet
from relax_dialect.ops.kinds import K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.rules import flag, require_float, require_number, tensor_type
from relax_dialect.ops.windows import (
    LayoutOp,
    Numbers,
    Sizes,
    Window,
    WindowOp,
    listed,
    text_attribute,
)
from relax_dialect.types import Dim, TensorType

Operand = SSAValue | Operation


class PoolOp(WindowOp):
    """A reduction of the windows of `pool_size` elements that slide over a padded x.

    A size h becomes `(h + before + after - d * (k - 1) - 1) floordiv s + 1`, with `ceil_mode` divided
    up: then the last window may reach beyond the padding, if it begins in x or in the padding before it.

    (C6) `pool_size` is one number, or one for each spatial axis, of 1 or more.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE

    x = operand_def(TensorType)
    pool_size = prop_def(DenseArrayBase)
    strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseArrayBase)
    dilation = opt_prop_def(DenseArrayBase)
    ceil_mode = opt_prop_def(IntegerAttr)
    count_include_pad = opt_prop_def(IntegerAttr)
    layout = opt_prop_def(StringAttr)
    out_layout = opt_prop_def(StringAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        pool_size: Numbers = 1,
        strides: Numbers = 1,
        padding: Numbers = 0,
        dilation: Numbers = 1,
        ceil_mode: bool = False,
        count_include_pad: bool = False,
        layout: str | None = None,
        out_layout: str | None = None,
    ):
        super().__init__(
            x,
            pool_size=[pool_size] if isinstance(pool_size, int) else pool_size,
            strides=listed(strides, 1),
            padding=listed(padding, 0),
            dilation=listed(dilation, 1),
            ceil_mode=ceil_mode or None,
            count_include_pad=count_include_pad or None,
            layout=text_attribute(layout, self.letters),
            out_layout=text_attribute(out_layout, layout or self.letters),
        )

    def pool_windows(self) -> list[Window]:
        """The window along each spatial axis."""
        sizes = self.per_axis("pool_size", 1, 1, "C6")
        return self.windows([symbolic.const(size) for size in sizes])

    def extents(self, x: Sizes) -> list[Dim]:
        """The spatial sizes of the result."""
        rounded_up = flag(self.ceil_mode)
        return [window.count(x[window.letter], rounded_up) for window in self.pool_windows()]

    def demands(self, x: Sizes) -> Iterator[Demand]:
        """What must hold of sizes of x, as far as they are known."""
        return self.positive(self.extents(x))

    def infer(self) -> Sequence[Attribute]:
        type, sizes = tensor_type(self.x), self.x_sizes
        require_number(self, type)
        refuse_unmet(self, self.demands(sizes))
        extents = self.extents(sizes)
        return (TensorType.get(self.laid_out(sizes["N"], sizes["C"], extents), type.dtype),)


class MaxPoolOp(PoolOp):
    """The maximum of each window."""


class AveragePoolOp(PoolOp):
    """The mean of each window: of the elements of x in it, with `count_include_pad` of those of the
    padded x.

    (C7) The element type is a floating-point type.
    """

    def infer(self) -> Sequence[Attribute]:
        require_float(self, tensor_type(self.x), "C7")
        return super().infer()


class AdaptivePoolOp(LayoutOp):
    """A reduction of equal parts, `output_size` of them along each spatial axis.

    (C4) `output_size` is one number, or one for each spatial axis, of 1 or more.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE

    x = operand_def(TensorType)
    output_size = opt_prop_def(DenseArrayBase)
    layout = opt_prop_def(StringAttr)
    out_layout = opt_prop_def(StringAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        output_size: Numbers | None = None,
        layout: str | None = None,
        out_layout: str | None = None,
    ):
        super().__init__(
            x,
            output_size=[output_size] if isinstance(output_size, int) else output_size,
            layout=text_attribute(layout, self.letters),
            out_layout=text_attribute(out_layout, layout or self.letters),
        )

    def extents(self, x: Sizes) -> list[Dim]:
        """The spatial sizes of the result."""
        if self.output_size is None:
            return [x[letter] for letter in self.SPATIAL]
        return [symbolic.const(size) for size in self.per_axis("output_size", 1, 1, "C4")]

    def demands(self, x: Sizes) -> Iterator[Demand]:
        """What must hold of sizes of x, as far as they are known."""
        return self.positive(
            [x[letter] for letter in self.SPATIAL], "x", "there is nothing to reduce"
        )

    def infer(self) -> Sequence[Attribute]:
        type, sizes = tensor_type(self.x), self.x_sizes
        require_number(self, type)
        refuse_unmet(self, self.demands(sizes))
        extents = self.extents(sizes)
        return (TensorType.get(self.laid_out(sizes["N"], sizes["C"], extents), type.dtype),)


class AdaptiveMaxPoolOp(AdaptivePoolOp):
    """The maximum of each part."""


class AdaptiveAveragePoolOp(AdaptivePoolOp):
    """The mean of each part.

    (C5) The element type is a floating-point type.
    """

    def infer(self) -> Sequence[Attribute]:
        require_float(self, tensor_type(self.x), "C5")
        return super().infer()


@irdl_op_definition
class MaxPool1dOp(MaxPoolOp):
    """The maximum of each window over sequences, NaN where there is one. Padding is less than every number:
    a window without any element of x gives the least value of the type. (`count_include_pad` says
    nothing here; it keeps the order of the arguments.)
    """

    name = "relax.max_pool1d"
    SPATIAL: ClassVar = "W"


@irdl_op_definition
class MaxPool2dOp(MaxPoolOp):
    """The maximum of each window over images, NaN where there is one. Padding is less than every number:
    a window without any element of x gives the least value of the type. (`count_include_pad` says
    nothing here; it keeps the order of the arguments.)
    """

    name = "relax.max_pool2d"
    SPATIAL: ClassVar = "HW"


@irdl_op_definition
class MaxPool3dOp(MaxPoolOp):
    """The maximum of each window over volumes, NaN where there is one. Padding is less than every number:
    a window without any element of x gives the least value of the type. (`count_include_pad` says
    nothing here; it keeps the order of the arguments.)
    """

    name = "relax.max_pool3d"
    SPATIAL: ClassVar = "DHW"


@irdl_op_definition
class AvgPool1dOp(AveragePoolOp):
    """The mean of each window over sequences: of its elements of x, and 0 where it has none. With
    `count_include_pad` the sum is divided by the size of the window instead.
    """

    name = "relax.avg_pool1d"
    SPATIAL: ClassVar = "W"


@irdl_op_definition
class AvgPool2dOp(AveragePoolOp):
    """The mean of each window over images: of its elements of x, and 0 where it has none. With
    `count_include_pad` the sum is divided by the size of the window instead.
    """

    name = "relax.avg_pool2d"
    SPATIAL: ClassVar = "HW"


@irdl_op_definition
class AvgPool3dOp(AveragePoolOp):
    """The mean of each window over volumes: of its elements of x, and 0 where it has none. With
    `count_include_pad` the sum is divided by the size of the window instead.
    """

    name = "relax.avg_pool3d"
    SPATIAL: ClassVar = "DHW"


@irdl_op_definition
class AdaptiveMaxPool1dOp(AdaptiveMaxPoolOp):
    """The maximum of equal parts of sequences, NaN where there is one: along each axis of h elements the
    result p reduces those from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By
    default the sizes are those of x.
    """

    name = "relax.adaptive_max_pool1d"
    SPATIAL: ClassVar = "W"


@irdl_op_definition
class AdaptiveMaxPool2dOp(AdaptiveMaxPoolOp):
    """The maximum of equal parts of images, NaN where there is one: along each axis of h elements the
    result p reduces those from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By
    default the sizes are those of x.
    """

    name = "relax.adaptive_max_pool2d"
    SPATIAL: ClassVar = "HW"


@irdl_op_definition
class AdaptiveMaxPool3dOp(AdaptiveMaxPoolOp):
    """The maximum of equal parts of volumes, NaN where there is one: along each axis of h elements the
    result p reduces those from `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By
    default the sizes are those of x.
    """

    name = "relax.adaptive_max_pool3d"
    SPATIAL: ClassVar = "DHW"


@irdl_op_definition
class AdaptiveAvgPool1dOp(AdaptiveAveragePoolOp):
    """The mean of equal parts of sequences: along each axis of h elements the result p reduces those from
    `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those of x.
    """

    name = "relax.adaptive_avg_pool1d"
    SPATIAL: ClassVar = "W"


@irdl_op_definition
class AdaptiveAvgPool2dOp(AdaptiveAveragePoolOp):
    """The mean of equal parts of images: along each axis of h elements the result p reduces those from
    `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those of x.
    """

    name = "relax.adaptive_avg_pool2d"
    SPATIAL: ClassVar = "HW"


@irdl_op_definition
class AdaptiveAvgPool3dOp(AdaptiveAveragePoolOp):
    """The mean of equal parts of volumes: along each axis of h elements the result p reduces those from
    `p * h floordiv size` to before `(p + 1) * h / size`, rounded up. By default the sizes are those of x.
    """

    name = "relax.adaptive_avg_pool3d"
    SPATIAL: ClassVar = "DHW"


OPS: list[type[Operation]] = [
    MaxPool1dOp,
    MaxPool2dOp,
    MaxPool3dOp,
    AvgPool1dOp,
    AvgPool2dOp,
    AvgPool3dOp,
    AdaptiveMaxPool1dOp,
    AdaptiveMaxPool2dOp,
    AdaptiveMaxPool3dOp,
    AdaptiveAvgPool1dOp,
    AdaptiveAvgPool2dOp,
    AdaptiveAvgPool3dOp,
]
