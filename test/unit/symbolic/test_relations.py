"""What is known of sizes: which are equal, different, or decided by bounds; and what C has to check of them."""

from __future__ import annotations

import itertools

import pytest

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import parse
from relax_dialect.symbolic.c import Demand, demands
from relax_dialect.symbolic.interval import EVERYTHING, Interval, conjunction
from relax_dialect.symbolic.relations import provably_different, under_bounds


@pytest.mark.parametrize(
    ("size", "simplified"),
    [
        ("min(n, 300)", "n"),
        ("min(300, n)", "n"),
        ("min(n, 299)", "min(299, n)"),
        ("max(n, 300)", "300"),
        ("max(300, n)", "300"),
        ("max(n, 299)", "max(299, n)"),
        ("min(n, m)", "min(m, n)"),
        ("min(n, n + m)", "n"),
        ("max(n, n + m)", "m + n"),
        ("2 * min(n, 512) + max(m, 7)", "2 * n + max(7, m)"),
    ],
)
def test_extrema_that_bounds_decide(size: str, simplified: str):
    assert under_bounds(parse(size), {"n": 300}) == parse(simplified)


@pytest.mark.parametrize(
    ("a", "b", "different"),
    [
        ("n", "n + 1", True),
        ("n + 1", "n", True),
        ("n", "m", False),
        ("n", "n", False),
        ("2 * n", "2 * m + 1", True),
        ("2 * n", "2 * m", False),
        ("2 * n", "m + 1", False),
        ("6 * n + 3 * k", "2", True),
        ("6 * n + 3 * k", "3", False),
        ("n", "7", False),
    ],
)
def test_sizes_that_differ_whatever_their_variables(a: str, b: str, different: bool):
    assert provably_different(parse(a), parse(b)) is different


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [
        (Interval(0, 12), Interval(0, 5), Interval(0, 5)),
        (Interval(-1, 12), Interval(0, 5), Interval(0, 5)),
        (Interval(0, 12), Interval(-3, 5), Interval(0, 12)),
        (Interval(-1, 12), Interval(-1, 5), EVERYTHING),
    ],
)
def test_bits_in_common(x: Interval, y: Interval, found: Interval):
    assert conjunction(x, y) == found
    values = itertools.product(range(int(x.low), 13), range(int(y.low), 6))
    assert all(found.holds(a & b) for a, b in values)


def test_magnitude():
    assert [Interval(*ends).magnitude for ends in ((-5, 3), (-3, 5), (2, 4))] == [5, 5, 4]


@pytest.mark.parametrize("text", ["min", "n + max", "broadcast", "n mod"])
def test_a_text_that_ends_too_soon(text: str):
    with pytest.raises(SymbolicError, match="found the end of the text"):
        parse(text)


def test_a_long_text_is_shown_around_the_error():
    for position, start in ((5, ""), (60, "...")):
        text = "+".join("n" * 60)
        text = f"{text[:position]}!{text[position:]}"
        with pytest.raises(SymbolicError) as caught:
            parse(text)
        assert "'!'" in str(caught.value)
        assert f"{start}{text[max(0, position - 30) :][:20]}" in str(caught.value)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("n", []),
        ("3 * n", []),
        ("n - m", []),
        ("n * m", [Demand("product", ("m", "n"))]),
        ("2 * n * m", [Demand("product", ("m", "n"), 2)]),
        ("1073741824 * n", [Demand("product", ("n",), 1073741824)]),
        ("n mod m", [Demand("divisor", ("m",))]),
        ("n floordiv 2", []),
        ("min(n * m, k)", [Demand("product", ("m", "n"))]),
        ("broadcast(n, m)", [Demand("broadcast", ("m", "n"))]),
    ],
)
def test_what_c_checks(size: str, expected: list[Demand]):
    assert list(demands(parse(size), str)) == expected


def test_sums_of_many_large_terms_are_checked():
    """As many as are below 2^63 need no check."""
    few, many = ("+".join(f"{2**10} * n{i}" for i in range(count)) for count in (2, 40))
    assert not list(demands(parse(few), str))
    assert [d.kind for d in demands(parse(many), str)] == ["sum"]
