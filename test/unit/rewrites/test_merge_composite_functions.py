"""Merging composite calls: which become one function, never with a cycle, always with the same meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from optional import UNOPTIMISED, examples
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, OpResult

import lowering
import relax_dialect
from relax_dialect import interpret
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import verify
from relax_dialect.rewrites.forms.to_a_normal_form import to_a_normal_form
from relax_dialect.rewrites.forms.to_basic_block_normal_form import to_basic_block_normal_form
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form
from relax_dialect.rewrites.partition.merge_composite_functions import merge_composite_functions
from relax_dialect.transform.regions import functions

T = "!relax.tensor<[n], f32>"
ROW = np.array([-2.0, -0.5, 0.0, 1.0, 3.5], np.float32)
COMPOSITES = "".join(
    f"relax.func private @{codegen}{op}(%p: {T}, %q: {T}) -> {T} "
    f'attributes {{Composite = "{codegen}.{op}"}} {{\n'
    f"%r = relax.{op} %p, %q : ({T}, {T}) -> {T}\nrelax.return %r : {T}\n}}\n"
    for codegen, op in (("a", "add"), ("b", "maximum"))
)
CALLEES = {"a": "call @aadd", "b": "call @bmaximum", "-": "subtract"}
"""The kinds of node in a graph: a composite for one of two code generators, or neither."""


@dataclass(frozen=True)
class Node:
    kind: str
    first: str
    second: str

    def line(self, name: str) -> str:
        callee = CALLEES[self.kind]
        operands = f"%{self.first}, %{self.second}"
        given = f"({operands})" if callee.startswith("call") else f" {operands}"
        return f"%{name} = relax.{callee}{given} : ({T}, {T}) -> {T}\n"


def program(lines: str, results: Sequence[str], kind: str = "dataflow") -> ModuleOp:
    """A module of @main, whose block of that kind gives the results as a tuple."""
    types = ", ".join([T] * len(results))
    names = ", ".join(f"%{r}" for r in results)
    outs = ", ".join(f"%out{i}" for i in range(len(results)))
    return relax_dialect.parse(
        f"{COMPOSITES}relax.func @main(%x: {T}, %y: {T}) -> tuple<{types}> {{\n"
        f"{outs} = relax.{kind} {{\n{lines}relax.output {names} : {types}\n}}\n"
        f"%t = relax.tuple {outs} : ({types}) -> tuple<{types}>\n"
        f"relax.return %t : tuple<{types}>\n}}"
    )


def graph(nodes: dict[str, Node], results: Sequence[str], kind: str = "dataflow") -> ModuleOp:
    return program("".join(node.line(name) for name, node in nodes.items()), results, kind)


def merged(module: ModuleOp, *arguments: Any) -> ModuleOp:
    """The module with its calls merged, verified, of the same meaning, and the same after another run."""
    arguments = arguments or (ROW, ROW[::-1].copy())
    before = interpret.run(module, "main", *arguments)
    merge_composite_functions(module)
    verify(module)
    once = str(module)
    assert str(relax_dialect.parse(once)) == once
    merge_composite_functions(module)
    assert str(module) == once
    after = interpret.run(module, "main", *arguments, check_types=True)
    for a, b in zip(after, before, strict=True):
        np.testing.assert_array_equal(a, b)
    return module


def main(module: ModuleOp) -> FuncOp:
    return next(f for f in functions(module) if not f.is_private)


def callees(function: FuncOp) -> list[str]:
    return [op.callee_name for op in function.walk() if isinstance(op, CallOp)]


def regions(module: ModuleOp) -> dict[str, list[str]]:
    """The merged functions, with what they call."""
    return {
        f.sym_name.data: callees(f)
        for f in functions(module)
        if "Codegen" in f.attributes and "Composite" not in f.attributes
    }


def test_neighbours_become_one():
    nodes = {"u": Node("a", "x", "y"), "v": Node("a", "u", "x"), "w": Node("a", "v", "u")}
    module = merged(graph(nodes, ["w"]))
    assert regions(module) == {"a_region": ["aadd", "aadd", "aadd"]}
    assert callees(main(module)) == ["a_region"]


def test_a_cycle_is_never_made():
    """A -> B -> C and A -> C, of which B goes elsewhere: A and C stay two."""
    for other in "b-":
        nodes = {"u": Node("a", "x", "y"), "v": Node(other, "u", "y"), "w": Node("a", "u", "v")}
        assert regions(merged(graph(nodes, ["w"]))) == {}


def test_a_long_way_round():
    nodes = {
        "u": Node("a", "x", "y"),
        "v": Node("-", "u", "y"),
        "w": Node("-", "v", "y"),
        "z": Node("a", "w", "u"),
    }
    assert regions(merged(graph(nodes, ["z"]))) == {}


def test_what_joins_later_counts():
    """d needs u. Once w has joined u, both need h; so then does d, and z, which needs d, must not join h."""
    nodes = {
        "h": Node("b", "x", "y"),
        "u": Node("a", "x", "y"),
        "d": Node("-", "u", "x"),
        "w": Node("a", "u", "h"),
        "z": Node("b", "d", "h"),
    }
    module = merged(graph(nodes, ["w", "z"]))
    assert regions(module) == {"a_region": ["aadd", "aadd"]}


def test_three_that_meet():
    nodes = {"u": Node("a", "x", "x"), "v": Node("a", "y", "y"), "w": Node("a", "u", "v")}
    assert regions(merged(graph(nodes, ["w"]))) == {"a_region": ["aadd"] * 3}


def test_those_that_share_an_input_alone_stay():
    nodes = {"u": Node("a", "x", "y"), "v": Node("a", "x", "x")}
    assert regions(merged(graph(nodes, ["u", "v"]))) == {}


def test_other_code_generators_are_others():
    nodes = {"u": Node("a", "x", "y"), "v": Node("b", "u", "y"), "w": Node("b", "v", "y")}
    assert regions(merged(graph(nodes, ["w"]))) == {"b_region": ["bmaximum"] * 2}


def test_several_results_are_a_tuple():
    nodes = {"u": Node("a", "x", "y"), "v": Node("a", "u", "y"), "d": Node("-", "u", "x")}
    module = merged(graph(nodes, ["v", "d"]))
    assert regions(module) == {"a_region": ["aadd"] * 2}
    text = str(main(module))
    assert text.count("relax.tuple_get_item") == 2


def test_equal_regions_are_one():
    nodes = {"u": Node("a", "x", "y"), "v": Node("a", "u", "y"), "d": Node("-", "v", "x")}
    nodes |= {"p": Node("a", "d", "y"), "q": Node("a", "p", "y")}
    module = merged(graph(nodes, ["q"]))
    assert regions(module) == {"a_region": ["aadd"] * 2}
    assert callees(main(module)) == ["a_region", "a_region"]


def test_a_call_alone_is_marked_itself():
    module = merged(graph({"u": Node("a", "x", "y"), "v": Node("-", "u", "y")}, ["v"]))
    marks = {f.sym_name.data: f.attributes.get("Codegen") for f in functions(module)}
    assert marks == {"aadd": StringAttr("a"), "bmaximum": None, "main": None}


def test_a_composite_without_a_code_generator_stays():
    text = str(graph({"u": Node("a", "x", "y"), "v": Node("a", "u", "y")}, ["v"]))
    module = merged(relax_dialect.parse(text.replace('"a.add"', '"add"')))
    assert regions(module) == {}
    assert not any("Codegen" in f.attributes for f in functions(module))


class TestOrderedBlocks:
    def test_neighbours_become_one(self):
        """An op between them that uses one goes after the call, one that another needs before it."""
        nodes = {
            "u": Node("a", "x", "y"),
            "d": Node("-", "u", "x"),
            "e": Node("-", "x", "y"),
            "v": Node("a", "u", "e"),
        }
        module = merged(graph(nodes, ["v", "d"], "binding_block"))
        assert regions(module) == {"a_region": ["aadd"] * 2}

    def test_in_the_body_of_a_function(self):
        lines = Node("a", "x", "y").line("u") + Node("-", "u", "y").line("d")
        lines += Node("a", "u", "x").line("v") + Node("-", "v", "d").line("w")
        module = relax_dialect.parse(
            f"{COMPOSITES}relax.func @main(%x: {T}, %y: {T}) -> {T} {{\n{lines}relax.return %w : {T}\n}}"
        )
        before = interpret.run(module, "main", ROW, ROW)
        merge_composite_functions(module)
        verify(module)
        assert regions(module) == {"a_region": ["aadd"] * 2}
        np.testing.assert_array_equal(interpret.run(module, "main", ROW, ROW), before)

    def test_not_across_an_effect(self, capsys: pytest.CaptureFixture[str]):
        between = f"relax.print %x : ({T}) -> ()\n"
        lines = Node("a", "x", "y").line("u") + between + Node("a", "u", "y").line("v")
        assert regions(merged(program(lines, ["v"], "binding_block"))) == {}

    def test_an_effect_between_is_passed_by_nobody(self, capsys: pytest.CaptureFixture[str]):
        lines = f"relax.print %x : ({T}) -> ()\n" + Node("a", "x", "y").line("u")
        lines += Node("a", "u", "y").line("v") + f"relax.print %u : ({T}) -> ()\n"
        module = merged(program(lines, ["v"], "binding_block"))
        assert regions(module) == {"a_region": ["aadd"] * 2}
        block = main(module).body.block.first_op
        assert block is not None
        ops = [op.name.removeprefix("relax.") for op in block.regions[0].block.ops]
        assert ops == ["print", "call", "tuple_get_item", "tuple_get_item", "print", "output"]

    def test_a_composite_with_an_effect_stays(self, capsys: pytest.CaptureFixture[str]):
        text = str(
            graph({"u": Node("a", "x", "y"), "v": Node("a", "u", "y")}, ["v"], "binding_block")
        )
        module = relax_dialect.parse(text.replace("%r =", f"relax.print %p : ({T}) -> ()\n%r ="))
        assert regions(merged(module)) == {}

    def test_symbolic_variables_are_edges(self):
        """The cast between defines what the second call names; it needs the first."""
        lines = (
            Node("a", "x", "y").line("u")
            + f"""
          %c = relax.match_cast %u : {T} -> !relax.tensor<[k], f32>
          %d = relax.match_cast %x : {T} -> !relax.tensor<[k], f32>
          %e = relax.call @aadd(%d, %d) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
          %f = relax.match_cast %e : !relax.tensor<[k], f32> -> {T}
        """
        )
        lines += Node("a", "u", "f").line("v")
        module = merged(program(lines, ["v"], "binding_block"))
        assert regions(module) == {}


def test_not_across_blocks():
    lines = (
        f"%u = relax.dataflow {{\n{Node('a', 'x', 'y').line('p')}relax.output %p : {T}\n}}\n"
        f"%v = relax.dataflow {{\n{Node('a', 'u', 'y').line('q')}relax.output %q : {T}\n}}\n"
        f"%t = relax.tuple %v : ({T}) -> tuple<{T}>\nrelax.return %t : tuple<{T}>"
    )
    text = f"{COMPOSITES}relax.func @main(%x: {T}, %y: {T}) -> tuple<{T}> {{\n{lines}\n}}"
    assert regions(merged(relax_dialect.parse(text))) == {}


def branches(kind: str) -> ModuleOp:
    """Two calls outside, of which one branch uses the second, the other the first; two inside."""
    inside = Node("a", "v", "x").line("p") + Node("a", "p", "x").line("q")
    lines = (
        Node("a", "x", "y").line("u")
        + Node("a", "u", "y").line("v")
        + "%c = relax.constant dense<1> : tensor<i1>\n"
        + f"%w = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{\n{inside}relax.yield %q : {T}\n}} else {{\n"
        + f"relax.yield %u : {T}\n}}\n"
    )
    return program(lines, ["w"], kind)


def test_in_branches():
    module = merged(branches("binding_block"))
    assert regions(module) == {"a_region": ["aadd"] * 2, "a_region_1": ["aadd"] * 2}


def test_not_where_nodes_have_no_place():
    """In a graph the second call is evaluated in one branch only, and must stay there."""
    assert regions(merged(branches("graph"))) == {"a_region": ["aadd"] * 2}


FORMS = [to_a_normal_form, to_graph_normal_form, to_basic_block_normal_form]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_in_every_form(form: Any):
    nodes = {"u": Node("a", "x", "y"), "v": Node("-", "u", "y"), "w": Node("a", "v", "u")}
    nodes |= {"z": Node("a", "w", "x")}
    module = graph(nodes, ["z"], "graph")
    form(main(module))
    assert regions(merged(module)) == {"a_region": ["aadd"] * 2}


def test_lets_go_with_their_call():
    lines = Node("a", "x", "y").line("u") + f"%l = relax.let %u : ({T}) -> {T}\n"
    lines += Node("a", "l", "l").line("v")
    module = merged(program(lines, ["v"]))
    assert regions(module) == {"a_region": ["aadd"] * 2}
    assert "relax.let" not in str(main(module))


def test_constants_are_passed():
    lines = "%c = relax.constant dense<1.0> : tensor<5xf32>\n"
    F = "!relax.tensor<[5], f32>"
    lines += f"%u = relax.call @aadd(%c, %c) : ({F}, {F}) -> {F}\n"
    lines += f"%v = relax.call @aadd(%u, %c) : ({F}, {F}) -> {F}\n"
    lines += f"%w = relax.match_cast %v : {F} -> {T}\n"
    module = program(lines, ["w"], "binding_block")
    merge_composite_functions(module)
    verify(module)
    (region,) = (f for f in functions(module) if f.sym_name.data == "a_region")
    assert [str(t) for t in region.body.block.arg_types] == [F]


def test_it_compiles():
    """Nobody needs to know the marks: without a code generator they are functions like others."""
    nodes = {"u": Node("a", "x", "y"), "v": Node("a", "u", "y"), "d": Node("-", "u", "v")}
    module = merged(graph(nodes, ["d", "v"]))
    for function in functions(module):
        function.attributes.pop("Codegen", None)
    model = lowering.compile(module, "merged_model", extra_flags=UNOPTIMISED)
    for a, b in zip(model.main(ROW, ROW), interpret.run(module, "main", ROW, ROW), strict=True):
        np.testing.assert_array_equal(a, b)


NAMES = [f"v{i}" for i in range(40)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[str, Node], list[str]]:
    """A random graph with random kinds, and some of its nodes as results."""
    kinds = draw(st.sampled_from(["a-", "aa-", "ab-", "aab", "aaab-"]))
    known = ["x", "y"]
    nodes: dict[str, Node] = {}
    for name in NAMES[: draw(st.integers(2, 14))]:
        recent = known[-draw(st.integers(2, 6)) :]
        operands = [draw(st.sampled_from(recent)) for _ in range(2)]
        nodes[name] = Node(draw(st.sampled_from(kinds)), *operands)
        known.append(name)
    results = draw(st.lists(st.sampled_from(known[2:]), min_size=1, max_size=3, unique=True))
    return nodes, list(dict.fromkeys([*results, known[-1]]))


def codegen(module: ModuleOp, op: Operation) -> str | None:
    """The code generator that an op goes to."""
    if not isinstance(op, CallOp):
        return None
    callee = next(f for f in functions(module) if f.sym_name.data == op.callee_name)
    for mark in ("Composite", "Codegen"):
        if isinstance(name := callee.attributes.get(mark), StringAttr):
            return name.data.partition(".")[0]
    return None


def could_merge(module: ModuleOp, ops: Sequence[Operation]) -> list[tuple[Operation, Operation]]:
    """Neighbours for one code generator with no other way between them: found by trying every pair."""
    needs = {op: {v.op for v in op.operands if isinstance(v, OpResult)} for op in ops}

    def reached_from(op: Operation) -> set[Operation]:
        found: set[Operation] = set()
        work = [op]
        while work:
            new = needs.get(work.pop(), set()) - found
            found |= new
            work.extend(new)
        return found

    def through(value_owner: Operation) -> Operation:
        while value_owner.name == "relax.tuple_get_item":
            (value_owner,) = needs[value_owner]
        return value_owner

    pairs: list[tuple[Operation, Operation]] = []
    for op in ops:
        mine = codegen(module, op)
        if mine is None:
            continue
        sources = {through(o) for o in needs[op] if o in needs}
        for source in sources:
            others = [o for o in sources if o is not source]
            if codegen(module, source) == mine and not any(
                source in reached_from(o) for o in others
            ):
                pairs.append((source, op))
    return pairs


@examples(32)
@given(graphs(), st.booleans(), st.randoms(use_true_random=False))
def test_random_graphs(made: tuple[dict[str, Node], list[str]], ordered: bool, random: Any):
    """Verified (so without cycles), of the same meaning, and nothing left that could be merged."""
    nodes, results = made
    lines = [node.line(name) for name, node in nodes.items()]
    if not ordered:
        random.shuffle(lines)
    module = merged(program("".join(lines), results, "binding_block" if ordered else "dataflow"))
    block = main(module).body.block.first_op
    assert block is not None
    assert could_merge(module, list(block.regions[0].block.ops)) == []


@examples(16)
@given(graphs(), st.sets(st.integers(0, 13)))
def test_random_blocks_with_effects(made: tuple[dict[str, Node], list[str]], effects: set[int]):
    """Effects stay in their order, and between the calls between which they stood."""
    nodes, results = made
    lines = ""
    for number, (name, node) in enumerate(nodes.items()):
        lines += node.line(name)
        if number in effects:
            lines += f'%e{number} = relax.call_packed "relax.test.note"(%{name}) : ({T}) -> {T}\n'
    noted: list[np.ndarray] = []

    def note(x: np.ndarray) -> np.ndarray:
        noted.append(x.copy())
        return x

    interpret.register_packed("relax.test.note", note)
    module = program(lines, results, "binding_block")
    interpret.run(module, "main", ROW, ROW[::-1].copy())
    before = list(noted)
    merge_composite_functions(module)
    verify(module)
    noted.clear()
    interpret.run(module, "main", ROW, ROW[::-1].copy())
    for a, b in zip(noted, before, strict=True):
        np.testing.assert_array_equal(a, b)


def ladder(length: int, kinds: str) -> ModuleOp:
    nodes, last, before = {}, "x", "y"
    for number in range(length):
        name = f"n{number}"
        nodes[name] = Node(kinds[number % len(kinds)], last, before)
        last, before = name, last
    return graph(nodes, [last])


@pytest.mark.long
@pytest.mark.parametrize("kinds", ["a", "a-", "aab", "aaaa-aa--"])
def test_the_work_is_linear(kinds: str):
    merge_composite_functions(ladder(40, kinds))  # what is loaded and cached once
    short, long = ladder(150, kinds), ladder(300, kinds)
    few = effort(lambda: merge_composite_functions(short))
    many = effort(lambda: merge_composite_functions(long))
    verify(long)
    assert many < 2.2 * few
