"""relax-expand-math: math functions become arithmetic that compilers vectorise and that is the
same everywhere.

    %y = math.tanh %x : f32
->
    %0 = arith.maximumf %x, %cst : f32
    %1 = arith.minimumf %0, %cst_1 : f32
    %2 = arith.mulf %1, %1 : f32
    ...
    %y = arith.minimumf %20, %cst_9 : f32

The code has neither branches nor tables nor selects, on scalars as on vectors of f32. Constants
are hoisted to the top of the function. What the results are worth, with or without contraction of
`a * b + c`, against the exact value rounded to f32:

| op         | error at most | special values                                                  |
|------------|---------------|-----------------------------------------------------------------|
| math.exp   | 1.1 ulp       | exp(-inf) = 0, exp(+inf) = +inf, NaN stays; overflow gives +inf |
|            |               | and denormal results are rounded like the others                |
| math.tanh  | 7 ulp         | 1 and -1 from |x| = 9.4 on, keeps -0.0 and denormals, NaN stays |
| math.erf   | 7 ulp         | 1 and -1 from |x| = 4.1 on, keeps -0.0, NaN stays               |
| math.rsqrt | 1.5 ulp       | as 1 / sqrt(x)                                                  |

`docs/derive_math_coefficients.py` derives the coefficients. f64 and everything else stays as it is
(libm computes it), except `math.rsqrt`, which is expanded for every float type.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    ModuleOp,
    VectorType,
    f32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.arith_emitter import ArithEmitter, Float
from lowering.constants import ConstantPool
from relax_dialect.call_graph import ops_inside

LOG2_E = 1.44269502
LN2_HIGH = 0.693359375
"""355 / 512: its products with exponents are exact."""
LN2_LOW = -2.12194442e-4
"""ln(2) - LN2_HIGH."""
ROUNDER = 12582912.0
"""1.5 * 2**23: adding it rounds to an integer, which then stands in the low bits."""
ROUNDER_BITS = 0x4B400000

EXP = (0.49999994, 0.166665152, 0.041668456, 0.00836941879, 0.00138131448)
"""q with exp(r) = 1 + r + r * r * q(r) for |r| <= ln(2) / 2; relative error 3.3e-9."""

TANH = (
    (1.0, 0.133826867, 0.0034974576, 2.063582e-05, 1.33842883e-08),
    (1.0, 0.467160076, 0.0258843601, 0.000328851718, 7.79024845e-07),
)
"""P and Q with tanh(x) = x * P(x * x) / Q(x * x) for |x| <= 9.02; relative error 2.2e-8."""

ERF = (
    (1.12837923, 0.189879686, 0.0526793338, 0.00374284619, 0.000284339389, 2.05388415e-06),
    (1.0, 0.501609445, 0.113891453, 0.0149240205, 0.00115693349, 3.81022874e-05),
)
"""P and Q with erf(x) = x * P(x * x) / Q(x * x) for |x| <= 3.92; relative error 1.9e-8."""


def expand_exp(x: Float) -> Float:
    """exp(x) = 2**n * exp(r) with n = round(x / ln 2) and r = x - n * ln 2.

    The clamp keeps n small; its ends give +inf and 0. The power of two is multiplied in two halves,
    so that neither overflows and a denormal result is rounded once.
    """
    x = x.clamp(-104.0, 89.0)
    rounded = x * LOG2_E + ROUNDER
    n = rounded - ROUNDER
    r = n * -LN2_LOW + (n * -LN2_HIGH + x)
    y = (r.polynomial(EXP) * (r * r) + r) + 1.0
    exponent = rounded.bits() - ROUNDER_BITS
    half = exponent >> 1
    low, high = ((part + 127 << 23).as_float() for part in (half, exponent - half))
    return y * low * high


def _expand_odd(coefficients: Sequence[Sequence[float]], end: float) -> Callable[[Float], Float]:
    """x * P(x * x) / Q(x * x), which passes 1 before `end` and is cut off there."""
    numerator, denominator = coefficients

    def expand(x: Float) -> Float:
        x = x.clamp(-end, end)
        u = x * x
        return (x * u.polynomial(numerator) / u.polynomial(denominator)).clamp(-1.0, 1.0)

    return expand


_F32_EXPANSIONS: dict[type[Operation], Callable[[Float], Float]] = {
    math.ExpOp: expand_exp,
    math.TanhOp: _expand_odd(TANH, 9.4),
    math.ErfOp: _expand_odd(ERF, 4.1),
}


def expand_math(function: FuncOp) -> None:
    """Rewrite the math ops of a function to arithmetic, in place."""
    ops = [op for op in ops_inside(function) if type(op) in _F32_EXPANSIONS or _is_rsqrt(op)]
    ops = [op for op in ops if _is_rsqrt(op) or _element(op.operands[0]) == f32]
    if not ops:
        return
    constants = ConstantPool(function)
    for op in ops:
        operand, result = op.operands[0], op.results[0]
        new = _expand_rsqrt(op, constants) if _is_rsqrt(op) else _expand_f32(op, constants)
        new.name_hint = new.name_hint or result.name_hint or operand.name_hint
        result.replace_all_uses_with(new)
        op.detach()
        op.erase()


def _expand_f32(op: Operation, constants: ConstantPool) -> SSAValue:
    operand = op.operands[0]
    shape = operand.type if isinstance(operand.type, VectorType) else None
    return _F32_EXPANSIONS[type(op)](Float(ArithEmitter(op, constants, shape), operand)).ssa


def _expand_rsqrt(op: Operation, constants: ConstantPool) -> SSAValue:
    """1 / sqrt(x), of any float type."""
    operand = op.operands[0]
    if isinstance(operand.type, VectorType):
        one = DenseIntOrFPElementsAttr.from_list(operand.type, [1.0])
    else:
        assert isinstance(operand.type, AnyFloat)
        one = FloatAttr(1.0, operand.type)
    root = math.SqrtOp(operand)
    quotient = arith.DivfOp(constants.get(one), root.result)
    block = op.parent
    assert block is not None
    block.insert_ops_before([root, quotient], op)
    return quotient.result


def _is_rsqrt(op: Operation) -> bool:
    return isinstance(op, math.RsqrtOp)


def _element(value: SSAValue) -> object:
    """The element type of a vector, the type itself of a scalar."""
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


@dataclass(frozen=True)
class RelaxExpandMathPass(ModulePass):
    """math to arith: see this file's docstring."""

    name = "relax-expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.first_block is not None:
                expand_math(function)
