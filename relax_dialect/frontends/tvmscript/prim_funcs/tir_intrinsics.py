"""The functions of `T.` on scalars, by the names of tensor expressions' operations; used both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_dialect.te import intrinsics as f
from relax_dialect.te.operations import ARITHMETIC

UNARY = {
    "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan",
    "atanh": "atanh", "ceil": "ceil", "clz": "clz", "cos": "cos", "cosh": "cosh", "erf": "erf",
    "exp": "exp", "exp2": "exp2", "fabs": "abs", "abs": "abs", "floor": "floor", "log": "log",
    "log10": "log10", "log1p": "log1p", "log2": "log2", "nearbyint": "round", "popcount": "popcount",
    "round": "round", "rsqrt": "rsqrt", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "tan": "tan",
    "tanh": "tanh", "trunc": "trunc",
}  # fmt: skip
"""TVM's functions of one operand."""

BINARY = {
    "atan2": "atan2", "copysign": "copysign", "fmod": "rem", "max": "maximum", "min": "minimum",
    "pow": "power", "truncdiv": "truncdiv", "truncmod": "rem",
}  # fmt: skip
"""TVM's functions of two operands that are one operation of ours."""

LIBRARY = {"cbrt": "cbrt", "erfc": "erfc", "expm1": "expm1"}
"""Functions of the C library without a counterpart in TVM, by their C names."""

LIBRARY_OF = {ours: theirs for theirs, ours in LIBRARY.items()} | {"contracted_erfc": "erfc"}
"""The function of the library that an operation is written as."""

WRITTEN = {ours: theirs for theirs, ours in UNARY.items()} | {
    "abs": "abs", "round": "round", "exp_up_to_one": "exp", "atan2": "atan2", "copysign": "copysign",
    "maximum": "max", "minimum": "min", "power": "pow",
}  # fmt: skip
"""The names of operations in TIR."""

assert {*UNARY.values(), *BINARY.values(), *LIBRARY} <= ARITHMETIC.keys()


def hypot(a: Any, b: Any) -> Any:
    return f.sqrt(a * a + b * b)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + f.exp(-x))


COMPOSED: dict[str, Callable[..., Any]] = {
    "sigmoid": sigmoid,
    "hypot": hypot,
    "exp10": lambda x: f.power(10, x),
    "ldexp": lambda x, e: x * f.exp2(f.cast(e, x.dtype)),
    "isnan": f.isnan,
    "isinf": f.isinf,
    "isfinite": f.isfinite,
    "likely": lambda x: x,
    "fma": lambda a, b, c: a * b + c,
}
"""TVM's functions that are several operations of ours."""
