"""Activations of neural networks, and softmax."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import K_BROADCAST, K_INJECTIVE
from relax_dialect.ops.rules import common_dtype, normalize_axis, require_float, tensor_type
from relax_dialect.ops.unary import FloatUnaryOp, UnaryOp
from relax_dialect.types import TensorType

Operand = SSAValue | Operation


class ParametricOp(FloatUnaryOp):
    """An activation with numbers that shape it; they may be left out, and have a default then."""

    def __init__(self, x: Operand, **numbers: float):
        defaults = self.defaults()
        given = {
            name: FloatAttr(float(v), f64) for name, v in numbers.items() if v != defaults[name]
        }
        self.init_inferred([x], given)

    @classmethod
    @cache
    def defaults(cls) -> Mapping[str, float]:
        """The defaults of the numbers: those of the constructor."""
        parameters = inspect.signature(cls.__init__).parameters.values()
        return {p.name: p.default for p in parameters if p.default is not p.empty}

    def numbers(self) -> dict[str, float]:
        """The numbers that shape the activation, by name."""
        found = {name: getattr(self, name) for name in self.defaults()}
        return {
            name: self.defaults()[name] if value is None else float(value.value.data)
            for name, value in found.items()
        }


@irdl_op_definition
class ReluOp(UnaryOp):
    """The rectifier `maximum(x, 0)`; NaN stays NaN."""

    name = "relax.relu"


@irdl_op_definition
class Relu6Op(UnaryOp):
    """The rectifier cut off at six, `minimum(maximum(x, 0), 6)`; NaN stays NaN."""

    name = "relax.relu6"


@irdl_op_definition
class LeakyreluOp(ParametricOp):
    """`x` above zero, `alpha * x` below (Maas, Hannun and Ng, 2013)."""

    name = "relax.leakyrelu"

    alpha = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, alpha: float = 0.01):
        super().__init__(x, alpha=alpha)


@irdl_op_definition
class PreluOp(OperatorOp):
    """`x` above zero, `alpha * x` below, with one alpha for every place along an axis (He and others,
    2015).

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) -rank <= axis < rank.
    (C3) `alpha` is a vector, as long as x along the axis, or of length 1.
    """

    name = "relax.prelu"
    PATTERN_KIND: ClassVar = K_BROADCAST

    x = operand_def(TensorType)
    alpha = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(self, x: Operand, alpha: Operand, axis: int = 1):
        super().__init__(x, alpha, axis=axis)

    def infer(self) -> Sequence[Attribute]:
        x, alpha = tensor_type(self.x), tensor_type(self.alpha)
        dtype = common_dtype(self, x, alpha)
        require_float(self, x)
        require_float(self, alpha)
        if alpha.rank not in (None, 1):
            self.fail("a vector alpha (C3)", str(alpha), "flatten it first")
        if x.shape is not None:
            place = normalize_axis(self, self.axis.value.data, len(x.shape))
            size, own = x.shape[place], None if alpha.shape is None else alpha.shape[0]
            if size is not None and own is not None:
                lengths = (size, symbolic.const(1))
                if all(symbolic.provably_different(own, length) for length in lengths):
                    expected = f"alpha of length 1 or {size}, that of axis {place} (C3)"
                    self.fail(expected, str(own), "slice it, or correct the axis")
        return (TensorType.get(x.shape, dtype),)


@irdl_op_definition
class EluOp(ParametricOp):
    """The exponential linear unit: `x` above zero, `alpha * (exp(x) - 1)` below (Clevert, Unterthiner
    and Hochreiter, 2015)."""

    name = "relax.elu"

    alpha = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, alpha: float = 1.0):
        super().__init__(x, alpha=alpha)


@irdl_op_definition
class CeluOp(ParametricOp):
    """`x` above zero, `alpha * (exp(x / alpha) - 1)` below (Barron, 2017).

    (C2) alpha is not zero.
    """

    name = "relax.celu"

    alpha = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, alpha: float = 1.0):
        super().__init__(x, alpha=alpha)

    def infer(self) -> Sequence[Attribute]:
        if self.numbers()["alpha"] == 0:
            self.fail("alpha to be another number than zero (C2)", "0", "use relax.relu")
        return super().infer()


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""For which activations keep mean 0 and variance 1 from layer to layer (Klambauer and others, 2017)."""


@irdl_op_definition
class SeluOp(FloatUnaryOp):
    """The exponential linear unit that normalizes itself, `scale * elu(x, alpha)` with alpha =
    1.6732632423543772 and scale = 1.0507009873554805 (Klambauer and others, 2017)."""

    name = "relax.selu"


@irdl_op_definition
class SiluOp(FloatUnaryOp):
    """The sigmoid linear unit `x * sigmoid(x)` (Elfwing, Uchibe and Doya, 2017)."""

    name = "relax.silu"


@irdl_op_definition
class GeluOp(FloatUnaryOp):
    """The Gaussian error linear unit `x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 2016)."""

    name = "relax.gelu"


@irdl_op_definition
class GeluTanhOp(FloatUnaryOp):
    """An approximation of gelu: `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2`."""

    name = "relax.gelu_tanh"


@irdl_op_definition
class HardSigmoidOp(FloatUnaryOp):
    """The line `x / 6 + 1 / 2`, cut off at 0 and 1."""

    name = "relax.hard_sigmoid"


