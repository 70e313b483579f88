"""The algebra of sizes, proved by z3: its rules of division, its canonical form, bounds, and relations."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from optional import package

package("z3", "prove")

from size_laws import LAWS, VALUES, bits_are_fewer, interval_holds, law_holds  # noqa: E402
from size_trees import drawn, known, relations_of  # noqa: E402

from relax_dialect.prove import Limits, VerdictKind  # noqa: E402
from relax_dialect.prove.queries import holds  # noqa: E402
from relax_dialect.prove.size_terms import integer  # noqa: E402
from relax_dialect.prove.z3_package import z3  # noqa: E402
from relax_dialect.symbolic import interval  # noqa: E402

SLOW = ("*", "ceildiv", "truncdiv", "mod", "rem")
"""Operations with hundreds of paths; `python test/unit/support/proofs_page.py` proves them."""


@pytest.mark.parametrize("name", LAWS)
def test_division(name: str):
    assert law_holds(name)


@pytest.mark.slow
def test_the_table_of_intervals():
    assert set(VALUES) == set(interval.OPERATIONS) and bits_are_fewer()
    for name in VALUES.keys() - {*SLOW}:
        assert interval_holds(name), name


def test_a_wrong_table_is_found():
    """A quotient that forgets divisors below 0."""
    right = interval.OPERATIONS["floordiv"]
    wrong = lambda x, y: right(x, interval.maximum(y, interval.point(1)))  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(interval.OPERATIONS, "floordiv", wrong)  # pyright: ignore
        assert not interval_holds("floordiv")


def claims(seed: int, count: int) -> Iterator[tuple[str, object, list]]:
    """Claims about random expressions: their canonical form, their bounds, what is proved of two."""
    source = random.Random(seed)
    for _ in range(count):
        tree = drawn(source, source.choice((2, 3)))
        if (found := known(tree)) is None:
            continue
        expr, term, facts = found
        yield f"{tree} -> {expr}", integer(expr) == term, facts
        for which, end in zip(("least", "greatest"), expr.bounds()):
            if end is not None:
                claim = term >= end if which == "least" else term <= end
                yield f"{which} of {expr}: {end}", claim, facts
        yield from relations_of(tree, drawn(source, 2))


def test_expressions_of_chance():
    kinds: Counter[VerdictKind] = Counter()
    for text, claim, facts in claims(0, 120):
        answer = holds(claim, facts, Limits(milliseconds=1500), "default")
        kinds[answer.kind] += 1
        assert answer.kind is not VerdictKind.REFUTED, f"{text}: {answer.model}"
    assert kinds[VerdictKind.PROVED] > 250 and kinds[VerdictKind.UNKNOWN] < 8


def test_terms_are_what_expressions_evaluate_to():
    source = random.Random(1)
    for _ in range(60):
        if (found := known(drawn(source, 3))) is not None:
            expr, term, facts = found
            sizes = {name: source.randint(0, 9) for name in ("n", "m", "k")}
            values = [(z3.Int(name), z3.IntVal(size)) for name, size in sizes.items()]
            if all(z3.is_true(z3.simplify(z3.substitute(fact, *values))) for fact in facts):
                right = z3.simplify(z3.substitute(term, *values)).as_long()
                assert expr.evaluate(sizes) == right
