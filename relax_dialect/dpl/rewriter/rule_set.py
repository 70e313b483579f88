"""Rules as one xDSL pattern, for generic drivers: the rules that may match an op are looked up."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from relax_dialect.dpl.rewriter.rules import PatternRule
from relax_dialect.dpl.search.index import Question, answer, needs
from relax_dialect.dpl.search.satisfiability import root_kinds

Form = Sequence[tuple[Question, frozenset[Hashable]]]
"""The answers required of an op of the right name to match a pattern."""


class RuleSet(RewritePattern):
    """The first of some rules that matches at an op."""

    def __init__(self, rules: Sequence[PatternRule]):
        self._by_root: dict[str, list[tuple[PatternRule, Sequence[Form]]]] = {}
        self._of_any: list[tuple[PatternRule, Sequence[Form]]] = []
        for rule in rules:
            kinds = root_kinds(rule.pattern)
            for kind in {*self._by_root} if kinds is None else kinds:
                self._by_root.setdefault(kind, [*self._of_any]).append((rule, _forms(rule, kind)))
            if kinds is None:
                self._of_any.append((rule, [()]))

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        for rule, forms in self._by_root.get(op.name, self._of_any):
            if _has_one(op, forms) and rule.may_match(op):
                rule.match_and_rewrite(op, rewriter)
                if rewriter.has_done_action:
                    return


def _forms(rule: PatternRule, kind: str) -> Sequence[Form]:
    """Return the answers that a rule expects of an op of that name, in each form of its pattern."""
    root: Question = ("op", (), "")
    forms = [form for form in needs(rule.pattern) if kind in form.get(root, {kind})]
    return [[(asked, wanted) for asked, wanted in f.items() if asked != root] for f in forms]


def _has_one(op: Operation, forms: Sequence[Form]) -> bool:
    """Return whether an op answers as one of the forms wants it."""
    for form in forms:
        for asked, wanted in form:
            if answer(op, asked) not in wanted:
                break
        else:
            return True
    return False
