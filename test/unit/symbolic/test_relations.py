"""What is known of sizes: which are equal, different, or decided by bounds; and what C has to check of them."""

from __future__ import annotations

import itertools

import pytest

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import parse
from relax_dialect.symbolic.c import SizeCondition, demands
from relax_dialect.symbolic.interval import EVERYTHING, Interval, conjunction, multiply
from relax_dialect.symbolic.relations import provably_at_least, provably_different, under_bounds

Ends = tuple[int | str, int | str]


def interval_of(ends: Ends) -> Interval:
    """An interval whose ends are numbers or sizes."""
    return Interval(*(parse(end) if isinstance(end, str) else end for end in ends))


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


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [
        ((0, "n"), (3, 3), (0, "3 * n")),
        ((3, 3), (0, "n"), (0, "3 * n")),
        ((0, "n"), (-2, -2), ("-2 * n", 0)),
        ((-2, -2), (0, "n"), ("-2 * n", 0)),
        ((0, "n"), (0, "m"), (0, "m * n")),
        (("n", "n + 1"), (2, "m"), ("2 * n", "m * n + m")),
        ((0, "n"), (-3, 5), None),
        (("n - m", "n"), (0, 2), None),
    ],
)
def test_products_of_symbolic_ends(x: Ends, y: Ends, found: Ends | None):
    expected = EVERYTHING if found is None else interval_of(found)
    assert multiply(interval_of(x), interval_of(y)) == expected


@pytest.mark.parametrize(
    ("larger", "smaller", "proved"),
    [
        ("max(n - m, 0)", "0", True),
        ("max(n - m, k)", "0", True),
        ("max(n - m, m - n)", "0", False),
        ("min(n, m)", "0", True),
        ("min(n, m - 1)", "0", False),
        ("n", "min(n, m)", True),
        ("n", "max(n, m)", False),
        ("n + m", "max(n, m)", True),
        ("n + 1", "max(n, 1)", True),
        ("n", "max(n, 1)", False),
        ("2 * max(n - m, k) + min(n, m)", "k", True),
    ],
)
def test_extrema_that_are_at_least_others(larger: str, smaller: str, proved: bool):
    assert provably_at_least(parse(larger), parse(smaller)) is proved


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
        ("n * m", [SizeCondition("product", ("m", "n"))]),
        ("2 * n * m", [SizeCondition("product", ("m", "n"), 2)]),
        ("1073741824 * n", [SizeCondition("product", ("n",), 1073741824)]),
        ("n mod m", [SizeCondition("divisor", ("m",))]),
        ("n floordiv 2", []),
        ("min(n * m, k)", [SizeCondition("product", ("m", "n"))]),
        ("broadcast(n, m)", [SizeCondition("broadcast", ("m", "n"))]),
    ],
)
def test_what_c_checks(size: str, expected: list[SizeCondition]):
    assert list(demands(parse(size), str)) == expected


def test_sums_of_many_large_terms_are_checked():
    """As many as are below 2^63 need no check."""
    few, many = ("+".join(f"{2**10} * n{i}" for i in range(count)) for count in (2, 40))
    assert not list(demands(parse(few), str))
    assert [d.kind for d in demands(parse(many), str)] == ["sum"]
