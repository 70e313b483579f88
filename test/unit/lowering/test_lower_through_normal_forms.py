"""The document's pipeline: graph form, basic block normal form, optimised, A-normal form, loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from optional import amount
from rewrites.random_functions import modules
from rewrites.structure import main_of
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c import emit
from lowering.pipeline import (
    NORMAL_FORM_PIPELINE,
    PASSES,
    LowerThroughNormalFormsPass,
)
from lowering.runtime.loading import CompiledModule, build
from relax_dialect.interpret import run
from relax_dialect.parsing import parse
from relax_dialect.rewrites import GRAPH_PASSES
from relax_dialect.rewrites.forms.check_basic_block_normal_form import check_basic_block_normal_form

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[n], f32> {
  %g = relax.graph {
    %sum = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
    %again = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
    %zero = relax.constant dense<0.0> : tensor<f32>
    %c = relax.less %y, %zero : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %t = relax.tanh %again : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
      %p = relax.multiply %sum, %t : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %p : !relax.tensor<[n], f32>
    } else {
      %q = relax.add %sum, %y : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
      relax.yield %q : !relax.tensor<[n], f32>
    }
    relax.output %r : !relax.tensor<[n], f32>
  }
  relax.return %g : !relax.tensor<[n], f32>
}
"""


def apply(names: tuple[str, ...], module: ModuleOp) -> None:
    known = {**GRAPH_PASSES, **PASSES}
    for name in names:
        known[name]()().apply(Context(), module)
        module.verify()


def test_the_pipeline_ends_like_the_one_to_loops():
    rest = NORMAL_FORM_PIPELINE[-5:]
    assert rest == tuple(name for name in PASSES if name in rest)
    assert {*NORMAL_FORM_PIPELINE} <= {*GRAPH_PASSES, *PASSES}


@pytest.mark.parametrize("y", [-0.5, 0.5])
def test_loops_compute_what_the_graph_does(y: float):
    x = np.linspace(-1, 1, 7, dtype=np.float32)
    expected = x + np.float32(y)
    expected = expected * np.tanh(expected) if y < 0 else expected + np.float32(y)
    module = parse(PROGRAM)
    np.testing.assert_allclose(run(module, "main", x, np.array(y, np.float32)), expected, rtol=1e-6)
    LowerThroughNormalFormsPass().apply(Context(), module)
    module.verify()
    assert not [op.name for op in module.walk() if op.name.startswith("relax.")]
    np.testing.assert_allclose(run(module, "main", x, np.array(y, np.float32)), expected, rtol=1e-6)


CLOSURES = """
relax.func private @adder(%a: !relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>> {
  %g = relax.graph {
    %e = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %f = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      %z = relax.add %y, %e : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.return %z : !relax.tensor<[n], f32>
    }
    relax.output %f : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
  }
  relax.return %g : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
}
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[n], f32> {
  %g = relax.graph {
    %add = relax.call @adder(%x) : (!relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
    %zero = relax.constant dense<0.0> : tensor<f32>
    %c = relax.less %y, %zero : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %f = relax.if %c : (!relax.tensor<[], i1>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>> {
      relax.yield %add : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
    } else {
      %twice = relax.closure (%z: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
        %1 = relax.call_closure %add, %z : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
        %2 = relax.call_closure %add, %1 : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
        relax.return %2 : !relax.tensor<[n], f32>
      }
      relax.yield %twice : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
    }
    %r = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %r : !relax.tensor<[n], f32>
  }
  relax.return %g : !relax.tensor<[n], f32>
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("y", [-0.5, 0.5])
def test_closures_become_loops_and_c(y: float):
    """One is returned, one captures it, and a branch tells which of them is called."""
    x, scalar = np.linspace(-1, 1, 7, dtype=np.float32), np.array(y, np.float32)
    expected = x + np.tanh(x) * (1 if y < 0 else 2)
    module = parse(CLOSURES)
    np.testing.assert_allclose(run(module, "main", x, scalar), expected, rtol=1e-6)
    lowered = to_loops(module)
    for result in (run(lowered, "main", x, scalar), compiled(lowered).main(x, scalar)):
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def to_loops(module: ModuleOp) -> ModuleOp:
    """A copy after the pipeline, verified after each pass."""
    lowered = module.clone()
    apply(NORMAL_FORM_PIPELINE, lowered)
    assert not [op.name for op in lowered.walk() if op.name.startswith("relax.")]
    return lowered


def compiled(lowered: ModuleOp) -> CompiledModule:
    return build(emit(lowered, "model"))


@pytest.mark.slow
@settings(deadline=None, max_examples=amount(8, 6), suppress_health_check=[HealthCheck.too_slow])
@given(modules(graph=True) | modules() | modules(effects=True))
def test_c_of_random_closures_and_effects_computes_what_the_graph_does(module: ModuleOp):
    x, y = np.array(0.3, np.float32), np.array(-0.7, np.float32)
    expected = run(module, "main", x, y)
    result = compiled(to_loops(module)).main(x, y)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@settings(deadline=None, max_examples=amount(14, 10), suppress_health_check=[HealthCheck.too_slow])
@given(modules(graph=True))
def test_optimised_blocks_are_still_in_basic_block_normal_form(module: ModuleOp):
    end = NORMAL_FORM_PIPELINE.index("relax-dce") + 1
    apply(NORMAL_FORM_PIPELINE[:end], module)
    check_basic_block_normal_form(main_of(module))
