"""Divisions of indices leave the innermost loops; that they have left is asserted for the cases of every
operator, where `ops/compiled.py` compiles them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from inner_loops import TABLES, divisions
from operators import entries
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.pipeline import PASSES, lower

OPS = Path(__file__).parents[1] / "ops"


@pytest.mark.slow
def test_operators_that_divide_are_found():
    """Each of those that may makes loops which do, and no other loops."""
    named = [entry for entry in entries() if entry.name.startswith(TABLES)]
    cases = [case for entry in named for case in entry.cases]
    module = ModuleOp([case.function(f"f{number}") for number, case in enumerate(cases)])
    lower(module, list(PASSES)[: list(PASSES).index("relax-linalg-to-loops") + 1])
    functions = [op for op in module.ops if isinstance(op, FuncOp) and list(divisions(op))]
    found = {op.sym_name.data for op in functions}
    for name in TABLES:
        assert any(function.startswith(name) for function in found), name


def test_every_family_is_compiled_with_the_assertion():
    """Each has a file of cases with a `model` of them all."""
    families = {entry.family for entry in entries() if entry.cases}
    assert families == {entry.family for entry in entries()}
    for family in families:
        text = (OPS / f"test_{family}.py").read_text("utf-8")
        assert re.search(r"return compile_cases\(CASES[,)]", text), family
