"""Convolutions in one to three dimensions, and transposed ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import Dim, TensorType
from relax_dialect.ops.demands import Demand, divisible, guarded, refuse_unmet
from relax_dialect.ops.fields import (
    Axes,
    OfClass,
    Operand,
    OptionalDtype,
    element_type,
    integer,
    string,
    tensor,
)
from relax_dialect.ops.kinds import ALWAYS, K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import NUMBER, tensor_type
from relax_dialect.ops.windows import (
    Sizes,
    Window,
    WindowOp,
    axis_numbers,
    image_layout,
    padding_numbers,
    result_layout,
)
from relax_dialect.prim.run_time_checks import hole


class KernelOp(WindowOp):
    """Windows of x and a kernel."""

    x: Operand = tensor(NUMBER)
    weight: Operand = tensor(NUMBER)


class StridesOp(KernelOp):
    """Windows with strides over a padded x."""

    strides: Axes = axis_numbers(1)
    padding: Axes = padding_numbers()


class OutputPaddingOp(StridesOp):
    """Windows whose result has more elements at its end."""

    output_padding: Axes = axis_numbers(0)


class ConvolutionOp(StridesOp):
    """Windows of x times a kernel, summed over channels; the layouts name the axes.

    `groups` splits the channels: each group of result channels reads its own group of x channels.

    (C1) x and `weight` have one numeric element type, which is that of the result; with
         `out_dtype`, which is that of the result, they may differ.
    (C6) `kernel_layout` names O, I and each spatial axis once; `weight` has one axis for each letter, and
         blocks of the size of their axis.
    (C7) `groups` is 1 or more, and divides the first channels of the kernel.
    (C8) x has as many channels as the kernel reads: those of I in each group.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE
    PRECISION: ClassVar = ALWAYS

    LAYOUT: ClassVar[str] = "data_layout"
    SPLIT: ClassVar = "COI"
    KERNEL: ClassVar[str]
    """The letters of the kernel's channels: the channels that the groups split come first."""

    dilation: Axes = axis_numbers(1)
    groups: int = integer(default=1, least=1, constraint="C7", mend="leave it out for one group")
    data_layout: str = image_layout()
    kernel_layout: str = string(default=OfClass(lambda cls: cls.KERNEL + cls.SPATIAL))
    out_layout: str = result_layout("data_layout")
    out_dtype: OptionalDtype = element_type(default=None)

    @property
    def group_count(self) -> int:
        return self.groups

    @property
    def weight_layout(self) -> str:
        return self.layout_of("kernel_layout", self.KERNEL + self.SPATIAL, "C6")

    @property
    def operand_layouts(self) -> Mapping[int, str]:
        return {0: self.x_layout, 1: self.weight_layout}

    @property
    def weight_sizes(self) -> Sizes:
        return self.sizes("weight", tensor_type(self.weight), self.weight_layout, "C6")

    def kernel_windows(self, weight: Sizes) -> list[Window]:
        """Return the kernel as a window along each spatial axis."""
        return self.windows([weight[letter] for letter in self.SPATIAL])

    @abstractmethod
    def channels(self, weight: Sizes) -> tuple[Dim, Dim]:
        """Return the channels that x must have, and those of the result."""

    @abstractmethod
    def extents(self, x: Sizes, weight: Sizes) -> list[Dim]:
        """Return the spatial sizes of the result."""

    def all_groups(self, channels: Dim) -> Dim:
        """Return the number of channels of all groups from that of each group."""
        return None if channels is None else guarded(lambda: channels * self.groups)

    def demands(self, x: Sizes, weight: Sizes) -> Iterator[Demand]:
        """Yield the demands on sizes of x and the kernel, as far as these are known."""
        groups = self.groups
        expected = f"{groups} groups to divide the channels {self.KERNEL[0]} of 'weight' (C7)"
        split = weight[self.KERNEL[0]]
        yield from divisible(expected, split, groups, "correct 'groups' or 'weight'")
        channels, wanted = x["C"], self.channels(weight)[0]
        if channels is not None and wanted is not None:
            expected = "x to have the channels that 'weight' reads (C8)"
            found = f"{hole(channels)} where it reads {hole(wanted)}"
            yield Demand(expected, channels, wanted, found, "correct x, 'weight' or 'groups'")
        yield from self.not_negative(self.extents(x, weight))

    def infer(self) -> Sequence[Attribute]:
        x, weight = tensor_type(self.x), tensor_type(self.weight)
        dtype = self.out_dtype
        if dtype is None:
            dtype = common_dtype(self, x, weight)
        sizes, kernel = self.x_sizes, self.weight_sizes
        refuse_unmet(self, self.demands(sizes, kernel))
        channels, extents = self.channels(kernel)[1], self.extents(sizes, kernel)
        return (TensorType.get(self.laid_out(sizes["N"], channels, extents), dtype),)


