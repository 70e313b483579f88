"""Facts about sizes: whatever is concluded holds wherever the equalities hold that were added."""

from __future__ import annotations

import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from optional import examples

from relax_dialect.ir.facts import ContradictionError, Facts
from relax_dialect.symbolic import Expr, SymbolicError, parse

NAMES = ("n", "m", "k", "p")
SIZES = [parse(text) for text in (
    "n", "m", "k", "p", "n * m", "n * k", "2 * n", "n + 1", "m + k", "2 * p", "n floordiv 2",
    "broadcast(m, n)", "broadcast(k, p)", "max(n, m)", "min(k, 3)", "4", "3", "n + m + 1", "m * m",
    "0", "1", "2 * p + 1", "k mod 2", "m floordiv k",
)]  # fmt: skip

points = st.fixed_dictionaries({name: st.integers(0, 4) for name in NAMES})


def value_at(size: Expr, at: dict[str, int]) -> int | None:
    """The value of a size, None where it is undefined."""
    try:
        return size.evaluate(at)
    except SymbolicError:
        return None


def check(facts: Facts, at: dict[str, int]) -> None:
    """Every size has the value at a point that the facts hold at of what it is reduced to."""
    for size in SIZES:
        value = value_at(size, at)
        if value is not None:
            reduced = facts.reduce(size)
            assert facts.reduce(reduced) is reduced
            assert value_at(reduced, at) == value


@examples(120)
@given(points, st.data())
def test_conclusions_hold_where_the_facts_hold(at, data):
    groups: dict[int, list[Expr]] = {}
    for size in SIZES:
        if (value := value_at(size, at)) is not None:
            groups.setdefault(value, []).append(size)
    equal = st.sampled_from(list(groups.values())).flatmap(
        lambda group: st.tuples(st.sampled_from(group), st.sampled_from(group))
    )
    facts = Facts()
    for a, b in data.draw(st.lists(equal, max_size=8)):
        facts.add(a, b)
        assert facts.equal(a, b)
    check(facts, at)


@examples(40)
@given(points, st.data())
def test_a_scope_leaves_nothing_behind(at, data):
    equal = st.tuples(st.sampled_from(SIZES), st.sampled_from(SIZES)).filter(
        lambda pair: value_at(pair[0], at) == value_at(pair[1], at) is not None
    )
    facts = Facts()
    for a, b in data.draw(st.lists(equal, max_size=4)):
        facts.add(a, b)
    before = [facts.reduce(size) for size in SIZES]
    with facts.scope():
        for a, b in data.draw(st.lists(equal, max_size=4)):
            facts.add(a, b)
        check(facts, at)
    assert [facts.reduce(size) for size in SIZES] == before


@pytest.mark.parametrize(
    ("equalities", "size", "expected"),
    [
        (["n == p"], "n * m + n", "m * p + p"),
        (["m == 4"], "2 * m", "8"),
        (["4 == p"], "p", "4"),
        (["n == 2 * q"], "n floordiv 2", "q"),
        (["2 * n == 2 * p"], "n", "p"),
        (["n + 1 == p + 1"], "n", "p"),
        (["n == m", "m == k"], "n + m", "2 * k"),
        (["n == p"], "broadcast(n, p)", "p"),
        (["n == 1"], "broadcast(m, n)", "m"),
        (["n * m == p"], "m * n", "p"),
        (["n * m == p", "m == 2"], "2 * n", "p"),
        (["m + 1 == n"], "n", "n"),
        (["n == m + 1"], "n - 1", "m"),
        (["n * m == k * m"], "n", "n"),
    ],
)
def test_reduction(equalities: list[str], size: str, expected: str):
    facts = Facts()
    for equality in equalities:
        a, b = equality.split(" == ")
        facts.add(parse(a), parse(b))
    assert facts.reduce(parse(size)) is parse(expected)


@pytest.mark.parametrize(
    ("equalities", "message"),
    [
        (["n == 3", "n == 4"], "expected n to be 4, found n = 3 by what was checked before"),
        (["n == m", "m == 3", "n == 4"], "expected n to be 4, found n = 3 by what was checked"),
        (["n == m", "n == m + 1"], "expected n to be m \\+ 1, found n = m by what was checked"),
        (["2 * n == m", "m == 3"], "expected 2 \\* n to be m, found m = 3"),
        (["3 == 4"], "expected 3 to be 4, found 3"),
    ],
)
def test_contradictions(equalities: list[str], message: str):
    facts = Facts()
    pairs = [tuple(map(parse, equality.split(" == "))) for equality in equalities]
    with pytest.raises(ContradictionError, match=message):
        for a, b in pairs:
            facts.add(a, b)


def test_nothing_new():
    facts = Facts()
    assert facts.add(parse("n"), parse("m"))
    assert not facts.add(parse("m"), parse("n"))
    assert not facts.add(parse("2 * n"), parse("n + m"))


@pytest.mark.long
@pytest.mark.parametrize("reverse", [False, True])
def test_long_chains_are_linear(reverse: bool):
    """Variables, each equal to the next, in either order."""

    def chain(count: int) -> None:
        facts = Facts()
        order = range(count)
        for i in reversed(order) if reverse else order:
            facts.add(parse(f"v{i + 1}"), parse(f"v{i}"))
        assert facts.reduce(parse(f"v{count}")) is parse("v0")

    chain(4000)
    assert effort(lambda: chain(4000)) < 5 * effort(lambda: chain(1000))
