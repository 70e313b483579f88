"""`Match`: which value each node of a pattern matched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.search.aliases import source
from relax_dialect.dpl.syntax.nodes import DominatesNode, NamedNode, Node, TogetherNode
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.suggestions import found_text


class Match:
    """The values matched by the nodes of a pattern, by node or by name: `m[x]`, `m["scale"]`.

    A value is returned as the matched op uses it, so that it may be used at the root. `in` tests whether a
    node, for example of an alternation, took part.
    """

    def __init__(self, pattern: Node, root: SSAValue, bound: Sequence[tuple[Node, SSAValue]]):
        self.pattern = pattern
        self.root = root
        """The value at which the pattern matched."""
        self.bound = bound
        """The nodes that took part and their values, in the order of the search."""
        self._values: dict[Node, list[SSAValue]] = {}
        self._names: dict[str, Node] = {}
        for node, value in bound:
            self._values.setdefault(node, []).append(value)
            if isinstance(node, NamedNode):
                self._names[node.name] = node

    def __getitem__(self, key: Node | str) -> Value:
        """Return the value that a node matched, as a `Value` of the builder; its `.value` is xDSL's."""
        found = self.each(key)
        if len(found) != 1:
            raise PatternError(
                f"{self._key(key)}: expected a node that matched one value, found {len(found)}; "
                "each(...) returns all, in the order of the repetition"
            )
        return found[0]

    def each(self, key: Node | str) -> list[Value]:
        """Everything that a node of a repetition matched, from the root on."""
        node = self._node(key)
        found = None if node is None else self._values.get(node)
        if found is None:
            known = ", ".join(self.names) or "none"
            raise PatternError(
                f"{self._key(key)}: expected a node that took part in the match, found one that did not "
                f"(names that did: {known}); ask with `in` before"
            )
        return [Value(value) for value in found]

    def get(self, key: Node | str) -> Value | None:
        """Return the value that a node matched, None if it took no part."""
        return self[key] if key in self else None  # noqa: SIM401

    def __contains__(self, key: object) -> bool:
        node = self._node(key) if isinstance(key, Node | str) else None
        return node is not None and node in self._values

    def __iter__(self) -> Iterator[Node]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def names(self) -> Mapping[str, Node]:
        """The named nodes that took part."""
        return self._names

    @property
    def roots(self) -> list[SSAValue]:
        """The values at which the roots matched: several for `together`."""
        if not isinstance(self.pattern, TogetherNode):
            return [source(self.root)]
        return [source(self._values[root][0]) for root in self.pattern.roots]

    def ops(self) -> list[Operation]:
        """Return the ops that belong to the match, the root's first; its inputs do not belong to it."""
        paths = {node.path for node in self._values if isinstance(node, DominatesNode)}
        roots = [root for root in self.roots if isinstance(root, OpResult)]
        found: dict[Operation, None] = dict.fromkeys(root.op for root in roots)
        for node, value in self.bound:
            if (node.CONSUMES or node in paths) and isinstance(inner := source(value), OpResult):
                found[inner.op] = None
        return list(found)

    def _node(self, key: Node | str) -> Node | None:
        if not isinstance(key, Node | str):
            raise PatternError(
                f"m[...]: expected a node of the pattern or a name, found {found_text(key)}; pass the "
                "pattern that matched the value"
            )
        return self._names.get(key) if isinstance(key, str) else key

    def _key(self, key: Node | str) -> str:
        return repr(key) if isinstance(key, str) else pattern_text(key)

    def __repr__(self) -> str:
        return f"Match of {pattern_text(self.pattern)} at %{self.root.name_hint or '?'}"


Check = Callable[[Match], bool]
"""Whether a match is taken."""
