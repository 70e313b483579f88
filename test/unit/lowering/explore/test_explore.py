"""The content of a page: graphs, the IR after every pass, differences, places, pieces of C."""

from __future__ import annotations

from itertools import pairwise

import pytest
from optional import package
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from lowering.driver import to_c
from lowering.explore.c_code import function_places, pieces
from lowering.explore.dataflow import FEW, Graph
from lowering.explore.forward_backward_layout import place_sides
from lowering.explore.gradients import graphs
from lowering.explore.history import History
from lowering.explore.machine_code import machine_code
from lowering.explore.source_locations import SourceLocations
from relax_dialect import assert_structural_equal, training
from relax_dialect.builder import BlockBuilder, op, var
from relax_dialect.gradient import gradient
from relax_dialect.parsing import parse

PROGRAM = """relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.dataflow {
    %two = relax.constant dense<2.0> : tensor<4xf32>
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %2 = relax.matmul %1, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %3 = relax.relu %2 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %4 = relax.cumsum %3 {axis = 1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %unused = relax.exp %4 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %4 : !relax.tensor<[n, 4], f32>
  }
  relax.return %y : !relax.tensor<[n, 4], f32>
}
"""
BRANCHES = """relax.func @main(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %a : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
"""


def line_of(text: str) -> int:
    return PROGRAM[: PROGRAM.index(text)].count("\n") + 1


