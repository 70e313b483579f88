"""Activations by their formulas.

    0.5 * x * (1 + erf(x / sqrt(2)))    x * (0.5 * erf(...) + 0.5)   ->  gelu(x)
    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))     ->  gelu_tanh(x)
    x * sigmoid(x)            x / (1 + exp(-x))                      ->  silu(x)
    x * sigmoid(1.702 * x)                                           ->  quick_gelu(x)
    x * clip(x + 3, 0, 6) / 6                                        ->  hard_swish(x)
    where(x > 20, x, log1p(exp(x)))     log(1 + exp(x))              ->  softplus(x)
    where(b * x > t, x, log1p(exp(b * x)) / b)                       ->  softplus(x, b, t)
    x * tanh(softplus(x))                                            ->  mish(x)

Factors and terms may be in any order; a number may be a factor or its inverse a divisor; a power may be
`power`, `square` or products. Numbers are compared up to `formula_numbers.TOLERANCE`. If exp overflows in
the expanded softplus, the operator is still finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.ops.activation import SoftplusOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting
from relax_dialect.rewrites.recognition.recognize.formula_numbers import (
    FormulaNumbers,
    number,
    shortest,
)
from relax_dialect.rewrites.recognition.recognize.formulas import (
    half,
    half_product,
    product,
    scaled_cube,
    scaled_square,
)

QUICK = 1.702
"""The steepness of the sigmoid that is nearest to the normal distribution."""

x = wildcard()
numbers = FormulaNumbers()

cubic = numbers(0.044715)
steepness = numbers(math.sqrt(2 / math.pi))

over_root_2 = x / numbers(math.sqrt(2)) | x * numbers(math.sqrt(0.5))
erf = is_op("erf")(over_root_2)
erf_gate = erf + numbers(1.0)
argument = (
    (x + scaled_cube(x, cubic, numbers)) * steepness
    | product(x, steepness, scaled_square(x, cubic, numbers) + numbers(1.0))
)  # fmt: skip
tanh = is_op("tanh")(argument)
tanh_gate = tanh + numbers(1.0)

exp = is_op("exp")
one_and_exp = exp(is_op("negative")(x) | x * numbers(-1.0)) + numbers(1.0)
sigmoid = is_op("sigmoid")(x) | numbers(1.0) / one_and_exp | is_op("reciprocal")(one_and_exp)

steeper = x * numbers(QUICK)
one_and_steep = exp(is_op("negative")(steeper) | x * numbers(-QUICK)) + numbers(1.0)
steep = is_op("sigmoid")(steeper) | numbers(1.0) / one_and_steep
steep |= is_op("reciprocal")(one_and_steep)

shifted = x + numbers(3.0)
above_0 = is_op("relu")(shifted) | is_op("maximum")(shifted, numbers(0.0))
above_0 |= is_op("clip")(shifted).has_attr({"min": 0.0, "max": None})
to_6 = is_op("minimum")(above_0, numbers(6.0)) | is_op("relu6")(shifted)
to_6 |= is_op("clip")(above_0).has_attr({"min": None, "max": 6.0})
to_6 |= is_op("clip")(shifted).has_attr({"min": 0.0, "max": 6.0})
six, sixth = numbers(6.0), numbers(1 / 6)
hard_swish = product(x, to_6, sixth) | (x * to_6) / six  # x * (to_6 / 6) as well

log_of_sum = is_op("log1p")(exp(x)) | is_op("log")(exp(x) + numbers(1.0))
threshold = numbers(20.0)
softplus = is_op("where")(is_op("greater")(x, threshold), x, log_of_sum) | log_of_sum


class ExpandedActivation(NamedTuple):
    """An operator of x and its expanded form."""

    op: str
    form: Pattern


TABLE = [
    ExpandedActivation(
        "gelu", half_product(x, erf_gate, numbers) | x * (half(erf, numbers) + numbers(0.5))
    ),
    ExpandedActivation(
        "gelu_tanh",
        half_product(x, tanh_gate, numbers) | x * (half(tanh, numbers) + numbers(0.5)),
    ),
    ExpandedActivation("silu", x * sigmoid | x / one_and_exp),
    ExpandedActivation("quick_gelu", x * steep | x / one_and_steep),
    ExpandedActivation("hard_swish", hard_swish | x * is_op("hard_sigmoid")(x)),
    ExpandedActivation(
        "mish", x * is_op("tanh")(is_op("softplus")(x).has_attr({"beta": 1.0, "threshold": 20.0}))
    ),
    ExpandedActivation("softplus", softplus),
]


bent = wildcard(), wildcard()
"""The threshold of a softplus, and its beta."""


def _above(scaled: Pattern, log: Pattern) -> Pattern:
    """x above the threshold, else the logarithm."""
    over = is_op("greater")(scaled, bent[0]) | is_op("less")(bent[0], scaled)
    within = is_op("less_equal")(scaled, bent[0]) | is_op("greater_equal")(bent[0], scaled)
    return is_op("where")(over, x, log) | is_op("where")(within, log, x)


def _softplus_rule() -> FunctionRule:
    """Softplus with its threshold and its beta, whatever they are."""
    scaled = x * bent[1]
    one_and_power = exp(scaled) + numbers(1.0)
    log = is_op("log1p")(exp(scaled)) | is_op("log")(one_and_power)
    form = _above(x, log_of_sum) | _above(scaled, log / bent[1])

    def replace(root: Value, m: Match) -> object | None:
        threshold = number(m[bent[0]], root)
        beta = number(m[bent[1]], root) if bent[1] in m else 1.0
        if threshold is None or beta is None or not 0 < beta < math.inf:
            return None
        if not math.isfinite(threshold) or not numbers.hold(m, root):
            return None
        options = {"beta": beta, "threshold": threshold}
        if bent[1] in m:
            options["beta"] = shortest(beta, m[bent[1]].dtype)
        options["threshold"] = shortest(threshold, m[bent[0]].dtype)
        return fitting(root, lambda: SoftplusOp(m[x].value, **options))  # pyright: ignore

    return FunctionRule(form, replace, "recognize softplus with its threshold")


def _rule(row: ExpandedActivation) -> FunctionRule:
    def replace(root: Value, m: Match) -> object | None:
        if not numbers.hold(m, root):
            return None
        return fitting(root, lambda: op.get(row.op)(m[x].value))  # pyright: ignore

    return FunctionRule(row.form, replace, f"recognize {row.op}")


def rules() -> Iterable[PatternRule]:
    """Yield a rule for each row, and for a softplus of other numbers."""
    yield from map(_rule, TABLE)
    yield _softplus_rule()
