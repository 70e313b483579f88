"""Activations of neural networks, and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, one_axis, real, tensor
from relax_dialect.ops.kinds import FOLLOW, K_BROADCAST, K_INJECTIVE, K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import FLOAT, Rank, tensor_type
from relax_dialect.ops.unary import FloatUnaryOp, UnaryOp


class ParametricOp(FloatUnaryOp):
    """An activation with numbers that shape it."""

    def coefficients(self) -> dict[str, float]:
        """Return the numbers that shape the activation, by name."""
        return {name: getattr(self, name) for name in self.PLAN.by_name}


@operator("relax.relu")
class ReluOp(UnaryOp):
    """The rectifier `maximum(x, 0)`; NaN stays NaN, and -0 stays -0."""


@operator("relax.relu6")
class Relu6Op(UnaryOp):
    """The rectifier cut off at six, `minimum(maximum(x, 0), 6)`; NaN stays NaN, and -0 stays -0."""


@operator("relax.leakyrelu")
class LeakyreluOp(ParametricOp):
    """`x` from zero on, `alpha * x` below (Maas, Hannun and Ng, 2013)."""

    alpha: float = real(default=0.01)


@operator("relax.prelu", K_BROADCAST, FOLLOW)
class PreluOp(OperatorOp):
    """`x` from zero on, `alpha * x` below, with one alpha for every index along an axis (He and others,
    2015).

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) -rank <= axis < rank.
    (C3) `alpha` is a vector, as long as x along the axis, or of length 1.
    """

    DEMAND: ClassVar = "alpha of length 1, or as long as x along the axis (C3)"

    x: Operand = tensor(FLOAT)
    alpha: Operand = tensor(FLOAT, Rank(1, "C3", "flatten it first"))
    axis: int = one_axis(default=1, required=True)

    def infer(self) -> Sequence[Attribute]:
        x, alpha = tensor_type(self.x), tensor_type(self.alpha)
        dtype = common_dtype(self, x, alpha)
        if x.shape is not None:
            place = self.axis_of(len(x.shape))
            size, own = x.shape[place], None if alpha.shape is None else alpha.shape[0]
            if size is not None and own is not None:
                lengths = (size, symbolic.const(1))
                if all(symbolic.differ_unless_empty(own, length) for length in lengths):
                    expected = f"alpha of length 1 or {size}, that of axis {place} (C3)"
                    self.fail(expected, str(own), "slice it, or correct the axis")
        return (TensorType.get(x.shape, dtype),)


@operator("relax.elu")
class EluOp(ParametricOp):
    """The exponential linear unit: `x` from zero on, `alpha * (exp(x) - 1)` below (Clevert, Unterthiner
    and Hochreiter, 2015)."""

    alpha: float = real(default=1.0)


@operator("relax.celu")
class CeluOp(ParametricOp):
    """`x` from zero on, `alpha * (exp(x / alpha) - 1)` below (Barron, 2017).

    (C2) alpha is not zero.
    """

    alpha: float = real(default=1.0)

    def infer(self) -> Sequence[Attribute]:
        if self.alpha == 0:
            self.fail("alpha to be another number than zero (C2)", "0", "use relax.relu")
        return super().infer()


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""For which activations keep mean 0 and variance 1 from layer to layer (Klambauer and others, 2017)."""


@operator("relax.selu")
class SeluOp(FloatUnaryOp):
    """The exponential linear unit that normalizes itself, `scale * elu(x, alpha)` with alpha =
    1.6732632423543772 and scale = 1.0507009873554805 (Klambauer and others, 2017)."""


@operator("relax.silu")
class SiluOp(FloatUnaryOp):
    """The sigmoid linear unit `x * sigmoid(x)` (Elfwing, Uchibe and Doya, 2017)."""


@operator("relax.gelu")
class GeluOp(FloatUnaryOp):
    """The Gaussian error linear unit `x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 2016)."""


@operator("relax.gelu_tanh")
class GeluTanhOp(FloatUnaryOp):
    """An approximation of gelu: `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2`."""


