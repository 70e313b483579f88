"""Convolutions in one to three dimensions, and transposed ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from relax_dialect.ops.demands import Demand, divisible, guarded, refuse_unmet
from relax_dialect.ops.kinds import K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.rules import common_dtype, require_number, tensor_type
from relax_dialect.ops.windows import Numbers, Sizes, Window, WindowOp, listed, text_attribute
from relax_dialect.run_time_checks import hole
from relax_dialect.types import Dim, TensorType, as_dtype

Operand = SSAValue | Operation


class ConvolutionOp(WindowOp):
    """Windows of x times a kernel, summed over channels; the layouts say which axis is which.

    `groups` splits the channels: each group of the result's sees its own group of x's.

    (C1) x and `weight` have one numeric element type, which is that of the result; where
         `out_dtype` gives that, they may differ.
    (C6) `kernel_layout` names O, I and each spatial axis once; `weight` has one axis for each letter.
    (C7) `groups` is 1 or more, and divides the first channels of the kernel.
    (C8) x has as many channels as the kernel reads: those of I in each group.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE

    LAYOUT: ClassVar[str] = "data_layout"
    KERNEL: ClassVar[str]
    """The letters of the kernel's channels: first those that the groups split."""

    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(DenseArrayBase)
    dilation = opt_prop_def(DenseArrayBase)
    groups = opt_prop_def(IntegerAttr)
    data_layout = opt_prop_def(StringAttr)
    kernel_layout = opt_prop_def(StringAttr)
    out_layout = opt_prop_def(StringAttr)
    out_dtype = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    def init_convolution(
        self,
        x: Operand,
        weight: Operand,
        numbers: Mapping[str, tuple[Numbers, int]],
        groups: int,
        layouts: tuple[str | None, str | None, str | None],
        out_dtype: Attribute | str | None,
    ) -> None:
        """Initialise the op with what is not the default; numbers stand with theirs."""
        data, kernel, out = layouts
        super().__init__(
            x,
            weight,
            **{name: listed(*given) for name, given in numbers.items()},
            groups=None if groups == 1 else groups,
            data_layout=text_attribute(data, self.letters),
            kernel_layout=text_attribute(kernel, self.KERNEL + self.SPATIAL),
            out_layout=text_attribute(out, data or self.letters),
            out_dtype=None if out_dtype is None else as_dtype(out_dtype),
        )

    @property
    def group_count(self) -> int:
        count = 1 if self.groups is None else self.groups.value.data
        if count < 1:
            self.fail("1 or more groups (C7)", str(count), "leave out 'groups' for one")
        return count

    @property
    def weight_layout(self) -> str:
        return self.layout_of("kernel_layout", self.KERNEL + self.SPATIAL, "C6")

    @property
    def weight_sizes(self) -> Sizes:
        return self.sizes("weight", tensor_type(self.weight), self.weight_layout, "C6")

    def kernel_windows(self, weight: Sizes) -> list[Window]:
        """The kernel as a window along each spatial axis."""
        return self.windows([weight[letter] for letter in self.SPATIAL])

    @abstractmethod
    def channels(self, weight: Sizes) -> tuple[Dim, Dim]:
        """The channels that x must have, and those of the result."""

    @abstractmethod
    def extents(self, x: Sizes, weight: Sizes) -> list[Dim]:
        """The spatial sizes of the result."""

    def all_groups(self, channels: Dim) -> Dim:
        """The channels of all groups, of those that each group has."""
        return None if channels is None else guarded(lambda: channels * self.group_count)

    def demands(self, x: Sizes, weight: Sizes) -> Iterator[Demand]:
        """What must hold of sizes of x and the kernel, as far as they are known."""
        groups = self.group_count
        expected = f"{groups} groups to divide the channels {self.KERNEL[0]} of 'weight' (C7)"
        split = weight[self.KERNEL[0]]
        yield from divisible(expected, split, groups, "correct 'groups' or 'weight'")
        channels, wanted = x["C"], self.channels(weight)[0]
        if channels is not None and wanted is not None:
            expected = "x to have the channels that 'weight' reads (C8)"
            found = f"{hole(channels)} where it reads {hole(wanted)}"
            yield Demand(expected, channels, wanted, found, "correct x, 'weight' or 'groups'")
        yield from self.positive(self.extents(x, weight))

    def infer(self) -> Sequence[Attribute]:
        x, weight = tensor_type(self.x), tensor_type(self.weight)
        require_number(self, x)
        require_number(self, weight)
        dtype = self.out_dtype
        if dtype is None:
            dtype = common_dtype(self, x, weight)
        sizes, kernel = self.x_sizes, self.weight_sizes
        refuse_unmet(self, self.demands(sizes, kernel))
        channels, extents = self.channels(kernel)[1], self.extents(sizes, kernel)
        return (TensorType.get(self.laid_out(sizes["N"], channels, extents), dtype),)


