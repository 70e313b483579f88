"""The operators on scalars, as the interpreter computes them (docs/operators.md), by kind of element type.

An operator that no table has is a function of which only its arguments are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.prove.scalars import lemmas
from relax_dialect.prove.scalars.real_ops import REAL, WHOLE
from relax_dialect.prove.scalars.scalar_types import ScalarType, number
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.z3_package import z3

Operation = Callable[..., Any]
"""A function of the terms of a query, the type of the operands, and the operands."""

RNE, RTZ, RTN, RTP = z3.RNE(), z3.RTZ(), z3.RTN(), z3.RTP()


def _plain(function: Callable[..., Any]) -> Operation:
    return lambda terms, type, *args: function(*args)


def _costly(name: str, function: Callable[..., Any], commutes: bool = False) -> Operation:
    return lambda terms, type, *args: terms.costly((name, str(type)), args, function, commutes)


def _chosen(is_other: Callable[[Any, Any], Any]) -> Operation:
    """Return the second operand where it is chosen or NaN, else the first."""

    def function(terms: Terms, type: ScalarType, a: Any, b: Any) -> Any:
        other = z3.Or(is_other(a, b), z3.fpIsNaN(b)) if type.is_float else is_other(a, b)
        return z3.If(other, b, a)

    return function


def _rounded(mode: Any) -> Operation:
    return _plain(lambda x: lemmas.rounded(mode, x))


def _sign_of_float(terms: Terms, type: ScalarType, x: Any) -> Any:
    one, zero = number(1, type), number(0, type)
    signed = z3.If(z3.fpLT(x, zero), number(-1, type), zero)
    return z3.If(z3.fpIsNaN(x), x, z3.If(z3.fpGT(x, zero), one, signed))


def is_true(type: ScalarType, x: Any) -> Any:
    """Return whether a number is another than zero; a NaN is."""
    if type.kind == "bool":
        return x
    return z3.Not(z3.fpIsZero(x)) if type.is_float else x != 0


def _logical(function: Callable[..., Any]) -> Operation:
    return lambda terms, type, *args: function(*(is_true(type, x) for x in args))


def _power_of_float(terms: Terms, type: ScalarType, x: Any, y: Any) -> Any:
    """IEEE's pow: x to the power 1 is x, to 0 it is 1."""
    found = terms.function(("power", str(type)), [x, y], type.sort)
    found = z3.If(z3.fpEQ(y, number(1, type)), x, found)
    return z3.If(z3.fpIsZero(y), number(1, type), found)


def _clipped_power(terms: Terms, type: ScalarType, x: Any, y: Any) -> Any:
    """Return a power of integers; computed for small exponents that are known."""
    exponent = z3.simplify(y)
    if z3.is_bv_value(exponent) and exponent.as_long() < 4:
        result = number(1, type)
        for _ in range(exponent.as_long()):
            result = result * x
        return result
    return terms.function(("power", str(type)), [x, y], type.sort)


def _relu6(terms: Terms, type: ScalarType, x: Any) -> Any:
    return minimum(type, maximum(type, x, number(0, type)), number(6, type))


FLOAT: Mapping[str, Operation] = {
    "add": lemmas.sum,
    "subtract": lemmas.difference,
    "multiply": lemmas.product,
    "divide": lemmas.quotient,
    "sqrt": _costly("sqrt", lambda x: z3.fpSqrt(RNE, x)),
    "square": lambda terms, type, x: FLOAT["multiply"](terms, type, x, x),
    "reciprocal": lambda terms, type, x: FLOAT["divide"](terms, type, number(1, type), x),
    "power": _power_of_float,
    "negative": _plain(z3.fpNeg),
    "abs": _plain(z3.fpAbs),
    "sign": _sign_of_float,
    "floor": _rounded(RTN),
    "ceil": _rounded(RTP),
    "round": _rounded(RNE),
    "trunc": _rounded(RTZ),
    "maximum": _chosen(z3.fpLT),
    "minimum": _chosen(z3.fpGT),
    "isnan": _plain(z3.fpIsNaN),
    "isinf": _plain(z3.fpIsInf),
    "isfinite": _plain(lambda x: z3.Not(z3.Or(z3.fpIsNaN(x), z3.fpIsInf(x)))),
    "equal": _plain(z3.fpEQ),
    "not_equal": _plain(lambda a, b: z3.Not(z3.fpEQ(a, b))),
    "less": _plain(z3.fpLT),
    "less_equal": _plain(z3.fpLEQ),
    "greater": _plain(z3.fpGT),
    "greater_equal": _plain(z3.fpGEQ),
}


def _by_sign(signed: Callable[..., Any], unsigned: Callable[..., Any]) -> Operation:
    return lambda terms, type, *args: (signed if type.is_signed else unsigned)(*args)


def _divided(name: str, signed: Callable[..., Any], unsigned: Callable[..., Any]) -> Operation:
    """Return a quotient or remainder, which is 0 where the divisor is."""

    def function(terms: Terms, type: ScalarType, a: Any, b: Any) -> Any:
        divide = signed if type.is_signed else unsigned
        zero = number(0, type)
        safe = lambda x, y: z3.If(y == zero, zero, divide(x, y))  # noqa: E731
        return terms.costly((name, str(type)), [a, b], safe)

    return function


def _floor_quotient(a: Any, b: Any) -> Any:
    quotient, rest = a / b, z3.SRem(a, b)
    return z3.If(z3.And(rest != 0, (rest < 0) != (b < 0)), quotient - 1, quotient)


def _floor_remainder(a: Any, b: Any) -> Any:
    rest = z3.SRem(a, b)
    return z3.If(z3.And(rest != 0, (rest < 0) != (b < 0)), rest + b, rest)


