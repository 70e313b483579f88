"""Variables that declared sizes define: random affine systems against the search of all their values."""

from __future__ import annotations

import random
from itertools import product

import pytest

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import affine_in, const, definitions, parse, solve, solved_sizes, var
from relax_dialect.symbolic.expr import total

NAMES = ("a", "b", "c")
MOST = 3
"""The largest value of a variable in the search."""


def drawn(rng: random.Random):
    """Up to four affine sizes of three variables."""
    return [
        total(
            [
                const(rng.randint(-2, 4)),
                *(rng.choice((-1, 0, 0, 0, 1, 2, 3)) * var(v) for v in NAMES),
            ]
        )
        for _ in range(rng.randint(1, 4))
    ]


def searched(sizes, values):
    """All values of the variables for which the sizes have these values."""
    used = sorted({v for size in sizes for v in size.free_variables})
    found = (dict(zip(used, each)) for each in product(range(MOST + 1), repeat=len(used)))
    return [each for each in found if [size.evaluate(each) for size in sizes] == values]


@pytest.mark.parametrize("seed", range(4))
def test_random_systems(seed: int):
    rng = random.Random(seed)
    solvable = 0
    for _ in range(100):
        sizes = drawn(rng)
        given = {v: rng.randint(0, MOST) for v in NAMES}
        values = [size.evaluate(given) + rng.choice((0, 0, 0, 0, 1, -1)) for size in sizes]
        if any(value < 0 for value in values):
            continue
        used = {v for size in sizes for v in size.free_variables}
        defined = definitions(sizes)
        if set(defined) != used:
            with pytest.raises(SymbolicError, match=r"cannot solve|expected"):
                solve(sizes, values, {})
            continue
        solvable += 1
        found = searched(sizes, values)
        assert len(found) <= 1  # what is defined is unique
        try:
            solution = solve(sizes, values, {})
        except SymbolicError:
            assert not found
            continue
        assert not solution.checks
        bound = {name: size.value for name, size in solution.bindings.items()}
        assert all(value is not None and value >= 0 for value in bound.values())
        assert [size.evaluate(bound) for size in sizes] == values
        assert not found or found == [bound]
        assert solved_sizes(sizes, values) == bound
    assert solvable > 15


@pytest.mark.parametrize("seed", range(4))
def test_solutions_in_terms_of_other_sizes(seed: int):
    """The checks hold exactly where the system has a solution, which the bindings are."""
    rng = random.Random(f"symbolic {seed}")
    for _ in range(15):
        sizes = drawn(rng)
        if set(definitions(sizes)) != {v for size in sizes for v in size.free_variables}:
            continue
        values = [rng.choice((var("x"), var("y"), 2 * var("x"), const(4))) for _ in sizes]
        try:
            solution = solve(sizes, values, {})
        except SymbolicError:
            solution = None
        for x, y in product(range(3), repeat=2):
            at = {"x": x, "y": y}
            found = searched(sizes, [value.evaluate(at) for value in values])
            holds = solution is not None and all(
                expected.evaluate(at) == actual.evaluate(at) for expected, actual in solution.checks
            )
            if found:
                assert solution is not None and holds
            if holds and solution is not None:
                bound = {name: size.evaluate(at) for name, size in solution.bindings.items()}
                assert min(bound.values(), default=0) >= 0
                assert [s.evaluate(bound) for s in sizes] == [v.evaluate(at) for v in values]


@pytest.mark.parametrize(
    ("sizes", "known", "expected"),
    [
        (["n", "2 * n"], "", {"n": 0}),
        (["2 * n", "n"], "", {"n": 1}),  # a bare size comes first
        (["m + n", "m"], "", {"m": 1, "n": 0}),
        (["a + b", "b + c", "c + 1"], "", {"c": 2, "b": 1, "a": 0}),
        (["m * n + k", "m", "n"], "", {"m": 1, "n": 2, "k": 0}),
        (["m + n"], "m", {"n": 0}),
        (["n"], "n", {}),
        (["m + n", "m - n"], "", {}),
        (["m * n", "m"], "", {"m": 1}),
        (["n floordiv 2", "n mod 3", "max(n, 1)", "n * n"], "", {}),
        (["2 * n - n mod 2"], "", {}),
    ],
)
def test_definitions(sizes: list[str], known: str, expected: dict[str, int]):
    found = definitions(map(parse, sizes), known.split().__contains__)
    assert found == expected and list(found) == list(expected)


def test_definitions_are_linear():
    """A chain of sums, each of which needs the next."""
    count = 3000
    sizes = [var(f"n{i}") + var(f"n{i + 1}") for i in range(count)]
    assert len(definitions([*sizes, 2 * var(f"n{count}")])) == count + 1


def test_nearest_solutions():
    affine = affine_in(parse("10 - 3 * n"), "n")
    assert affine is not None
    assert [affine.nearest(10, size) for size in (10, 7, 5, 1, 12)] == [0, 1, 1, 3, 0]
    assert affine_in(parse("n + n floordiv 2"), "n") is None


def test_unknown_sizes():
    """An unknown size leaves the variables unknown that are solved from it."""
    sizes = [parse("2 * n"), parse("n + m"), parse("k")]
    found = solve(sizes, [None, const(5), const(3)], {}, allow_unknown=True)
    assert found.unknown == ["n", "m"] and found.bindings == {"k": const(3)}
    with pytest.raises(
        SymbolicError, match=r"cannot bind 'n' in .*the size of dimension 0 is unknown"
    ):
        solve(sizes, [None, const(5), const(3)], {})
