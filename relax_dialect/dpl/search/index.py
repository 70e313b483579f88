"""An index of patterns by the ops that they may match: a decision tree of questions about nearby ops.

A question asks for a fact at a position: the name of the op there, one of its attributes, the number of a
constant, an element type or shape. The root's name comes first, then the question that best discriminates
the remaining patterns. A pattern independent of the answer is in every branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Generic, TypeVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from relax_dialect.dpl.search.aliases import source
from relax_dialect.dpl.search.satisfiability import PARAMETER, possible_ops, root_kinds
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.attribute_comparison import (
    attribute_of,
    first_number,
    has_one_spelling,
    is_exact,
    is_plain,
)
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_names import OPERATOR_ATTRIBUTES
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import ConstantOp

RuleT = TypeVar("RuleT")

Path = tuple[int, ...]
"""The way to a value from the root, by operands: () is the root, (1, 0) operand 0 of operand 1's op."""
Question = tuple[str, Path, str]
"""A property of an op, the way to that op, and the name where it is an attribute."""
Needs = dict[Question, frozenset[Hashable]]
"""The answers that a pattern accepts."""

FEW = 2
"""As many forms are tried without a further question."""
DEPTH_OF_QUESTIONS = 3
"""The maximum distance from its root at which a pattern is questioned."""
MOST_FORMS = 16


def needs(pattern: Node) -> list[Needs]:
    """Return the questions of a pattern, for each form by commutative arguments and alternatives."""
    found: list[Needs] | None = pattern.__dict__.get("_needs")
    if found is None:
        forms = _needs(pattern, (), DEPTH_OF_QUESTIONS)
        found = forms if len(forms) <= MOST_FORMS else [_kinds(pattern, ())]
        pattern.__dict__["_needs"] = found
    return found


def _kinds(pattern: Node, path: Path) -> Needs:
    kinds = root_kinds(pattern)
    return {} if kinds is None else {("op", path, ""): frozenset(kinds)}


def _needs(pattern: Node, path: Path, depth: int) -> list[Needs]:
    match pattern:
        case nodes.CallNode(callee, args, _, commutes):
            top = {**_kinds(callee, path), **_attributes(callee, path)}
            orders = ((args, args[::-1]) if commutes else (args,)) if depth else ()
            return _forms(top, orders, path, depth)
        case nodes.ConstantNode(float() | int() as number) if is_exact(number):
            return [{**_kinds(pattern, path), ("number", path, ""): frozenset([number])}]
        case nodes.HasAttrNode(p, name, value) if is_plain(value) and has_one_spelling(name):
            wanted: Needs = {("attribute", path, name): frozenset([_plain(value)])}
            return [{**form, **wanted} for form in _needs(p, path, depth)]
        case nodes.HasDtypeNode(p, dtype) if _one_result(p, path):
            return [{**f, ("dtype", path, ""): frozenset([dtype])} for f in _needs(p, path, depth)]
        case nodes.HasShapeNode(p, shape) if None not in shape and _one_result(p, path):
            return [{**f, ("shape", path, ""): frozenset([shape])} for f in _needs(p, path, depth)]
        case nodes.NamedNode(_, p) | nodes.HasTypeNode(p) | nodes.HasDtypeNode(p):
            return _needs(p, path, depth)
        case nodes.HasShapeNode(p) | nodes.SameShapeAsNode(p) | nodes.HasAttrNode(p):
            return _needs(p, path, depth)
        case nodes.EitherNode(first, second):
            return [*_needs(first, path, depth), *_needs(second, path, depth)]
        case nodes.BothNode(first, second):
            one, two = _needs(first, path, depth), _needs(second, path, depth)
            return two if one == [{}] else one
        case nodes.UsedByNode(_, consumer):
            return _needs(consumer, path, depth)
        case nodes.DominatesNode(_, _, child):
            return _needs(child, path, depth)
        case nodes.TogetherNode(roots):
            return _needs(roots[0], path, depth)
        case nodes.RepeatNode(base, _, wrapped, at_least):
            forms = _needs(wrapped, path, depth)
            return forms if at_least else [*forms, *_needs(base, path, depth)]
        case _:
            return [_kinds(pattern, path)]


def _forms(top: Needs, orders: Sequence[Sequence[Node]], path: Path, depth: int) -> list[Needs]:
    """Return the forms of a call, one for each choice of its arguments' forms; only its own if too many."""
    forms: list[Needs] = []
    for order in orders:
        below = [_needs(arg, (*path, i), depth - 1) for i, arg in enumerate(order)]
        for chosen in product(*below):
            forms.append({**top, **{q: a for part in chosen for q, a in part.items()}})
            if len(forms) > MOST_FORMS:
                return [top]
    return forms or [top]


def _attributes(callee: Node, path: Path) -> Needs:
    """Return the questions about attributes of a call's callee; only attributes at its top are read."""
    found: Needs = {}
    while isinstance(callee, nodes.HasAttrNode):
        if is_plain(callee.value) and has_one_spelling(callee.name):
            found["attribute", path, callee.name] = frozenset([_plain(callee.value)])
        callee = callee.pattern
    return found


