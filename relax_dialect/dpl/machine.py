"""The search: goals to reach, choices to come back to, and a trail of what was bound since.

A goal is a node, a value and the turns of repetitions around it. The machine takes the first goal,
binds the node, and asks the node's step (`steps.py`) for the ways in which the rest of it can match:
each is a list of further goals. It goes on with the first way, and keeps the others as a choice. Where
no way is left it undoes what it bound since the last choice, so that a branch that failed leaves no
trace. It does not recurse, however deep pattern and program are.

A part that is tied to nothing outside (`Analysis.alone`) is solved once for a value: its failure and
its first solution are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from xdsl.ir import OpResult, SSAValue

from relax_dialect.dpl.analysis import Analysis, Turns, analyse
from relax_dialect.dpl.errors import PatternLimitError
from relax_dialect.dpl.patterns import Call, Op, Pattern
from relax_dialect.dpl.text import pattern_text
from relax_dialect.dpl.view import source

MAX_STEPS = 500_000
"""The goals that one match may take up."""


class Frame:
    """One turn of a repetition: its nodes are bound anew in it."""

    __slots__ = ("count", "node", "outer")

    def __init__(self, node: Turns, count: int, outer: Frame | None):
        self.node = node
        self.count = count
        self.outer = outer

    @property
    def state(self) -> tuple[object, ...]:
        """What of the turns may change an answer: how many there were, as far as it counts."""
        at_least, at_most = getattr(self.node, "at_least", 0), getattr(self.node, "at_most", None)
        count = min(self.count, at_least) if at_most is None else self.count
        return (count, *(() if self.outer is None else self.outer.state))


class Check:
    """A goal that is no node: a function that gives the ways to go on."""

    __slots__ = ("ways",)

    def __init__(self, ways: Callable[[Machine], Ways]):
        self.ways = ways


class _Solved:
    """Behind the goals of a part that is solved by itself."""

    __slots__ = ("choices", "frame", "key", "start")

    def __init__(self, key: object, start: int, choices: int, frame: Frame | None):
        self.key = key
        self.start = start
        self.choices = choices
        self.frame = frame


Goal = tuple[Any, Any, Any]
Ways = Iterable[Sequence[Goal]]
Key = tuple[Pattern, "Frame | None"]
Memo = dict[Any, Any]

STEPS: dict[type[Pattern], Callable[[Machine, Any, SSAValue, SSAValue, Any], Ways]] = {}
"""For each kind of node the function that gives the ways to match it; filled by `steps.py`."""

FAILED = None
_UNKNOWN = object()


class Machine:
    """One search for a match of a pattern; `memo` may be shared while the program does not change."""

    def __init__(
        self, pattern: Pattern, memo: Memo | None = None, max_steps: int | None = None
    ):
        self.pattern = pattern
        self.analysis: Analysis = analyse(pattern)
        self.memo: Memo = {} if memo is None else memo
        self.max_steps = MAX_STEPS if max_steps is None else max_steps
        self.steps = 0
        self.bound: dict[Key, SSAValue] = {}
        self.trail: list[Key] = []

    def solve(self, value: SSAValue) -> list[tuple[Pattern, SSAValue]] | None:
        """Match the pattern at a value: what was bound, in order, or None."""
        if not self.run(((self.pattern, value, None), None)):
            return None
        bound = self.bound
        return [(key[0], bound[key]) for key in self.trail]

    def holds(self, pattern: Pattern, value: SSAValue, frame: Frame | None) -> bool:
        """Whether a pattern matches beside what is bound already; binds nothing."""
        key = ("holds", pattern, source(value))
        if pattern in self.analysis.untied and (known := self.memo.get(key)) is not None:
            return known
        inner = Machine.__new__(Machine)
        inner.pattern, inner.analysis, inner.memo = self.pattern, self.analysis, self.memo
        inner.max_steps, inner.steps = self.max_steps, self.steps
        inner.bound, inner.trail = dict(self.bound), []
        found = inner.run(((pattern, value, frame), None))
        self.steps = inner.steps
        if pattern in self.analysis.untied:
            self.memo[key] = found
        return found

    def value_of(self, node: Pattern, frame: Frame | None) -> SSAValue | None:
        """What a node is bound to, None where it is not yet."""
        return self.bound.get((node, self._frame_of(node, frame)))

    def _frame_of(self, node: Pattern, frame: Frame | None) -> Frame | None:
        """The turn that a node is bound in."""
        owner = self.analysis.owner.get(node)
        if owner is None:
            return None
        while frame is not None and frame.node is not owner:
            frame = frame.outer
        return frame

    def run(self, goals: Any) -> bool:
        """Reach all goals; gives whether that is possible. What is bound stays."""
        owners, alone = self.analysis.owner, self.analysis.alone
        bound, trail, memo = self.bound, self.trail, self.memo
        choices: list[tuple[Iterator[Sequence[Goal]], Any, int, Any]] = []
        late: Any = None
        while True:
            if goals is None:
                if late is None:
                    return True
                goals, late = late, None
            (node, value, frame), goals = goals
            self.steps += 1
            if self.steps > self.max_steps:
                self._give_up()
            ways: Ways
            if type(node) is _Solved:
                part = slice(node.start, len(trail))
                memo[node.key] = [(*key, bound[key], node.frame) for key in trail[part]]
                del choices[node.choices :]
                continue
            if type(node) is Check:
                ways = node.ways(self)
            elif type(node) is Late:
                late = ((Check(node.ways), None, None), late)
                continue
            else:
                key = (node, None if node not in owners else self._frame_of(node, frame))
                seen = source(value)
                known = bound.get(key)
                if known is not None:
                    if _same(node, source(known), seen):
                        continue
                    ways = ()
                elif node in alone:
                    question = (node, seen, () if frame is None else frame.state)
                    answer = memo.get(question, _UNKNOWN)
                    if answer is FAILED:
                        ways = ()
                    elif answer is not _UNKNOWN:
                        self._replay(answer, frame, value, node)
                        continue
                    else:
                        solved = _Solved(question, len(trail), len(choices), frame)
                        choices.append((_failing(memo, question), None, len(trail), late))
                        bound[key] = value
                        trail.append(key)
                        goals = ((solved, None, None), goals)
                        ways = STEPS[type(node)](self, node, value, seen, frame)
                else:
                    bound[key] = value
                    trail.append(key)
                    ways = STEPS[type(node)](self, node, value, seen, frame)
            # take the first way; where there is none, go back to the last choice
            rest = iter(ways)
            while True:
                way = next(rest, None)
                if way is not None:
                    if not (isinstance(ways, tuple) and len(ways) == 1):
                        choices.append((rest, goals, len(trail), late))
                    for goal in reversed(way):
                        goals = (goal, goals)
                    break
                if not choices:
                    self._undo(0)
                    return False
                rest, goals, height, late = choices.pop()
                ways = ()
                self._undo(height)

    def _undo(self, height: int) -> None:
        trail, bound = self.trail, self.bound
        while len(trail) > height:
            del bound[trail.pop()]

    def _replay(
        self, answer: Sequence[Any], frame: Frame | None, value: SSAValue, node: Pattern
    ) -> None:
        """Bind what a part was found to match, in the turn that it is asked in now."""
        for inner, turn, matched, asked in answer:
            if turn is not None and turn is asked_frame(self, inner, asked):
                turn = self._frame_of(inner, frame)
            key = (inner, turn)
            if key not in self.bound:
                self.bound[key] = value if inner is node else matched
                self.trail.append(key)

    def _give_up(self) -> None:
        raise PatternLimitError(
            f"{pattern_text(self.pattern)}: expected a match to be found or refused within "
            f"{self.max_steps} steps, found none yet; its alternatives share nodes, so that each choice "
            "depends on the others: use a node once, or give wider parts a node of their own"
        )


class Late(Check):
    """A check that waits until all other goals are reached."""

    __slots__ = ()


def asked_frame(machine: Machine, node: Pattern, frame: Frame | None) -> Frame | None:
    """The turn that a node was bound in when a part was solved in `frame`."""
    return machine._frame_of(node, frame)  # pyright: ignore[reportPrivateUsage]


def _failing(memo: Memo, question: object) -> Iterator[Sequence[Goal]]:
    """The last choice of a part: that it has none left is remembered."""
    memo[question] = FAILED
    return
    yield ()


def _same(node: Pattern, known: SSAValue, found: SSAValue) -> bool:
    """Whether two values are one to a node: results of one op are, to a node that matches the op."""
    if known is found:
        return True
    return (
        isinstance(known, OpResult)
        and isinstance(found, OpResult)
        and known.op is found.op
        and isinstance(node, Op | Call)
    )


def solve(
    pattern: Pattern, value: SSAValue, memo: Memo | None = None, max_steps: int | None = None
) -> list[tuple[Pattern, SSAValue]] | None:
    """Match a pattern at a value: the nodes bound and their values, or None."""
    return Machine(pattern, memo, max_steps).solve(value)


__all__ = ["MAX_STEPS", "STEPS", "Check", "Frame", "Goal", "Late", "Machine", "Ways", "solve"]
