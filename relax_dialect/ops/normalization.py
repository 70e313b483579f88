"""Normalizations of deep networks: elements scaled by the statistics of some axes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from xdsl.ir import Attribute
from xdsl.irdl import result_def

from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, divisible
from relax_dialect.ops.fields import Axes, Operand, flag, integer, one_axis, real, some_axes, tensor
from relax_dialect.ops.kinds import FOLLOW, K_OPAQUE
from relax_dialect.ops.norms import AffineNormOp, NormOp
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dim
from relax_dialect.ops.type_rules import FLOAT, LeastRank, tensor_type


@operator("relax.batch_norm")
class BatchNormOp(AffineNormOp):
    """`gamma * (x - mean) / sqrt(var + epsilon) + beta` for each channel (Ioffe and Szegedy, 2015).

    With `training` mean and variance are those of x over all axes but that of the channels, and the moving
    ones become `(1 - momentum) * moving + momentum * own`; without it, the moving ones are used and
    unchanged. The results are the normalized x and the two moving statistics.
    """

    moving_mean: Operand = tensor()
    moving_var: Operand = tensor()
    axis: int = one_axis(default=1, required=True)
    epsilon: float = real(default=1e-5)
    center: bool = flag(default=True)
    scale: bool = flag(default=True)
    momentum: float = real(default=0.1)
    training: bool = flag(default=True)
    result = result_def(TensorType)
    new_mean = result_def(TensorType)
    new_var = result_def(TensorType)

    def parameter_axes(self, rank: int) -> tuple[int, ...]:
        return (self.axis_of(rank),)

    def reduction_axes(self, rank: int) -> tuple[int, ...]:
        channel = self.parameter_axes(rank)
        return tuple(axis for axis in range(rank) if axis not in channel)

    def infer(self) -> Sequence[Attribute]:
        (type,) = super().infer()
        assert isinstance(type, TensorType)
        size = self.channels([tensor_type(operand).shape for operand in self.operands])
        statistics = TensorType.get((size,), type.dtype)
        return (type, statistics, statistics)

    def channels(self, shapes: Sequence[Dims | None]) -> Dim:
        """Return the number of channels: that of x or of one of the other operands, whichever is known."""
        x, *others = shapes
        sizes = [] if x is None else [x[self.parameter_axes(len(x))[0]]]
        sizes += [shape[0] for shape in others if shape]
        return shared_dim(self, sizes, "of the channels", "C3")


class AxesNormOp(AffineNormOp):
    """A normalization over `axes`, each sample by itself."""

    @property
    @abstractmethod
    def axes(self) -> tuple[int, ...]:
        """The axes that each sample is normalized over."""

    def reduction_axes(self, rank: int) -> tuple[int, ...]:
        return self.axes_of(rank)


@operator("relax.layer_norm", precision=FOLLOW)
class LayerNormOp(AxesNormOp):
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes, whose sizes `gamma` and
    `beta` have (Ba et al., 2016)."""

    axes: Axes = some_axes()
    epsilon: float = real(default=1e-5)
    center: bool = flag(default=True)
    scale: bool = flag(default=True)


class ChannelNormOp(AxesNormOp):
    """A normalization over `axes` whose `gamma` and `beta` have one number for each channel.

    (C4) `channel_axis` is within -rank..rank-1 and none of the axes.
    """

    @property
    @abstractmethod
    def channel_axis(self) -> int:
        """The axis of the channels."""

    def parameter_axes(self, rank: int) -> tuple[int, ...]:
        axis = self.axis_of(rank, "channel_axis")
        if axis in self.reduction_axes(rank):
            expected = "a 'channel_axis' that is none of the axes (C4)"
            self.fail(expected, str(self.channel_axis), "leave it out of 'axes'")
        return (axis,)


@operator("relax.instance_norm", precision=FOLLOW)
class InstanceNormOp(ChannelNormOp):
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes, for each channel of each
    sample (Ulyanov et al., 2016)."""

    channel_axis: int = one_axis("x", "C4")
    axes: Axes = some_axes()
    epsilon: float = real(default=1e-5)
    center: bool = flag(default=True)
    scale: bool = flag(default=True)


@operator("relax.group_norm", precision=FOLLOW)
class GroupNormOp(ChannelNormOp):
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes and the channels of each of
    `num_groups` groups (Wu and He, 2018).

    (C5) `num_groups` is 1 or more, and divides the channels; checked at run time unless proved.
    """

    num_groups: int = integer(least=1, constraint="C5")
    channel_axis: int = one_axis("x", "C4")
    axes: Axes = some_axes()
    epsilon: float = real(default=1e-5)
    center: bool = flag(default=True)
    scale: bool = flag(default=True)

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        yield from super().demands(shapes)
        shape = shapes[0]
        if shape is not None:
            channels = shape[self.parameter_axes(len(shape))[0]]
            expected = f"{self.num_groups} groups to divide the channels of x (C5)"
            yield from divisible(expected, channels, self.num_groups, "correct 'num_groups'")


@operator("relax.rms_norm", precision=FOLLOW)
class RmsNormOp(NormOp):
    """`weight * x / sqrt(mean(x * x) + epsilon)` over the axes, whose sizes `weight` has (Zhang and
    Sennrich, 2019)."""

    weight: Operand = tensor()
    axes: Axes = some_axes(default=-1, required=True)
    epsilon: float = real(default=1e-5)

    def reduction_axes(self, rank: int) -> tuple[int, ...]:
        return self.axes_of(rank)


@operator("relax.local_response_norm", K_OPAQUE)
class LocalResponseNormOp(OperatorOp):
    """`x / (k + alpha * mean) ** beta`, where the mean is that of the squares of `size` channels around
    one, missing ones counted as 0 (Krizhevsky et al., 2012). Axis 1 is that of the channels; the
    window begins `size floordiv 2` before.

    (C1) The element type is a floating-point type.
    (C2) x has rank 2 or more.
    (C3) `size` is 1 or more.
    """

    x: Operand = tensor(FLOAT, LeastRank(2, "C2"))
    size: int = integer(least=1, constraint="C3")
    alpha: float = real(default=1e-4)
    beta: float = real(default=0.75)
    k: float = real(default=1.0)


@operator("relax.dropout", K_OPAQUE, FOLLOW)
class DropoutOp(OperatorOp):
    """x unchanged, and a mask of ones: dropout at a `rate` (Srivastava et al., 2014) in inference.

    (C1) `rate` is within 0..1.
    """

    x: Operand = tensor()
    rate: float = real(default=0.5)
    result = result_def(TensorType)
    mask = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        if not 0 <= self.rate <= 1:
            self.fail("a 'rate' from 0 to 1 (C1)", f"{self.rate:g}", "correct the rate")
        return super().infer()


OPS = operators_in(globals())