@operator("relax.quick_gelu")
class QuickGeluOp(FloatUnaryOp):
    """A coarser approximation of gelu: `x * sigmoid(1.702 * x)` (Hendrycks and Gimpel, 2016)."""


@operator("relax.hard_sigmoid")
class HardSigmoidOp(FloatUnaryOp):
    """The line `x / 6 + 1 / 2`, cut off at 0 and 1."""


@operator("relax.hard_swish")
class HardSwishOp(FloatUnaryOp):
    """`x * hard_sigmoid(x)` (Howard and others, 2019)."""


@operator("relax.hard_tanh")
class HardTanhOp(ParametricOp):
    """x, cut off at `min` and `max`; NaN stays NaN.

    (C2) min <= max.
    """

    min: float = real(default=-1.0)
    max: float = real(default=1.0)

    def infer(self) -> Sequence[Attribute]:
        if not self.min <= self.max:
            found = f"{self.min} and {self.max}"
            self.fail("min to be at most max (C2)", found, "exchange them")
        return super().infer()


@operator("relax.softplus")
class SoftplusOp(ParametricOp):
    """The smooth rectifier `log(1 + exp(beta * x)) / beta`, and x itself if `beta * x` is above the
    threshold.

    (C2) beta is greater than zero.
    """

    beta: float = real(default=1.0, above=0, constraint="C2")
    threshold: float = real(default=20.0)


@operator("relax.softsign")
class SoftsignOp(FloatUnaryOp):
    """`x / (1 + abs(x))`."""


@operator("relax.mish")
class MishOp(FloatUnaryOp):
    """`x * tanh(log(1 + exp(x)))` (Misra, 2019)."""


@operator("relax.log_sigmoid")
class LogSigmoidOp(FloatUnaryOp):
    """`log(sigmoid(x))`, without overflow."""


@operator("relax.thresholded_relu")
class ThresholdedReluOp(ParametricOp):
    """`x` above alpha, else 0."""

    alpha: float = real(default=1.0)


@operator("relax.hard_shrink")
class HardShrinkOp(ParametricOp):
    """0 within `lambd` of zero, else x; NaN stays NaN."""

    lambd: float = real(default=0.5)


@operator("relax.soft_shrink")
class SoftShrinkOp(ParametricOp):
    """x moved by `lambd` towards zero, 0 where it is not further away than that."""

    lambd: float = real(default=0.5)


@operator("relax.tanh_shrink")
class TanhShrinkOp(FloatUnaryOp):
    """`x - tanh(x)`."""


class AxisActivationOp(OperatorOp):
    """An activation that looks at all elements along one axis.

    (C1) The element type is a floating-point type.
    (C2) -rank <= axis < rank.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE

    x: Operand = tensor(FLOAT)
    axis: int = one_axis(default=-1, required=True)


@operator("relax.softmax")
class SoftmaxOp(AxisActivationOp):
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along one axis."""


@operator("relax.log_softmax")
class LogSoftmaxOp(AxisActivationOp):
    """`x - max(x) - log(sum(exp(x - max(x))))` along one axis."""


@operator("relax.glu", K_INJECTIVE, FOLLOW)
class GluOp(AxisActivationOp):
    """The gated linear unit: the first half along an axis times the sigmoid of the second (Dauphin and
    others, 2016).

    (C3) The size along the axis is even, provably.
    """

    def result_shape(self, x: Dims) -> Dims:
        place = self.axis_of(len(x))
        size = x[place]
        return (*x[:place], None if size is None else self._half(size), *x[place + 1 :])

    def _half(self, size: symbolic.Expr) -> symbolic.Expr:
        try:
            half = symbolic.exact_quotient(size, symbolic.const(2))
        except SymbolicError:
            half = None
        if half is None:
            mend = "make it so by a relax.match_cast of x to a size such as 2 * m"
            self.fail("a provably even size along the axis (C3)", str(size), mend)
        return half


OPS = operators_in(globals())