def _one_result(pattern: Node, path: Path) -> bool:
    """Return whether the value at the path is the only result of its op, so that its type is known
    there."""
    kinds = None if path else possible_ops(pattern)
    definitions = [getattr(kind, "get_irdl_definition", None) for kind in kinds or ()]
    return bool(path) or (
        bool(definitions) and all(d and len(d().results) == 1 for d in definitions)
    )


def _plain(value: object) -> Hashable:
    """Return an attribute, or the required value of one, as a Python value."""
    if isinstance(value, IntegerAttr | FloatAttr):
        return value.value.data
    if isinstance(value, StringAttr):
        return value.data
    if isinstance(value, Attribute):
        values = getattr(value, "get_values", None)
        return str(value) if values is None else tuple(values())
    return tuple(value) if isinstance(value, list | tuple) else value  # pyright: ignore


def _asked_attribute(op: Operation | None, name: str) -> Hashable:
    if op is None:
        return None
    if (read := OPERATOR_ATTRIBUTES.get(name)) is not None:
        return read(op)  # pyright: ignore[reportReturnType]
    return _plain(attribute_of(op, name))


def _asked_number(op: Operation | None) -> Hashable:
    return first_number(op.value) if isinstance(op, ConstantOp) else None


def _asked_type(value: SSAValue | None, what: str) -> Hashable:
    type = None if value is None else value.type
    return getattr(type, what) if isinstance(type, TensorType) else None


ANSWERS: Mapping[str, Callable[[Operation | None, SSAValue | None, str], Hashable]] = {
    "op": lambda op, value, _: PARAMETER if op is None else op.name,
    "attribute": lambda op, value, name: _asked_attribute(op, name),
    "number": lambda op, value, _: _asked_number(op),
    "dtype": lambda op, value, _: _asked_type(value, "dtype"),
    "shape": lambda op, value, _: _asked_type(value, "shape"),
}
"""The answer to each question, from the op at the path (None for a parameter) and its value."""


def answer(op: Operation, question: Question) -> Hashable:
    """Return the answer to a question at an op; None if the path does not exist."""
    what, path, name = question
    at: Operation | None = op
    value: SSAValue | None = op.results[0] if op.results else None
    for index in path:
        if at is None or index >= len(at.operands):
            return None
        value = at.operands[index]
        seen = source(value)
        at = seen.op if isinstance(seen, OpResult) else None
    return ANSWERS[what](at, value, name)


@dataclass
class _Node(Generic[RuleT]):
    """The patterns left after some answers; split by a further question when it is first reached."""

    entries: list[tuple[int, Needs, RuleT]]
    asked: frozenset[Question]
    question: Question | None = None
    branches: dict[Hashable, _Node[RuleT]] = field(default_factory=dict)
    otherwise: _Node[RuleT] | None = None
    rules: list[RuleT] | None = None
    """In order, once the node was reached."""

    def reach(self) -> list[RuleT]:
        """Return the patterns left, after choosing the next question."""
        if self.rules is None:
            numbered = {number: rule for number, _, rule in self.entries}
            self.rules = [numbered[number] for number in sorted(numbered)]
            if len(self.entries) > FEW:
                self.split(self._best())
        return self.rules

    def _best(self) -> Question | None:
        """Return the question that leaves the fewest forms in the largest branch."""
        wanted = {q: None for _, need, _ in self.entries for q in need if q not in self.asked}
        least = min(((self._largest(q), n, q) for n, q in enumerate(wanted)), default=None)
        return least[2] if least is not None and least[0] < len(self.entries) else None

    def split(self, question: Question | None) -> None:
        """Split by a question: a branch for each answer that a pattern wants, and one for all others."""
        self.question = question
        if question is None:
            return
        asked = self.asked | {question}
        for wanted in {a for _, need, _ in self.entries for a in need.get(question, ())}:
            kept = [e for e in self.entries if question not in e[1] or wanted in e[1][question]]
            self.branches[wanted] = _Node(kept, asked)
        self.otherwise = _Node([e for e in self.entries if question not in e[1]], asked)

    def _largest(self, question: Question) -> int:
        wild, counts = 0, Counter[Hashable]()
        for _, need, _ in self.entries:
            if question in need:
                counts.update(need[question])
            else:
                wild += 1
        return wild + max(counts.values(), default=0)


class PatternIndex(Generic[RuleT]):
    """Patterns indexed by the ops that they may match, in their original order; it grows as ops ask."""

    def __init__(self, entries: Sequence[tuple[Node, RuleT]]):
        listed = [
            (number, need, rule)
            for number, (pattern, rule) in enumerate(entries)
            for need in needs(pattern)
        ]
        self._root: _Node[RuleT] = _Node(listed, frozenset(), rules=[])
        self._root.split(("op", (), ""))

    def candidates(self, op: Operation) -> list[RuleT]:
        """Return the patterns that may match at a result of the op."""
        node = self._root
        while True:
            rules = node.reach()
            if node.question is None:
                return rules
            found = node.branches.get(answer(op, node.question), node.otherwise)
            assert found is not None
            node = found
