"""The backtracking search: goals, choice points, and a trail of the bindings made since.

A goal is a node, a value and the iterations of the enclosing repetitions. The machine takes the first goal,
binds the node, and queries the node's match rule (`match_rules.py`) for the ways in which the rest of it
can match: each is a list of further goals. It continues with the first way, and keeps the others as a
choice point. If no way is left it undoes the bindings made since the last choice point, so that a failed
branch leaves no trace. It does not recurse, however deep pattern and program are.

A part that is tied to nothing outside (`PatternAnalysis.alone`) is solved once for a value: its failure and
its first solution are memoized. The bindings of the nodes inside it are not read elsewhere, so the solution
is one entry of the trail, which is reused at the next query.

`solutions` continues after a match, with the last choice point: there only failures are memoized, and a
region of any size (`repeat`, `dominates`) that is tied to nothing outside keeps its first solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any, TypeAlias

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.dpl.errors import PatternLimitError
from relax_dialect.dpl.search.aliases import source
from relax_dialect.dpl.search.pattern_analysis import PatternAnalysis, Turns, analyse
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_text import pattern_text

MAX_STEPS = 500_000
"""The goals that one match may take up."""


class RepetitionFrame:
    """One iteration of a repetition, which binds its nodes anew."""

    __slots__ = ("count", "node", "outer")

    def __init__(self, node: Turns, count: int, outer: RepetitionFrame | None):
        self.node = node
        self.count = count
        self.outer = outer

    @property
    def state(self) -> tuple[object, ...]:
        """Return the part of the iterations that an answer may depend on: their count, as far as it
        matters."""
        at_least, at_most = getattr(self.node, "at_least", 0), getattr(self.node, "at_most", None)
        count = min(self.count, at_least) if at_most is None else self.count
        return (count, *(() if self.outer is None else self.outer.state))


class FunctionGoal:
    """A goal without a node: a function that returns the ways to continue."""

    __slots__ = ("ways",)

    def __init__(self, ways: Callable[[Machine], Ways]):
        self.ways = ways


class _Solved:
    """The goal after the goals of a part that is solved independently."""

    __slots__ = ("choices", "question", "start")

    def __init__(self, question: object, start: int, choices: int):
        self.question = question
        self.start = start
        self.choices = choices


Goal = tuple[Any, Any, Any]
Ways = Iterable[Sequence[Goal]]
NONE: Ways = ()
DONE: Ways = ((),)
Key = tuple[Node, "RepetitionFrame | None"]
Answer: TypeAlias = list[Any]
"""The values of the nodes of a solved part, in order; parts solved inside it have lists of their own."""
Memo = dict[Any, Any]

STEPS: dict[type[Node], Callable[[Machine, Any, SSAValue, SSAValue, Any], Ways]] = {}
"""For each kind of node the function that returns the ways to match it; filled by `match_rules.py`."""

REGIONS = (nodes.RepeatNode, nodes.DominatesNode)
FAILED = None
_UNKNOWN = object()


class _Search:
    """The goals of one run, deferred goals, and the choice points."""

    __slots__ = ("choices", "goals", "late")

    def __init__(self, goals: Any):
        self.goals = goals
        self.late: Any = None
        self.choices: list[tuple[Iterator[Sequence[Goal]], Any, int, Any]] = []

    def solve_alone(self, question: object, memo: Memo, height: int) -> None:
        """Have the answer of a part remembered: its first solution, or that it has none."""
        solved = _Solved(question, height, len(self.choices))
        self.choices.append((_failing(memo, question), None, height, self.late))
        self.goals = ((solved, None, None), self.goals)


class Machine:
    """One search for a match of a pattern; `memo` may be shared while the program does not change."""

    def __init__(self, pattern: Node, memo: Memo | None = None, max_steps: int | None = None):
        self.pattern = pattern
        self.analysis: PatternAnalysis = analyse(pattern)
        self.memo: Memo = {} if memo is None else memo
        self.max_steps = MAX_STEPS if max_steps is None else max_steps
        self.every = False
        """Whether parts that are solved by themselves are solved in every way."""
        self.excluded: Set[Operation] = frozenset()
        """The ops that are no further roots."""
        self.steps = 0
        self.bound: dict[Key, SSAValue] = {}
        self.trail: list[Any] = []  # keys and answers

    def solve(self, value: SSAValue) -> list[tuple[Node, SSAValue]] | None:
        """Match the pattern at a value; returns the bindings, in order, or None."""
        return self.solve_by((self.pattern,), value)

    def solve_by(self, way: Sequence[Node], value: SSAValue) -> list[tuple[Node, SSAValue]] | None:
        """Match the pattern at a value by one way through the alternations at its root."""
        for node in way[:-1]:
            self.bound[node, None] = value
            self.trail.append((node, None))
        return self._found() if self.run(((way[-1], value, None), None)) else None

    def solutions(self, value: SSAValue) -> Iterator[list[tuple[Node, SSAValue]]]:
        """Match the pattern at a value in every way; yields the bindings of each, in order."""
        self.every = True
        search = _Search(((self.pattern, value, None), None))
        more = True
        while more and self._reach(search):
            yield self._found()
            more = self._take_way(NONE, search)

    def _found(self) -> list[tuple[Node, SSAValue]]:
        """Return the bindings, in order."""
        found: list[tuple[Node, SSAValue]] = []
        for entry in self.trail:
            if type(entry) is list:
                found.extend(_flat(entry))
            else:
                found.append((entry[0], self.bound[entry]))
        return found

    def holds(self, pattern: Node, value: SSAValue, frame: RepetitionFrame | None) -> bool:
        """Return whether a pattern matches under the current bindings; binds nothing."""
        return self.answer(pattern, value, frame) is not FAILED

    def answer(
        self, pattern: Node, value: SSAValue, frame: RepetitionFrame | None
    ) -> Answer | None:
        """Return the values of a pattern's nodes under the current bindings; binds nothing."""
        untied = pattern in self.analysis.untied
        key = ("holds", pattern, self._seen(value))
        if untied and (known := self.memo.get(key, _UNKNOWN)) is not _UNKNOWN:
            return known
        outer, self.trail = self.trail, []
        found = FAILED
        if self.run(((pattern, value, frame), None)):
            found = self._take(0)
        self.trail = outer
        if untied:
            self.memo[key] = found
        return found

    def _seen(self, value: SSAValue) -> SSAValue:
        """Return the value that answers depend on: its source, unless the pattern sees bindings."""
        return value if self.analysis.sees_bindings else source(value)

    def value_of(self, node: Node, frame: RepetitionFrame | None) -> SSAValue | None:
        """Return the value that a node is bound to, None if it is unbound."""
        return self.bound.get((node, self._frame_of(node, frame)))

    def _frame_of(self, node: Node, frame: RepetitionFrame | None) -> RepetitionFrame | None:
        """Return the iteration in which a node is bound."""
        owners = self.analysis.owners.get(node)
        if owners is None:
            return None
        while frame is not None and frame.node not in owners:
            frame = frame.outer
        return frame

    def run(self, goals: Any) -> bool:
        """Reach all goals; returns whether that is possible. Bindings are kept."""
        return self._reach(_Search(goals))

    def _reach(self, search: _Search) -> bool:
        while search.goals is not None or search.late is not None:
            if search.goals is None:
                search.goals, search.late = search.late, None
            (node, value, frame), search.goals = search.goals
            self.steps += 1
            if self.steps > self.max_steps:
                self._give_up()
            ways = self._ways(node, value, frame, search)
            if ways is not DONE and not self._take_way(ways, search):
                return False
        return True

    def _ways(self, node: Any, value: Any, frame: RepetitionFrame | None, search: _Search) -> Ways:
        """Return the ways to go on from a goal."""
        if type(node) is _Solved:
            self.memo[node.question] = self._close(node.start)
            del search.choices[node.choices :]
            return DONE
        if type(node) is FunctionGoal:
            return node.ways(self)
        if type(node) is Late:
            search.late = ((FunctionGoal(node.ways), None, None), search.late)
            return DONE
        key = (node, None if node not in self.analysis.owners else self._frame_of(node, frame))
        seen, known = source(value), self.bound.get(key)
        if known is not None:
            return DONE if self._same(node, source(known), seen) else NONE
        if node in self.analysis.alone:
            turns = () if frame is None or node not in self.analysis.turning else frame.state
            question = (node, self._seen(value), turns)
            answer = self.memo.get(question, _UNKNOWN)
            if answer is not _UNKNOWN:
                if answer is FAILED:
                    return NONE
                if not self.every or node.KIND in REGIONS:
                    return self._repeat(key, value, answer)
            elif not self.every or node.KIND in REGIONS:
                search.solve_alone(question, self.memo, len(self.trail))
        self.bound[key] = value
        self.trail.append(key)
        return STEPS[node.KIND](self, node, value, seen, frame)

    def _repeat(self, key: Key, value: SSAValue, answer: Answer) -> Ways:
        """Repeat the bindings of a part that was solved before."""
        self.bound[key] = value
        self.trail.append(key)
        if answer:
            self.trail.append(answer)
        return DONE

    def _take_way(self, ways: Ways, search: _Search) -> bool:
        """Take the first way; where there is none, go back to the last choice. False if none is left."""
        rest = iter(ways)
        is_only = isinstance(ways, tuple) and len(ways) == 1
        while (way := next(rest, None)) is None:
            if not search.choices:
                self._undo(0)
                return False
            rest, search.goals, height, search.late = search.choices.pop()
            is_only = False
            self._undo(height)
        if not is_only:
            search.choices.append((rest, search.goals, len(self.trail), search.late))
        for goal in reversed(way):
            search.goals = (goal, search.goals)
        return True

    def _close(self, start: int) -> Answer:
        """Merge the bindings of a part, from `start` on, into one answer; only its own node remains
        bound."""
        answer = self._take(start + 1)
        if answer:
            self.trail.append(answer)
        return answer

    def _take(self, start: int) -> Answer:
        """Remove the bindings from `start` on from the trail; returns them."""
        bound, trail = self.bound, self.trail
        answer: Answer = []
        for entry in trail[start:]:
            answer.append(entry if type(entry) is list else (entry[0], bound.pop(entry)))
        del trail[start:]
        return answer

    def _undo(self, height: int) -> None:
        trail, bound = self.trail, self.bound
        while len(trail) > height:
            entry = trail.pop()
            if type(entry) is not list:
                del bound[entry]

    def _same(self, node: Node, known: SSAValue, found: SSAValue) -> bool:
        """Return whether two values are equal for a node; results of one op are, for a node of the op."""
        return known is found or (
            node in self.analysis.ops
            and isinstance(known, OpResult)
            and isinstance(found, OpResult)
            and known.op is found.op
        )

    def count(self, steps: int) -> None:
        """Take up steps; raises `PatternLimitError` past the limit."""
        self.steps += steps
        if self.steps > self.max_steps:
            self._give_up()

    def _give_up(self) -> None:
        raise PatternLimitError(
            f"{pattern_text(self.pattern)}: expected a match to be found or refused within "
            f"{self.max_steps} steps, found none yet; its alternatives share nodes, so that each choice "
            "depends on the others: use a node once, or write wider parts as separate nodes"
        )


class Late(FunctionGoal):
    """A check that waits until all other goals are reached."""

    __slots__ = ()


def _flat(answer: Answer) -> Iterator[tuple[Node, SSAValue]]:
    work = [iter(answer)]
    while work:
        entry = next(work[-1], None)
        if entry is None:
            work.pop()
        elif type(entry) is list:
            work.append(iter(entry))
        else:
            yield entry


def _failing(memo: Memo, question: object) -> Iterator[Sequence[Goal]]:
    """Memoize the failure of a part, as its last choice."""
    memo[question] = FAILED
    return
    yield ()


def solve(
    pattern: Node, value: SSAValue, memo: Memo | None = None, max_steps: int | None = None
) -> list[tuple[Node, SSAValue]] | None:
    """Match a pattern at a value: the nodes bound and their values, or None."""
    return Machine(pattern, memo, max_steps).solve(value)
