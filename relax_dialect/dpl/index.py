"""Which of many patterns may match at an op: a tree of questions about the op and those around it.

The first question is the name of the op; then that of the op behind an operand, or behind an operand of
that one, whichever tells the patterns apart best. Patterns that do not care are in every branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Generic, TypeVar

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.dpl import patterns
from relax_dialect.dpl.feasible import PARAMETER, root_kinds
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.dpl.view import source

RuleT = TypeVar("RuleT")

Path = tuple[int, ...]
"""The way to an op from the root, by operands: () is the root, (1, 0) what operand 1 has as operand 0."""
Needs = dict[Path, frozenset[str]]
"""The names of the ops that a pattern accepts at some places."""

FEW = 2
"""As many patterns are tried without a further question."""
DEEPEST = 3
MOST_FORMS = 16


def needs(pattern: Pattern) -> list[Needs]:
    """What a pattern asks for, in each form that commutative arguments and alternatives give it."""
    return (
        _needs(pattern, DEEPEST)[:MOST_FORMS] if _count(pattern) <= MOST_FORMS else [_top(pattern)]
    )


def _top(pattern: Pattern) -> Needs:
    kinds = root_kinds(pattern)
    return {} if kinds is None else {(): kinds}


def _count(pattern: Pattern) -> int:
    """An upper bound of the forms of a pattern."""
    return len(_needs(pattern, DEEPEST))


def _needs(pattern: Pattern, depth: int) -> list[Needs]:
    match pattern:
        case patterns.Call(callee, args, _, commutes):
            kinds = root_kinds(callee)
            top: Needs = {} if kinds is None else {(): kinds}
            if depth == 0:
                return [top]
            forms: list[Needs] = []
            for order in (args, args[::-1]) if commutes else (args,):
                below = [_needs(arg, depth - 1) for arg in order]
                for chosen in product(*below):
                    form = dict(top)
                    for number, part in enumerate(chosen):
                        form.update({(number, *path): names for path, names in part.items()})
                    forms.append(form)
                    if len(forms) > MOST_FORMS:
                        return [top]
            return forms
        case (
            patterns.Named(_, p) | patterns.HasType(p) | patterns.HasDtype(p) | patterns.HasShape(p)
        ):
            return _needs(p, depth)
        case patterns.HasAttr(p) | patterns.SameShapeAs(p):
            return _needs(p, depth)
        case patterns.Either(first, second):
            return [*_needs(first, depth), *_needs(second, depth)]
        case patterns.Both(first, second):
            one, two = _needs(first, depth), _needs(second, depth)
            return two if one == [{}] else one
        case patterns.UsedBy(_, consumer):
            return _needs(consumer, depth)
        case patterns.Dominates(_, _, child):
            return _needs(child, depth)
        case patterns.Together(roots):
            return _needs(roots[0], depth)
        case patterns.Repeat(base, _, wrapped, at_least):
            return _needs(wrapped, depth) + ([] if at_least else _needs(base, depth))
        case _:
            return [_top(pattern)]


@dataclass
class _Node(Generic[RuleT]):
    """The patterns left after some answers; split by a further question when it is first reached."""

    entries: list[tuple[int, Needs, RuleT]]
    asked: frozenset[Path]
    path: Path | None = None
    branches: dict[str, _Node[RuleT]] = field(default_factory=dict)
    otherwise: _Node[RuleT] | None = None
    is_split: bool = False
    rules: list[RuleT] = field(default_factory=list)

    def split(self) -> None:
        """Choose the question that leaves the fewest patterns in the largest branch."""
        self.is_split = True
        numbers = {number: rule for number, _, rule in sorted(self.entries, key=lambda e: e[0])}
        self.rules = list(numbers.values())
        if len(numbers) <= FEW:
            return
        paths = {p: None for _, need, _ in self.entries for p in need if p not in self.asked}
        best, size = None, len(self.entries)
        for path in paths:
            if (largest := self._largest(path)) < size:
                best, size = path, largest
        if best is None:
            return
        self.path = best
        asked = self.asked | {best}
        names = {name for _, need, _ in self.entries for name in need.get(best, ())}
        wild = [e for e in self.entries if best not in e[1]]
        for name in names:
            kept = [e for e in self.entries if best not in e[1] or name in e[1][best]]
            self.branches[name] = _Node(kept, asked)
        self.otherwise = _Node(wild, asked)

    def _largest(self, path: Path) -> int:
        """The most forms that are left after a question: those that match the answer or do not care."""
        wild, counts = 0, Counter[str]()
        for _, need, _ in self.entries:
            if path in need:
                counts.update(need[path])
            else:
                wild += 1
        return wild + max(counts.values(), default=0)


class PatternIndex(Generic[RuleT]):
    """Patterns, found by the op that they may match; in the order in which they were given."""

    def __init__(self, entries: Sequence[tuple[Pattern, RuleT]]):
        listed = [
            (number, need, rule)
            for number, (pattern, rule) in enumerate(entries)
            for need in needs(pattern)
        ]
        self._root: _Node[RuleT] = _Node(listed, frozenset())
        self._root.split()
        if self._root.path != () and any(() in need for _, need, _ in listed):
            self._split_by_name(listed)

    def _split_by_name(self, listed: list[tuple[int, Needs, RuleT]]) -> None:
        root = self._root = _Node(listed, frozenset([()]), path=(), is_split=True)
        names = {name for _, need, _ in listed for name in need.get((), ())}
        for name in names:
            kept = [e for e in listed if () not in e[1] or name in e[1][()]]
            root.branches[name] = _Node(kept, root.asked)
        root.otherwise = _Node([e for e in listed if () not in e[1]], root.asked)

    def candidates(self, op: Operation) -> list[RuleT]:
        """The patterns that may match at a result of the op."""
        node: _Node[RuleT] | None = self._root
        while node is not None:
            if not node.is_split:
                node.split()
            if node.path is None:
                return node.rules
            node = node.branches.get(_name_at(op, node.path), node.otherwise)
        return []


def _name_at(op: Operation, path: Path) -> str:
    """The name of the op at a place, seen through bindings."""
    for index in path:
        if index >= len(op.operands):
            return ""
        value: SSAValue = source(op.operands[index])
        if not isinstance(value, OpResult):
            return PARAMETER
        op = value.op
    return op.name


__all__ = ["PatternIndex", "needs"]
