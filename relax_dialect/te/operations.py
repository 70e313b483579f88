"""The scalar operations of tensor expressions: one table says what each is on every kind of type.

An empty column means that the operation is not defined there, and building it is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Operation


@dataclass(frozen=True)
class ScalarOp:
    """An operation with the same type for operands and result, by kind of that type."""

    spelling: str
    on_float: type[Operation] | None = None
    on_integer: type[Operation] | None = None
    on_bool: type[Operation] | None = None

    def on(self, kind: str) -> type[Operation] | None:
        return getattr(self, f"on_{kind}")


@dataclass(frozen=True)
class Comparison:
    """A comparison, giving `i1`: the predicates of `arith.cmpf` and `arith.cmpi`."""

    spelling: str
    on_float: str
    on_integer: str
    on_bool: str | None = None

    def on(self, kind: str) -> str | None:
        return getattr(self, f"on_{kind}")


ARITHMETIC: dict[str, ScalarOp] = {
    "add": ScalarOp("+", arith.AddfOp, arith.AddiOp),
    "sub": ScalarOp("-", arith.SubfOp, arith.SubiOp),
    "mul": ScalarOp("*", arith.MulfOp, arith.MuliOp),
    "div": ScalarOp("/", arith.DivfOp),
    "floordiv": ScalarOp("//", None, arith.FloorDivSIOp),
    "truncdiv": ScalarOp("//", None, arith.DivSIOp),
    "rem": ScalarOp("%", None, arith.RemSIOp),
    "and": ScalarOp("&", None, arith.AndIOp, arith.AndIOp),
    "or": ScalarOp("|", None, arith.OrIOp, arith.OrIOp),
    "xor": ScalarOp("^", None, arith.XOrIOp, arith.XOrIOp),
    "maximum": ScalarOp("maximum", arith.MaximumfOp, arith.MaxSIOp),
    "minimum": ScalarOp("minimum", arith.MinimumfOp, arith.MinSIOp),
    "power": ScalarOp("power", math.PowFOp),
    "neg": ScalarOp("unary -", arith.NegfOp),
    "abs": ScalarOp("abs", math.AbsFOp, math.AbsIOp),
    "exp": ScalarOp("exp", math.ExpOp),
    "log": ScalarOp("log", math.LogOp),
    "log2": ScalarOp("log2", math.Log2Op),
    "log1p": ScalarOp("log1p", math.Log1pOp),
    "expm1": ScalarOp("expm1", math.ExpM1Op),
    "sqrt": ScalarOp("sqrt", math.SqrtOp),
    "rsqrt": ScalarOp("rsqrt", math.RsqrtOp),
    "sin": ScalarOp("sin", math.SinOp),
    "cos": ScalarOp("cos", math.CosOp),
    "tan": ScalarOp("tan", math.TanOp),
    "tanh": ScalarOp("tanh", math.TanhOp),
    "erf": ScalarOp("erf", math.ErfOp),
    "floor": ScalarOp("floor", math.FloorOp),
    "ceil": ScalarOp("ceil", math.CeilOp),
    "round": ScalarOp("round", math.RoundEvenOp),
    "trunc": ScalarOp("trunc", math.TruncOp),
}

COMPARISONS: dict[str, Comparison] = {
    "lt": Comparison("<", "olt", "slt"),
    "le": Comparison("<=", "ole", "sle"),
    "gt": Comparison(">", "ogt", "sgt"),
    "ge": Comparison(">=", "oge", "sge"),
    "eq": Comparison("==", "oeq", "eq", "eq"),
    "ne": Comparison("!=", "une", "ne", "ne"),
}

SPECULATABLE = ARITHMETIC.keys() - {"floordiv", "truncdiv", "rem"}
"""What may run although its result is not needed: everything but division of integers."""
