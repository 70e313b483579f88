"""Divisions of indices leave the innermost loops; that they have left is asserted for the cases of every
operator, where `ops/compiled.py` compiles them."""

from __future__ import annotations

from pathlib import Path

from inner_loops import innermost_divisions
from operators import entries
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp

from lowering.pipeline import PASSES, lower

OPS = Path(__file__).parents[1] / "ops"


def test_divisions_are_found():
    """Before the pass there are some, of each kind."""
    names = ("view", "attention", "resize2d", "adaptive_avg_pool2d")
    cases = [case for entry in entries() if entry.name in names for case in entry.cases]
    module = ModuleOp([case.function(f"f{number}") for number, case in enumerate(cases)])
    lower(module, list(PASSES)[: list(PASSES).index("relax-split-divisions")])
    found = {type(op) for _, op in innermost_divisions(module)}
    assert found >= {arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp}


def test_every_family_is_compiled_with_the_assertion():
    """Each has a file of cases with a `model` of them all."""
    families = {entry.family for entry in entries() if entry.cases}
    assert families == {entry.family for entry in entries()}
    for family in families:
        text = (OPS / f"test_{family}.py").read_text("utf-8")
        assert "return compile_cases(CASES)" in text, family
