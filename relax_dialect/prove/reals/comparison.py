"""Proofs that two functions compute the same over the real numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from relax_dialect.errors import RelaxError
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.ranges import ArangeOp
from relax_dialect.prove.equivalence import Question, ValueComparison
from relax_dialect.prove.function_terms import FunctionTerms
from relax_dialect.prove.queries import holds
from relax_dialect.prove.reals.definitions import expand
from relax_dialect.prove.reals.real_terms import RealTerms
from relax_dialect.prove.scalars.real_numbers import real
from relax_dialect.prove.scalars.scalar_types import over_reals
from relax_dialect.prove.value_terms import Index, TensorTerm, Value
from relax_dialect.prove.verdicts import Limits, Outside, Verdict, VerdictKind
from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic import var

Assumption = Callable[[RealTerms], Any]
"""Returns a fact about the symbols of a query that a proof assumes."""


class RealFunctionTerms(FunctionTerms):
    """The values of one function over the real numbers."""

    def _result_values(self, op: Operation) -> Sequence[Value]:
        if not isinstance(op, ArangeOp) or op.result.type.shape is None:  # pyright: ignore
            return super()._result_values(op)
        key, shape = self.keys.of("arange", str(op)), op.result.type.shape  # pyright: ignore

        def element(terms: RealTerms, index: Index) -> Any:
            start, step = Fraction(op.start or 0), Fraction(op.step)
            return real(start) + real(step) * terms.index(index[0])

        return [TensorTerm(key, shape, op.result.type.dtype, element)]  # pyright: ignore


class RealComparison(ValueComparison):
    """Values of two functions over the real numbers, compared."""

    def __init__(self, limits: Limits, assumptions: Sequence[Assumption]):
        super().__init__(limits)
        self.assumptions = assumptions

    def reader(self, function: FuncOp) -> FunctionTerms:
        return RealFunctionTerms(function, self.keys, self.views, self.opaque, self.is_equal)

    def _tensors(self, a: TensorTerm, b: TensorTerm) -> Question:
        if a.shape != b.shape:
            raise Outside("results of other sizes")
        terms = RealTerms()
        index = tuple(var(f"i{axis}__") for axis in range(len(a.shape)))
        old, new = (terms.normal(each.at(terms, index)) for each in (a, b))
        facts = [*terms.facts(), *(assume(terms) for assume in self.assumptions)]
        answer = holds(old == new, facts, self.limits, "default")
        if answer.kind is VerdictKind.PROVED and not old.eq(new):
            _require_possible(facts, self.limits)
        return Question(answer, terms, index, a.shape, frozenset())


def _require_possible(facts: Sequence[Any], limits: Limits) -> None:
    """Refuse facts that contradict each other, from which anything follows."""
    if holds(z3.BoolVal(False), facts, limits, "default").kind is VerdictKind.PROVED:
        raise Outside("a divisor of 0, or a root of a number below 0, for all inputs")


def no_choice(terms: RealTerms) -> Any:
    """Assume that no condition of a program holds: a softplus below its threshold."""
    return z3.And([share == 0 for share in terms.choices()])


def prove_over_reals(
    before: ModuleOp, after: ModuleOp, limits: Limits, assumptions: Sequence[Assumption] = ()
) -> list[Verdict]:
    """Return a verdict for each relax.func: whether its results are equal where floats are real numbers."""
    before, after = expand(before), expand(after)
    old, new = (
        {f.sym_name.data: f for f in each.ops if isinstance(f, FuncOp)} for each in (before, after)
    )
    with over_reals():
        return [
            _compared(old[name], new[name], RealComparison(limits, assumptions))
            for name in old
            if name in new
        ]


def _compared(before: FuncOp, after: FuncOp, comparison: RealComparison) -> Verdict:
    name = before.sym_name.data
    try:
        a, b = (comparison.reader(each).result() for each in (before, after))
        kinds = [question.answer.kind for question in comparison.questions(a, b)]
    except (Outside, RelaxError) as reason:
        return Verdict(name, VerdictKind.OUTSIDE, str(reason))
    kind = next((k for k in kinds if k is not VerdictKind.PROVED), VerdictKind.PROVED)
    # symbols have more values than the functions: what z3 refutes is not known
    return Verdict(name, kind if kind is VerdictKind.PROVED else VerdictKind.UNKNOWN)