class Compiled:
    """A program with all that was seen of it; what was printed after each pass must be the module."""

    def __init__(self, program: str = PROGRAM) -> None:
        module = parse(program, "p.mlir")
        self.places = SourceLocations(module)
        self.history = History(self.places)
        self.modules: list[ModuleOp] = []
        self.shown: dict[str, int] = {}
        self.origins: dict[str, tuple[int, ...]] = {}
        (self.graph,) = graphs(module, self.places)
        self.c = to_c(module, "p", cpu="x86-64-v4", callback=self).c
        self.pieces = pieces(self.c, self.origins)

    def __call__(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        self.history(done, module, following)
        if following is None:
            self.origins = function_places(module, self.history)
        self.modules.append(module.clone())

    def places_on(self, line: int) -> set[int]:
        return {i for i, (_, found) in enumerate(self.places.all) if found == line}


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    return Compiled()


def by_name(module: ModuleOp) -> dict[str, Operation]:
    return {str(each.properties["sym_name"]): each for each in module.ops}


def graph(text: str) -> Graph:
    module = parse(text)
    return graphs(module, SourceLocations(module))[0]


def names(graph: Graph) -> list[tuple[str, str]]:
    return [(graph.nodes[a].label, graph.nodes[b].label) for a, b in graph.edges]


def test_the_graph_looks_through_blocks(compiled: Compiled):
    assert names(compiled.graph) == [
        ("%x", "matmul"), ("%w", "matmul"), ("matmul", "relu"), ("relu", "matmul"), ("%w", "matmul"),
        ("matmul", "relu"), ("relu", "cumsum"), ("cumsum", "exp"), ("cumsum", "return"),
    ]  # fmt: skip
    assert [node.kind for node in compiled.graph.nodes if node.label == "constant"] == ["input"]
    assert {node.type for node in compiled.graph.nodes if node.label == "matmul"} == {
        "tensor<[n, 4], f32>"
    }


def test_what_branches_yield_goes_to_the_if():
    found = graph(BRANCHES)
    assert set(names(found)) == {
        ("%c", "if"), ("%x", "exp"), ("exp", "if"), ("%x", "if"), ("if", "return"),
    }  # fmt: skip


def test_an_input_of_many_is_drawn_next_to_each_of_them():
    lines = [f"  %{i} = relax.add %x, %x : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>"
             for i in range(FEW + 1)]  # fmt: skip
    text = "\n".join(["relax.func @f(%x: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {", *lines,
                      "  relax.return %0 : !relax.tensor<[2], f32>", "}"])  # fmt: skip
    found = graph(text)
    makers = [a for a, _ in found.edges if found.nodes[a].label == "%x"]
    assert len(makers) == len(set(makers)) == FEW + 1
    assert {len(found.nodes[a].places) for a in makers} == {1}


def test_a_gradient_has_two_sides_and_says_what_it_keeps():
    """Of a straight program the values that the rules read; of a loop the tape of its states, whose length
    only a run knows. What reads sizes alone keeps nothing."""
    bb = BlockBuilder()
    x, w, k = var("x", shape=["n", 4]), var("w", shape=[4]), var("k", shape=[], dtype="i64")
    with bb.function("loss", [x, w, k]):
        hidden = bb.emit(op.tanh(x * w), "hidden")
        zero = bb.emit(k - k)
        _, y = bb.while_(
            lambda i, y: i < k,
            lambda i, y: (i + 1, bb.emit(y * hidden)),
            zero,
            bb.emit(op.ones_like(x)),
        )
        bb.emit_func_output(bb.emit(op.sum(bb.emit(y + hidden, "added"))))
    module = bb.get()
    gradient(module, "loss", ["w"])
    plain, derived = graphs(module, SourceLocations(module))
    assert plain.back == set() and plain.kept == []
    assert {(derived.nodes[k.maker].label, str(k.bytes)) for k in derived.kept} == {
        ("tanh", "16 * n"), ("while", "8"), ("while", "None"),
    }  # fmt: skip
    assert {k.name for k in derived.kept} >= {"%hidden"}
    package("igraph", "explore")
    layout = place_sides(derived)
    left = max(layout.nodes[i][0] for i in range(len(layout.nodes)) if i not in derived.back)
    assert all(layout.nodes[i][0] > left for i in derived.back)
    for (maker, user), points in zip(derived.edges, layout.edges, strict=True):
        assert points[0] == layout.nodes[maker] and points[-1] == layout.nodes[user]
        if (maker in derived.back) == (user in derived.back):
            assert (points[0][1] < points[-1][1]) == (user not in derived.back)


def test_a_step_of_training_has_the_sides_of_its_gradient():
    """What the optimizer does is of the way back; weights and state are parameters, and none is kept."""
    bb = BlockBuilder()
    x, w, moved = var("x", shape=["n", 4]), var("w", shape=[4]), var("moved", shape=[4])
    with bb.function("loss", [x, w, moved]):
        hidden = bb.emit(op.tanh(x * w), "hidden")
        bb.emit_func_output((bb.emit(op.sum(hidden * hidden)), bb.emit(moved + 1.0)))
    module = bb.get()
    gradient(module, "loss", ["w"], target_index=0)
    training.make_step(
        module, "loss", training.Adam(), parameters=["w"], states=["moved"], name="train"
    )
    plain, derived, step = graphs(module, SourceLocations(module))
    assert plain.back == set()
    found = [(k.name, str(k.bytes), step.nodes[k.maker].label) for k in step.kept]
    assert found == [(k.name, str(k.bytes), derived.nodes[k.maker].label) for k in derived.kept]
    assert found == [("%hidden", "16 * n", "tanh")]
    forward = {n.label for i, n in enumerate(step.nodes) if i not in step.back}
    assert forward == {"%x", "%w", "multiply", "tanh", "sum"}
    assert {n.label for n in step.nodes if n.kind == "input"} >= {"%w", "%moved"}
    assert {n.label for n in step.nodes}.isdisjoint({"%parameters", "%state", "%states"})
    assert {"sqrt", "return"} <= {step.nodes[i].label for i in step.back}


def test_the_text_after_every_pass_is_the_program(compiled: Compiled):
    shown: dict[str, int] = {}
    for stage, module in zip(compiled.history.stages, compiled.modules, strict=True):
        for name, old, new, _ in stage.changes:
            assert shown.pop(name, -1) == old
            if new >= 0:
                shown[name] = new
        lines = list(compiled.history.lines)
        text = "\n".join(
            lines[i][0] for number in shown.values() for i in compiled.history.texts[number]
        )
        printed, original = by_name(parse(text, stage.name)), by_name(module)
        assert set(printed) == set(original), stage.name
        for name, own in original.items():
            assert_structural_equal(own, printed[name])
        assert (stage.functions, stage.ops) == (len(shown), len(list(module.walk())) - 1)


def test_the_marked_lines_make_one_text_of_the_other(compiled: Compiled):
    texts = [(), *compiled.history.texts]
    seen = 0
    for stage in compiled.history.stages:
        for _, old, new, parts in stage.changes:
            before, after = texts[old + 1], texts[new + 1]
            made: list[int] = []
            at = 0
            for a, b, c, d in parts:
                made += [*before[at:a], *after[c:d]]
                at, seen = b, seen + 1
            assert (*made, *before[at:]) == after
    assert seen > 20


def test_passes_that_leave_the_program_alone_change_nothing(compiled: Compiled):
    stages = compiled.history.stages
    assert next(s for s in stages if s.name == "relax-lambda-lift").changes == []
    legalize = next(s for s in stages if s.name == "relax-legalize")
    assert [name for name, old, _, _ in legalize.changes if old >= 0] == ["@main"]
    texts = [str(module) for module in compiled.modules]
    for (before, after), stage in zip(pairwise(texts), stages[1:], strict=True):
        assert bool(stage.changes) == (before != after), stage.name


def test_ops_come_from_their_lines_after_every_pass(compiled: Compiled):
    """Every place that the program has at the end it has in every pass before; the unused op goes first."""
    alive = [set[int]() for _ in compiled.history.stages]
    shown: dict[str, int] = {}
    lines = list(compiled.history.lines)
    for found, stage in zip(alive, compiled.history.stages, strict=True):
        shown.update({name: new for name, _, new, _ in stage.changes})
        for number in shown.values():
            for i in compiled.history.texts[number] if number >= 0 else ():
                found.update(lines[i][1])
    (unused,) = compiled.places_on(line_of("%unused"))
    assert unused in alive[0] and unused not in alive[1]
    for text in ("%0 = ", "%1 = ", "%2 = ", "%3 = ", "%4 = "):
        (place,) = compiled.places_on(line_of(text))
        assert all(place in found for found in alive), text


def test_c_comes_from_ops(compiled: Compiled):
    joined = "".join(piece.text for piece in compiled.pieces)
    assert joined.replace("\n", "") == compiled.c.replace("\n", "")
    assert [p.symbol for p in compiled.pieces if p.name in ("main_", "p_main")] == ["main", "main"]

    def kernels(text: str) -> set[str]:
        (place,) = compiled.places_on(line_of(text))
        found = (p for p in compiled.pieces if place in p.places and p.symbol not in ("", "main"))
        return {p.name.partition("_loop")[0] for p in found}  # with what threads share of it

    # the second product calls the kernel of the first one
    assert kernels("%0 = ") == kernels("%1 = ") == kernels("%2 = ") == kernels("%3 = ")
    assert len(kernels("%0 = ")) == len(kernels("%4 = ")) == 1
    assert kernels("%0 = ") != kernels("%4 = ")
    assert kernels("%unused") == set()


SHARED = """relax.func @main(%x: !relax.tensor<[8, 8], f32>, %w: !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  %1 = relax.cumsum %0 {axis = 1 : i64} : (!relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  %2 = relax.matmul %1, %w : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  %3 = relax.relu %2 : (!relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  %4 = relax.matmul %3, %w : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  relax.return %4 : !relax.tensor<[8, 8], f32>
}
"""


def test_kernels_come_from_the_ops_that_call_them_alone():
    """The three products have one prim func at first, with the place of the first of them in it."""
    seen = Compiled(SHARED)
    lines, shown = list(seen.history.lines), dict[str, int]()
    for stage in seen.history.stages:
        shown.update({name: new for name, _, new, _ in stage.changes})
        if stage.name in ("relax-fuse-elementwise", "relax-plan-memory"):
            text = seen.history.texts[shown["@matmul_relu"]]
            found = {seen.places.all[p][1] for i in text for p in lines[i][1]}
            assert found == {4, 5}, stage.name
            text = seen.history.texts[shown["@matmul"]]
            found = {seen.places.all[p][1] for i in text for p in lines[i][1]}
            assert 2 in found and 4 not in found and 5 not in found, stage.name
    origins = {name: {seen.places.all[p][1] for p in found} for name, found in seen.origins.items()}
    assert (origins["matmul"], origins["matmul_relu"]) == ({2, 6}, {4, 5}), origins
    assert origins["main"] >= {2, 3, 4, 5, 6}


def test_places_elsewhere_have_no_line_in_the_source():
    """Ops that were read with the place they had in another file, and ops built from Python."""
    other = PROGRAM.replace(
        "  relax.return %y : !relax.tensor<[n, 4], f32>",
        '  relax.return %y : !relax.tensor<[n, 4], f32> loc("old.mlir":3:5)',
    )
    module = parse(other, "p.mlir")
    places = SourceLocations(module)
    assert places.source is not None and places.source.text == other
    graphs(module, places)
    assert ("old.mlir:3:5", 0) in places.all and ("p.mlir:4:10", 4) in places.all
    bb = BlockBuilder()
    x = var("x", shape=["n", 4])
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(op.tanh(x)))
    built = bb.get()
    own = SourceLocations(built)
    graphs(built, own)
    assert own.source is None and all(line == 0 for _, line in own.all)
    assert any(text.startswith("test_explore.py:") for text, _ in own.all)


def test_without_a_c_compiler_the_page_says_why(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "nonexistent")
    found = machine_code(to_c(parse(BRANCHES), "p", cpu="generic"))
    assert (found.compiler, found.size) == ("", 0) and "nonexistent" in found.missing
