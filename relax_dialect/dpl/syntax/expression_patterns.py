"""Expressions of the builder that are not emitted yet, as patterns: their ops and nothing else."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder.values import Expression
from relax_dialect.dpl.syntax.patterns import Pattern, as_pattern, operator
from relax_dialect.dpl.syntax.suggestions import no_pattern
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import MISSING


def expression_pattern(expression: Expression) -> Pattern:
    """The ops that an expression would emit: `x + 1` is `add(x, const(1))`, in this order."""
    made: dict[int, Pattern] = {}
    stack = [expression]
    while stack:
        current = stack[-1]
        pending = [child for child in current.children() if id(child) not in made]
        if pending and id(current) not in made:
            stack += pending
        else:
            made.setdefault(id(stack.pop()), _made(current, made))
    return made[id(expression)]


def _made(expression: Expression, made: dict[int, Pattern]) -> Pattern:
    kind: Any = expression.make
    if not (isinstance(kind, type) and issubclass(kind, OperatorOp)):
        raise no_pattern("is_expr", expression, "an expression of operators")
    plan = kind.PLAN
    given = dict(zip([field.name for field in plan.fields], expression.arguments))
    given |= expression.attributes
    of_operands = {field.name for _, field in plan.operands}
    operands: list[Pattern] = []
    for name, value in given.items():
        for each in value if isinstance(value, list | tuple) else (value,):
            if name in of_operands and each is not None:
                is_part = isinstance(each, Expression)
                operands.append(made[id(each)] if is_part else as_pattern(each, "is_expr"))
    found = operator(kind)(*operands, in_order=True)
    for _, field in plan.attributes:
        if (value := given.get(field.name, field.default)) is not MISSING:
            found = found.has_attr(field.name, value)
    return found
