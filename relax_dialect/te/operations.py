"""The scalar operations of tensor expressions: one table with the operation for every kind of type.

An empty column means that the operation is not defined there, and building it is an error. Unsigned
integers share the column of the signed ones by default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.mlir.mlir_ops import ErfcOp, RemFOp

AT_MOST_ZERO = "relax.at_most_zero"
"""The attribute of a function whose operand is known not to be above 0 (it may be NaN)."""


def exp_up_to_one(x: SSAValue) -> Operation:
    """Return the exponential of a value known not to be above 0."""
    op = math.ExpOp(x)
    op.attributes[AT_MOST_ZERO] = UnitAttr()
    return op


def contracted_erfc(x: SSAValue) -> Operation:
    """Return the complementary error function of a product, which may be taken exactly."""
    return ErfcOp(x, fastmath=FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT]))


@dataclass(frozen=True)
class ScalarOp:
    """An operation with the same type for operands and result, by kind of that type."""

    spelling: str
    on_float: Callable[..., Operation] | None = None
    on_integer: type[Operation] | None = None
    on_bool: type[Operation] | None = None
    on_unsigned: type[Operation] | None = None

    def on(self, kind: str) -> Callable[..., Operation] | None:
        if kind == "unsigned" and self.on_unsigned is None:
            kind = "integer"
        return getattr(self, f"on_{kind}")


@dataclass(frozen=True)
class Comparison:
    """A comparison with an `i1` result: the predicates of `arith.cmpf` and `arith.cmpi`."""

    spelling: str
    on_float: str
    on_integer: str
    on_bool: str | None = None

    def on(self, kind: str) -> str | None:
        if kind == "unsigned":
            return self.on_integer.replace("s", "u", 1)
        return getattr(self, f"on_{kind}")


ARITHMETIC: dict[str, ScalarOp] = {
    "add": ScalarOp("+", arith.AddfOp, arith.AddiOp, arith.OrIOp),
    "sub": ScalarOp("-", arith.SubfOp, arith.SubiOp),
    "mul": ScalarOp("*", arith.MulfOp, arith.MuliOp, arith.AndIOp),
    "div": ScalarOp("/", arith.DivfOp),
    "floordiv": ScalarOp("//", None, arith.FloorDivSIOp, None, arith.DivUIOp),
    "truncdiv": ScalarOp("truncdiv", None, arith.DivSIOp, None, arith.DivUIOp),
    "rem": ScalarOp("%", RemFOp, arith.RemSIOp, None, arith.RemUIOp),
    "and": ScalarOp("&", None, arith.AndIOp, arith.AndIOp),
    "or": ScalarOp("|", None, arith.OrIOp, arith.OrIOp),
    "xor": ScalarOp("^", None, arith.XOrIOp, arith.XOrIOp),
    "shl": ScalarOp("<<", None, arith.ShLIOp),
    "shr": ScalarOp(">>", None, arith.ShRSIOp, None, arith.ShRUIOp),
    "maximum": ScalarOp("maximum", arith.MaximumfOp, arith.MaxSIOp, arith.OrIOp, arith.MaxUIOp),
    "minimum": ScalarOp("minimum", arith.MinimumfOp, arith.MinSIOp, arith.AndIOp, arith.MinUIOp),
    "fmax": ScalarOp("fmax", arith.MaxnumfOp),
    "fmin": ScalarOp("fmin", arith.MinnumfOp),
    "power": ScalarOp("power", math.PowFOp, math.IPowIOp),
    "neg": ScalarOp("unary -", arith.NegfOp),
    "abs": ScalarOp("abs", math.AbsFOp, math.AbsIOp),
    "popcount": ScalarOp("popcount", None, math.CtPopOp),
    "clz": ScalarOp("clz", None, math.CountLeadingZerosOp),
    "atan2": ScalarOp("atan2", math.Atan2Op),
    "copysign": ScalarOp("copysign", math.CopySignOp),
    "round": ScalarOp("round", math.RoundEvenOp),
    "erfc": ScalarOp("erfc", ErfcOp),
    "contracted_erfc": ScalarOp("erfc", contracted_erfc),
    "exp_up_to_one": ScalarOp("exp", exp_up_to_one),
    **{
        name: ScalarOp(name, op)
        for name, op in {
            "acos": math.AcosOp,
            "acosh": math.AcoshOp,
            "asin": math.AsinOp,
            "asinh": math.AsinhOp,
            "atan": math.AtanOp,
            "atanh": math.AtanhOp,
            "cbrt": math.CbrtOp,
            "ceil": math.CeilOp,
            "cos": math.CosOp,
            "cosh": math.CoshOp,
            "erf": math.ErfOp,
            "exp": math.ExpOp,
            "exp2": math.Exp2Op,
            "expm1": math.ExpM1Op,
            "floor": math.FloorOp,
            "log": math.LogOp,
            "log10": math.Log10Op,
            "log1p": math.Log1pOp,
            "log2": math.Log2Op,
            "rsqrt": math.RsqrtOp,
            "sin": math.SinOp,
            "sinh": math.SinhOp,
            "sqrt": math.SqrtOp,
            "tan": math.TanOp,
            "tanh": math.TanhOp,
            "trunc": math.TruncOp,
        }.items()
    },
}

COMPARISONS: dict[str, Comparison] = {
    "lt": Comparison("<", "olt", "slt"),
    "le": Comparison("<=", "ole", "sle"),
    "gt": Comparison(">", "ogt", "sgt"),
    "ge": Comparison(">=", "oge", "sge"),
    "eq": Comparison("==", "oeq", "eq", "eq"),
    "ne": Comparison("!=", "une", "ne", "ne"),
}

INTERVALS = {
    **{"add": "+", "sub": "-", "mul": "*", "minimum": "min", "maximum": "max"},
    **{name: name for name in ("floordiv", "truncdiv", "rem", "and")},
}
"""The operations on integers whose ranges are known, by their names in the table of intervals."""

DIVISIONS = ("floordiv", "truncdiv", "rem")
SPECULATABLE = ARITHMETIC.keys() - {*DIVISIONS, "shl", "shr"}
"""Operations that may run although their results are not needed: all but division of integers and shifts,
which MLIR leaves undefined for some operands."""
