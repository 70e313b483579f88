"""Each rule of relax-simplify-algebra, proved for all numbers of each element type; the laws that proofs use, too."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache

import pytest
from optional import package
from proof_cases import DTYPES, FLOATS, Case, cases, proved_rules

from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.prove import Limits, VerdictKind, prove

z3 = package("z3", "prove")

from relax_dialect.prove.queries import holds  # noqa: E402
from relax_dialect.prove.scalars.lemmas import LAWS, widening  # noqa: E402
from relax_dialect.prove.scalars.scalar_types import ScalarType, scalar_type  # noqa: E402

LONG = Limits(milliseconds=20_000)
SLOW = {
    "f32": ("-x / y = -(x / y)", "x / -y = -(x / y)"),
    "f64": ("-x / y = -(x / y)", "x / -y = -(x / y)", "-x * y = -(x * y)", "x * y = y * x"),
}
"""Laws that take z3 a second or more, up to 40; `python test/unit/support/proofs_page.py` proves them."""


@cache
def found() -> list[Case]:
    """All cases, and of the casts a share."""
    return list(cases(share=random.Random(0)))


def unproved(found: Iterable[Case | None]) -> list[str]:
    """The cases that are not proved, each with the reason."""
    wrong: list[str] = []
    for case in found:
        if case is not None:
            (verdict,) = prove(case.before, case.after, LONG)
            if verdict.kind is not VerdictKind.PROVED:
                wrong.append(f"{case.rule.name}, {case.label}: {verdict}\n{verdict.counterexample}")
    return wrong


@pytest.mark.slow
def test_rules():
    assert len(found()) > 700 and unproved(found()) == []


def test_every_rule_has_a_case():
    named = {case.rule.name for case in found()}
    assert [rule.name for rule in proved_rules() if rule.name not in named] == []


def test_every_element_type_is_proved():
    labels = {case.label for case in found() if case.rule.name == "add with a neutral number"}
    assert labels == set(DTYPES)


def type_of(dtype: str) -> ScalarType:
    return scalar_type(parse_dtype(dtype))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", FLOATS)
def test_laws(dtype: str):
    type = type_of(dtype)
    x, y = z3.Consts("x y", type.sort)
    for number, (name, law) in enumerate(LAWS.items()):
        is_slow = name in SLOW.get(dtype, ()) or (
            dtype == "f64" and "x)) = " in name and number % 4
        )
        if not is_slow:
            assert holds(law(type, x, y), [], LONG).kind is VerdictKind.PROVED, name


@pytest.mark.parametrize("middle", ("f32", "f64"))
def test_widening(middle: str):
    for source in FLOATS[: FLOATS.index(middle)]:
        x = z3.Const("x", type_of(source).sort)
        for target in FLOATS:
            claim = widening(type_of(source), type_of(middle), type_of(target), x)
            assert holds(claim, [], LONG).kind is VerdictKind.PROVED, (source, middle, target)
