"""Every kind of pattern matches what it should and nothing else, in each normal form alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kinds import CASES, Case, main, program, root

from relax_dialect.dpl import Pattern
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax import patterns
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import new_context
from relax_dialect.rewrites.forms.convert_to_dataflow import ConvertToDataflowPass
from relax_dialect.rewrites.forms.to_a_normal_form import ToANormalFormPass
from relax_dialect.rewrites.forms.to_basic_block_normal_form import ToBasicBlockNormalFormPass
from relax_dialect.rewrites.forms.to_graph_normal_form import ToGraphNormalFormPass

FORMS: dict[str, tuple[Callable[[], object], ...]] = {
    "as_written": (),
    "a_normal_form": (ToANormalFormPass,),
    "graph_normal_form": (ToGraphNormalFormPass,),
    "basic_block_normal_form": (ToGraphNormalFormPass, ToBasicBlockNormalFormPass),
    "dataflow_blocks": (ToANormalFormPass, ConvertToDataflowPass),
}


def answer(case: Case, text: str, form: str) -> bool:
    module = program(text)
    for make in FORMS[form]:
        make().apply(new_context(), module)  # pyright: ignore
    module.verify()
    value, pattern = root(module, case.field), case.make(main(module))
    found = pattern.extract(value)
    assert pattern.match(value) is (found is not None)
    return found is not None


ALL = [(case, form) for case in CASES for form in FORMS if case.forms or form == "as_written"]


@pytest.mark.parametrize(("case", "form"), [pytest.param(c, f, id=f"{c.name}-{f}") for c, f in ALL])
def test_matches(case: Case, form: str):
    assert answer(case, case.matches, form)


@pytest.mark.parametrize(("case", "form"), [pytest.param(c, f, id=f"{c.name}-{f}") for c, f in ALL])
def test_is_refused(case: Case, form: str):
    assert not answer(case, case.refused, form)


def test_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.slow
def test_every_class_of_node_is_in_a_case():
    used: set[type[Pattern]] = set()
    for case in CASES:
        func = main(program(case.matches))
        assert isinstance(func, FuncOp)
        work = nodes_of(case.make(func))
        for node in work:
            used.add(type(node))
            if isinstance(node, patterns.Call):
                used.update(type(inner) for inner in nodes_of(node.callee))
    classes = (c for c in vars(patterns).values() if isinstance(c, type))
    every = {c for c in classes if issubclass(c, Pattern)} - {Pattern}
    assert every == used
