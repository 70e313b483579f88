"""The functions of scalar expressions: `te.exp`, `te.maximum`, `te.if_then_else` and their like."""

from __future__ import annotations

from collections.abc import Callable

from relax_dialect.te import scalar
from relax_dialect.te.dtypes import DType
from relax_dialect.te.operations import ARITHMETIC
from relax_dialect.te.scalar import Scalar


def _unary(name: str) -> Callable[[object], Scalar]:
    def function(x: object) -> Scalar:
        return scalar.unary(name, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{ARITHMETIC[name].spelling}` of one element."
    return function


def _binary(name: str) -> Callable[[object, object], Scalar]:
    def function(a: object, b: object) -> Scalar:
        return scalar.binary(name, a, b)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{ARITHMETIC[name].spelling}` of two elements."
    return function


abs = _unary("abs")
ceil = _unary("ceil")
cos = _unary("cos")
erf = _unary("erf")
exp = _unary("exp")
expm1 = _unary("expm1")
floor = _unary("floor")
log = _unary("log")
log1p = _unary("log1p")
log2 = _unary("log2")
round = _unary("round")
rsqrt = _unary("rsqrt")
sin = _unary("sin")
sqrt = _unary("sqrt")
tan = _unary("tan")
tanh = _unary("tanh")
trunc = _unary("trunc")

maximum = _binary("maximum")
minimum = _binary("minimum")
power = _binary("power")
floordiv = _binary("floordiv")
floormod = _binary("rem")


def equal(a: object, b: object) -> Scalar:
    """`a == b`, also between two symbolic sizes, which Python's `==` compares while building."""
    return scalar.compare("eq", a, b)


def cast(value: object, dtype: DType | str) -> Scalar:
    """The value converted to another element type; a number takes that type at once."""
    return scalar.as_scalar(value, scalar.as_dtype(dtype)).astype(dtype)


def if_then_else(condition: object, a: object, b: object) -> Scalar:
    """`a` where the condition holds, else `b`; only the taken one reads its tensors."""
    return scalar.choice("if_then_else", condition, a, b, lazy=True)


def select(condition: object, a: object, b: object) -> Scalar:
    """`a` where the condition holds, else `b`; both are computed, so both must be in bounds."""
    return scalar.choice("select", condition, a, b, lazy=False)
