"""`rewrite` and `apply_rules`: rules applied to functions until none matches any more.

Ops are visited from the last one up, so that of two matches that overlap the larger one is replaced; for
rules of several roots then from the first one down, so that the roots are found in their order. New ops and
their users are visited again. A limit ends rules that undo one another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from relax_dialect.dpl.errors import PatternError, RewriteError
from relax_dialect.dpl.rewriter.insertion_points import Placer
from relax_dialect.dpl.rewriter.rules import (
    Done,
    FunctionRule,
    PatternRule,
    Replacement,
    apply_rule,
)
from relax_dialect.dpl.search.aliases import users
from relax_dialect.dpl.search.effect_epochs import Epochs
from relax_dialect.dpl.search.index import PatternIndex
from relax_dialect.dpl.search.matcher import Memo
from relax_dialect.dpl.search.pattern_analysis import UNBOUNDED, analyse
from relax_dialect.dpl.syntax.nodes import Node, TogetherNode
from relax_dialect.dpl.syntax.suggestions import found_text
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure, module_by_module
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.regions import functions

Root = FuncOp | ModuleOp

PATIENCE, PATIENCE_FOR_EACH = 100_000, 64
"""The maximum number of ops in the declined matches of a rule, and its increment for each op of the
function."""


def rewrite(
    pattern: object,
    callback: Replacement,
    func: Root,
    *,
    outside_uses: bool = False,
    limit: int | None = None,
) -> int:
    """Replace all whole matches of a pattern, until there is none left; returns their number.

    `callback(root, match)` returns the replacement of the root: a value, an op, an expression of the
    builder; a list of these for several roots or results; None to leave the match unchanged. It must not
    change the program: facts found by the search are kept until the next rewrite. If it uses the root,
    `op.relu(root)`, the match is kept, the new ops follow it, and the rule is not applied to either again.
    If a rule of regions of any size (`dominates`, `repeat`) declines, the smaller regions inside are tried,
    until these had 100,000 ops, and 64 for each of the function; then only ops outside.

    >>> rewrite(is_op("add")(x, 0), lambda root, match: match[x], func)

    Raises `RewriteError` for a value of another type or scope, and if `limit` rewrites do not terminate.
    """
    return apply_rules(
        [FunctionRule(pattern, callback, outside_uses=outside_uses)], func, limit=limit
    )


class RuleTable(tuple[PatternRule, ...]):
    """Rules that are applied to many programs: their index is built once."""

    @cached_property
    def index(self) -> PatternIndex[PatternRule]:
        return PatternIndex([(rule.pattern, rule) for rule in self])


def apply_rules(rules: Iterable[PatternRule], where: Root, *, limit: int | None = None) -> int:
    """Apply rules to a function, or to all of a module, until none matches; returns the number of rewrites.

    If several match at an op the first one is applied. `limit` is by default 1000 rewrites and 8 for each
    op.
    """
    if not isinstance(rules, Iterable):
        raise PatternError(
            f"apply_rules: expected a list of rules, found {found_text(rules)}; make one with rule(...)"
        )
    rules = rules if isinstance(rules, RuleTable) else RuleTable(rules)
    for rule in rules:
        if not isinstance(rule, PatternRule):
            raise PatternError(
                f"apply_rules: expected rules, found {rule!r}; make one with rule(...)"
            )
    if not isinstance(where, ModuleOp | FuncOp):
        raise PatternError(
            f"rewrite: expected a relax.func or a module to rewrite, found {where!r}; pass the function "
            "around it"
        )
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
        raise PatternError(
            f"apply_rules: expected a number of rewrites as the limit, found {limit!r}; leave it out for "
            "1000 and 8 for each op"
        )
    depth = max((min(analyse(rule.pattern).depth, 4) for rule in rules), default=0)
    found = functions(where) if isinstance(where, ModuleOp) else [where]
    phases = {isinstance(rule.pattern, TogetherNode) for rule in rules}
    count = 0
    for function, lookup in module_by_module(found):
        rewrites = _RuleDriver(function, rules, phases, depth, limit, lookup).run()
        if rewrites:
            lookup.update(function)
        count += rewrites
    return count


class _RuleDriver:
    """Applies rules to one function."""

    def __init__(
        self,
        function: FuncOp,
        rules: RuleTable,
        phases: Iterable[bool],
        depth: int,
        limit: int | None,
        lookup: ModuleSymbols,
    ):
        self.function = function
        self.rules = rules
        self.index = rules.index
        self.depth = depth
        self.limit = limit
        self.lookup = lookup
        self.epochs = Epochs(self.lookup)
        self.memos: dict[Node, Memo] = {}
        """Answers that the search remembers for each pattern, until the next rewrite."""
        self.done: dict[int, Done] = {}
        """For each rule, by identity, where it is not applied again."""
        self.count = 0
        self.last: deque[tuple[str, str]] = deque(maxlen=6)
        self.work: list[Operation] = []
        self.waiting: set[Operation] = set()
        self._placer: Placer | None = None
        self.phases = sorted(phases)
        """Whether rules of one root, and then whether rules of several, are among them."""

    def placer(self) -> Placer:
        if self._placer is None:
            self._placer = Placer(self.function)
        return self._placer

    def run(self) -> int:
        """Sweep over the function until a sweep changes nothing."""
        while True:
            ops = [op for op in walk_ops(self.function) if self._is_root(op)]
            if self.limit is None:
                self.limit = 1000 + 8 * len(ops)
            before = self.count
            for rule in self.rules:
                done = self.done.setdefault(id(rule), Done(set()))
                if analyse(rule.pattern).depth >= UNBOUNDED:
                    done.patience = PATIENCE + PATIENCE_FOR_EACH * len(ops)
                done.declined.clear()
            for several in self.phases:
                self.work = ops[::-1] if several else ops[:]
                self.waiting = set(ops)
                while self.work:
                    op = self.work.pop()
                    self.waiting.discard(op)
                    if op.parent is not None:
                        self._visit(op, several)
            if self.count == before:
                return self.count

    def _is_root(self, op: Operation) -> bool:
        return bool(op.results) and not isinstance(op, BlockOp) and bool(self.index.candidates(op))

    def _visit(self, op: Operation, several: bool) -> None:
        rules = self.index.candidates(op)
        if len(self.phases) > 1:
            rules = [rule for rule in rules if isinstance(rule.pattern, TogetherNode) == several]
        if not rules or (all(r.first_use is None for r in op.results) and is_pure(op, self.lookup)):
            return
        for rule in rules:
            text = describe(op)
            rewriter = PatternRewriter(op)
            rewriter.operation_insertion_handler.append(self._push)
            rewriter.operation_replacement_handler.append(lambda gone, _: self._push_users(gone))
            memo = self.memos.setdefault(rule.pattern, {})
            done = self.done.setdefault(id(rule), Done(set()))
            if apply_rule(rule, op, rewriter, self.lookup, self.placer, done, self.epochs, memo):
                self.memos.clear()
                self.count += 1
                self.last.append((rule.name, text))
                self._check_limit()
                return

    def _push(self, op: Operation) -> None:
        for done in self.done.values():
            done.declined.discard(op)
        if op not in self.waiting and op.results and not isinstance(op, BlockOp):
            self.waiting.add(op)
            self.work.append(op)

    def _push_users(self, op: Operation) -> None:
        """Revisit the users of a value that is about to change, up to the depth of the patterns."""
        level: Iterable[Operation] = (op,)
        for _ in range(self.depth - 1):
            level = list(dict.fromkeys(u for o in level for r in o.results for u in users(r)))
            for user in level:
                self._push(user)

    def _check_limit(self) -> None:
        assert self.limit is not None
        if self.count > self.limit:
            names = " and ".join(dict.fromkeys(f"{name!r}" for name, _ in self.last))
            steps = ", ".join(f"{name} at {op}" for name, op in self.last)
            raise RewriteError(
                f"@{self.function.sym_name.data}: expected the rules to come to an end within "
                f"{self.limit} rewrites, found {names} still matching ({steps}); one undoes what another "
                "does, or its own result matches again: let it return None there"
            )
