"""MLIR 22 takes the prim funcs of the operators that make, join, move and choose elements."""

from __future__ import annotations

from types import ModuleType

import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.legalize.relax_legalize import legalize

from . import (
    test_collapse,
    test_create,
    test_joining,
    test_layout,
    test_manipulate,
    test_moving,
    test_ranges,
    test_ternary,
)

FAMILIES = [
    test_collapse,
    test_create,
    test_joining,
    test_layout,
    test_manipulate,
    test_moving,
    test_ranges,
    test_ternary,
]


@needs(MLIR)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__.rpartition("_")[2])
def test_mlir_accepts_the_prim_funcs(family: ModuleType):
    cases = family.CASES
    module = ModuleOp([case.function(name) for name, case in cases.items()])
    legalize(module)
    functions = [op.clone() for op in module.ops if isinstance(op, FuncOp)]
    assert functions
    check_accepted(ModuleOp(functions))
