"""Rules: a pattern and the replacement of its matches. A rule is an xDSL `RewritePattern`.

```python
x = wildcard()

@rule(is_op("negative")(is_op("negative")(x)))
def double_negative(root, match):
    return match[x]
```

So rules mix with any other rewrite pattern in xDSL's greedy driver, and `apply_rules` runs many of them
faster, since it indexes them by the ops that they match.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, MutableSet, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn
from weakref import WeakSet

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import IsolatedFromAbove

from relax_dialect.builder.values import Value
from relax_dialect.dpl.errors import PatternError, RewriteError
from relax_dialect.dpl.matching import matches_at
from relax_dialect.dpl.rewriter.insertion_points import Insertions, Placer
from relax_dialect.dpl.rewriter.replacing import (
    erase_unused,
    move,
    put_after_roots,
    repeats,
    replace_uses,
)
from relax_dialect.dpl.search.effect_epochs import Epochs
from relax_dialect.dpl.search.match import Match
from relax_dialect.dpl.search.match_region import Extent, extent
from relax_dialect.dpl.search.matcher import Memo
from relax_dialect.dpl.search.satisfiability import root_kinds
from relax_dialect.dpl.syntax.arguments import takes
from relax_dialect.dpl.syntax.language import as_pattern
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.dpl.syntax.suggestions import found_text
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import fused, inherit
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.transform.regions import erase


@dataclass
class Done:
    """The ops at which a rule need not be applied again."""

    kept: MutableSet[Operation]
    """The roots that its replacements use, and the ops inserted after them."""
    patience: float = math.inf
    """The number of ops of declined matches after which the rule is applied less often."""
    declined: set[Operation] = field(default_factory=set)
    """The ops of these matches, where each may be followed by a smaller one."""

    def decline(self, ops: Sequence[Operation]) -> None:
        """Take up a match that was declined."""
        if self.patience < math.inf:
            self.patience -= len(ops)
            self.declined.update(ops)

    def is_tired_of(self, op: Operation) -> bool:
        """Return whether the rule skips a match that ends inside a declined one."""
        return self.patience < 0 and op in self.declined


Replacement = Callable[[Value, Match], object]
"""Returns the replacement of a root: a value, op, expression or number; one for each of several roots,
or of several results, as a list; None to leave the match unchanged."""


class PatternRule(RewritePattern):
    """A rule: every whole match of `pattern` is replaced by the result of `replace`.

    A subclass states its `pattern` and defines `replace`; its name is that of the class.
    """

    pattern: Pattern
    outside_uses: ClassVar[bool] = False
    """Whether a match is replaced even if an inner value is used elsewhere; its op is then kept too."""

    @property
    def name(self) -> str:
        """The name of the rule in errors."""
        return type(self).__name__

    @property
    def origin(self) -> str:
        """Return the rule's name, and the source location of its replacement."""
        code = getattr(self._written(), "__code__", None)
        where = "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"
        return f"rule {self.name!r}{where}"

    def _written(self) -> object:
        return type(self).replace

    def may_match(self, op: Operation) -> bool:
        """Test an op cheaply before it is matched: false only if the rule would not change it."""
        return True

    @abstractmethod
    def replace(self, root: Value, match: Match) -> object:
        """Return the replacement of the root, see `Replacement`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        kinds = root_kinds(self.pattern)
        if op.results and (kinds is None or op.name in kinds) and not isinstance(op, BlockOp):
            apply_rule(
                self, op, rewriter, ModuleSymbols(op), lambda: Placer(_around(op)), self._done
            )

    @cached_property
    def _done(self) -> Done:
        """Return the ops at which a driver without such state need not apply the rule again."""
        return Done(WeakSet())

    def __iter__(self) -> NoReturn:
        raise PatternError(
            f"{self.origin}: expected a list of rules, found one rule; put it into a list: [rule]"
        )

    def __repr__(self) -> str:
        return f"{self.name}: {self.pattern}"


class FunctionRule(PatternRule):
    """A rule made of a pattern and a function."""

    def __init__(
        self,
        pattern: object,
        replacement: Replacement,
        name: str | None = None,
        outside_uses: bool = False,
    ):
        self.pattern = _whole_pattern(pattern)
        self.replacement = replacement
        self._name = name or getattr(replacement, "__name__", "rewrite")
        if not callable(replacement) or not takes(replacement, 2):
            raise PatternError(
                f"{self.origin}: expected a pattern and a function of a root and a match, found "
                f"{found_text(replacement)}; write lambda root, match: match[x]"
            )
        self.outside_uses = outside_uses  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def name(self) -> str:
        return self._name

    def _written(self) -> object:
        return self.replacement

    def replace(self, root: Value, match: Match) -> object:
        return self.replacement(root, match)


def rule(
    pattern: object, *, name: str | None = None, outside_uses: bool = False
) -> Callable[[Replacement], FunctionRule]:
    """Make a rule of a function: `@rule(is_op("negative")(is_op("negative")(x)))`."""
    whole = _whole_pattern(pattern)
    return lambda replacement: FunctionRule(whole, replacement, name, outside_uses)


def _around(op: Operation) -> Operation:
    """Return the function that contains an op."""
    while (parent := op.parent_op()) and not has_trait(op, IsolatedFromAbove):
        op = parent
    return op


def _whole_pattern(given: object) -> Pattern:
    return given if isinstance(given, Pattern) else as_pattern(given, "rule")


def apply_rule(
    rule: PatternRule,
    op: Operation,
    rewriter: PatternRewriter,
    lookup: ModuleSymbols,
    placer: Callable[[], Placer],
    done: Done,
    epochs: Epochs | None = None,
    memo: Memo | None = None,
) -> bool:
    """Replace a match of a rule at an op, if one is whole and not declined; returns whether there was one.

    `done` holds the ops where the rule is not applied again. `memo` may be shared by calls for a rule while
    the program does not change.
    """
    if op in done.kept or done.is_tired_of(op):
        return False
    for root in op.results:
        for match in matches_at(rule.pattern, root, memo):
            if done.kept and any(value.owner in done.kept for value in match.roots):
                continue
            found = extent(match, lookup, rule.outside_uses, epochs)
            if isinstance(found, str):
                continue
            placement = _placement(rule, match, found, placer)
            if placement is not None:
                _replace(match, found, placement, rewriter, lookup, done, epochs)
                return True
            done.decline([*found.roots, *found.inner])
            if done.is_tired_of(op):
                return False
    return False


def _placement(
    rule: PatternRule, match: Match, found: Extent, placer: Callable[[], Placer]
) -> Insertions | None:
    """Insert the replacement of a match by a rule; None if it declines, or reproduces the match."""
    with _naming(rule):
        given = rule.replace(Value(match.roots[0]), match)
        if given is None or (isinstance(given, Value) and given.value in match.roots):
            return None
        placement = placer().place(match, given, found)
    if not repeats(_olds(match, found), placement):
        return placement
    for op in reversed(placement.ops):
        erase(op)
    return None


def _olds(match: Match, found: Extent) -> Sequence[SSAValue]:
    """Return the values that a placement replaces."""
    return match.roots if len(found.roots) > 1 else list(found.roots[0].results)


def _replace(
    match: Match,
    found: Extent,
    placement: Insertions,
    rewriter: PatternRewriter,
    lookup: ModuleSymbols,
    done: Done,
    epochs: Epochs | None,
) -> None:
    """Put a placement where the roots of a match are."""
    new, olds = placement.ops, _olds(match, found)
    if placement.keeps:
        after = put_after_roots(found, new, lookup, epochs)
        for used in (*found.roots, *new):
            done.kept.add(used)
    else:
        after = found.before
        move(found.hoisted, new[0] if new else found.before)
    if epochs is not None:
        epochs.placed(new, after)
    rewriter.has_done_action = True
    inherit(new, fused((*found.inner, *found.roots)))
    for op in new:
        rewriter.handle_operation_insertion(op)
    for gone in found.roots:
        rewriter.handle_operation_replacement(gone, placement.values)
    replace_uses(olds, placement, rewriter)
    erase_unused(found, rewriter, lookup)


@contextmanager
def _naming(rule: PatternRule) -> Iterator[None]:
    """Prefix errors of the language and the builder with the rule and its source location."""
    try:
        yield
    except RelaxError as error:
        if isinstance(error, RewriteError) and str(error).startswith(f"{rule.origin}: "):
            raise
        raise RewriteError(f"{rule.origin}: {error}") from error
