"""Things that can be matched: values, ops with one result, the builder's values and expressions, operators.

An expression that is not emitted, `op.relu(x) + y`, is built in a block of its own, with its variables as
parameters; so patterns can be tried without a program around them, as the design document does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.builder.emitter import Emitter
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.builder.values import Expression, Value, Var
from relax_dialect.dpl.errors import PatternError
from relax_dialect.ir.type_variables import free_variables


@contextmanager
def subject(expr: object) -> Iterator[SSAValue]:
    """Yield the value to match; raises `PatternError` for an argument that is none."""
    if isinstance(expr, SSAValue):
        yield expr
    elif isinstance(expr, Operation):
        if len(expr.results) != 1:
            raise PatternError(
                f"match: expected an op with one result, found {expr.name} with {len(expr.results)}; "
                "pass the result that is meant"
            )
        yield expr.results[0]
    elif isinstance(expr, Expression) or (isinstance(expr, Var) and expr.is_free):
        with _Scratch().value(expr) as value:
            yield value
    elif isinstance(expr, Value):
        yield expr.value
    else:
        raise PatternError(
            "match: expected a value, an op, an expression of the builder or an operator, found "
            f"{expr!r}; find_all searches a block, function or module"
        )


class _Scratch(Emitter):
    """Builds expressions outside of any function."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block()
        scope = OpenRegion("a pattern's expression", self.block)
        self._scopes.function = "expression"
        self._scopes.push(scope)

    @contextmanager
    def value(self, expr: Expression | Var) -> Iterator[SSAValue]:
        """Yield the value of an expression; its variables are bound while it is matched."""
        free = [var for var in dict.fromkeys(_variables(expr)) if var.is_free]
        for var in free:
            argument = self.block.insert_arg(var.type, len(self.block.args))
            argument.name_hint = var.name
            self._scopes.define(free_variables(var.type))
            var.bind(argument)
        try:
            yield self.operand(expr)
        finally:
            for var in free:
                var.unbind()


def _variables(expr: object) -> Iterator[Var]:
    work, seen = [expr], set[int]()
    while work:
        current = work.pop()
        if isinstance(current, Var):
            yield current
        elif isinstance(current, list | tuple):
            work.extend(current)
        elif isinstance(current, Expression) and id(current) not in seen:
            seen.add(id(current))
            work.extend(current.arguments)
