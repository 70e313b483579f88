"""The call graph of a module: edges of every dialect, components callees first, reachability."""

from __future__ import annotations

import random

import pytest

from relax_dialect.ir.call_graph import CallGraph, strongly_connected
from relax_dialect.parsing import parse

T = "!relax.tensor<[n], f32>"


def function(name: str, *callees: str, private: bool = True) -> str:
    calls = "\n".join(f"%v{c} = relax.call @{c}(%x) : ({T}) -> {T}" for c in callees)
    visibility = "private " if private else ""
    return f"relax.func {visibility}@{name}(%x: {T}) -> {T} {{\n{calls}\nrelax.return %x : {T}\n}}"


MODULE = "\n".join(
    [
        function("main", "even", private=False),
        function("even", "odd"),
        function("odd", "even"),
        function("self", "self", "leaf"),
        function("leaf"),
        f"""
        relax.func @maker(%x: {T}) -> !relax.func<() -> {T}> {{
          %f = relax.closure () -> {T} {{
            %m = relax.make_closure @leaf(%x) : ({T}) -> !relax.func<() -> {T}>
            %y = relax.call_closure %m : (!relax.func<() -> {T}>) -> {T}
            relax.return %y : {T}
          }}
          relax.return %f : !relax.func<() -> {T}>
        }}
        func.func @other() {{
          func.call @third() : () -> ()
          func.return
        }}
        func.func private @third()
        """,
    ]
)


def test_edges_recursion_and_reachability():
    graph = CallGraph.of(parse(MODULE))
    assert graph.callees["maker"] == ("leaf",)
    assert graph.callees["other"] == ("third",)
    assert graph.recursive() == {"even", "odd", "self"}
    assert graph.reachable(["even"]) == {"even", "odd"}
    kept = {"main", "even", "odd", "maker", "leaf", "other", "third"}
    assert set(graph.unused()) == graph.symbols.keys() - kept


def test_components_stand_after_those_they_call():
    graph = CallGraph.of(parse(MODULE))
    place = {name: i for i, c in enumerate(graph.components) for name in c}
    assert len(place) == len(graph.symbols)
    assert all(place[c] <= place[f] for f, callees in graph.callees.items() for c in callees)


def closure_of(graph: dict[str, tuple[str, ...]]) -> dict[str, set[str]]:
    """The nodes that each node reaches, by plain search."""
    reached: dict[str, set[str]] = {}
    for root in graph:
        found, stack = {root}, [root]
        while stack:
            new = [n for n in graph[stack.pop()] if n not in found]
            found.update(new)
            stack.extend(new)
        reached[root] = found
    return reached


@pytest.mark.parametrize("seed", range(50))
def test_components_of_random_graphs(seed: int):
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(rng.randrange(1, 12))]
    graph = {n: tuple(rng.choices(names, k=rng.randrange(3))) for n in names}
    reached = closure_of(graph)
    found = {frozenset(c) for c in strongly_connected(graph)}
    assert found == {frozenset(m for m in reached[n] if n in reached[m]) for n in names}


def test_a_long_chain_needs_no_recursion():
    graph = {f"f{i}": (f"f{i + 1}",) for i in range(20_000)} | {"f20000": ()}
    assert len(list(strongly_connected(graph))) == 20_001
