"""The reference page is up to date, and every cell of it is filled by a test."""

import pytest
from mlir_oracle import check_accepted
from operators import COLUMNS, PAGE, Entry, documented, entries, page
from ops.compiled import check_interpreted
from optional import MLIR, needs
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.legalize.relax_legalize import legalize


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run python test/unit/support/operators.py"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_cell_is_filled(entry: Entry):
    cells = entry.cells()
    assert tuple(cells) == COLUMNS
    assert all(cells.values()), f"{entry.op.name}: {cells}"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_operator_says_what_it_computes(entry: Entry):
    assert documented(entry.op)[0]


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_the_interpreter_agrees_with_numpy(entry: Entry):
    """One case of each operator, without any C: for `make test-quick`."""
    case = entry.cases[0]
    module = ModuleOp([case.function(entry.name)])
    check_interpreted(case, module, entry.name, case.sizes[0])


@needs(MLIR)
@pytest.mark.parametrize("family", sorted({entry.family for entry in entries()}))
def test_mlir_accepts_the_prim_funcs(family: str):
    cases = [entry.cases[0] for entry in entries() if entry.family == family]
    module = ModuleOp([case.function(f"f{i}") for i, case in enumerate(cases)])
    legalize(module)
    prim_funcs = [op.clone() for op in module.ops if isinstance(op, func.FuncOp)]
    check_accepted(ModuleOp(prim_funcs))


def test_names_are_unique():
    names = [entry.name for entry in entries()]
    assert len(names) == len(set(names))
