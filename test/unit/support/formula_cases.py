"""Expanded forms of operators, recognised and proved over the real numbers, with the alternatives they use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import numpy as np
from expanded_forms import (
    ACTIVATIONS,
    MASKS,
    Form,
    Writer,
    activation,
    attention,
    function,
    norm,
)
from proof_cases import proved_rules
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import const, op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import Match, Pattern, PatternRule, apply_rules
from relax_dialect.dpl.syntax.nodes import EitherNode, Node
from relax_dialect.parsing import verify
from relax_dialect.prove import Limits, Verdict, VerdictKind
from relax_dialect.prove.reals.comparison import no_choice, prove_over_reals
from relax_dialect.rewrites.recognition.recognize_operators import rules

LIMITS = Limits(milliseconds=10_000)
WRITERS: Mapping[str, Callable[[Writer], Form]] = {
    **dict.fromkeys(ACTIVATIONS, activation),
    "norm": norm,
    "attention": attention,
}
NO_CONSTANTS = [mask for mask in MASKS if mask != "causal constant"]
BELOW = ("softplus", "mish")
"""The operators that are proved below the threshold of softplus: above it, x replaces log(1 + exp(x))."""


class Use(NamedTuple):
    """An alternative of the pattern of a rule."""

    rule: str
    text: str


class Watched(PatternRule):
    """A rule that records the alternatives of its pattern in the matches that it rewrites."""

    def __init__(self, rule: PatternRule, seen: set[Use]):
        self.rule, self.seen = rule, seen
        self.pattern: Pattern = rule.pattern
        self.outside_uses = rule.outside_uses  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def name(self) -> str:
        return self.rule.name

    def replace(self, root: Value, match: Match) -> object:
        found = self.rule.replace(root, match)
        if found is not None:
            nodes = alternatives(self.pattern)
            self.seen.update(Use(self.name, text(node)) for node in nodes if node in match)
        return found


def alternatives(pattern: Node) -> list[Node]:
    """A pattern and the alternatives in it, in the order of the nodes."""
    found, work, known = [pattern], [pattern], set[int]()
    while work:
        node = work.pop()
        if node.serial not in known:
            known.add(node.serial)
            work += node.children()
            found += node.children() if isinstance(node, EitherNode) else ()
    return sorted(set(found), key=lambda node: node.serial)


def text(node: Node) -> str:
    """The text of an alternative; whether values are cast is left to the name of the rule."""
    return str(node).replace("astype(*)", "*")


def all_uses() -> dict[str, set[str]]:
    """The alternatives of the patterns of all rules, by name."""
    found: dict[str, set[str]] = {}
    for rule in formula_rules():
        found.setdefault(rule.name, set()).update(map(text, alternatives(rule.pattern)))
    return found


def formula_rules() -> list[PatternRule]:
    """The rules that are proved over the reals: all but those that are proved bit by bit."""
    exact = {rule.name for rule in proved_rules()}
    return [rule for rule in rules() if rule.name not in exact]


class Proof(NamedTuple):
    """A form, with the rules that recognise it and the numbers of the alternatives they match."""

    before: ModuleOp
    after: ModuleOp
    seen: frozenset[Use]

    @property
    def names(self) -> set[str]:
        """The names of the rules that rewrite it."""
        return {use.rule for use in self.seen}

    def verdict(self) -> Verdict:
        """Prove it."""
        (verdict,) = prove_over_reals(self.before, self.after, LIMITS)
        is_below = any(name.split()[1] in BELOW for name in self.names)
        if verdict.kind is not VerdictKind.PROVED and is_below:
            (verdict,) = prove_over_reals(self.before, self.after, LIMITS, [no_choice])
        return verdict


def recognised(before: ModuleOp) -> Proof:
    """A program and what the recognisers make of it."""
    after, seen = before.clone(), set[Use]()
    apply_rules([Watched(rule, seen) for rule in rules()], after)
    verify(after)
    return Proof(before, after, frozenset(seen))


def form(name: str, seed: int) -> Proof:
    """The form that a writer makes of a seed."""
    random = Random(seed)
    w = Writer(random.choice, dtypes=("f32", "f64"), masks=NO_CONSTANTS, activations=[name])
    return recognised(WRITERS[name](w).module)


def grouped(operand: int, by_views: bool) -> Proof:
    """Attention of heads that are repeated for groups of heads."""

    def make(*given: Any) -> Any:
        operands = list(given)
        x = operands[operand]
        if by_views:
            wide = op.broadcast_to(op.expand_dims(x, 2), ["b", 2, 3, "m", 4])
            x = op.reshape(wide, ["b", 6, "m", 4])
        else:
            x = op.repeat(x, 3, 1)
        operands[operand] = op.permute_dims(x, [0, 2, 1, 3])
        return op.attention(*operands)

    types = [(["b", "n", 6, 4], "f32"), *[(["b", "m", 6, 4], "f32")] * 2]
    types[operand] = (["b", 2, "m", 4], "f32")
    return recognised(function(make, types))


def groups() -> Iterator[Proof]:
    for operand in (1, 2):
        for by_views in (False, True):
            yield grouped(operand, by_views)


def _behind(queries: Any, keys: Any, k: int = 0) -> Any:
    """Where a key is at most k behind its query."""
    return op.less_equal(op.arange(keys), op.expand_dims(op.arange(queries), 1) + k)


CAUSAL: Mapping[str, Callable[[Any, Any], Any]] = {
    "triangle": lambda n, m: op.tril(op.ones([n, m], "f32")).astype("i1"),
    "indices": _behind,
    "added triangle": lambda n, m: op.triu(op.full([n, m], const(-math.inf, "f32")), 1),
    "added number": lambda n, m: op.where(
        _behind(n, m), const(0.0, "f32"), const(float(np.finfo("f").min), "f32")
    ),
}
"""Causal masks [queries, keys], which start at the first key."""


def causal(mask: Callable[[Any, Any], Any], queries: Any, keys: Any) -> Proof:
    """Attention with a bias that is a causal mask."""

    def make(q: Any, k: Any, v: Any) -> Any:
        return op.attention(q, k, v, op.expand_dims(mask(queries, keys), [0, 1]))

    types = [(["b", size, 2, 4], "f32") for size in (queries, keys, keys)]
    return recognised(function(make, types))


def causal_masks() -> Iterator[Proof]:
    for mask in CAUSAL.values():
        for sizes in (("n", "m"), ("n", "n"), (3, 5)):
            yield causal(mask, *sizes)
    yield causal(lambda n, m: _behind(n, m, 2), 3, 5)


def forms(counts: Mapping[str, int]) -> Iterator[Proof]:
    """The forms of groups of heads and of causal masks, and of each writer so many."""
    yield from groups()
    yield from causal_masks()
    for name, count in counts.items():
        yield from (form(name, seed) for seed in range(count))
