"""What a search wants to know of a pattern beforehand, found once for each pattern.

* Which nodes belong to a repetition: they match a value for every turn.
* Which parts can be solved by themselves. A node used at two places must match one value, which ties
  the places together; a part that is tied to nothing outside it has the same answer whenever it is
  asked of the same value, so its answer can be remembered, and its first solution is as good as any.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias
from weakref import WeakKeyDictionary

from relax_dialect.dpl import patterns
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.feasible import nodes
from relax_dialect.dpl.patterns import Dominates, Hole, Named, Pattern, Repeat
from relax_dialect.dpl.text import pattern_text

Turns: TypeAlias = Repeat | Dominates

_CHOOSING = (
    patterns.Either,
    patterns.Repeat,
    patterns.Hole,
    patterns.Dominates,
    patterns.UsedBy,
)
_LOOKS_AROUND = (patterns.SameShapeAs, patterns.Not, patterns.Let, patterns.Together)
"""Kinds whose answer may depend on what other nodes have matched."""


@dataclass
class Analysis:
    """What is known of a pattern."""

    pattern: Pattern
    nodes: list[Pattern]
    owner: dict[Pattern, Turns] = field(default_factory=dict)
    """The innermost repetition, or path of a `dominates`, in whose turns a node is matched anew."""
    alone: frozenset[Pattern] = frozenset()
    """The nodes below which there is a choice to make, and nothing is tied to what is outside."""
    untied: frozenset[Pattern] = frozenset()
    """The nodes whose answer depends on nothing but the value."""
    holes: dict[Hole, Repeat] = field(default_factory=dict)
    depth: int = 0
    """The greatest number of ops on a way from the root to an input, as far as that is bounded."""


_known: WeakKeyDictionary[Pattern, Analysis] = WeakKeyDictionary()


def analyse(pattern: Pattern) -> Analysis:
    """What is known of a pattern; raises `PatternError` where a name stands for two nodes."""
    found = _known.get(pattern)
    if found is None:
        found = _known[pattern] = _analyse(pattern)
    return found


def _analyse(root: Pattern) -> Analysis:
    every = nodes(root)
    order = _children_first(root)
    parents: dict[Pattern, set[Pattern]] = {node: set() for node in every}
    references: dict[Pattern, int] = dict.fromkeys(every, 0)
    for node in every:
        for child in node.children():
            parents[child].add(node)
            references[child] += 1
    _check_names(root, order)
    found = Analysis(root, every)
    found.holes = {node.hole: node for node in every if isinstance(node, Repeat)}
    found.owner = _owners(every, parents)
    found.alone, found.untied = _alone(order, parents, references, root)
    found.depth = _depth(order)
    return found


def _children_first(root: Pattern) -> list[Pattern]:
    order: dict[Pattern, None] = {}
    stack = [(root, iter(root.children()))]
    seen = {root}
    while stack:
        node, pending = stack[-1]
        child = next((c for c in pending if c not in seen), None)
        if child is None:
            stack.pop()
            order[node] = None
        else:
            seen.add(child)
            stack.append((child, iter(child.children())))
    return list(order)


def _check_names(root: Pattern, order: list[Pattern]) -> None:
    """Refuse a name that two nodes have which may both match."""
    below: dict[Pattern, dict[str, Pattern | None]] = {}
    for node in order:
        names: dict[str, Pattern | None] = {}
        for child in node.children():
            for name, named in below[child].items():
                known = names.setdefault(name, named)
                if known is not named:
                    if isinstance(node, patterns.Either):
                        names[name] = None  # one of two, whichever matches
                        continue
                    raise PatternError(
                        f"{pattern_text(root)}: expected each name once, but for the two sides of |, "
                        f"found '{name}' twice; give one of them another name"
                    )
        if isinstance(node, Named):
            if names.setdefault(node.name, node) is not node:
                raise PatternError(
                    f"{pattern_text(root)}: expected each name once, found '{node.name}' inside itself; "
                    "give one of them another name"
                )
        below[node] = names


def _turned(node: Turns) -> Pattern:
    """The part that is matched once for every turn."""
    return node.wrapped if isinstance(node, Repeat) else node.path


def _owners(every: list[Pattern], parents: dict[Pattern, set[Pattern]]) -> dict[Pattern, Turns]:
    """The nodes that only the turns of one repetition or path reach."""
    owner: dict[Pattern, Turns] = {}
    for repeat in every:
        if not isinstance(repeat, Repeat | Dominates):
            continue
        inside = set(nodes(_turned(repeat)))
        for child in repeat.children():
            if child is not _turned(repeat):
                inside.difference_update(nodes(child))
        changed = True
        while changed:  # drop what something outside refers to as well
            outside = {n for n in inside if any(p not in inside and p is not repeat for p in parents[n])}
            inside -= outside
            changed = bool(outside)
        for node in inside:
            known = owner.get(node)
            if known is None or repeat in set(nodes(_turned(known))):
                owner[node] = repeat
    return owner


def _alone(
    order: list[Pattern],
    parents: dict[Pattern, set[Pattern]],
    references: dict[Pattern, int],
    root: Pattern,
) -> tuple[frozenset[Pattern], frozenset[Pattern]]:
    shared = {
        node
        for node in order
        if (len(parents[node]) > 1 or references[node] > 1) and _times(order, node)[root] > 1
    }
    chooses: dict[Pattern, bool] = {}
    looks: dict[Pattern, bool] = {}
    below: dict[Pattern, frozenset[Pattern]] = {}
    holes: dict[Pattern, frozenset[Pattern]] = {}
    alone: list[Pattern] = []
    untied: list[Pattern] = []
    for node in order:
        children = node.children()
        chooses[node] = (
            isinstance(node, _CHOOSING)
            or (isinstance(node, patterns.Call) and node.commutes)
            or any(chooses[c] for c in children)
        )
        looks[node] = isinstance(node, _LOOKS_AROUND) or any(looks[c] for c in children)
        tied = frozenset().union(*(below[c] for c in children), *({c} & shared for c in children))
        below[node] = tied
        own = {node} if isinstance(node, Hole) else {getattr(node, "hole", None)}
        open_holes = frozenset().union(*(holes[c] for c in children))
        holes[node] = open_holes | own if isinstance(node, Hole) else open_holes - own
        if looks[node]:
            continue
        inside = set(nodes(node)) if tied else set()
        if all(parents[q] <= inside for q in tied):
            if chooses[node]:
                alone.append(node)
            if not holes[node]:
                untied.append(node)
    return frozenset(alone), frozenset(untied)


def _times(order: list[Pattern], wanted: Pattern) -> dict[Pattern, int]:
    """How often a node counts below each other one; of an alternation's sides only one ever does."""
    times: dict[Pattern, int] = {}
    for node in order:
        counts = [times[c] for c in node.children()]
        total = max(counts) if isinstance(node, patterns.Either) else sum(counts)
        times[node] = 1 if node is wanted else min(total, 2)
    return times


def _depth(order: list[Pattern]) -> int:
    depth: dict[Pattern, int] = {}
    for node in order:
        below = max((depth[c] for c in node.children()), default=0)
        depth[node] = below + node.CONSUMES
    return depth[order[-1]]


__all__ = ["Analysis", "analyse"]
