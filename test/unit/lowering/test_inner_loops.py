"""What stands in the innermost loops of the operators: no division of indices, whatever the divisor is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

sys.path.append(str(Path(__file__).parents[1]))

from operators import entries

from lowering.pipeline import PASSES, lower
from relax_dialect.parsing import verify

LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)
DIVISIONS = (
    *(arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
    *(arith.RemSIOp, arith.RemUIOp),
)
BEHIND = list(PASSES).index("relax-split-reductions")


def innermost_divisions(function: FuncOp) -> Iterator[Operation]:
    """The divisions of indices in the loops of a function that hold no other loop."""
    loops = [op for op in function.walk() if isinstance(op, LOOPS)]
    for loop in loops:
        inside = list(loop.walk())
        if not any(isinstance(op, LOOPS) for op in inside[1:]):
            for op in inside:
                if isinstance(op, DIVISIONS) and isinstance(op.results[0].type, IndexType):
                    yield op


@pytest.mark.parametrize("family", dict.fromkeys(entry.family for entry in entries()))
def test_no_index_is_divided_in_an_innermost_loop(family: str):
    cases = [case for entry in entries() if entry.family == family for case in entry.cases]
    module = ModuleOp([case.function(f"f{number}") for number, case in enumerate(cases)])
    lower(module, list(PASSES)[: BEHIND + 1])
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    verify(ModuleOp([function.clone() for function in functions]))
    found = [f"{f.sym_name.data}: {op}" for f in functions for op in innermost_divisions(f)]
    assert not found


def test_divisions_are_found():
    """Before the pass there are some, of each kind."""
    names = ("pixel_shuffle", "flatten", "repeat", "roll", "resize2d", "adaptive_avg_pool2d")
    cases = [case for entry in entries() if entry.name in names for case in entry.cases]
    module = ModuleOp([case.function(f"f{number}") for number, case in enumerate(cases)])
    lower(module, list(PASSES)[: list(PASSES).index("relax-split-divisions")])
    found = {
        type(op) for f in module.walk() if isinstance(f, FuncOp) for op in innermost_divisions(f)
    }
    assert found >= {arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp}
