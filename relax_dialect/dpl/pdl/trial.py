"""A template built over values of sample types, to see which ops it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute, Block, Operation

from relax_dialect.builder.emitter import Emitter, Parts
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.builder.values import Expression
from relax_dialect.dpl.rewriter.templates import TypedExpression, substitute
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.ir.type_variables import free_variables


class Trial(Emitter):
    """The ops of a template in a block whose arguments represent the values of a match.

    Raises the errors of building an op if the template cannot be built over values of these types.
    """

    def __init__(
        self, template: list[object], numbers: dict[Pattern, int], types: Sequence[Attribute]
    ):
        super().__init__()
        self.types = types
        """The sample types, by the number of the value."""
        self.stated: dict[Operation, Attribute | Pattern] = {}
        """The types stated by `typed` for the results of ops."""
        self._parts: Parts = {}
        block = Block(arg_types=types)
        self._scopes.function = "a replacement"
        for type in types:
            self._scopes.defined.update(free_variables(type))
        self._scopes.push(OpenRegion("relax.binding_block", block))
        filled: Any = substitute(
            template, lambda node: block.args[numbers[node]], lambda node: types[numbers[node]]
        )
        self.values = [self.operand(part) for part in filled]
        """The values that replace the results of the root."""
        self.ops = list(block.ops)
        self.block = block  # which holds the ops

    def _shared(self) -> Parts:
        return self._parts

    def _make(self, expression: Expression, made: Parts) -> Operation:
        if not isinstance(expression, TypedExpression):
            return super()._make(expression, made)
        expression.checked = False
        op = super()._make(expression, made)
        self.stated[op] = expression.given
        return op
