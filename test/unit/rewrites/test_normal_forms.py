"""Graph form, basic block normal form and A-normal form: their laws, meaning, cost and evaluation."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any, TypeAlias

import numpy as np
import pytest
from effort import effort
from hypothesis import HealthCheck, given, settings
from optional import amount, shortened
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.traits import ConstantLike

from relax_dialect.interpret import run
from relax_dialect.normal_forms.flat import is_variable
from relax_dialect.normal_forms.lca_scopes import MAX_SINKING_DEPTH
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.parsing import parse
from relax_dialect.rewrites.forms.check_basic_block_normal_form import (
    NormalFormError,
    check_basic_block_normal_form,
)
from relax_dialect.rewrites.forms.to_a_normal_form import to_a_normal_form
from relax_dialect.rewrites.forms.to_basic_block_normal_form import to_basic_block_normal_form
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form

from .big_functions import SHAPES, ifs, nest
from .random_functions import COUNTS, modules
from .structure import depth_of, main_of, ops_of, structure

Conversion: TypeAlias = Callable[[FuncOp], None]

GRAPH, BBNF, ANF = to_graph_normal_form, to_basic_block_normal_form, to_a_normal_form
CONVERSIONS = [GRAPH, BBNF, ANF]
BLOCKS = {"relax.graph", "relax.dataflow", "relax.binding_block"}

few = settings(
    deadline=None,
    derandomize=True,
    max_examples=amount(16, 6),
    suppress_health_check=[HealthCheck.too_slow],
)


def converted(module: ModuleOp, *conversions: Conversion) -> FuncOp:
    """@main of a copy, converted, verified after every step."""
    copy = module.clone()
    for conversion in conversions:
        conversion(main_of(copy))
        copy.verify()
    return main_of(copy)


def in_closure(op: Operation) -> bool:
    around = op.parent_op()
    while around is not None and around.name != "relax.closure":
        around = around.parent_op()
    return around is not None


# Laws ------------------------------------------------------------------------------------------


@pytest.mark.slow
@few
@given(modules(graph=True) | modules() | modules(effects=True))
def test_basic_block_form_survives_the_way_through_a_normal_form(module: ModuleOp):
    """bbnf(graph(anf(b))) == b up to names."""
    b = converted(module, BBNF)
    check_basic_block_normal_form(b)
    assert structure(converted(module, BBNF, ANF, GRAPH, BBNF)) == structure(b)


@pytest.mark.slow
@few
@given(modules(graph=True) | modules() | modules(effects=True))
def test_conversions_compose(module: ModuleOp):
    """Graph form in between changes nothing, and each form is its own."""
    b = structure(converted(module, BBNF))
    assert structure(converted(module, GRAPH, BBNF)) == b
    assert structure(converted(module, BBNF, GRAPH)) == b
    assert structure(converted(module, BBNF, BBNF)) == b
    for form in (GRAPH, ANF):
        once = structure(converted(module, form))
        assert structure(converted(module, form, form)) == once


@few
@given(modules(graph=True) | modules() | modules(effects=True))
def test_forms_are_what_their_names_say(module: ModuleOp):
    a = ops_of(converted(module, ANF))
    assert not [op.name for op in a if op.name in BLOCKS or op.name == "relax.let"]
    for form in (GRAPH, BBNF):
        func = converted(module, form)
        body = [op.name for op in func.body.block.ops]
        assert set(body) <= {"relax.graph", "relax.binding_block", "relax.return"}
        assert not [op.name for op in ops_of(func) if op.name == "relax.dataflow"]


@pytest.mark.slow
@few
@given(modules(graph=True) | modules() | modules(effects=True))
def test_effects_and_matches_stay(module: ModuleOp):
    """None is dropped, none is doubled, and those of one region keep their order in A-normal form."""
    kinds = {"relax.print", "relax.match_cast"}

    def kept(func: FuncOp) -> Counter[str]:
        return Counter(op.name for op in ops_of(func) if op.name in kinds)

    def prints(func: FuncOp) -> int:
        """Those that are no closure's: a closure may be dropped."""
        return sum(op.name == "relax.print" and not in_closure(op) for op in ops_of(func))

    for form in CONVERSIONS:
        assert prints(converted(module, form)) == prints(main_of(module))
    b = converted(module, BBNF)
    assert kept(converted(module, BBNF, ANF, GRAPH)) == kept(b)


