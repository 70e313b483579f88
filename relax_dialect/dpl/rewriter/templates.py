"""Declarative rules: the replacement of a match is an expression whose arguments are patterns.

```python
x, y = wildcard(), wildcard()
template_rule(is_op("negative")(is_op("subtract")(x, y)), op.subtract(y, x))
```

Each pattern in the expression denotes the value that it matched. Such a rule runs like any other, and can
be written as PDL (`to_pdl`), which a rule with a Python function cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from relax_dialect.builder.values import Expression, Value
from relax_dialect.dpl.errors import PatternError, RewriteError
from relax_dialect.dpl.rewriter.rules import FunctionRule
from relax_dialect.dpl.search.match import Match
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.dpl.syntax.type_text import read_type
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.text.diagnostics import first_cause

TypeLike = Attribute | Pattern
"""A type, or a pattern whose value has it."""


class TypedExpression(Expression):
    """An expression whose result has a stated type, which is the inferred one or wider.

    `given` is the type as stated, `type` the type that it denotes.
    """

    __slots__ = ("checked", "given", "type")

    def __init__(self, expression: Expression, type: TypeLike, given: TypeLike | None = None):
        super().__init__(expression.make, expression.arguments, expression.attributes)
        self.type = type
        self.given = type if given is None else given
        self.checked = True

    def create(self, arguments: Iterable[Any]) -> Operation:
        stated = self.type
        if not isinstance(stated, Attribute):
            raise PatternError(
                f"typed: expected the type of {pattern_text(stated)} to be known, found an expression "
                "outside of a template_rule; write the type itself"
            )
        if isinstance(self.make, PlainOp):
            return self.make.of_type(arguments, stated, self.checked)
        op = super().create(arguments)
        if self.checked and not (len(op.results) == 1 and _may_be(op.results[0].type, stated)):
            found = ", ".join(str(r.type) for r in op.results)
            raise RewriteError(
                f"typed({op.name}): expected a value of type {stated}, found {found}; state its type, or "
                "a wider one"
            )
        for result in op.results:
            result._type = stated  # pyright: ignore[reportPrivateUsage]
        return op


@dataclass(eq=False)
class PlainOp:
    """Makes ops of a kind from their attributes as they are stored, as PDL has them."""

    kind: type[Operation]
    attributes: Mapping[str, Attribute]

    @property
    def name(self) -> str:
        return self.kind.name

    def __call__(self, *operands: SSAValue) -> Operation:
        raise PatternError(
            f"{self.name}: expected its result type, found none; state it with typed"
        )

    def of_type(self, operands: Iterable[SSAValue], type: Attribute, checked: bool) -> Operation:
        """Return the op with a result of a type, verified if it is to be `checked`."""
        named = (
            self.kind.get_irdl_definition().properties
            if issubclass(self.kind, IRDLOperation)
            else {}
        )
        op = self.kind.create(
            operands=list(operands),
            result_types=[type],
            properties={name: value for name, value in self.attributes.items() if name in named},
            attributes={
                name: value for name, value in self.attributes.items() if name not in named
            },
        )
        try:
            if checked:
                op.verify()
        except VerifyException as error:
            op.drop_all_references()
            raise RewriteError(f"{self.name}: {first_cause(error)}") from None
        return op


def _may_be(found: Attribute, stated: Attribute) -> bool:
    return found == stated or is_subtype(found, stated)


def typed(expression: Expression, type: TypeLike | str) -> Expression:
    """State the type of an expression: a type, its text, or a pattern whose value has that type.

    PDL infers no types, so `to_pdl` needs the types that it cannot take from a match: `typed(op.matmul(x,
    w), "!relax.tensor<[4, 8], f32>")`, `typed(op.add(x, b), x)`.
    """
    if not isinstance(expression, Expression):
        raise PatternError(
            f"typed: expected an expression, as op.add(x, y), found {expression!r}; a pattern has the "
            "type of what it matches"
        )
    return TypedExpression(expression, read_type(type, "typed") if isinstance(type, str) else type)


def substitute(
    template: object, value_of: Callable[[Pattern], object], type_of: Callable[[Pattern], Attribute]
) -> object:
    """Substitute values for the patterns in a template; a shared expression remains shared."""
    made: dict[int, Expression] = {}

    def filled(part: object) -> object:
        if isinstance(part, Pattern):
            return value_of(part)
        if isinstance(part, Expression):
            return made[id(part)]
        if isinstance(part, list | tuple):
            return type(part)(map(filled, part))
        return part

    work = [part for part in _parts(template) if isinstance(part, Expression)]
    while work:
        expression = work[-1]
        waiting = [c for c in expression.children() if id(c) not in made]
        if waiting:
            work.extend(waiting)
            continue
        work.pop()
        if id(expression) in made:
            continue
        new = Expression(expression.make, map(filled, expression.arguments), expression.attributes)
        if isinstance(expression, TypedExpression):
            stated = expression.type
            found = type_of(stated) if isinstance(stated, Pattern) else stated
            new = TypedExpression(new, found, stated)
        made[id(expression)] = new
    return filled(template)


def _parts(template: object) -> list[object]:
    """Return a template for each result or root."""
    return list(template) if isinstance(template, list | tuple) else [template]


def patterns_in(template: object) -> list[Pattern]:
    """Return the patterns that a template names, for values or types."""
    found: dict[Pattern, None] = {}
    seen: set[int] = set()
    work = [template]
    while work:
        part = work.pop()
        if isinstance(part, Pattern):
            found[part] = None
        elif isinstance(part, list | tuple):
            work.extend(reversed(part))
        elif isinstance(part, Expression) and id(part) not in seen:
            seen.add(id(part))
            work.extend(reversed(part.arguments))
            if isinstance(part, TypedExpression):
                work.append(part.type)
            for name, value in part.attributes.items():
                if isinstance(value, Pattern):
                    raise PatternError(
                        f"{part!r}: expected {pattern_text(value)} as an argument by position, found it as "
                        f"{name}=...; the operands of an op are positional"
                    )
    return list(found)


class TemplateRule(FunctionRule):
    """A rule whose replacement is an expression over the nodes of its pattern, see `template_rule`."""

    def __init__(
        self,
        pattern: object,
        template: object,
        name: str = "rule",
        outside_uses: bool = False,
        benefit: int = 1,
    ):
        super().__init__(pattern, self._fill, name, outside_uses)
        known = set(nodes_of(self.pattern))
        for node in patterns_in(template):
            if node not in known:
                raise PatternError(
                    f"template_rule {name!r}: expected patterns that occur in "
                    f"{pattern_text(self.pattern)}, found {pattern_text(node)} in "
                    "the replacement, which does not; use the same object"
                )
        if template is None or (callable(template) and not isinstance(template, Pattern)):
            raise PatternError(
                f"template_rule {name!r}: expected an expression or a pattern as the replacement, found "
                f"{template!r}; rule(pattern) takes a function"
            )
        self.template = template
        self.benefit = benefit
        """PDL's order of rules, the greatest first; `apply_rules` takes them as they are listed."""

    @property
    def origin(self) -> str:
        return f"rule {self.name!r}"

    def _fill(self, root: Value, match: Match) -> object:
        def value_of(node: Pattern) -> Value:
            return match[node]

        return substitute(self.template, value_of, lambda node: value_of(node).type)


def template_rule(
    pattern: object,
    replacement: object,
    *,
    name: str = "rule",
    outside_uses: bool = False,
    benefit: int = 1,
) -> TemplateRule:
    """Return a rule whose replacement is written as an expression over the nodes of the pattern.

    `replacement` is a node, an expression (`op.relu(op.add(x, y))`, where attributes are Python values), or
    a list of these, one for each result of the root. With `outside_uses` a match is replaced though an
    inner value is used elsewhere; `benefit` is for `to_pdl`. Raises `PatternError` for a node that
    is not of the pattern.
    """
    return TemplateRule(pattern, replacement, name, outside_uses, benefit)