def _abs_of_integer(x: Any) -> Any:
    return z3.If(x < 0, -x, x)


def _sign_of_integer(terms: Terms, type: ScalarType, x: Any) -> Any:
    zero = number(0, type)
    positive = z3.If(x == zero, zero, number(1, type))
    return z3.If(x < 0, number(-1, type), positive) if type.is_signed else positive


def _unchanged(terms: Terms, type: ScalarType, x: Any) -> Any:
    return x


def _square_of_integer(terms: Terms, type: ScalarType, x: Any) -> Any:
    """Return the square of each case of a choice."""
    x = z3.simplify(x)
    if z3.is_app_of(x, z3.Z3_OP_ITE):
        cases = (z3.simplify(_square_of_integer(terms, type, x.arg(i))) for i in (1, 2))
        return z3.If(x.arg(0), *cases)
    return INTEGER["multiply"](terms, type, x, x)


INTEGER: Mapping[str, Operation] = {
    "add": _plain(lambda a, b: a + b),
    "subtract": _plain(lambda a, b: a - b),
    "multiply": _costly("multiply", lambda a, b: a * b, commutes=True),
    "square": _square_of_integer,
    "divide": _divided("divide", lambda a, b: a / b, z3.UDiv),
    "floor_divide": _divided("floor_divide", _floor_quotient, z3.UDiv),
    "mod": _divided("mod", z3.SRem, z3.URem),
    "floor_mod": _divided("floor_mod", _floor_remainder, z3.URem),
    "power": _clipped_power,
    "negative": _plain(lambda x: -x),
    "abs": _by_sign(_abs_of_integer, lambda x: x),
    "sign": _sign_of_integer,
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), _unchanged),
    "maximum": _chosen(lambda a, b: a < b),
    "minimum": _chosen(lambda a, b: a > b),
    "bitwise_and": _plain(lambda a, b: a & b),
    "bitwise_or": _plain(lambda a, b: a | b),
    "bitwise_xor": _plain(lambda a, b: a ^ b),
    "bitwise_not": _plain(lambda x: ~x),
    "left_shift": _plain(lambda a, b: a << b),
    "right_shift": _by_sign(lambda a, b: a >> b, z3.LShR),
    "equal": _plain(lambda a, b: a == b),
    "not_equal": _plain(lambda a, b: a != b),
    "less": _by_sign(lambda a, b: a < b, z3.ULT),
    "less_equal": _by_sign(lambda a, b: a <= b, z3.ULE),
    "greater": _by_sign(lambda a, b: a > b, z3.UGT),
    "greater_equal": _by_sign(lambda a, b: a >= b, z3.UGE),
}

UNSIGNED: Mapping[str, Operation] = {
    **INTEGER,
    "maximum": _chosen(z3.ULT),
    "minimum": _chosen(z3.UGT),
}

BOOL: Mapping[str, Operation] = {
    **dict.fromkeys(("add", "maximum", "bitwise_or"), _plain(z3.Or)),
    **dict.fromkeys(("multiply", "minimum", "bitwise_and"), _plain(z3.And)),
    **dict.fromkeys(("bitwise_xor", "not_equal"), _plain(z3.Xor)),
    "bitwise_not": _plain(z3.Not),
    "equal": _plain(lambda a, b: a == b),
    "less": _plain(lambda a, b: z3.And(z3.Not(a), b)),
    "less_equal": _plain(lambda a, b: z3.Or(z3.Not(a), b)),
    "greater": _plain(lambda a, b: z3.And(a, z3.Not(b))),
    "greater_equal": _plain(lambda a, b: z3.Or(a, z3.Not(b))),
}

EVERY: Mapping[str, Operation] = {
    "logical_not": _logical(z3.Not),
    "logical_and": _logical(z3.And),
    "logical_or": _logical(z3.Or),
    "logical_xor": _logical(z3.Xor),
}

NUMERIC: Mapping[str, Operation] = {
    "relu": lambda terms, type, x: maximum(type, x, number(0, type)),
    "relu6": _relu6,
    "ewise_fma": lambda terms, type, a, b, c: apply(
        terms, "add", type, apply(terms, "multiply", type, a, b), c
    ),
    "lerp": lambda terms, type, start, end, weight: apply(
        terms,
        "add",
        type,
        start,
        apply(terms, "multiply", type, weight, apply(terms, "subtract", type, end, start)),
    ),
}

TABLES: Mapping[str, Mapping[str, Operation]] = {
    "float": {**FLOAT, **EVERY, **NUMERIC},
    "signed": {**INTEGER, **EVERY, **NUMERIC},
    "unsigned": {**UNSIGNED, **EVERY, **NUMERIC},
    "bool": {**BOOL, **EVERY},
    "real": REAL,
    "whole": {name: REAL[name] for name in WHOLE},
}
"""The operators whose meaning z3 knows, by kind of the operands' type."""


def apply(terms: Terms, name: str, type: ScalarType, *args: Any) -> Any | None:
    """Return an operator on scalars of one type, None if no table has it."""
    operation = TABLES[type.kind].get(name)
    return None if operation is None else operation(terms, type, *args)


def maximum(type: ScalarType, a: Any, b: Any) -> Any:
    """Return the greater operand, of equal ones the first; NaN if either is."""
    return TABLES[type.kind]["maximum"](None, type, a, b)


def minimum(type: ScalarType, a: Any, b: Any) -> Any:
    """Return the less operand, of equal ones the first; NaN if either is."""
    return TABLES[type.kind]["minimum"](None, type, a, b)