@irdl_op_definition
class HardSwishOp(FloatUnaryOp):
    """`x * hard_sigmoid(x)` (Howard and others, 2019)."""

    name = "relax.hard_swish"


@irdl_op_definition
class HardTanhOp(ParametricOp):
    """x, cut off at `min` and `max`; NaN stays NaN.

    (C2) min <= max.
    """

    name = "relax.hard_tanh"

    min = opt_prop_def(FloatAttr)
    max = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, min: float = -1.0, max: float = 1.0):
        super().__init__(x, min=min, max=max)

    def infer(self) -> Sequence[Attribute]:
        low, high = self.numbers().values()
        if not low <= high:
            self.fail("min to be at most max (C2)", f"{low} and {high}", "exchange them")
        return super().infer()


@irdl_op_definition
class SoftplusOp(ParametricOp):
    """The smooth rectifier `log(1 + exp(beta * x)) / beta`, and x itself where `beta * x` is above the
    threshold.

    (C2) beta is greater than zero.
    """

    name = "relax.softplus"

    beta = opt_prop_def(FloatAttr)
    threshold = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, beta: float = 1.0, threshold: float = 20.0):
        super().__init__(x, beta=beta, threshold=threshold)

    def infer(self) -> Sequence[Attribute]:
        if not self.numbers()["beta"] > 0:
            self.fail("beta greater than 0 (C2)", str(self.numbers()["beta"]), "correct beta")
        return super().infer()


@irdl_op_definition
class SoftsignOp(FloatUnaryOp):
    """`x / (1 + abs(x))`."""

    name = "relax.softsign"


@irdl_op_definition
class MishOp(FloatUnaryOp):
    """`x * tanh(log(1 + exp(x)))` (Misra, 2019)."""

    name = "relax.mish"


@irdl_op_definition
class LogSigmoidOp(FloatUnaryOp):
    """`log(sigmoid(x))`, without overflow."""

    name = "relax.log_sigmoid"


@irdl_op_definition
class ThresholdedReluOp(ParametricOp):
    """`x` above alpha, else 0."""

    name = "relax.thresholded_relu"

    alpha = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, alpha: float = 1.0):
        super().__init__(x, alpha=alpha)


@irdl_op_definition
class HardShrinkOp(ParametricOp):
    """0 within `lambd` of zero, else x; NaN stays NaN."""

    name = "relax.hard_shrink"

    lambd = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, lambd: float = 0.5):
        super().__init__(x, lambd=lambd)


@irdl_op_definition
class SoftShrinkOp(ParametricOp):
    """x moved by `lambd` towards zero, 0 where it is not further away than that."""

    name = "relax.soft_shrink"

    lambd = opt_prop_def(FloatAttr)

    def __init__(self, x: Operand, lambd: float = 0.5):
        super().__init__(x, lambd=lambd)


@irdl_op_definition
class TanhShrinkOp(FloatUnaryOp):
    """`x - tanh(x)`."""

    name = "relax.tanh_shrink"


class AlongAxisOp(OperatorOp):
    """An activation that looks at all elements along one axis.

    (C1) The element type is a floating-point type.
    (C2) -rank <= axis < rank.
    """

    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(self, x: Operand, axis: int = -1):
        super().__init__(x, axis=axis)

    def place(self, rank: int) -> int:
        """The axis, counted from the front."""
        return normalize_axis(self, self.axis.value.data, rank)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_float(self, type)
        if type.rank is not None:
            self.place(type.rank)
        return (type,)


@irdl_op_definition
class SoftmaxOp(AlongAxisOp):
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along one axis."""

    name = "relax.softmax"


@irdl_op_definition
class LogSoftmaxOp(AlongAxisOp):
    """`x - max(x) - log(sum(exp(x - max(x))))` along one axis."""

    name = "relax.log_softmax"


@irdl_op_definition
class GluOp(AlongAxisOp):
    """The gated linear unit: the first half along an axis times the sigmoid of the second (Dauphin and
    others, 2016).

    (C3) The size along the axis is even, provably.
    """

    name = "relax.glu"
    PATTERN_KIND: ClassVar = K_INJECTIVE

    def infer(self) -> Sequence[Attribute]:
        (type,) = super().infer()
        assert isinstance(type, TensorType)
        if type.shape is None:
            return (type,)
        place = self.place(len(type.shape))
        size = type.shape[place]
        half = None if size is None else self._half(size)
        return (TensorType.get((*type.shape[:place], half, *type.shape[place + 1 :]), type.dtype),)

    def _half(self, size: symbolic.Expr) -> symbolic.Expr:
        try:
            half = symbolic.exact_quotient(size, symbolic.const(2))
        except SymbolicError:
            half = None
        if half is None:
            mend = "make it so by a relax.match_cast of x to a size such as 2 * m"
            self.fail("a provably even size along the axis (C3)", str(size), mend)
        return half


OPS: list[type[Operation]] = [
    ReluOp,
    Relu6Op,
    LeakyreluOp,
    PreluOp,
    EluOp,
    CeluOp,
    SeluOp,
    SiluOp,
    GeluOp,
    GeluTanhOp,
    HardSigmoidOp,
    HardSwishOp,
    HardTanhOp,
    SoftplusOp,
    SoftsignOp,
    MishOp,
    LogSigmoidOp,
    ThresholdedReluOp,
    HardShrinkOp,
    SoftShrinkOp,
    TanhShrinkOp,
    SoftmaxOp,
    LogSoftmaxOp,
    GluOp,
]
