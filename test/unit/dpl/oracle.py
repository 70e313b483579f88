"""A matcher that tries everything: every pattern kind straight from its definition, by recursion.

It knows nothing of the matcher it is compared with but the classes of the nodes. A solution binds each
node, in each turn of the repetitions it was made in, to one value. Conditions on a whole solution (`~`,
`same_shape_as`) are asked when it is complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.dpl.syntax import patterns as p

Turns = dict[p.Pattern, object]
Bound = dict[tuple[p.Pattern, tuple[object, ...]], SSAValue]
Condition = tuple[p.Pattern, SSAValue, Turns]
State = tuple[Bound, tuple[Condition, ...]]

COMMUTATIVE = {"relax.add", "relax.multiply"}


class TooMuch(Exception):
    """There are more ways than the test has time for."""


class Oracle:
    """All solutions of a pattern, the preferred first; `scopes` tells in which turns a node is new."""

    def __init__(self, scopes: dict[p.Pattern, tuple[p.Pattern, ...]], most: int = 20_000):
        self.scopes = scopes
        self.left = most

    def solutions(self, pattern: p.Pattern, value: SSAValue) -> Iterator[Counter]:
        for bound in self._complete(pattern, value, {}, {}):
            yield Counter((node, found) for (node, _), found in bound.items())

    def _complete(
        self, pattern: p.Pattern, value: SSAValue, bound: Bound, turns: Turns
    ) -> Iterator[Bound]:
        for found, conditions in self.solve(pattern, value, (bound, ()), turns):
            if all(self.holds(condition, found) for condition in conditions):
                yield found

    def key(self, node: p.Pattern, turns: Turns) -> tuple[p.Pattern, tuple[object, ...]]:
        return node, tuple(turns.get(scope) for scope in self.scopes[node])

    def holds(self, condition: Condition, bound: Bound) -> bool:
        node, value, turns = condition
        if isinstance(node, p.Not):
            return next(self._complete(node.pattern, value, bound, turns), None) is None
        assert isinstance(node, p.SameShapeAs)
        other = bound.get(self.key(node.other, turns))
        return other is not None and shape(other) == shape(value)

    def solve(
        self, node: p.Pattern, value: SSAValue, state: State, turns: Turns
    ) -> Iterator[State]:
        self.left -= 1
        if self.left < 0:
            raise TooMuch
        bound, conditions = state
        key = self.key(node, turns)
        if key in bound:
            known = bound[key]
            if known is value or (of_an_op(node) and same_op(known, value)):
                yield state
            return
        yield from self.kind(node, value, ({**bound, key: value}, conditions), turns)

    def all(
        self, goals: Sequence[tuple[p.Pattern, SSAValue]], state: State, turns: Turns
    ) -> Iterator[State]:
        if not goals:
            yield state
            return
        (node, value), *rest = goals
        for found in self.solve(node, value, state, turns):
            yield from self.all(rest, found, turns)

    def kind(self, node: p.Pattern, value: SSAValue, state: State, turns: Turns) -> Iterator[State]:
        op = value.op if isinstance(value, OpResult) else None
        match node:
            case p.Wildcard():
                yield state
            case p.Input():
                if op is None:
                    yield state
            case p.Constant():
                if op is not None and op.name == "relax.constant":
                    yield state
            case p.Op(kind):
                if op is not None and op.name == kind.name:
                    yield state
            case p.Call(callee, args):
                if op is None or not operator(callee, op) or len(op.operands) != len(args):
                    return
                orders: list[Sequence[SSAValue]] = [op.operands]
                if node.commutes and op.name in COMMUTATIVE:
                    orders.append(op.operands[::-1])
                for operands in orders:
                    yield from self.all(list(zip(args, operands)), state, turns)
            case p.HasAttr(inner, name, wanted):
                if op is not None and attribute(op, name) == wanted:
                    yield from self.solve(inner, value, state, turns)
            case p.HasShape(inner, sizes):
                found = shape(value)
                if len(found) == len(sizes) and all(
                    w is None or w == s for w, s in zip(sizes, found)
                ):
                    yield from self.solve(inner, value, state, turns)
            case p.Named(_, inner):
                yield from self.solve(inner, value, state, turns)
            case p.Either(first, second):
                yield from self.solve(first, value, state, turns)
                yield from self.solve(second, value, state, turns)
            case p.Both(first, second):
                yield from self.all([(first, value), (second, value)], state, turns)
            case p.Not():
                yield state[0], (*state[1], (node, value, turns))
            case p.SameShapeAs(inner):
                for bound, conditions in self.solve(inner, value, state, turns):
                    yield bound, (*conditions, (node, value, turns))
            case p.Tuple(fields):
                if op is None or op.name != "relax.tuple":
                    return
                if fields is None:
                    yield state
                elif len(fields) == len(op.operands):
                    for operands in (
                        permutations(op.operands) if not node.ordered else [op.operands]
                    ):
                        yield from self.all(list(zip(fields, operands)), state, turns)
            case p.Output(inner, index):
                if op is not None and op.name == "relax.tuple_get_item":
                    place, of = op.index, op.operands[0]  # pyright: ignore
                elif op is not None and op.name in ("relax.topk", "relax.split"):
                    place, of = value.index, op.results[0]  # pyright: ignore
                else:
                    return
                if index in (None, place):
                    yield from self.solve(inner, of, state, turns)
            case p.UsedBy(producer, consumer, index, only):
                for found in self.solve(consumer, value, state, turns):
                    for place, operand in enumerate(() if op is None else op.operands):
                        if index not in (None, place):
                            continue
                        if only and not self.only_user(operand, op, producer):
                            continue
                        yield from self.solve(producer, operand, found, turns)
            case p.Repeat():
                yield from self.turn(node, 0, value, state, turns)
            case p.Hole():
                repeat = next(r for r in turns if isinstance(r, p.Repeat) and r.hole is node)
                count = turns[repeat]
                outer = {r: t for r, t in turns.items() if r is not repeat}
                yield from self.turn(repeat, count, value, state, outer)  # pyright: ignore
            case p.Dominates(parent, _, child):
                if op is None:
                    return
                for found in self.solve(child, value, state, turns):
                    for top in values_above(op):
                        for bound in self.solve(parent, top, found, turns):
                            yield from self.region(node, top, op, bound, turns)
            case _:
                raise AssertionError(node)

    @staticmethod
    def only_user(operand: SSAValue, op: Operation | None, producer: p.Pattern) -> bool:
        owner = operand.owner
        whole = of_an_op(producer) and isinstance(owner, Operation)
        values = owner.results if whole else [operand]  # pyright: ignore
        return all(use.operation is op for value in values for use in value.uses)

    def turn(
        self, repeat: p.Repeat, count: int, value: SSAValue, state: State, turns: Turns
    ) -> Iterator[State]:
        if repeat.at_most is None or count < repeat.at_most:
            yield from self.solve(repeat.wrapped, value, state, {**turns, repeat: count + 1})
        if count >= repeat.at_least:
            yield from self.solve(repeat.base, value, state, turns)

    def region(
        self, node: p.Dominates, top: SSAValue, child: Operation, state: State, turns: Turns
    ) -> Iterator[State]:
        between: dict[Operation, None] = {}

        def leads(op: Operation | None) -> bool:
            """Whether every way down from the parent, or from an op, leads to the child."""
            results = op.results if op is not None else top_results
            users = [use.operation for result in results for use in result.uses]
            for user in users:
                if user is child:
                    continue
                between[user] = None
                if not leads(user):
                    return False
            return bool(users)

        owner = top.owner
        top_results = owner.results if isinstance(owner, Operation) else [top]
        if not leads(None):
            return
        if not node.side_inputs:
            inside = {top, *top_results, *(r for op in between for r in op.results)}
            used = [operand for op in (*between, child) for operand in op.operands]
            if any(operand not in inside for operand in used):
                return
        elif node.side_inputs == "leaves":
            inside = {top, *top_results, *(r for op in between for r in op.results)}
            for operand in (operand for op in (*between, child) for operand in op.operands):
                made_by = operand.op.name if isinstance(operand, OpResult) else ""
                if operand not in inside and made_by not in ("", "relax.constant"):
                    return
        yield from self.each(node, list(between), state, turns)

    def each(
        self, node: p.Dominates, ops: list[Operation], state: State, turns: Turns
    ) -> Iterator[State]:
        if not ops:
            yield state
            return
        op, *rest = ops
        for found in self.solve(node.path, op.results[0], state, {**turns, node: op}):
            yield from self.each(node, rest, found, turns)


def values_above(op: Operation) -> list[SSAValue]:
    """All values that an op depends on."""
    found: dict[SSAValue, None] = {}
    work = list(op.operands)
    while work:
        value = work.pop(0)
        if value not in found:
            found[value] = None
            if isinstance(value, OpResult):
                work.extend(value.op.operands)
    return list(found)


def shape(value: SSAValue) -> Any:
    return getattr(value.type, "shape", ())


def attribute(op: Operation, name: str) -> object:
    if name == "TOpPattern":
        return {"relax.relu": 0, "relax.tanh": 0, "relax.add": 1, "relax.subtract": 1}.get(
            op.name, -1
        )
    found = op.properties.get(name)
    return found.data if isinstance(found, StringAttr) else found


def operator(callee: p.Pattern, op: Operation) -> bool:
    match callee:
        case p.Op(kind):
            return op.name == kind.name
        case p.Either(first, second):
            return operator(first, op) or operator(second, op)
        case p.Not(inner):
            return not operator(inner, op)
        case _:
            return isinstance(callee, p.Wildcard)


def of_an_op(node: p.Pattern) -> bool:
    """Whether a node matches an op with all its results rather than one value."""
    match node:
        case p.Op() | p.Call():
            return True
        case p.Named(_, inner) | p.HasAttr(inner) | p.UsedBy(_, inner) | p.Dominates(_, _, inner):
            return of_an_op(inner)
        case p.Either(first, second) | p.Both(first, second):
            return of_an_op(first) and of_an_op(second)
        case _:
            return False


def same_op(one: SSAValue, two: SSAValue) -> bool:
    return isinstance(one, OpResult) and isinstance(two, OpResult) and one.op is two.op
