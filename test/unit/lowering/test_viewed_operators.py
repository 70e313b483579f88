"""Operators whose buffers are seen through views give the same results, with the same loops."""

from __future__ import annotations

import pytest
from inner_loops import innermost_divisions
from operators import entries
from ops.compiled import Case, check
from sampling import sampled
from viewed import see_through_views
from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c import emit
from lowering.pipeline import PASSES, lower
from lowering.runtime import calling
from lowering.runtime import loading as runtime

NAMES = [
    "matmul",
    "conv2d",
    "max_pool2d",
    "softmax",
    "layer_norm",
    "sum",
    "any",
    "argmax",
    "cumsum",
    "take",
    "concat",
    "transpose",
    "permute_dims",
    "flatten",
    "repeat",
    "pixel_shuffle",
    "resize2d",
    "gelu",
    "sin",
    "power",
]
"""Operators that have all kinds of loops and that all passes on loops do something with."""

CASES = {
    f"{entry.name}_{i}": case
    for entry in entries()
    if entry.name in NAMES
    for i, case in enumerate(entry.cases[:1])
}


@pytest.fixture(scope="module")
def model() -> runtime.CompiledModule:
    module = ModuleOp([CASES[name].function(name) for name in sampled(CASES)])
    signatures = calling.signatures(module)
    at = list(PASSES).index("relax-linalg-to-loops")
    lower(module, list(PASSES)[:at])
    viewed = see_through_views(module)
    assert viewed > len(CASES) or len(sampled(CASES)) < len(CASES)
    lower(module, list(PASSES)[at:], verify_each=True)
    assert not [f"{function}: {op}" for function, op in innermost_divisions(module)]
    flags = ("-O0", "-Wall", "-Wextra", "-Werror")
    return runtime.build(emit(module, "model"), extra_flags=flags, signatures=signatures)


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_same_operator(model: runtime.CompiledModule, name: str):
    case: Case = CASES[name]
    check(model, CASES, name, [case.sizes[-1]])
