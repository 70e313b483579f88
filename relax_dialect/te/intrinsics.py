"""The functions of scalar expressions: `te.exp`, `te.maximum`, `te.if_then_else` and their like."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import Expr
from relax_dialect.te import scalar
from relax_dialect.te.dtypes import DType, kind
from relax_dialect.te.operations import ARITHMETIC
from relax_dialect.te.scalar import Scalar


def _unary(name: str) -> Callable[[object], Scalar]:
    def function(x: object) -> Scalar:
        return scalar.unary(name, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{ARITHMETIC[name].spelling}` of one element."
    return function


def _of_sizes(name: str, of_sizes: Callable[[Any, Any], Expr]) -> Callable[[object, object], Any]:
    """Return a function of two elements; of two sizes, one of which may be an integer, it returns a
    size."""
    of_elements = _binary(name)

    def function(a: object, b: object) -> Scalar | Expr:
        return of_sizes(a, b) if are_sizes(a, b) else of_elements(a, b)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{ARITHMETIC[name].spelling}` of two elements, or of two sizes as a size."
    return function


def are_sizes(a: object, b: object) -> bool:
    """Return whether two operands are sizes, at least one of them symbolic."""
    both = all(isinstance(operand, Expr | int) for operand in (a, b))
    return both and (isinstance(a, Expr) or isinstance(b, Expr))


def _binary(name: str) -> Callable[[object, object], Scalar]:
    def function(a: object, b: object) -> Scalar:
        return scalar.binary(name, a, b)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{ARITHMETIC[name].spelling}` of two elements."
    return function


abs = _unary("abs")
acos = _unary("acos")
acosh = _unary("acosh")
asin = _unary("asin")
asinh = _unary("asinh")
atan = _unary("atan")
atanh = _unary("atanh")
cbrt = _unary("cbrt")
ceil = _unary("ceil")
clz = _unary("clz")
contracted_erfc = _unary("contracted_erfc")
cos = _unary("cos")
cosh = _unary("cosh")
erf = _unary("erf")
erfc = _unary("erfc")
exp = _unary("exp")
exp2 = _unary("exp2")
exp_up_to_one = _unary("exp_up_to_one")
expm1 = _unary("expm1")
floor = _unary("floor")
log = _unary("log")
log10 = _unary("log10")
log1p = _unary("log1p")
log2 = _unary("log2")
popcount = _unary("popcount")
round = _unary("round")
rsqrt = _unary("rsqrt")
sin = _unary("sin")
sinh = _unary("sinh")
sqrt = _unary("sqrt")
tan = _unary("tan")
tanh = _unary("tanh")
trunc = _unary("trunc")

atan2 = _binary("atan2")
copysign = _binary("copysign")
fmax = _binary("fmax")
fmin = _binary("fmin")
maximum = _of_sizes("maximum", symbolic.maximum)
minimum = _of_sizes("minimum", symbolic.minimum)
power = _binary("power")
floordiv = _of_sizes("floordiv", symbolic.floordiv)
floormod = _of_sizes("rem", symbolic.floormod)
shift_left = _binary("shl")
shift_right = _binary("shr")


def truncdiv(a: object, b: object) -> Scalar:
    """Return the quotient rounded towards zero; of integers by zero it is 0."""
    return scalar.truncated("truncdiv", a, b)


def truncmod(a: object, b: object) -> Scalar:
    """Return the remainder of `truncdiv`, with the sign of `a`: `numpy.fmod`."""
    return scalar.truncated("rem", a, b)


def reinterpret(x: object, dtype: DType | str) -> Scalar:
    """Return the bits of an element as another type of the same width, as `tir.reinterpret`."""
    return scalar.reinterpret(x, dtype)


def _float(what: str, x: object) -> Scalar:
    value = scalar.as_scalar(x)
    if kind(value.dtype) != "float":
        raise RelaxError(
            f"te: '{what}' is defined on float types, found {value.dtype}; cast with .astype(...)"
        )
    return value


def isnan(x: object) -> Scalar:
    """Return whether a float is no number."""
    value = _float("isnan", x)
    return scalar.compare("ne", value, value)


def isinf(x: object) -> Scalar:
    """Return whether a float is infinite, of either sign."""
    return equal(abs(_float("isinf", x)), math.inf)


def isfinite(x: object) -> Scalar:
    """Return whether a float is neither infinite nor NaN."""
    return abs(_float("isfinite", x)) < math.inf


def sign(x: object) -> Scalar:
    """Return -1, 0 or 1; NaN stays."""
    value = scalar.as_scalar(x)
    rest = (
        select(value == 0, 0, value)
        if kind(value.dtype) == "float"
        else scalar.const(0, value.dtype)
    )
    if kind(value.dtype) != "unsigned":
        rest = select(value < 0, -1, rest)
    return select(value > 0, 1, rest)


def equal(a: object, b: object) -> Scalar:
    """`a == b`, also between two symbolic sizes, which Python's `==` compares while building."""
    return scalar.compare("eq", a, b)


def cast(value: object, dtype: DType | str) -> Scalar:
    """Return the value converted to another element type; a number takes that type at once."""
    return scalar.as_scalar(value, scalar.as_dtype(dtype)).astype(dtype)


def if_then_else(condition: object, a: object, b: object) -> Scalar:
    """Return `a` if the condition holds, else `b`; only the taken one reads its tensors."""
    return scalar.choice("if_then_else", condition, a, b, lazy=True)


def select(condition: object, a: object, b: object) -> Scalar:
    """Return `a` if the condition holds, else `b`; both are computed, so both must be in bounds."""
    return scalar.choice("select", condition, a, b, lazy=False)