@pytest.mark.slow
@few
@given(modules(graph=True) | modules() | modules(effects=True))
def test_no_let_is_needless(module: ModuleOp):
    """Of a node that is no variable, one to a region; in basic block normal form all of them stay."""
    lets = [op for op in ops_of(converted(module, GRAPH)) if isinstance(op, LetOp)]
    assert not [
        let for let in lets if not isinstance(let.value, OpResult) or is_variable(let.value.op)
    ]
    assert len({(let.value, let.parent) for let in lets}) == len(lets)
    b = converted(module, BBNF)
    assert structure(converted(module, BBNF, GRAPH)) == structure(b)


TWO_LETS = """
relax.func @main(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g:2 = relax.graph {
    %n = relax.tanh %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %v = relax.let %n : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %v : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    relax.output %n, %r : !relax.tensor<[], f32>, !relax.tensor<[], f32>
  }
  %s = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.yield %g#0 : !relax.tensor<[], f32>
  } else {
    relax.yield %g#1 : !relax.tensor<[], f32>
  }
  relax.return %s : !relax.tensor<[], f32>
}
"""


def test_graph_form_binds_a_value_by_one_let():
    """A node used after its graph too gets a let for that: the one that it had would be a second."""
    module = parse(TWO_LETS)
    once = converted(module, GRAPH)
    lets = [op for op in ops_of(once) if isinstance(op, LetOp)]
    assert len(lets) == len({let.value for let in lets}) == 2
    assert not [let for let in lets if isinstance(let.value.owner, LetOp)]
    assert structure(converted(module, GRAPH, GRAPH)) == structure(once)


# Meaning ---------------------------------------------------------------------------------------

ARGUMENTS = [np.array(value, np.float32) for value in (0.3, -0.7)]


def outcome(module: ModuleOp, *arguments: Any) -> tuple[Any, str]:
    """The results of @main, and the text it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        result = run(module, "main", *(arguments or ARGUMENTS))
    return result.tolist(), printed.getvalue()


@few
@given(modules(graph=True) | modules() | modules(effects=True))
def test_conversions_keep_the_meaning(module: ModuleOp):
    expected = outcome(module)
    for steps in ([GRAPH], [BBNF], [ANF], [BBNF, ANF], [ANF, GRAPH], [ANF, BBNF]):
        copy = module.clone()
        for step in steps:
            step(main_of(copy))
        assert outcome(copy) == expected


PROGRAM = """
relax.func @main(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %shared = relax.call_pure_packed "count1"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %then = relax.call_pure_packed "count2"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %other = relax.call_pure_packed "count3"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %unused = relax.call_pure_packed "count4"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %held = relax.call_pure_packed "count5"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %v = relax.let %held : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %a = relax.add %shared, %then : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %b = relax.add %a, %then : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %b : !relax.tensor<[], f32>
    } else {
      %d = relax.add %other, %v : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %d : !relax.tensor<[], f32>
    }
    %s = relax.add %shared, %r : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %s : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
