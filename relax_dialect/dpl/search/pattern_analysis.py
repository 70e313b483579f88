"""Facts of a pattern that speed up its search, found once for each pattern.

* The nodes in the iterations of a repetition: they match a value in every iteration.
* The parts that can be solved independently. A node used twice must match one value, which ties the uses
  together; a part that is tied to nothing outside it always has the same answer for the same value, so its
  answer can be memoized, and its first solution is as good as any. These are the nodes that dominate all
  nodes below them, see `dominators.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.search import satisfiability
from relax_dialect.dpl.search.dominators import FREE, TIED, dominator_depths
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import DominatesNode, HoleNode, NamedNode, Node, RepeatNode
from relax_dialect.dpl.syntax.pattern_text import pattern_text

Turns: TypeAlias = RepeatNode | DominatesNode

UNBOUNDED = 1 << 30
MOST_NESTED = 50
"""The maximum nesting of `~` and paths of `dominates`: each is a search in a search."""

_CHOOSING = (
    nodes.EitherNode,
    nodes.RepeatNode,
    nodes.HoleNode,
    nodes.DominatesNode,
    nodes.UsedByNode,
)
_MATCHES_AN_OP = (nodes.OpNode, nodes.CallNode, nodes.SymbolCallNode)


@dataclass
class PatternAnalysis:
    """The facts of a pattern."""

    pattern: Node
    nodes: list[Node]
    owners: dict[Node, frozenset[Turns]] = field(default_factory=dict)
    """The innermost repetition, or `dominates` of a path, in whose iterations a node is matched anew."""
    alone: frozenset[Node] = frozenset()
    """The nodes below which there is a choice to make, and that are tied to nothing outside."""
    untied: frozenset[Node] = frozenset()
    """The nodes whose answer depends on nothing but the value."""
    turning: frozenset[Node] = frozenset()
    """The nodes whose answer also depends on the iteration count."""
    looks: frozenset[Node] = frozenset()
    """The nodes whose answer depends on the final matches of other nodes."""
    ops: frozenset[Node] = frozenset()
    """The nodes that match an op rather than a value: all its results are one to them."""
    holes: dict[HoleNode, RepeatNode] = field(default_factory=dict)
    sees_bindings: bool = False
    """Whether some node distinguishes a variable from the value bound to it."""
    places: dict[Node, Node] = field(default_factory=dict)
    """A representative for each node: nodes of different representatives match different values."""
    chooses: frozenset[Node] = frozenset()
    """The nodes at or below which there is a choice to make."""
    depths: dict[Node, int] = field(default_factory=dict)
    """The greatest number of ops on a way from each node to an input; `UNBOUNDED` where it has no end."""

    @property
    def depth(self) -> int:
        return self.depths[self.pattern]


def analyse(pattern: Node) -> PatternAnalysis:
    """Return the facts of a pattern; raises `PatternError` where its parts do not go together."""
    found: PatternAnalysis | None = pattern.__dict__.get("_analysis")
    if found is None:
        found = pattern.__dict__["_analysis"] = _Analyst(pattern).analyse()
    return found


class _Analyst:
    """One analysis; `order` is in post-order, since a node is created after its children."""

    def __init__(self, root: Node):
        self.root = root
        every = nodes_of(root)
        self.order = sorted(every, key=lambda node: node.serial)
        self.found = PatternAnalysis(root, every)
        self.parents: dict[Node, list[Node]] = {node: [] for node in every}
        for node in every:
            for child in dict.fromkeys(node.children()):
                self.parents[child].append(node)

    def analyse(self) -> PatternAnalysis:
        found = self.found
        found.holes = {node.hole: node for node in found.nodes if isinstance(node, RepeatNode)}
        found.sees_bindings = any(isinstance(n, nodes.VarNode | nodes.LetNode) for n in found.nodes)
        self._check()
        _check_names(self.root, self.order)
        self._own()
        self._check_shapes()
        self._untie()
        if isinstance(self.root, nodes.TogetherNode) and self.root.one_to_one:
            found.alone = found.untied = (
                frozenset()
            )  # the bindings of a part are read by the others
            found.places = _places(self.order, found.owners)
        found.depths = _depths(self.order)
        found.ops = _ops(self.order)
        return found

    def _fail(self, expected: str, what: str, mend: str) -> None:
        raise PatternError(f"{pattern_text(self.root)}: expected {expected}, found {what}; {mend}")

    def _check(self) -> None:
        level: dict[Node, int] = {}
        outside = self._outside_of_repetitions()
        for node in self.order:
            inner = node.path if isinstance(node, DominatesNode) else node
            below = max((level[c] for c in node.children()), default=0)
            nested = isinstance(node, nodes.NotNode) or inner is not node
            level[node] = max(below, level[inner] + 1 if inner is not node else below + nested)
            if level[node] > MOST_NESTED:
                self._fail(
                    f"at most {MOST_NESTED} of ~ and dominates inside each other",
                    "more",
                    "match the parts by patterns of their own",
                )
            if isinstance(node, nodes.TogetherNode) and node is not self.root:
                self._fail(
                    "together and fork_to as the whole pattern",
                    f"{pattern_text(node)} inside another",
                    "write the part of the pattern at each root",
                )
            if isinstance(node, HoleNode) and (node not in self.found.holes or node in outside):
                self._fail(
                    "the argument of wrap to be used inside its result",
                    "it outside of its repetition",
                    "name a node made inside wrap, or use the repetition as a whole",
                )
            if isinstance(node, nodes.SameShapeAsNode) and node.other not in self.parents:
                self._fail(
                    "same_shape_as of another node of the pattern",
                    f"{pattern_text(node.other)}, which is none of them",
                    "use the node itself in the pattern",
                )

    def _outside_of_repetitions(self) -> set[Node]:
        """Return the holes that are reached from the root otherwise than through their repetition."""
        opened: dict[Node, frozenset[Node]] = {}
        for node in self.order:
            children = node.children()
            if isinstance(node, HoleNode):
                opened[node] = frozenset([node])
            elif isinstance(node, RepeatNode):
                opened[node] = (opened[node.wrapped] - {node.hole}) | opened[node.base]
            else:
                opened[node] = _joined([opened[c] for c in children])
        return set(opened[self.root])

    def _own(self) -> None:
        """Find the nodes reached only within the iterations of one repetition or path."""
        owners = self.found.owners
        self.free: dict[Turns, list[Node]] = {}
        """For each repetition and path the nodes in it that are outside its iterations."""
        turned: dict[Node, list[Turns]] = {}
        for node in self.order:
            if isinstance(node, RepeatNode | DominatesNode):
                turned.setdefault(_turned(node), []).append(node)
        for top, turns in turned.items():
            owned = self._owned(top, turns)
            for node in owned:
                owners.setdefault(node, frozenset(turns))
            below = [c for n in owned for c in n.children()] if owned else [top]
            free = [n for n in dict.fromkeys(below) if n not in owned]
            for turn in turns:
                self.free[turn] = free

    def _owned(self, top: Node, turns: list[Turns]) -> dict[Node, None]:
        owned: dict[Node, None] = {}
        for node in sorted(nodes_of(top), key=lambda n: -n.serial):
            parents = self.parents[node]
            if node is top:
                inside = all(p in turns and _only_turned(p, top) for p in parents)
            else:
                inside = all(p in owned for p in parents)
            made_here = all(
                isinstance(t, DominatesNode) or t.hole.serial <= node.serial < t.serial
                for t in turns
            )
            if inside and made_here:
                owned[node] = None
        return owned

    def _check_shapes(self) -> None:
        owners = self.found.owners
        for node in self.found.nodes:
            if isinstance(node, nodes.SameShapeAsNode) and node.other in owners:
                around, mine = owners[node.other], owners.get(node)
                while mine is not None and mine != around:
                    mine = owners.get(next(iter(mine)))
                if mine is None:
                    self._fail(
                        "same_shape_as of a node that matches one value",
                        f"{pattern_text(node.other)}, which a repetition matches many times",
                        "compare inside wrap, or with a node outside of it",
                    )

    def _untie(self) -> None:
        """Find the parts that can be solved by themselves."""
        found = self.found
        detached, edges, single = self._edges()
        above, depth = dominator_depths(self.order, edges, detached)
        escapes = self._escapes(edges, detached, single, above, depth)
        closed = {n for n in self.order if escapes[n] >= depth[n]}
        opened, chooses = self._opened(), _chooses(self.order)
        looks, untied = self._looks({n for n in closed & single if not opened[n]})
        found.alone = frozenset(
            n for n in self.order if n in closed and chooses[n] and not looks[n]
        )
        found.untied = frozenset(untied)
        found.chooses = frozenset(n for n in self.order if chooses[n])
        found.turning = frozenset(n for n in self.order if opened[n])
        found.looks = frozenset(n for n in self.order if looks[n])

    def _edges(self) -> tuple[set[Node], dict[Node, list[Node]], set[Node]]:
        """Return the iterated nodes that are solved separately, the ties of each node, and the nodes
        used once."""
        detached: set[Node] = set()
        extra: dict[Node, list[Node]] = {}
        for turn, free in self.free.items():
            top = _turned(turn)
            if len(self.parents[top]) > 1 and top in self.found.owners:
                detached.add(top)
            for node in free:
                if not isinstance(node, HoleNode) or node is not getattr(turn, "hole", None):
                    extra.setdefault(turn, []).append(node)
        for node in self.found.nodes:
            if isinstance(node, nodes.SameShapeAsNode):
                extra.setdefault(node, []).append(node.other)
        edges = {node: [*node.children(), *extra.get(node, ())] for node in self.order}
        single = {n for n in self.order if n in detached or len(self.parents[n]) <= 1}
        return detached, edges, single.difference(*extra.values())

    def _escapes(
        self,
        edges: Mapping[Node, Sequence[Node]],
        detached: set[Node],
        single: set[Node],
        above: Mapping[Node, int],
        depth: Mapping[Node, int],
    ) -> dict[Node, int]:
        """Return the least depth that a node below each node is tied to, or TIED, or FREE."""
        escapes: dict[Node, int] = {}

        def apart(node: Node) -> int:
            return FREE if escapes[node] >= depth[node] else TIED

        for node in self.order:
            if isinstance(node, HoleNode):
                repeat = self.found.holes[node]
                base = repeat.base
                whole = self.parents[base] == [repeat] and base in single
                escapes[node] = apart(base) if whole and not self._shares_nodes(repeat) else TIED
            else:
                below = edges[node]
                ends = (apart(n) if n in detached else min(above[n], escapes[n]) for n in below)
                escapes[node] = min(ends, default=FREE)
        return escapes

    def _opened(self) -> dict[Node, frozenset[RepeatNode]]:
        """Return the repetitions whose holes lie below each node, but not they themselves."""
        opened: dict[Node, frozenset[RepeatNode]] = {}
        for node in self.order:
            if isinstance(node, HoleNode):
                repeat = self.found.holes[node]
                opened[node] = opened[repeat.base] | {repeat}
            else:
                opened[node] = _joined([opened[c] for c in node.children()])
                if isinstance(node, RepeatNode):
                    opened[node] = opened[node] - {node}
        return opened

    def _looks(self, closed: set[Node]) -> tuple[dict[Node, bool], set[Node]]:
        """Return whether each node depends on the matches of others, and the closed nodes that do not."""
        looking = _looking(self.order)
        looks: dict[Node, bool] = {}
        untied: set[Node] = set()
        for node in self.order:
            if isinstance(node, HoleNode):
                looks[node] = self.found.holes[node] in looking
            elif isinstance(node, nodes.NotNode) and node.pattern not in untied:
                looks[node] = True
            else:
                looks[node] = isinstance(node, nodes.SameShapeAsNode | nodes.TogetherNode) or any(
                    looks[c] for c in node.children()
                )
            if node in closed and not looks[node]:
                untied.add(node)
        return looks, untied

    def _shares_nodes(self, repeat: RepeatNode) -> bool:
        """Return whether the iterations share a node besides the one they continue with."""
        return any(node is not repeat.hole for node in self.free[repeat])


def _chooses(order: Sequence[Node]) -> dict[Node, bool]:
    """Return whether a node or one below it can match in several ways."""
    chooses: dict[Node, bool] = {}
    for node in order:
        chooses[node] = (
            isinstance(node, _CHOOSING)
            or (isinstance(node, nodes.CallNode) and node.commutes)
            or (isinstance(node, nodes.TupleNode) and not node.ordered)
            or any(chooses[c] for c in node.children())
        )
    return chooses


def _places(order: list[Node], turned: Mapping[Node, object]) -> dict[Node, Node]:
    """Return for each node that is bound once a representative of the nodes matched at the same value.

    Separate `used_by` of one consumer share its representative: `a >> j` and `b >> j`.
    """
    place: dict[Node, Node] = {}
    joined: dict[Node, Node] = {}
    refused = {
        below
        for node in order
        if isinstance(node, nodes.NotNode)
        for below in nodes_of(node.pattern)
    }
    for node in reversed(order):
        if isinstance(node, nodes.TogetherNode):
            continue
        mine = place.setdefault(node, node)
        same = satisfiability.same_value(node)
        if isinstance(node, nodes.LetNode):
            same = (node.var, node.value) if node.body is None else (node.body,)
            if node.body is not None:
                place.setdefault(node.value, place.setdefault(node.var, node.var))
        for part in same:
            known = place.setdefault(part, mine)
            if isinstance(node, nodes.UsedByNode):
                joined[end_of(joined, mine)] = end_of(joined, known)
    return {
        node: end_of(joined, top)
        for node, top in place.items()
        if node not in turned and node not in refused
    }


def end_of(steps: Mapping[Node, Node], start: Node) -> Node:
    """Return the node at the end of the steps from one; a step to itself is an end."""
    while (following := steps.get(start, start)) is not start:
        start = following
    return start


def _turned(node: Turns) -> Node:
    """Return the part that is matched once in every iteration."""
    return node.wrapped if isinstance(node, RepeatNode) else node.path


def _only_turned(node: Node, top: Node) -> bool:
    """Return whether a node occurs in a repetition or `dominates` only as its iterated part."""
    return sum(child is top for child in node.children()) == 1


def _looking(order: list[Node]) -> set[Node]:
    """Return the nodes with a node at or below them that may depend on the matches of others."""
    found: set[Node] = set()
    for node in order:
        asks = isinstance(node, nodes.SameShapeAsNode | nodes.NotNode)
        if asks or any(child in found for child in node.children()):
            found.add(node)
    return found


_EMPTY: frozenset[object] = frozenset()


def _joined(sets: Sequence[frozenset]) -> frozenset:
    sets = [s for s in sets if s]
    if not sets:
        return _EMPTY
    return sets[0] if len(sets) == 1 else sets[0].union(*sets[1:])


def _check_names(root: Node, order: list[Node]) -> None:
    """Refuse a name that two nodes have which may both match."""
    named: dict[str, list[Node]] = {}
    for node in order:
        if isinstance(node, NamedNode):
            named.setdefault(node.name, []).append(node)
    for name, several in named.items():
        if len(several) > 1:
            _check_name(root, order, name)


def _check_name(root: Node, order: list[Node], name: str) -> None:
    below: dict[Node, Node | None] = {}
    """The node that has the name below each; the alternation, where each side has one."""
    for node in order:
        different = dict.fromkeys(b for c in node.children() if (b := below[c]) is not None)
        own = isinstance(node, NamedNode) and node.name == name
        if own and different:
            raise PatternError(
                f"{pattern_text(root)}: expected each name once, found '{name}' inside itself; "
                "rename one of them"
            )
        if len(different) > 1 and not isinstance(node, nodes.EitherNode):
            raise PatternError(
                f"{pattern_text(root)}: expected each name once, but for the two sides of |, "
                f"found '{name}' twice; rename one of them"
            )
        below[node] = node if own or len(different) > 1 else next(iter(different), None)


def _depths(order: list[Node]) -> dict[Node, int]:
    depth: dict[Node, int] = {}
    for node in order:
        below = [depth[c] for c in node.children()]
        if isinstance(node, RepeatNode | DominatesNode | nodes.IfNode | nodes.FunctionNode):
            depth[node] = UNBOUNDED
        elif isinstance(node, nodes.UsedByNode):
            depth[node] = min(sum(below), UNBOUNDED)
        else:
            depth[node] = min(max(below, default=0) + node.CONSUMES, UNBOUNDED)
    return depth


def _ops(order: list[Node]) -> frozenset[Node]:
    found: set[Node] = set()
    wrappers: Mapping[type[Node], str] = {
        nodes.NamedNode: "pattern",
        nodes.HasAttrNode: "pattern",
        nodes.UsedByNode: "consumer",
        nodes.DominatesNode: "child",
    }
    for node in order:
        if isinstance(node, nodes.EitherNode | nodes.BothNode):
            is_op = node.first in found and node.second in found
        else:
            inner = wrappers.get(node.KIND)
            is_op = isinstance(node, _MATCHES_AN_OP) or (
                inner is not None and getattr(node, inner) in found
            )
        if is_op:
            found.add(node)
    return frozenset(found)
