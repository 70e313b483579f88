"""Rules: a pattern and what takes the place of its matches. A rule is an xDSL `RewritePattern`.

```python
x = wildcard()

@rule(is_op("negative")(is_op("negative")(x)))
def double_negative(root, match):
    return match[x]
```

So rules mix with any other rewrite pattern in xDSL's greedy driver, and `apply_rules` runs many of them
faster, since it looks them up by what they match.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, NoReturn

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import IsolatedFromAbove, is_side_effect_free

from relax_dialect.builder.values import Value
from relax_dialect.dpl.arguments import takes
from relax_dialect.dpl.epochs import Epochs
from relax_dialect.dpl.errors import PatternError, RewriteError
from relax_dialect.dpl.feasible import root_kinds
from relax_dialect.dpl.language import as_pattern
from relax_dialect.dpl.machine import Memo
from relax_dialect.dpl.match import Match
from relax_dialect.dpl.matching import match_at
from relax_dialect.dpl.meant import found_text
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.dpl.placing import Placer
from relax_dialect.dpl.wholeness import Extent, extent
from relax_dialect.errors import RelaxError
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.purity import ModuleSymbols
from relax_dialect.rewrites.regions import erase

Replacement = Callable[[Value, Match], object]
"""Gives what replaces a root: a value, op, expression or number; one for each of several roots, or of
several results, as a list; None to leave the match as it is."""


class PatternRule(RewritePattern):
    """A rule: every whole match of `pattern` is replaced by what `replace` gives.

    A subclass states its `pattern` and defines `replace`; its name is that of the class.
    """

    pattern: Pattern
    outside_uses: ClassVar[bool] = False
    """Whether a match is replaced though an inner value is used elsewhere; its op then stays too."""

    @property
    def name(self) -> str:
        """What errors call the rule."""
        return type(self).__name__

    @property
    def origin(self) -> str:
        """The rule's name, and where what it replaces with is written."""
        code = getattr(self._written(), "__code__", None)
        where = "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"
        return f"rule {self.name!r}{where}"

    def _written(self) -> object:
        return type(self).replace

    @abstractmethod
    def replace(self, root: Value, match: Match) -> object:
        """What takes the place of the root, see `Replacement`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        kinds = root_kinds(self.pattern)
        if op.results and (kinds is None or op.name in kinds) and not isinstance(op, BlockOp):
            function = op
            while (parent := function.parent_op()) and not function.has_trait(IsolatedFromAbove):
                function = parent
            apply_rule(self, op, rewriter, ModuleSymbols(op), lambda: Placer(function))

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


def _whole_pattern(given: object) -> Pattern:
    return given if isinstance(given, Pattern) else as_pattern(given, "rule")


def apply_rule(
    rule: PatternRule,
    op: Operation,
    rewriter: PatternRewriter,
    lookup: ModuleSymbols,
    placer: Callable[[], Placer],
    epochs: Epochs | None = None,
    memo: Memo | None = None,
) -> bool:
    """Replace the match of a rule at an op, if there is one that is whole; tells whether there was.

    `memo` may be shared by calls for a rule while the program does not change.
    """
    for root in op.results:
        match = match_at(rule.pattern, root, memo)
        if match is None:
            continue
        found = extent(match, lookup, rule.outside_uses, epochs)
        if isinstance(found, str):
            continue
        with _naming(rule):
            given = rule.replace(Value(match.roots[0]), match)
            if given is None or (isinstance(given, Value) and given.value in match.roots):
                continue
            values, placed = placer().place(match, given, found)
        _hoist(found.hoisted, placed[0] if placed else found.before)
        if epochs is not None:
            epochs.placed(placed, found.before)
        rewriter.has_done_action = True
        for new in placed:
            rewriter.handle_operation_insertion(new)
        olds = match.roots if len(found.roots) > 1 else list(found.roots[0].results)
        for gone in found.roots:
            rewriter.handle_operation_replacement(gone, values)
        for old, value in zip(olds, values):
            rewriter.replace_all_uses_with(old, value)
        _erase_unused(found, rewriter)
        return True
    return False


@contextmanager
def _naming(rule: PatternRule) -> Iterator[None]:
    """Let errors of the language and the builder say which rule they are of, and where it is written."""
    try:
        yield
    except RelaxError as error:
        if isinstance(error, RewriteError) and str(error).startswith(f"{rule.origin}: "):
            raise
        raise RewriteError(f"{rule.origin}: {error}") from error


def _hoist(ops: Sequence[Operation], before: Operation) -> None:
    block = before.parent
    assert block is not None
    for op in ops:
        op.detach()
        block.insert_op_before(op, before)


def _erase_unused(found: Extent, rewriter: PatternRewriter) -> None:
    """Erase the ops of a match, but for those that are still used or define a symbolic variable."""
    within = {*found.roots, *found.inner}
    work = [*reversed(found.inner), *reversed(found.roots)]
    while work:
        op = work.pop()
        if op in within and _is_unused(op, op in found.roots):
            within.discard(op)
            made_by = [operand.owner for operand in op.operands]
            rewriter.handle_operation_removal(op)
            erase(op)
            work.extend(other for other in made_by if isinstance(other, Operation))


def _is_unused(op: Operation, is_root: bool) -> bool:
    if any(r.first_use is not None for r in op.results):
        return False
    return getattr(op, "candidates", None) is None if is_root else is_side_effect_free(op)


__all__ = ["FunctionRule", "PatternRule", "Replacement", "apply_rule", "rule"]
