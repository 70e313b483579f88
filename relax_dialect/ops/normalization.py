"""Normalizations of deep networks: elements scaled by the statistics of some axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, divisible
from relax_dialect.ops.norms import AffineNormOp, Axes, NormOp, affine, listed, on, real, unless
from relax_dialect.ops.rules import (
    normalize_axes,
    normalize_axis,
    require_at_least,
    require_float,
    require_rank,
    tensor_type,
)
from relax_dialect.types import Dims, TensorType

Operand = SSAValue | Operation


@irdl_op_definition
class BatchNormOp(AffineNormOp):
    """`gamma * (x - mean) / sqrt(var + epsilon) + beta` for each channel (Ioffe and Szegedy, 2015).

    With `training` mean and variance are those of x over all axes but that of the channels, and the
    moving ones become `(1 - momentum) * moving + momentum * own`; without, the moving ones are used
    and stay as they are. The results are the normalized x and the two moving statistics.
    """

    name = "relax.batch_norm"

    x = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    moving_mean = operand_def(TensorType)
    moving_var = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    epsilon = opt_prop_def(FloatAttr)
    center = opt_prop_def(IntegerAttr)
    scale = opt_prop_def(IntegerAttr)
    momentum = opt_prop_def(FloatAttr)
    training = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)
    new_mean = result_def(TensorType)
    new_var = result_def(TensorType)

    def __init__(
        self,
        x: Operand,
        gamma: Operand,
        beta: Operand,
        moving_mean: Operand,
        moving_var: Operand,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        momentum: float = 0.1,
        training: bool = True,
    ):
        properties = {
            "axis": axis,
            **affine(epsilon, center, scale),
            "momentum": unless(momentum, 0.1),
            "training": training and None,
        }
        self.init_inferred((x, gamma, beta, moving_mean, moving_var), properties, 3)

    @property
    def trains(self) -> bool:
        return on(self.training)

    @property
    def share(self) -> float:
        """How much of the new statistics goes into the moving ones."""
        return real(self.momentum, 0.1)

    def beside(self, rank: int) -> tuple[int, ...]:
        return (normalize_axis(self, self.axis.value.data, rank),)

    def over(self, rank: int) -> tuple[int, ...]:
        channel = self.beside(rank)
        return tuple(axis for axis in range(rank) if axis not in channel)

    def infer(self) -> Sequence[Attribute]:
        (type,) = super().infer()
        assert isinstance(type, TensorType)
        size = None if type.shape is None else type.shape[self.beside(len(type.shape))[0]]
        statistics = TensorType.get((size,), type.dtype)
        return (type, statistics, statistics)


class AxesNormOp(AffineNormOp):
    """A normalization over `axes`, each sample by itself."""

    x = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    result = result_def(TensorType)

    def over(self, rank: int) -> tuple[int, ...]:
        axes = self.properties["axes"]
        assert isinstance(axes, DenseArrayBase)
        return normalize_axes(self, axes, rank)


@irdl_op_definition
class LayerNormOp(AxesNormOp):
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes, whose sizes `gamma` and
    `beta` have (Ba et al., 2016)."""

    name = "relax.layer_norm"

    axes = prop_def(DenseArrayBase)
    epsilon = opt_prop_def(FloatAttr)
    center = opt_prop_def(IntegerAttr)
    scale = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        x: Operand,
        gamma: Operand,
        beta: Operand,
        axes: Axes,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
    ):
        super().__init__(
            x,
            gamma,
            beta,
            axes=listed(axes),
            **affine(epsilon, center, scale),
        )


class ChannelNormOp(AxesNormOp):
    """A normalization over `axes` whose `gamma` and `beta` have one number for each channel.

    (C4) `channel_axis` is within -rank..rank-1 and none of the axes.
    """

    def beside(self, rank: int) -> tuple[int, ...]:
        given = self.properties["channel_axis"]
        assert isinstance(given, IntegerAttr)
        axis = normalize_axis(self, given.value.data, rank, "C4")
        if axis in self.over(rank):
            expected = "a 'channel_axis' that is none of the axes (C4)"
            self.fail(expected, str(given.value.data), "leave it out of 'axes'")
        return (axis,)


