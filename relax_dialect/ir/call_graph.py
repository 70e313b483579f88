"""The call graph of a module: components, recursion, reachability."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation

from relax_dialect.ir.walk import is_private, symbol_name, walk_ops


def _references(attribute: Attribute) -> Iterator[str]:
    stack = [attribute]
    while stack:
        current = stack.pop()
        if isinstance(current, SymbolRefAttr):
            yield current.root_reference.data
        elif isinstance(current, ArrayAttr):
            stack.extend(current.data)
        elif isinstance(current, DictionaryAttr):
            stack.extend(current.data.values())


def own_references(op: Operation) -> dict[str, None]:
    """Return the symbols that an op of any dialect itself names."""
    found: dict[str, None] = {}
    for attributes in (op.properties, op.attributes):
        for attribute in attributes.values():
            if isinstance(attribute, SymbolRefAttr | ArrayAttr | DictionaryAttr):
                found.update(dict.fromkeys(_references(attribute)))
    return found


def rename_references(root: Operation, names: Mapping[str, str]) -> None:
    """Rename symbol references in all nested ops, in lists and dictionaries of attributes too."""
    for op in walk_ops(root) if names else ():
        if names.keys().isdisjoint(own_references(op)):
            continue
        for attributes in (op.properties, op.attributes):
            for key, value in attributes.items():
                attributes[key] = _renamed(value, names)


def _renamed(attribute: Attribute, names: Mapping[str, str]) -> Attribute:
    match attribute:
        case SymbolRefAttr():
            root = names.get(attribute.root_reference.data)
            if root is None:
                return attribute
            return SymbolRefAttr(root, attribute.nested_references)
        case ArrayAttr():
            return ArrayAttr(_renamed(each, names) for each in attribute)
        case DictionaryAttr():
            return DictionaryAttr({k: _renamed(v, names) for k, v in attribute.data.items()})
        case _:
            return attribute


def referenced_symbols(root: Operation) -> dict[str, None]:
    """Return the symbols that an op and those in its regions name."""
    found: dict[str, None] = {}
    for op in walk_ops(root):
        found.update(own_references(op))
    return found


@dataclass
class CallGraph:
    """The symbols of a module and the edges between them.

    An edge leads from a function to every symbol its body names: by `relax.call`, `relax.call_tir`
    and `relax.make_closure`, and by the ops of other dialects; the bodies of its closures count.
    """

    symbols: dict[str, Operation]
    callees: dict[str, tuple[str, ...]]
    """For each symbol the symbols of the module that it names, in no particular order."""
    rooted: tuple[str, ...] = ()
    """The symbols named by ops of the module that are no symbols themselves."""
    _components: list[tuple[str, ...]] | None = field(default=None, repr=False)

    @staticmethod
    def of(module: ModuleOp) -> CallGraph:
        """Return the call graph of a module."""
        symbols: dict[str, Operation] = {}
        others: list[Operation] = []
        for op in module.ops:
            name = symbol_name(op)
            if name is None:
                others.append(op)
            else:
                symbols[name] = op
        callees = {name: _callees(op, symbols) for name, op in symbols.items()}
        rooted = tuple(n for op in others for n in _callees(op, symbols))
        return CallGraph(symbols, callees, rooted)

    @staticmethod
    def below(roots: Iterable[str], symbols: Mapping[str, Operation]) -> CallGraph:
        """Return the part that can be reached from some symbols; nothing else of the module is read."""
        callees: dict[str, tuple[str, ...]] = {}
        stack = [name for name in roots if name in symbols]
        while stack:
            name = stack.pop()
            if name not in callees:
                callees[name] = _callees(symbols[name], symbols)
                stack.extend(callees[name])
        return CallGraph({name: symbols[name] for name in callees}, callees)

    @property
    def components(self) -> list[tuple[str, ...]]:
        """The strongly connected components, each after those it calls (Tarjan's algorithm)."""
        if self._components is None:
            self._components = list(strongly_connected(self.callees))
        return self._components

    def recursive(self) -> frozenset[str]:
        """Return the functions that may call themselves, directly or through others."""
        return frozenset(
            name
            for component in self.components
            for name in component
            if len(component) > 1 or name in self.callees[name]
        )

    def reachable(self, roots: Iterable[str]) -> frozenset[str]:
        """Return the symbols that the roots name, directly or through others, and the roots."""
        return _closure(roots, self.callees)

    def reaching(self, goals: Iterable[str]) -> frozenset[str]:
        """Return the symbols that name one of the goals, directly or through others, and the goals."""
        callers: dict[str, list[str]] = {name: [] for name in self.callees}
        for name, callees in self.callees.items():
            for callee in callees:
                callers[callee].append(name)
        return _closure(goals, callers)

    def unused(self, candidates: Container[str] | None = None) -> list[str]:
        """Return the private symbols, among `candidates` if it is not None, that can be erased together.

        Nothing that is kept refers to them: no public symbol, no symbol outside `candidates`, no other op
        of the module, and no symbol reachable from these.
        """
        kept = (
            name
            for name, op in self.symbols.items()
            if not is_private(op) or (candidates is not None and name not in candidates)
        )
        alive = self.reachable((*kept, *self.rooted))
        return [name for name in self.symbols if name not in alive]


def _callees(op: Operation, symbols: Mapping[str, Operation]) -> tuple[str, ...]:
    return tuple(n for n in referenced_symbols(op) if n in symbols)


def _closure(roots: Iterable[str], edges: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the roots and all that edges lead to from them."""
    found = set(roots)
    stack = list(found)
    while stack:
        for name in edges[stack.pop()]:
            if name not in found:
                found.add(name)
                stack.append(name)
    return frozenset(found)


def strongly_connected(graph: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the strongly connected components, callees first, by Tarjan's algorithm without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []
    is_waiting: set[str] = set()
    for root in graph:
        if root in number:
            continue
        path = [(root, iter(graph[root]))]
        number[root] = low[root] = len(number)
        waiting.append(root)
        is_waiting.add(root)
        while path:
            node, edges = path[-1]
            for callee in edges:
                if callee not in number:
                    number[callee] = low[callee] = len(number)
                    waiting.append(callee)
                    is_waiting.add(callee)
                    path.append((callee, iter(graph[callee])))
                    break
                if callee in is_waiting:
                    low[node] = min(low[node], number[callee])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    component: list[str] = []
                    while not component or component[-1] != node:
                        component.append(waiting.pop())
                    is_waiting.difference_update(component)
                    yield tuple(reversed(component))
