"""Proofs that two functions of one signature return the same results, bitwise except for NaN payloads.

One generic element represents all: its index is a list of variables, and the parameter elements that it is
computed from are symbols. At first costly operations are symbols too (`prove.terms`), then they are
computed bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.errors import RelaxError
from relax_dialect.ops.core import FuncOp
from relax_dialect.prove.counterexamples import Candidate, confirmed
from relax_dialect.prove.function_terms import FunctionTerms, Opaque
from relax_dialect.prove.index_maps import IndexMaps, shape_text
from relax_dialect.prove.queries import Answer, holds
from relax_dialect.prove.scalars.scalar_types import is_same
from relax_dialect.prove.scalars.terms import ReductionOperator, Terms
from relax_dialect.prove.size_terms import facts, integer
from relax_dialect.prove.value_terms import Fields, Index, Keys, ShapeTerm, TensorTerm, Value
from relax_dialect.prove.verdicts import Limits, Outside, Verdict, VerdictKind
from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic import var

ROUNDING = 1e-2
"""A difference that no rounding of functions makes, as a part of the greater number or of 1."""


MOST_PAIRS = 12
"""The maximum number of pairs of elements of one tensor that are compared."""
INDEX_LIMITS = Limits(milliseconds=500)


@dataclass(frozen=True)
class Question:
    """The query about one result that was not proved."""

    answer: Answer
    terms: Terms
    index: Index
    shape: Index
    unshared: frozenset[Any]
    """Keys of tensors and names of functions that occur in only one of the terms."""

    def candidate(self, parameters: Mapping[int, int]) -> Candidate | None:
        """Return the values of a query that z3 refutes."""
        if self.answer.kind is not VerdictKind.REFUTED:
            return None
        return Candidate(self.answer.model, self.terms, self.index, self.shape, parameters)


class ValueComparison:
    """Values of two functions, compared."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.keys, self.views, self.opaque = Keys(), IndexMaps(), Opaque()
        self._proved: set[tuple[int, int]] = set()

    def reader(self, function: FuncOp) -> FunctionTerms:
        """Return a reader of a function, which shares the facts known about operators."""
        return FunctionTerms(function, self.keys, self.views, self.opaque, self.is_equal)

    def is_equal(self, a: Value, b: Value) -> bool:
        """Return whether two values are proved equal."""
        try:
            return not any(q.answer.kind is not VerdictKind.PROVED for q in self.questions(a, b))
        except Outside:
            return False

    def questions(self, a: Value, b: Value) -> Iterator[Question]:
        """Yield the queries about the tensors of two values; `Outside` where they cannot be compared."""
        if a.key == b.key or (a.key, b.key) in self._proved:
            return
        match a, b:
            case Fields(), Fields():
                for x, y in zip(a.fields, b.fields, strict=True):
                    yield from self.questions(x, y)
            case TensorTerm(), TensorTerm():
                yield self._tensors(a, b)
            case ShapeTerm(), ShapeTerm() if a.sizes == b.sizes:
                return
            case _:
                raise Outside(
                    "results that are computed in different ways, and are not of elements"
                )

    def _tensors(self, a: TensorTerm, b: TensorTerm) -> Question:
        if a.shape != b.shape:
            raise Outside(f"sizes {shape_text(a.shape)} and {shape_text(b.shape)}")
        if a.dtype != b.dtype:
            raise Outside(f"element types {a.dtype} and {b.dtype}")
        if any(size.value == 0 for size in a.shape):  # no element differs
            return Question(
                Answer(VerdictKind.PROVED), Terms(exact=False), (), a.shape, frozenset()
            )
        index = tuple(var(f"i{axis}__") for axis in range(len(a.shape)))
        question = self._asked(a, b, index, Terms(exact=False))
        if question.answer.kind is not VerdictKind.PROVED:
            question = self._asked(a, b, index, Terms(exact=True))
        if question.answer.kind is VerdictKind.PROVED:
            self._proved.add((a.key, b.key))
        return question

    def _same_elements(self, terms: Terms, index: Index, shape: Index) -> Iterator[Any]:
        """That elements of a tensor are equal whose indices are, however they are computed."""
        pairs = [(x, y) for x, y in combinations(terms.leaves, 2) if x[0] == y[0]]
        for x, y in pairs[:MOST_PAIRS]:
            if _is_same_index(x[1], y[1], index, shape):
                yield terms.leaves[x] == terms.leaves[y]

    def _asked(self, a: TensorTerm, b: TensorTerm, index: Index, terms: Terms) -> Question:
        old, new = (z3.simplify(each.at(terms, index)) for each in (a, b))
        same = self._same_elements(terms, index, a.shape)
        answer = holds(is_same(old, new), [*same, *terms.congruences()], self.limits)
        return Question(answer, terms, index, a.shape, frozenset(terms.unshared(old, new)))