"""


@pytest.mark.parametrize("form", [[GRAPH], [BBNF], [ANF], [BBNF, ANF], [ANF, GRAPH, BBNF]])
@pytest.mark.parametrize("taken", [True, False])
def test_each_node_is_evaluated_once_and_only_where_it_is_needed(
    form: list[Conversion], taken: bool
):
    module = parse(PROGRAM)
    expected = outcome(module, np.float32(0.5), np.array(taken))
    for step in form:
        step(main_of(module))
    module.verify()
    COUNTS.clear()
    assert outcome(module, np.float32(0.5), np.array(taken)) == expected
    branch = "count2" if taken else "count3"
    assert Counter({"count1": 1, branch: 1, "count5": 1}) == COUNTS


RECURSION = """
relax.func @main(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %c = relax.less %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %less = relax.subtract %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %call = relax.call @main(%less) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %twice = relax.add %call, %call : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %one : !relax.tensor<[], f32>
    } else {
      relax.yield %twice : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
"""


@pytest.mark.parametrize("form", [[GRAPH], [BBNF], [ANF], [BBNF, ANF], [ANF, GRAPH, BBNF]])
def test_a_recursive_call_sinks_into_the_branch_that_needs_it(form: list[Conversion]):
    module = parse(RECURSION)
    for step in form:
        step(main_of(module))
    module.verify()
    assert run(module, "main", np.float32(5.0)) == 32.0


CLOSURE = """
relax.func @main(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %log = relax.call_pure_packed "count6"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    LET
    %f = relax.closure (%z: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
      %a = relax.add %z, %v : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %a : !relax.tensor<[], f32>
    }
    %1 = relax.call_closure %f, %y : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %2 = relax.call_closure %f, %1 : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %2 : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
"""
LET = "%v = relax.let %log : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>"


@pytest.mark.parametrize("form", [[BBNF], [ANF], [BBNF, ANF], [ANF, GRAPH, BBNF]])
@pytest.mark.parametrize("let", [True, False])
def test_a_let_decides_whether_a_closure_evaluates_at_each_call(form: list[Conversion], let: bool):
    """The document's closure: without a let the value is computed inside."""
    text = CLOSURE.replace("LET", LET) if let else CLOSURE.replace("LET", "").replace("%v", "%log")
    module = parse(text)
    for step in form:
        step(main_of(module))
    module.verify()
    COUNTS.clear()
    outcome(module)
    assert COUNTS["count6"] == (1 if let else 2)


# The checker -----------------------------------------------------------------------------------


def assert_the_checker_agrees_with_the_conversion(module: ModuleOp) -> None:
    """It refuses what the conversion has to move or to bind by a let, and nothing else."""
    before, after = converted(module, GRAPH), converted(module, BBNF)
    try:
        check_basic_block_normal_form(before)
    except NormalFormError:
        assert structure(before) != structure(after)
    else:
        assert nodes_by_depth(before) == nodes_by_depth(after)
    check_basic_block_normal_form(converted(module, ANF))


@few
@given(modules(graph=True))
def test_the_checker_accepts_exactly_what_stands_where_it_is_evaluated(module: ModuleOp):
    assert_the_checker_agrees_with_the_conversion(module)


CONSTANT = """
relax.func @main(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %c = relax.less %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %y : !relax.tensor<[], f32>
    } else {
      relax.yield %one : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
"""


def test_a_constant_may_stand_in_any_block_around_its_uses():
    """It counts like a variable: the checker accepts it far out, the conversion brings it near."""
    module = parse(CONSTANT)
    check_basic_block_normal_form(main_of(module))
    assert_the_checker_agrees_with_the_conversion(module)
    b = converted(module, BBNF)
    check_basic_block_normal_form(b)
    assert [op.parent_op().name for op in ops_of(b) if op.name == "relax.constant"] == ["relax.if"]  # pyright: ignore


def nodes_by_depth(func: FuncOp) -> list[tuple[int, str]]:
    """The nodes, each with the number of regions around it; lets and constants have no one place."""
    return [
        (depth_of_op(op), op.name)
        for op in ops_of(func)
        if not isinstance(op, LetOp) and not op.has_trait(ConstantLike)
    ]


def depth_of_op(op: Operation) -> int:
    depth = 0
    parent = op.parent_op()
    while parent is not None:
        depth, parent = depth + 1, parent.parent_op()
    return depth


# Size and depth --------------------------------------------------------------------------------


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("shape", SHAPES)
def test_great_size_and_depth(shape: str):
    make, size = SHAPES[shape]
    b = main_of(make(size // amount(4, 10)))
    BBNF(b)
    check_basic_block_normal_form(b)
    expected = structure(b)
    ANF(b)
    GRAPH(b)
    BBNF(b)
    assert structure(b) == expected


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", CONVERSIONS)
def test_cost_is_linear(shape: str, form: Conversion):
    """Four times the size takes little more than four times the work."""
    make, size = SHAPES[shape]

    def work(n: int) -> int:
        func = main_of(make(n))
        return effort(lambda: form(func))

    small = max(size // 128, 25)
    assert work(4 * small) < 5 * work(small)


def test_a_chain_of_branches_does_not_become_deep():
    func = main_of(ifs(500))
    BBNF(func)
    assert MAX_SINKING_DEPTH < depth_of(func) < MAX_SINKING_DEPTH + 5


def test_a_deep_text_stays_as_deep():
    func = main_of(nest(200))
    before = depth_of(func)
    BBNF(func)
    assert depth_of(func) == before
