"""Generator of the page of the operators' derivatives, from the rules and their cases.

`python test/unit/support/gradient_page.py` writes docs/gradients-operators.md; `test_adjoints.py` checks that it
is up to date. A rule is shown as its docstring, or as its result for the operator of the first case.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from xdsl.ir import Attribute, Operation

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "gradients-operators.md"
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "unit" / "support")]

from adjoint_cases import CASES, cases_of  # noqa: E402

from relax_dialect.builder import BlockBuilder  # noqa: E402
from relax_dialect.builder.values import Expression, Value  # noqa: E402
from relax_dialect.dialect import OPERATOR_FAMILIES  # noqa: E402
from relax_dialect.gradient.registry import (  # noqa: E402
    CONSTANT,
    EXPANSIONS,
    REFUSED,
    RULES,
    Applied,
    load_rules,
)
from relax_dialect.ir.types import TensorType  # noqa: E402
from relax_dialect.ops.base import OperatorOp  # noqa: E402

INTRODUCTION = """\
# Derivatives of the operators

Written by `python test/unit/support/gradient_page.py`; `test/unit/gradient/test_adjoints.py` checks that it is up to
date. [Gradients](gradients.md) describes their use, and derivatives of custom operators.

{told} of {all} operators are differentiable: by an adjoint, where `g` is the cotangent of the result `y`, or as a
composition of others. Gradients have the element types of their operands; broadcast dimensions are summed. The cases are in
`test/unit/support/adjoint_cases`, each compared with finite differences in f64. Through {constant} operators no gradient
flows, {refused} is refused.
"""

INFIX = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@"}
INFIX |= {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "=="}


class Placeholder(Value):
    """An operand, result or cotangent of some type, by name."""

    __slots__ = ("_named", "_own")

    def __init__(self, name: str, type: Attribute):
        self._named, self._own, self._value = name, type, None

    @property
    def type(self) -> Attribute:
        return self._own

    @property
    def name(self) -> str:
        return self._named


def spelled(value: Any, inside: bool = False) -> str:
    """An expression as a formula."""
    match value:
        case Value():
            return value.name or "?"
        case float():
            return f"{value:.6g}"
        case list() | tuple():
            return f"[{', '.join(map(spelled, value))}]"
        case Expression():
            return _formula(value, inside)
        case _:
            return str(value)


def _formula(value: Expression, inside: bool) -> str:
    name = getattr(value.make, "name", "?").removeprefix("relax.")
    arguments = list(value.arguments)
    if name == "negative":
        return f"-{spelled(arguments[0], True)}"
    if name in INFIX:
        text = f"{spelled(arguments[0], True)} {INFIX[name]} {spelled(arguments[1], True)}"
        return f"({text})" if inside else text
    if name == "tuple_get_item":
        return f"{spelled(arguments[0])}[{arguments[1]}]"
    while arguments and arguments[-1] is None:
        arguments.pop()
    named = [f"{key}={spelled(each)}" for key, each in value.attributes.items()]
    return f"{name}({', '.join([*map(spelled, arguments), *named])})"


@cache
def first_of(op: type[Operation]) -> OperatorOp:
    """The operator in its first case."""
    case = CASES[cases_of()[op][0]]
    builder = BlockBuilder()
    types = {f"x{i}": TensorType(shape, "f64") for i, shape in enumerate(case.shapes)}
    with builder.function("f", types) as parameters:
        builder.emit_func_output(builder.emit(case.build(*parameters)))
    found = next(each for each in builder.get().walk() if isinstance(each, op))
    assert isinstance(found, OperatorOp)
    return found


def derivative(op: type[Operation]) -> str:
    """The derivative of an operator, in one line."""
    is_composed = op in EXPANSIONS
    rule = EXPANSIONS[op] if is_composed else RULES[op]
    word = "composed: " if is_composed else ""
    if text := inspect.getdoc(rule):
        return word + re.sub(r"\bgy\b", "g", " ".join(text.split("\n\n")[0].split()))
    made = first_of(op)
    names = _names(made)
    inputs = [Placeholder(*each) for each in zip(names, (o.type for o in made.operands))]
    outputs = [
        Placeholder("y" if len(made.results) == 1 else f"y{i}", r.type)
        for i, r in enumerate(made.results)
    ]
    applied = Applied(made, inputs, outputs, BlockBuilder())
    if is_composed:
        return f"{word}`{spelled(rule(applied))}`"
    cotangents = [Placeholder(y.name.replace("y", "g"), y.type) for y in outputs]
    found: Any = rule(applied, *cotangents)
    parts: Sequence[Any] = found if isinstance(found, tuple | list) else [found]
    told = [(name, spelled(part)) for name, part in zip(names, parts) if part is not None]
    if len(told) == 1 and len(names) == 1:
        return f"`{told[0][1]}`"
    return ", ".join(f"{name}: `{text}`" for name, text in told)


def _names(op: OperatorOp) -> list[str]:
    """A name for each operand."""
    names: list[str] = []
    for (name, _), group in zip(op.get_irdl_definition().operands, op.grouped(list(op.operands))):
        if isinstance(group, list | tuple):
            names += [f"{name}[{i}]" for i in range(len(group))]
        elif group is not None:
            names.append(name)
    return names


def row(op: type[Operation]) -> str:
    """The line of an operator."""
    name = op.name.removeprefix("relax.")
    if op in CONSTANT:
        told, tested = f"none flows: {CONSTANT[op]}", ""
    elif op in REFUSED:
        told, tested = f"refused: {REFUSED[op]}", ""
    else:
        cases = cases_of()[op]
        own = [case for case in cases if case.startswith(name)] or cases
        told, tested = derivative(op), ", ".join(own[:3]) + (", ..." if len(own) > 3 else "")
    return f"| [{name}](operators.md#{name}) | {told.replace('|', chr(92) + '|')} | {tested} |\n"


def page() -> str:
    """The text of the page."""
    load_rules()
    every = [op for family in OPERATOR_FAMILIES for op in family.OPS]
    text = INTRODUCTION.format(
        told=sum(op in RULES or op in EXPANSIONS for op in every),
        all=len(every),
        constant=sum(op in CONSTANT for op in every),
        refused=sum(op in REFUSED for op in every),
    )
    for family in OPERATOR_FAMILIES:
        heading = family.__name__.rpartition(".")[2].replace("_", " ")
        text += f"\n## {heading.capitalize()}\n\n| operator | derivative | cases |\n|---|---|---|\n"
        text += "".join(map(row, family.OPS))
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