def _is_same_index(a: Index, b: Index, index: Index, shape: Index) -> bool:
    """Return whether two indices are proved to be one, for an index within a shape."""
    inside = [z3.And(integer(i) >= 0, integer(i) < integer(size)) for i, size in zip(index, shape)]
    claim = z3.And([integer(x) == integer(y) for x, y in zip(a, b)])
    found = holds(claim, [*facts((*a, *b, *shape)), *inside], INDEX_LIMITS, "default")
    return found.kind is VerdictKind.PROVED


def prove(before: ModuleOp, after: ModuleOp, limits: Limits | None = None) -> list[Verdict]:
    """Return a verdict for each relax.func that both modules have."""
    limits = limits or Limits()
    rewritten = {f.sym_name.data: f for f in after.ops if isinstance(f, FuncOp)}
    return [
        prove_function(function, rewritten[name], limits)
        for function in before.ops
        if isinstance(function, FuncOp) and (name := function.sym_name.data) in rewritten
    ]


def prove_function(before: FuncOp, after: FuncOp, limits: Limits) -> Verdict:
    """Check whether a function returns the same results after a rewrite."""
    name = before.sym_name.data
    try:
        if before.function_type.inputs != after.function_type.inputs:
            raise Outside("a rewrite that changes the parameters")
        comparison = ValueComparison(limits)
        old, new = (comparison.reader(each).result() for each in (before, after))
        failed = [
            q for q in comparison.questions(old, new) if q.answer.kind is not VerdictKind.PROVED
        ]
    except Outside as reason:
        return Verdict(name, VerdictKind.OUTSIDE, str(reason))
    except RelaxError as error:  # sizes beyond the range of expressions
        return Verdict(name, VerdictKind.OUTSIDE, str(error))
    if not failed:
        return Verdict(name, VerdictKind.PROVED)
    return _unproved(before, after, failed, comparison)


def _unproved(
    before: FuncOp, after: FuncOp, failed: list[Question], comparison: ValueComparison
) -> Verdict:
    """Return refuted with values confirmed by the interpreter, else outside or unknown.

    The rounding of an operator without a definition in z3 is unknown: if only one function has it, only a
    difference beyond any rounding refutes, and none if it takes sums.
    """
    name, keys = before.sym_name.data, comparison.keys
    parameters = {keys.of("parameter", i): i for i in range(len(before.body.block.args))}
    unshared = {each for question in failed for each in question.unshared}
    names = comparison.opaque.names
    reductions = {each.name for each in unshared if isinstance(each, ReductionOperator)}
    opaque = sorted(reductions | {names[key] for key in unshared & names.keys()})
    functions = sorted(each for each in unshared if isinstance(each, str))
    for question in failed if not opaque else ():
        candidate = question.candidate(parameters)
        if found := confirmed(before, after, candidate, ROUNDING if functions else 0.0):
            return Verdict(name, VerdictKind.REFUTED, found.difference, found.program)
    if opaque or functions:
        return Verdict(name, VerdictKind.OUTSIDE, ", ".join([*opaque, *functions]))
    if any(question.answer.kind is VerdictKind.UNKNOWN for question in failed):
        return Verdict(
            name, VerdictKind.UNKNOWN, f"no answer within {comparison.limits.milliseconds} ms"
        )
    return Verdict(
        name, VerdictKind.UNKNOWN, "the interpreter does not confirm a counterexample of z3"
    )
