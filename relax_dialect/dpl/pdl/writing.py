"""Patterns and rules as ops of the `pdl` dialect: `to_pdl`.

    negative(subtract(x, y))  ->  subtract(y, x)

becomes

```mlir
pdl.pattern @rule : benefit(1) {
  %x = pdl.operand
  %y = pdl.operand
  %0 = pdl.type
  %1 = pdl.operation "relax.subtract" (%x, %y : !pdl.value, !pdl.value) -> (%0 : !pdl.type)
  %2 = pdl.result 0 of %1
  %3 = pdl.type
  %4 = pdl.operation "relax.negative" (%2 : !pdl.value) -> (%3 : !pdl.type)
  pdl.rewrite %4 {
    %5 = pdl.operation "relax.subtract" (%y, %x : !pdl.value, !pdl.value) -> (%3 : !pdl.type)
    pdl.replace %4 with %5
  }
}
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import pdl
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.pdl.choices import MOST_WAYS, Choices, ImpossibleError, each_way
from relax_dialect.dpl.pdl.graph import GraphNode, PatternGraph, Seen
from relax_dialect.dpl.pdl.refusals import refuse_kind
from relax_dialect.dpl.pdl.replacement import NewOp, Ref, Replacement, TypeRef, plan
from relax_dialect.dpl.pdl.trial import Trial
from relax_dialect.dpl.rewriter.rules import PatternRule
from relax_dialect.dpl.rewriter.templates import TemplateRule
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax.language import as_pattern
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.patterns import Pattern, Together

HIGHEST = 2**15 - 1 - MOST_WAYS
"""The greatest benefit of a rule: that of `pdl.pattern`, less the ways before the last."""


def to_pdl(
    rule: PatternRule | Pattern | Sequence[PatternRule],
    replacement: object = None,
    *,
    name: str | None = None,
    benefit: int | None = None,
) -> ModuleOp:
    """Return a module with a `pdl.pattern` for a rule, for each of several, or for a pattern and its
    replacement.

    An alternative, and a commutative op whose arguments may be in either order, become separate patterns,
    at most 64, with decreasing benefits: earlier choices of the search have a higher benefit, and the last
    has `benefit`, by default that of the rule. Raises `PatternError` for constructs that PDL cannot
    express, by name.
    """
    if isinstance(rule, Pattern):
        rules: list[PatternRule] = [
            TemplateRule(rule, replacement, name or "rule", outside_uses=True)
        ]
    elif replacement is not None:
        raise PatternError(
            f"to_pdl: expected a rule, or a pattern and its replacement, found {rule!r} and a replacement; "
            "leave one out"
        )
    else:
        rules = [rule] if isinstance(rule, PatternRule) else list(rule)
    found: list[pdl.PatternOp] = []
    taken: set[str] = set()
    for each in rules:
        found.extend(_patterns(each, name if len(rules) == 1 else None, benefit, taken))
    return ModuleOp(list(found))


def _patterns(
    rule: object, name: str | None, benefit: int | None, taken: set[str]
) -> list[pdl.PatternOp]:
    """Return the patterns of one rule."""
    template = _template(rule)
    benefit = template.benefit if benefit is None else benefit
    if isinstance(benefit, bool) or not isinstance(benefit, int) or not 0 <= benefit <= HIGHEST:
        raise PatternError(
            f"to_pdl: expected a benefit from 0 to {HIGHEST}, found {benefit!r}; the greater is tried first"
        )
    name = name or template.name
    pattern = as_pattern(template.pattern) if not isinstance(template.pattern, Together) else None
    if pattern is None:
        refuse_kind(template.pattern)

    known: dict[object, list[Trial]] = {}

    def make(choices: Choices) -> Region:
        graph = PatternGraph(pattern, choices)
        return _PdlWriter(graph, plan(name, graph, template.template, known)).write()

    bodies = list(each_way(pattern_text(pattern), make))
    if not bodies:
        raise PatternError(
            f"to_pdl: {name}: expected a pattern that can match, found {pattern_text(pattern)}, whose "
            "attributes or types contradict one another; correct them"
        )
    made: list[pdl.PatternOp] = []
    for number, body in enumerate(bodies):
        symbol = re.sub(r"\W", "_", name if len(bodies) == 1 else f"{name}_{number}")
        symbol = symbol if re.match(r"[A-Za-z_]", symbol) else f"_{symbol}"
        while symbol in taken:
            symbol += "_"
        taken.add(symbol)
        made.append(pdl.PatternOp(benefit + len(bodies) - 1 - number, symbol, body))
    return made


def _template(rule: object) -> TemplateRule:
    """Return the rule, if its replacement is no Python and its matches need not be whole."""
    if not isinstance(rule, PatternRule):
        raise PatternError(
            f"to_pdl: expected a rule, or a pattern and its replacement, found {rule!r}; make a rule by "
            "template_rule"
        )
    if not isinstance(rule, TemplateRule):
        raise PatternError(
            f"to_pdl: expected a replacement that PDL can express, found a Python function in {rule.origin}"
            ", which PDL cannot express; write it as an expression: template_rule(pattern, op.relu(x))"
        )
    inner = [node for node in nodes_of(rule.pattern) if node.CONSUMES]
    if len(inner) > 1 and not rule.outside_uses:
        raise PatternError(
            f"to_pdl: {rule.name}: expected a rule with outside_uses=True, found one whose matches must be "
            "whole, with no inner value used elsewhere, which PDL cannot express; set it, and an op that "
            "is used elsewhere stays next to the new ones"
        )
    return rule


class _PdlWriter:
    """Writes the body of one pattern."""

    def __init__(self, graph: PatternGraph, replacement: Replacement):
        self.graph = graph
        self.replacement = replacement
        self.ops: list[Operation] = []
        self.handles: dict[GraphNode, SSAValue | None] = {}
        """The ops of the match, None while one is written."""
        self.values: dict[tuple[GraphNode, int], SSAValue] = {}
        self.types: dict[tuple[GraphNode, int], SSAValue] = {}
        self.constants: dict[Attribute, SSAValue] = {}
        self.needed = {op.type.key for op in replacement.ops if isinstance(op.type, Seen)}

    def write(self) -> Region:
        root = self._op(self.graph.root.place)
        for op in self.replacement.ops:
            for ref in op.operands:
                if isinstance(ref, Seen):
                    self._value(ref)
        for ref in self.replacement.values:
            if isinstance(ref, Seen):
                self._value(ref)
        matcher, self.ops = self.ops, []
        self._rewrite(root)
        matcher.append(pdl.RewriteOp(root, Region(Block(self.ops))))
        return Region(Block(matcher))

    def _add(self, op: Operation, hint: str | None = None) -> SSAValue:
        self.ops.append(op)
        if hint is not None and SSAValue.is_valid_name(hint):
            op.results[0].name_hint = hint
        return op.results[0]

    # The pattern ------------------------------------------------------------------------------

    def _op(self, place: GraphNode) -> SSAValue:
        """Return the `pdl.operation` of an op, after the operations of its operands."""
        if place in self.handles:
            found = self.handles[place]
            if found is None:  # an op that is among its own operands
                raise ImpossibleError
            return found
        self.handles[place] = None
        assert place.kind is not None
        operands = [self._value(seen) for seen in place.operands]
        attributes = [self._add(pdl.AttributeOp(value)) for value in place.attributes.values()]
        types = [self._type(Seen(place, index)) for index in range(place.results)]
        made = pdl.OperationOp(
            place.kind.name, list(map(StringAttr, place.attributes)), operands, attributes, types
        )
        self.handles[place] = found = self._add(made, place.name)
        return found

    def _value(self, seen: Seen) -> SSAValue:
        place, index = seen.key
        if seen.key not in self.values:
            if place.kind is None:
                typed = bool(place.types) or seen.key in self.needed
                found = self._add(pdl.OperandOp(self._type(seen) if typed else None), place.name)
            else:
                found = self._add(pdl.ResultOp(index, self._op(place)))
            self.values[seen.key] = found
        return self.values[seen.key]

    def _type(self, seen: Seen) -> SSAValue:
        if (constant := seen.type) is not None:
            return self._constant(constant)
        if seen.key not in self.types:
            self.types[seen.key] = self._add(pdl.TypeOp())
        return self.types[seen.key]

    def _constant(self, type: Attribute) -> SSAValue:
        if type not in self.constants:
            self.constants[type] = self._add(pdl.TypeOp(type))
        return self.constants[type]

    # The rewrite ------------------------------------------------------------------------------

    def _rewrite(self, root: SSAValue) -> None:
        made: list[SSAValue] = []
        results: dict[int, SSAValue] = {}

        def value(ref: Ref) -> SSAValue:
            if isinstance(ref, Seen):
                return self._value(ref)
            if ref not in results:
                results[ref] = self._add(pdl.ResultOp(0, made[ref]))
            return results[ref]

        for op in self.replacement.ops:
            made.append(self._new(op, list(map(value, op.operands))))
        values = self.replacement.values
        if len(values) == 1 and isinstance(values[0], int):
            self.ops.append(pdl.ReplaceOp(root, made[values[0]]))
        else:
            self.ops.append(pdl.ReplaceOp(root, None, list(map(value, values))))

    def _new(self, op: NewOp, operands: list[SSAValue]) -> SSAValue:
        attributes = [self._add(pdl.AttributeOp(value)) for value in op.attributes.values()]
        types = [self._new_type(op.type)]
        return self._add(
            pdl.OperationOp(
                op.name, list(map(StringAttr, op.attributes)), operands, attributes, types
            )
        )

    def _new_type(self, type: TypeRef) -> SSAValue:
        if isinstance(type, Attribute):
            return self._constant(type)
        return self._type(type)
