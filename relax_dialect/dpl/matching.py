"""`match`, `extract` and `find_all`: matching of patterns at values, and in blocks, functions and
modules.

A value, an op with one result, a value or expression of the builder, or an operator can be matched.

An expression that is not emitted, `op.relu(x) + y`, is built in a block of its own, with its variables as
parameters; so patterns can be tried without a program around them, as the design document does.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from relax_dialect.builder.emitter import Emitter
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.builder.values import Expression, Value, Var
from relax_dialect.dpl.errors import PatternError, PatternLimitError
from relax_dialect.dpl.search import match_rules
from relax_dialect.dpl.search.aliases import source
from relax_dialect.dpl.search.match import Match
from relax_dialect.dpl.search.matcher import Machine
from relax_dialect.dpl.search.pattern_analysis import analyse
from relax_dialect.dpl.search.satisfiability import PARAMETER, outline
from relax_dialect.dpl.syntax import arguments
from relax_dialect.dpl.syntax.nodes import EitherNode, Node
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import LetOp


def match(pattern: Node, expr: object) -> bool:
    """Return whether a pattern matches a value, a builder expression, or an operator (an op class)."""
    arguments.pattern("match", pattern)
    if isinstance(expr, type) and issubclass(expr, Operation):
        return match_rules.operator_matches(pattern, expr)
    return extract(pattern, expr) is not None


def extract(pattern: Node, expr: object, *, max_steps: int | None = None) -> Match | None:
    """Return the match of a pattern, with the value of each of its nodes; None if it does not match.

    Raises `PatternLimitError` after `max_steps` goals.
    """
    arguments.pattern("extract", pattern)
    with subject(expr) as value:
        return match_at(pattern, value, max_steps=max_steps)


def match_at(
    pattern: Node,
    value: SSAValue,
    memo: dict[Any, Any] | None = None,
    max_steps: int | None = None,
    excluded: Set[Operation] = frozenset(),
) -> Match | None:
    """`extract` of a value; `memo` may be shared while the program does not change.

    The `excluded` ops are no further roots of it.
    """
    machine = Machine(pattern, memo, max_steps)
    machine.excluded = excluded
    found = machine.solve(value)
    return None if found is None else Match(pattern, value, found)


MOST_MATCHES, MORE_STEPS = 64, 10_000
"""The maximum number of matches at one value that a rule may decline, and the goals of each search after
the first."""


def matches_at(
    pattern: Node,
    value: SSAValue,
    memo: dict[Any, Any] | None = None,
    excluded: Set[Operation] = frozenset(),
) -> Iterator[Match]:
    """Yield the matches at a value: the first of the pattern, the first of each alternative at its root,
    then all by other choices inside: `|`, `optional`, operands in either order and the like.

    Matches are computed lazily; the program does not change meanwhile. They end after 64, or if one more is
    too much work.
    """
    first = match_at(pattern, value, memo, excluded=excluded)
    if first is None:
        return
    yield first
    if pattern not in analyse(pattern).chooses:
        return
    seen = {frozenset(first.bound)}
    for found in _further(pattern, value, memo, excluded):
        if (bound := frozenset(found)) not in seen:
            seen.add(bound)
            yield Match(pattern, value, found)
        if len(seen) == MOST_MATCHES:
            return


def _further(
    pattern: Node, value: SSAValue, memo: dict[Any, Any] | None, excluded: Set[Operation]
) -> Iterator[list[tuple[Node, SSAValue]]]:
    def machine() -> Machine:
        new = Machine(pattern, memo, MORE_STEPS)
        new.excluded = excluded
        return new

    try:
        for way in _alternatives(pattern):
            if (found := machine().solve_by(way, value)) is not None:
                yield found
        yield from machine().solutions(value)
    except PatternLimitError:
        return


def _alternatives(pattern: Node) -> list[tuple[Node, ...]]:
    """Return the ways from the root through `p | q`, to each node that is no alternation."""
    found: list[tuple[Node, ...]] = []
    work: list[tuple[Node, ...]] = [(pattern,)]
    while work:
        way = work.pop()
        if isinstance(end := way[-1], EitherNode):
            work += [(*way, end.second), (*way, end.first)]
        elif len(way) > 1:
            found.append(way)
    return found


def find_all(pattern: Node, where: object) -> list[Match]:
    """Return all matches whose root is in a block, function or module, in the order of the text.

    They may overlap. An op with several results is one root to a pattern of the op. A pattern with
    several roots is found once for each first root, and not again for the same set of roots.
    """
    known = outline(arguments.pattern("find_all", pattern))
    kinds = known.kinds
    of_op = pattern in analyse(pattern).ops
    memo: dict[Any, Any] = {}
    found: list[Match] = []
    seen: set[frozenset[SSAValue]] = set()
    for value in _values(where, kinds is None or PARAMETER in kinds, known.at_binding):
        owner = source(value).owner
        if of_op and isinstance(value, OpResult) and value.index > 0:
            continue
        if kinds is not None and isinstance(owner, Operation) and owner.name not in kinds:
            continue
        if (result := match_at(pattern, value, memo)) is not None:
            roots = frozenset(source(root) for root in result.roots)
            if len(roots) == 1 or roots not in seen:
                seen.add(roots)
                found.append(result)
    return found


def _values(where: object, parameters: bool, lets: bool) -> Iterator[SSAValue]:
    """Yield the values defined in a block and its regions, except for values that are merely forwarded,
    unless the pattern may follow the bindings of `relax.let`."""
    passing = BlockOp if lets else BlockOp | LetOp
    if isinstance(where, Block):
        work = [where]
    elif isinstance(where, ModuleOp | FuncOp | BlockOp):
        work = [where.regions[0].block]
    else:
        raise PatternError(
            f"find_all: expected a block, relax.func or module to search, found {where!r}; a single value "
            "is matched with match or extract"
        )
    stack = [iter(_entries(work[0], parameters, passing))]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
        elif isinstance(entry, SSAValue):
            yield entry
        else:
            stack.append(iter(_entries(entry, parameters, passing)))


def _entries(block: Block, parameters: bool, passing: Any) -> Iterator[SSAValue | Block]:
    if parameters:
        yield from block.args
    for op in block.ops:
        for region in op.regions:
            yield from region.blocks
        if op.results and not isinstance(op, passing):
            yield from op.results


# Things that can be matched: values, ops, expressions, operators --------------------------------


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