@irdl_op_definition
class InstanceNormOp(ChannelNormOp):
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes, for each channel of each
    sample (Ulyanov et al., 2016)."""

    name = "relax.instance_norm"

    channel_axis = prop_def(IntegerAttr)
    axes = prop_def(DenseArrayBase)
    epsilon = opt_prop_def(FloatAttr)
    center = opt_prop_def(IntegerAttr)
    scale = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        x: Operand,
        gamma: Operand,
        beta: Operand,
        channel_axis: int,
        axes: Axes,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
    ):
        super().__init__(
            x,
            gamma,
            beta,
            channel_axis=channel_axis,
            axes=listed(axes),
            **affine(epsilon, center, scale),
        )


@irdl_op_definition
class GroupNormOp(ChannelNormOp):
    """`gamma * (x - mean(x)) / sqrt(var(x) + epsilon) + beta` over the axes and the channels of each of
    `num_groups` groups (Wu and He, 2018).

    (C5) `num_groups` is 1 or more, and divides the channels; checked at run time where not proved.
    """

    name = "relax.group_norm"

    num_groups = prop_def(IntegerAttr)
    channel_axis = prop_def(IntegerAttr)
    axes = prop_def(DenseArrayBase)
    epsilon = opt_prop_def(FloatAttr)
    center = opt_prop_def(IntegerAttr)
    scale = opt_prop_def(IntegerAttr)

    def __init__(
        self,
        x: Operand,
        gamma: Operand,
        beta: Operand,
        num_groups: int,
        channel_axis: int,
        axes: Axes,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
    ):
        super().__init__(
            x,
            gamma,
            beta,
            num_groups=num_groups,
            channel_axis=channel_axis,
            axes=listed(axes),
            **affine(epsilon, center, scale),
        )

    @property
    def groups(self) -> int:
        return self.num_groups.value.data

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        yield from super().demands(shapes)
        require_at_least(self, "num_groups", self.groups, 1, "C5")
        shape = shapes[0]
        if shape is not None:
            channels = shape[self.beside(len(shape))[0]]
            expected = f"{self.groups} groups to divide the channels of x (C5)"
            yield from divisible(expected, channels, self.groups, "correct 'num_groups'")


@irdl_op_definition
class RmsNormOp(NormOp):
    """`weight * x / sqrt(mean(x * x) + epsilon)` over the axes, whose sizes `weight` has (Zhang and
    Sennrich, 2019)."""

    name = "relax.rms_norm"

    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    axes = prop_def(DenseArrayBase)
    epsilon = opt_prop_def(FloatAttr)
    result = result_def(TensorType)

    def __init__(self, x: Operand, weight: Operand, axes: Axes = -1, epsilon: float = 1e-5):
        super().__init__(x, weight, axes=listed(axes), epsilon=unless(epsilon, 1e-5))

    def over(self, rank: int) -> tuple[int, ...]:
        return normalize_axes(self, self.axes, rank)


@irdl_op_definition
class LocalResponseNormOp(OperatorOp):
    """`x / (k + alpha * mean) ** beta`, where the mean is that of the squares of `size` channels beside
    one, missing ones counted as 0 (Krizhevsky et al., 2012). Axis 1 is that of the channels; the
    window begins `size floordiv 2` before.

    (C1) The element type is a floating-point type.
    (C2) x has rank 2 or more.
    (C3) `size` is 1 or more.
    """

    name = "relax.local_response_norm"

    x = operand_def(TensorType)
    size = prop_def(IntegerAttr)
    alpha = opt_prop_def(FloatAttr)
    beta = opt_prop_def(FloatAttr)
    k = opt_prop_def(FloatAttr)
    result = result_def(TensorType)

    def __init__(
        self, x: Operand, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
    ):
        super().__init__(
            x, size=size, alpha=unless(alpha, 1e-4), beta=unless(beta, 0.75), k=unless(k, 1.0)
        )

    @property
    def channels(self) -> int:
        """How many channels each mean is over."""
        return self.size.value.data

    @property
    def numbers(self) -> tuple[float, float, float]:
        """alpha, beta and k."""
        return real(self.alpha, 1e-4), real(self.beta, 0.75), real(self.k, 1.0)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_float(self, type)
        require_rank(self, type, 2, "C2")
        require_at_least(self, "size", self.channels, 1, "C3")
        return (type,)


@irdl_op_definition
class DropoutOp(OperatorOp):
    """x as it is, and a mask of ones: what dropping elements at a `rate` (Srivastava et al., 2014)
    means for a network that is no longer trained.

    (C1) The element type is a floating-point type.
    (C2) `rate` is within 0..1.
    """

    name = "relax.dropout"

    x = operand_def(TensorType)
    rate = opt_prop_def(FloatAttr)
    result = result_def(TensorType)
    mask = result_def(TensorType)

    def __init__(self, x: Operand, rate: float = 0.5):
        self.init_inferred((x,), {"rate": unless(rate, 0.5)}, 2)

    def infer(self) -> Sequence[Attribute]:
        type, rate = tensor_type(self.x), real(self.rate, 0.5)
        require_float(self, type)
        if not 0 <= rate <= 1:
            self.fail("a 'rate' from 0 to 1 (C2)", f"{rate:g}", "correct the rate")
        return (type, type)


OPS: list[type[Operation]] = [
    BatchNormOp,
    LayerNormOp,
    InstanceNormOp,
    GroupNormOp,
    RmsNormOp,
    LocalResponseNormOp,
    DropoutOp,
]
