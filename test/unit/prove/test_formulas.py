"""The recognised operators are their formulas over the real numbers, and formulas that are none stay unproved."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from expanded_forms import ACTIVATIONS, function
from optional import package
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import op
from relax_dialect.prove import Limits, Over, Verdict, VerdictKind, prove

package("z3", "prove")

from formula_cases import form, forms, formula_rules, recognised  # noqa: E402

from relax_dialect.prove.reals.comparison import no_choice, prove_over_reals  # noqa: E402

COUNTS = {**dict.fromkeys(ACTIVATIONS, 2), "norm": 14, "attention": 4}
LIMITS = Limits(milliseconds=2_000)
SOON = Limits(milliseconds=200)


def test_forms():
    proofs = list(forms(COUNTS))
    wrong = [f"{p.verdict()}\n{p.before}" for p in proofs if p.verdict().kind is not PROVED]
    assert wrong == []
    seen = {name for p in proofs for name in p.names}
    assert {rule.name for rule in formula_rules()} <= seen


PROVED, REALS = VerdictKind.PROVED, VerdictKind.EQUAL_OVER_REALS
REFUTED, UNKNOWN = VerdictKind.REFUTED, VerdictKind.UNKNOWN
X = (("n", 4), "f32")


def kind(before: ModuleOp, after: ModuleOp, *assumptions: Any) -> VerdictKind:
    (verdict,) = prove_over_reals(before, after, LIMITS, assumptions)
    return verdict.kind


def of(make: Callable[..., Any], count: int = 1) -> ModuleOp:
    return function(make, [X] * count)


def centered(x: Any) -> Any:
    return x - op.mean(x, [-1], keepdims=True)


def moment(x: Any, axis: int = -1) -> Any:
    return op.mean(x * x, [axis], keepdims=True)


def shares(x: Any, axis: int = -1) -> Any:
    power = op.exp(x - op.max(x, [-1], keepdims=True))
    return power / op.sum(power, [axis], keepdims=True)


def attended(scale: float, axis: int = -1) -> Callable[..., Any]:
    return lambda q, k, v: op.matmul(op.softmax(op.matmul(q, op.permute_dims(k)) * scale, axis), v)


def causal(k: int | None, mask: str | None = None) -> ModuleOp:
    """Attention of 3 queries and 5 keys, with a bias that hides the keys after a diagonal, or by name."""

    def make(q: Any, *rest: Any) -> Any:
        keeps = None if k is None else op.tril(op.ones([1, 1, 3, 5], "f32"), k).astype("i1")
        return op.attention(q, *rest, keeps, causal_mask=mask)

    return function(make, [(("b", size, 2, 4), "f32") for size in (3, 5, 5)])


EQUAL: dict[str, tuple[ModuleOp, ModuleOp]] = {
    "sums are linear": (
        of(lambda x: op.sum(x * 2.0 + 3.0, [-1])),
        of(lambda x: op.sum(x, [-1]) * 2.0 + 12.0),
    ),
    "sums in sums": (
        of(lambda x: op.sum(x * op.sum(x, [-1], keepdims=True), [-1])),
        of(lambda x: op.square(op.sum(x, [-1]))),
    ),
    "mean of a number": (
        of(lambda x: op.mean(x * 0.0 + 3.0, [0])),
        of(lambda x: op.sum(x * 0.0, [0]) + 3.0),
    ),
    "variance": (
        of(lambda x: moment(x) - op.square(op.mean(x, [-1], keepdims=True))),
        of(lambda x: op.variance(x, [-1], keepdims=True)),
    ),
    "a variance is at least 0": (
        of(lambda x: op.relu(moment(x) - op.square(op.mean(x, [-1], keepdims=True)))),
        of(lambda x: op.variance(x, [-1], keepdims=True)),
    ),
    "exp of a sum": (of(lambda x: op.exp(x + x + 1.0)), of(lambda x: op.exp(x + 1.0) * op.exp(x))),
    "log of a product": (
        of(lambda x: op.log(op.exp(x) * 3.0)),
        of(lambda x: x + op.log(x * 0.0 + 3.0)),
    ),
    "softmax": (of(shares), of(lambda x: op.softmax(x, -1))),
    "roots": (of(lambda x: x / math.sqrt(2)), of(lambda x: x * math.sqrt(0.5))),
    "causal masks": (causal(2), causal(None, "BottomRight")),
    "masks": (
        of(lambda x: op.triu(x, 1)),
        of(lambda x: op.where(op.equal(op.tril(op.ones_like(x)), 0.0), x, 0.0)),
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal(name: str):
    assert kind(*EQUAL[name]) is PROVED


DIFFERENT: dict[str, tuple[ModuleOp, ModuleOp]] = {
    "gelu of another half": (of(lambda x: x * (op.erf(x * 0.7) * 0.5 + 0.5)), of(op.gelu)),
    "quick gelu of another steepness": (
        of(lambda x: x * op.sigmoid(x * 1.7)),
        of(op.quick_gelu),
    ),
    "softmax along another axis": (of(lambda x: shares(x, 0)), of(lambda x: op.softmax(x, -1))),
    "softmax of other powers": (
        of(lambda x: op.exp(x * 2.0) / op.sum(op.exp(x), [-1], keepdims=True)),
        of(lambda x: op.softmax(x, -1)),
    ),
    "another mean": (
        of(lambda x: op.sum(x, [-1]) / 3.0),
        of(lambda x: op.mean(x, [-1])),
    ),
    "a sum over rows": (of(lambda x: op.sum(x)), of(lambda x: op.sum(x * x))),
    "rms norm of another number": (
        of(lambda x: x * op.rsqrt(moment(x) + 1e-3)),
        of(lambda x: op.rms_norm(x, op.ones([4], "f32"), axes=[-1], epsilon=1e-5)),
    ),
    "layer norm that is not centered": (
        of(lambda x: x * op.rsqrt(op.variance(x, [-1], keepdims=True) + 1e-5)),
        of(lambda x: centered(x) * op.rsqrt(op.variance(x, [-1], keepdims=True) + 1e-5)),
    ),
    "attention of another scale": (of(attended(0.5), 3), of(attended(0.25), 3)),
    "attention along queries": (of(attended(0.5, 0), 3), of(attended(0.5), 3)),
    "another causal mask": (causal(0), causal(None, "BottomRight")),
    "a causal mask without the diagonal": (causal(-1), causal(None, "TopLeft")),
    "another diagonal": (of(lambda x: op.triu(x, 1)), of(lambda x: op.triu(x, 0))),
    "the other triangle": (of(op.tril), of(op.triu)),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str):
    assert kind(*DIFFERENT[name]) is not PROVED


def test_softplus_is_x_above_the_threshold():
    plain = of(lambda x: op.log1p(op.exp(x)))
    after = recognised(plain).after
    assert kind(plain, after) is not PROVED
    assert kind(plain, after, no_choice) is PROVED


def test_facts_that_contradict_each_other_prove_nothing():
    zero = of(lambda x: x / (x - x))
    assert kind(zero, of(lambda x: x / (x - x) + 1.0)) is VerdictKind.OUTSIDE


def test_integers_are_outside():
    before = function(lambda x: x.astype("f32"), [((3,), "ui8")])
    after = function(lambda x: x.astype("f32") + 0.0, [((3,), "ui8")])
    assert kind(before, after) is VerdictKind.OUTSIDE


def test_forms_are_those_of_the_seed():
    assert str(form("gelu", 1).before) == str(form("gelu", 1).before) != str(form("gelu", 2).before)


def weaker(before: Callable[..., Any], after: Callable[..., Any], count: int = 1) -> Verdict:
    (found,) = prove(of(before, count), of(after, count), SOON, Over.REALS)
    return found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (lambda x: (x + 1.0) * (x + 2.0), lambda x: x * x + 3.0 * x + 2.0, REALS),
        (lambda x: x * 0.0, lambda x: x - x, REALS),
        (lambda x: op.relu(x), lambda x: op.maximum(x, 0.0), PROVED),
        (lambda x: x * 2.0, lambda x: x * 3.0, REFUTED),
        (lambda x: x.astype("i32").astype("f32"), lambda x: x, REFUTED),
        (lambda x: x.astype("i32") + 1, lambda x: x.astype("i32") + 2, REFUTED),
        (lambda x: op.log1p(op.exp(x)), op.softplus, UNKNOWN),  # above the threshold
        (lambda x: op.exp(x * -2e4), lambda x: op.exp(x * -2e4) * 2.0, UNKNOWN),
        (lambda x: op.where(op.greater(x, op.full_like(x, 1e2)), x, 0.0), op.zeros_like, UNKNOWN),
    ],
)
def test_weaker_proofs(before: Any, after: Any, expected: VerdictKind):
    assert weaker(before, after).kind is expected


def test_what_holds_in_part_is_said():
    found = weaker(lambda x: op.log1p(op.exp(x)), op.softplus)
    assert "equal over the reals where no condition holds" in found.detail


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (lambda x: x * -20000.0, lambda x: x * -30000.0),
        (lambda x: op.exp(x * -20000.0), lambda x: op.exp(x * -30000.0)),
        (lambda x: op.exp(x - (-20000.0)), lambda x: op.exp(x - (-30000.0))),
        (lambda x: x.astype("i32").astype("f32"), lambda x: x),
        (lambda x: x.astype("i32") / 2 * 2, lambda x: x.astype("i32")),
    ],
)
def test_numbers_that_are_no_scores_and_integers(before: Any, after: Any):
    """Without the interpreter, which would refute."""
    assert kind(of(before), of(after)) is not PROVED


def test_integers_have_one_verdict():
    (exact, over_reals) = (
        prove(of_integers(lambda x: x * 2), of_integers(lambda x: x * 3), LIMITS, over)
        for over in Over
    )
    assert exact == over_reals and exact[0].kind is VerdictKind.REFUTED


def of_integers(make: Callable[..., Any]) -> ModuleOp:
    return function(make, [(("n",), "i8")])


def test_a_recogniser_is_proved_by_the_tool():
    found = form("gelu", 1)
    (verdict,) = prove(found.before, found.after, SOON, Over.REALS)
    assert verdict.kind is REALS
