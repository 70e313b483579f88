"""The operators on scalars over the real numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relax_dialect.prove.z3_package import z3


def _power(terms: Any, type: Any, x: Any, y: Any) -> Any:
    """Return a power of a number; the exponents that formulas have are computed."""
    exponent = z3.simplify(y)
    for number, computed in POWERS.items():
        if z3.is_rational_value(exponent) and exponent.as_fraction() == number:
            return computed(terms, x)
    return terms.function("power", [x, y])


def _maximum(terms: Any, type: Any, a: Any, b: Any) -> Any:
    return z3.If(a < b, b, a)


def _minimum(terms: Any, type: Any, a: Any, b: Any) -> Any:
    return z3.If(b < a, b, a)


POWERS: Mapping[float, Any] = {
    2: lambda terms, x: x * x,
    3: lambda terms, x: x * x * x,
    0.5: lambda terms, x: terms.root(x),
    -0.5: lambda terms, x: terms.inverse(terms.root(x)),
}

REAL: Mapping[str, Any] = {
    "add": lambda terms, type, a, b: a + b,
    "subtract": lambda terms, type, a, b: a - b,
    "multiply": lambda terms, type, a, b: a * b,
    "divide": lambda terms, type, a, b: a * terms.inverse(b),
    "negative": lambda terms, type, x: -x,
    "square": lambda terms, type, x: x * x,
    "reciprocal": lambda terms, type, x: terms.inverse(x),
    "sqrt": lambda terms, type, x: terms.root(x),
    "rsqrt": lambda terms, type, x: terms.inverse(terms.root(x)),
    "power": _power,
    "exp": lambda terms, type, x: terms.exponential(x),
    "log": lambda terms, type, x: terms.logarithm(x),
    "log1p": lambda terms, type, x: terms.logarithm(1 + x),
    "sigmoid": lambda terms, type, x: terms.inverse(1 + terms.exponential(-x)),
    "maximum": _maximum,
    "minimum": _minimum,
    "relu": lambda terms, type, x: _maximum(terms, type, x, z3.Q(0, 1)),
    "relu6": lambda terms, type, x: _minimum(
        terms, type, _maximum(terms, type, x, z3.Q(0, 1)), z3.Q(6, 1)
    ),
    "erf": lambda terms, type, x: terms.function("erf", [x]),
    "tanh": lambda terms, type, x: terms.function("tanh", [x]),
    "isnan": lambda terms, type, x: z3.BoolVal(False),
    "equal": lambda terms, type, a, b: a == b,
    "not_equal": lambda terms, type, a, b: a != b,
    "less": lambda terms, type, a, b: a < b,
    "less_equal": lambda terms, type, a, b: a <= b,
    "greater": lambda terms, type, a, b: b < a,
    "greater_equal": lambda terms, type, a, b: b <= a,
}

WHOLE = (
    *("add", "subtract", "multiply", "negative", "square", "maximum", "minimum", "relu"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
)
"""The operators that return integers of integers, as the same reals."""