class ForwardConvolutionOp(ConvolutionOp):
    """A convolution that is none turned round: strides s, dilation d, windows of k elements."""

    KERNEL: ClassVar[str] = "OI"

    def __init__(
        self,
        x: Operand,
        weight: Operand,
        strides: Numbers = 1,
        padding: Numbers = 0,
        dilation: Numbers = 1,
        groups: int = 1,
        data_layout: str | None = None,
        kernel_layout: str | None = None,
        out_layout: str | None = None,
        out_dtype: Attribute | str | None = None,
    ):
        numbers = {"strides": (strides, 1), "padding": (padding, 0), "dilation": (dilation, 1)}
        layouts = data_layout, kernel_layout, out_layout
        self.init_convolution(x, weight, numbers, groups, layouts, out_dtype)

    def channels(self, weight: Sizes) -> tuple[Dim, Dim]:
        return self.all_groups(weight["I"]), weight["O"]

    def extents(self, x: Sizes, weight: Sizes) -> list[Dim]:
        return [window.count(x[window.letter]) for window in self.kernel_windows(weight)]


class TransposedConvolutionOp(ConvolutionOp):
    """The transpose of a convolution as a linear map: strides s, dilation d, windows of k elements.

    (C9) `output_padding` is one number, or one for each spatial axis, of 0 or more, and less than the
         stride or the dilation of its axis.
    """

    KERNEL: ClassVar[str] = "IO"

    output_padding = opt_prop_def(DenseArrayBase)

    def __init__(
        self,
        x: Operand,
        weight: Operand,
        strides: Numbers = 1,
        padding: Numbers = 0,
        output_padding: Numbers = 0,
        dilation: Numbers = 1,
        groups: int = 1,
        data_layout: str | None = None,
        kernel_layout: str | None = None,
        out_layout: str | None = None,
        out_dtype: Attribute | str | None = None,
    ):
        numbers = {
            "output_padding": (output_padding, 0),
            "strides": (strides, 1),
            "padding": (padding, 0),
            "dilation": (dilation, 1),
        }
        layouts = data_layout, kernel_layout, out_layout
        self.init_convolution(x, weight, numbers, groups, layouts, out_dtype)

    def channels(self, weight: Sizes) -> tuple[Dim, Dim]:
        return weight["I"], self.all_groups(weight["O"])

    def output_paddings(self) -> tuple[int, ...]:
        """How many elements are added at the end, for each spatial axis."""
        found = self.per_axis("output_padding", 0, 0, "C9")
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


@irdl_op_definition
class Conv1dOp(ForwardConvolutionOp):
    """The cross-correlation of sequences with a kernel:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and the
    places k of the window (p and k run over one axis); x is padded with zeros. A size h becomes
    `(h + before + after - d * (k - 1) - 1) floordiv s + 1`.
    """

    name = "relax.conv1d"
    SPATIAL: ClassVar = "W"


@irdl_op_definition
class Conv2dOp(ForwardConvolutionOp):
    """The cross-correlation of images with a kernel:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and the
    places k of the window (p and k run over two axes); x is padded with zeros. A size h becomes
    `(h + before + after - d * (k - 1) - 1) floordiv s + 1`.
    """

    name = "relax.conv2d"
    SPATIAL: ClassVar = "HW"


@irdl_op_definition
class Conv3dOp(ForwardConvolutionOp):
    """The cross-correlation of volumes with a kernel:
    `y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])` over the channels i of the group and the
    places k of the window (p and k run over three axes); x is padded with zeros. A size h becomes
    `(h + before + after - d * (k - 1) - 1) floordiv s + 1`.
    """

    name = "relax.conv3d"
    SPATIAL: ClassVar = "DHW"


@irdl_op_definition
class Conv1dTransposeOp(TransposedConvolutionOp):
    """The transpose of a convolution of sequences:
    `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and places k of the
    window (both run over one axis); `padding` is cut off at both ends. A size h becomes
    `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`.
    """

    name = "relax.conv1d_transpose"
    SPATIAL: ClassVar = "W"


@irdl_op_definition
class Conv2dTransposeOp(TransposedConvolutionOp):
    """The transpose of a convolution of images:
    `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and places k of the
    window (both run over two axes); `padding` is cut off at both ends. A size h becomes
    `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`.
    """

    name = "relax.conv2d_transpose"
    SPATIAL: ClassVar = "HW"


@irdl_op_definition
class Conv3dTransposeOp(TransposedConvolutionOp):
    """The transpose of a convolution of volumes:
    `y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]` for all elements p of x and places k of the
    window (both run over three axes); `padding` is cut off at both ends. A size h becomes
    `(h - 1) * s + d * (k - 1) + 1 - before - after + output_padding`.
    """

    name = "relax.conv3d_transpose"
    SPATIAL: ClassVar = "DHW"


OPS: list[type[Operation]] = [
    Conv1dOp,
    Conv2dOp,
    Conv3dOp,
    Conv1dTransposeOp,
    Conv2dTransposeOp,
    Conv3dTransposeOp,
]
