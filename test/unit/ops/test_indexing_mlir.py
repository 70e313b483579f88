"""MLIR's own verifier accepts the prim funcs of the operators on indices and on images."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.legalize.relax_legalize import legalize

from .compiled import Case
from .test_image import CASES as IMAGES
from .test_indexing import CASES as INDICES


@needs(MLIR)
@pytest.mark.parametrize("cases", [INDICES, IMAGES], ids=["indexing", "image"])
def test_mlir_accepts_the_prim_funcs(cases: Mapping[str, Case]):
    module = ModuleOp([case.function(name) for name, case in cases.items()])
    legalize(module)
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    assert len(functions) > len({case.tested for case in cases.values()})
    check_accepted(ModuleOp([function.clone() for function in functions]))
