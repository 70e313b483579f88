"""Integers that are terms of z3 and branch: Python code on numbers is run on every path that they can take.

    for condition, result in paths(lambda: code(Symbolic.named("a"), Symbolic.named("b"))): ...

A comparison asks z3 which of its answers are possible, takes one, and takes the other on another path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from relax_dialect.prove.z3_package import z3

MOST_PATHS = 400


class _Path:
    """The answers of comparisons on a path: those that are given, then true as long as that is possible."""

    current: _Path

    def __init__(self, given: list[bool], facts: list[Any]):
        self.given, self.taken = given, list[bool]()
        self.open: list[list[bool]] = []
        """The paths that branch off."""
        self.solver = z3.Solver()
        self.solver.set("timeout", 2000)
        self.solver.add(*facts)
        self.conditions: list[Any] = list(facts)

    def decide(self, condition: Any) -> bool:
        condition = z3.simplify(condition)
        if z3.is_true(condition) or z3.is_false(condition):
            return z3.is_true(condition)
        if len(self.taken) < len(self.given):
            answer = self.given[len(self.taken)]
        else:
            can = [self.solver.check(c) != z3.unsat for c in (condition, z3.Not(condition))]
            answer = can[0]
            if all(can):
                self.open.append([*self.taken, False])
        self.taken.append(answer)
        self.conditions.append(condition if answer else z3.Not(condition))
        self.solver.add(self.conditions[-1])
        return answer


class Symbolic(int):
    """An integer of which a term is known."""

    term: Any

    @staticmethod
    def of(term: Any) -> Symbolic:
        number = Symbolic(0)
        number.term = term
        return number

    @staticmethod
    def named(name: str) -> Symbolic:
        return Symbolic.of(z3.Int(name))

    def __hash__(self) -> int:
        return hash(self.term)


def term_of(x: Any) -> Any:
    """The term of a number."""
    return x.term if isinstance(x, Symbolic) else z3.IntVal(int(x))


def _floordiv(a: Any, b: Any) -> Any:
    return z3.If(b > 0, a / b, (-a) / (-b))


def _floormod(a: Any, b: Any) -> Any:
    return a - b * _floordiv(a, b)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": _floordiv,
    "mod": _floormod,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def _define() -> None:
    for name, compute in ARITHMETIC.items():

        def forward(self: Symbolic, other: Any, compute: Any = compute) -> Any:
            if not isinstance(other, int):
                return NotImplemented
            return Symbolic.of(z3.simplify(compute(self.term, term_of(other))))

        def backward(self: Symbolic, other: Any, compute: Any = compute) -> Any:
            return Symbolic.of(z3.simplify(compute(term_of(other), self.term)))

        setattr(Symbolic, f"__{name}__", forward)
        setattr(Symbolic, f"__r{name}__", backward)
    for name, compare in COMPARISONS.items():

        def answer(self: Symbolic, other: Any, compare: Any = compare) -> Any:
            if isinstance(other, float):  # an infinity, which is beyond every number
                return bool(compare(0.0, other))
            return _Path.current.decide(compare(self.term, term_of(other)))

        setattr(Symbolic, f"__{name}__", answer)
    Symbolic.__neg__ = lambda self: Symbolic.of(-self.term)  # pyright: ignore


_define()


def paths(code: Callable[[], Any], facts: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    """What holds on each path of some code, and what it gives there."""
    work: list[list[bool]] = [[]]
    for _ in range(MOST_PATHS):
        if not work:
            return
        path = _Path.current = _Path(work.pop(), facts)
        result = code()
        yield path.conditions, result
        work += path.open
    raise AssertionError(f"more than {MOST_PATHS} paths")