class ForwardConvolutionOp(ConvolutionOp):
    """The cross-correlation of x with a kernel, by strides s, dilation d and windows of k elements:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and the offsets
    k of the window (p and k run over the spatial axes); x is padded with zeros. A size h becomes
    `(h + before + after - d * (k - 1) - 1) floordiv s + 1`.
    """

    KERNEL: ClassVar[str] = "OI"

    def channels(self, weight: Sizes) -> tuple[Dim, Dim]:
        return self.all_groups(weight["I"]), weight["O"]

    def extents(self, x: Sizes, weight: Sizes) -> list[Dim]:
        return [window.count(x[window.letter]) for window in self.kernel_windows(weight)]


class TransposedConvolutionOp(ConvolutionOp, OutputPaddingOp):
    """The transpose of a convolution as a linear map, by strides s, dilation d and windows of k elements:
    `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and offsets k of the window
    (both run over the spatial axes); `padding` is cut off at both ends. A size h becomes
    `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`.

    (C9) `output_padding` is one number, or one for each spatial axis, of 0 or more, and less than the
         stride or the dilation of its axis.
    """

    KERNEL: ClassVar[str] = "IO"
    FIRST_IN_TEXT: ClassVar = ("output_padding",)

    def channels(self, weight: Sizes) -> tuple[Dim, Dim]:
        return weight["I"], self.all_groups(weight["O"])

    def output_paddings(self) -> tuple[int, ...]:
        """Return the number of elements added at the end, for each spatial axis."""
        found = self.per_axis("output_padding", 0, "C9")
        for window, more in zip(self.windows([None] * len(self.SPATIAL)), found):
            if more >= max(window.stride, window.dilation):
                self.fail(
                    f"an output padding along {window.letter} less than its stride or dilation (C9)",
                    str(more),
                    "correct 'output_padding'",
                )
        return found

    def extents(self, x: Sizes, weight: Sizes) -> list[Dim]:
        pairs = zip(self.kernel_windows(weight), self.output_paddings())
        return [window.spread(x[window.letter], more) for window, more in pairs]


@operator("relax.conv1d")
class Conv1dOp(ForwardConvolutionOp):
    SPATIAL: ClassVar = "W"


@operator("relax.conv2d")
class Conv2dOp(ForwardConvolutionOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.conv3d")
class Conv3dOp(ForwardConvolutionOp):
    SPATIAL: ClassVar = "DHW"


@operator("relax.conv1d_transpose")
class Conv1dTransposeOp(TransposedConvolutionOp):
    SPATIAL: ClassVar = "W"


@operator("relax.conv2d_transpose")
class Conv2dTransposeOp(TransposedConvolutionOp):
    SPATIAL: ClassVar = "HW"


@operator("relax.conv3d_transpose")
class Conv3dTransposeOp(TransposedConvolutionOp):
    SPATIAL: ClassVar = "DHW"


OPS = operators_in(globals())
