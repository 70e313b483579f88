"""Every pass leaves a program that verifies: random ones with closures, branches and static calls."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import Phase, given, reject, settings
from optional import UNOPTIMISED
from random_programs import Program, programs
from rewrites.random_functions import random_module
from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType

import lowering
from lowering.pipeline import lower
from relax_dialect import RelaxError, parse
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.rewrites.shapes.bind_symbolic_vars import bind_symbolic_vars


def called_on_static_sizes(program: Program) -> ModuleOp:
    """The program's function as a private one, called by one whose sizes are known, its results used twice."""
    module = program.module.clone()
    callee = next(iter(module.ops))
    assert isinstance(callee, FuncOp)
    static = program.module.clone()
    try:
        bind_symbolic_vars(static, program.sizes)
    except RelaxError:
        reject()  # it could not run with these sizes
    main = next(iter(static.ops))
    assert isinstance(main, FuncOp)
    callee.properties["sym_name"] = StringAttr("callee")
    callee.sym_visibility = StringAttr("private")
    caller = FuncOp("main", main.body.block.arg_types, main.function_type.output)
    block = caller.body.block
    block.add_op(call := CallOp("callee", block.args, main.function_type.output))
    assert isinstance(main.function_type.output, TupleType)
    block.add_op(ReturnOp(call.result))
    module.body.block.add_op(caller)
    return module


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=8, phases=[Phase.generate])
@given(programs(max_steps=5))
def test_a_symbolic_function_called_on_static_sizes(program: Program):
    lower(called_on_static_sizes(program), verify_each=True)


@pytest.mark.slow
def test_closures_and_branches():
    together = ModuleOp([])
    modules = [random_module(Random(seed), graph=seed % 2 == 0) for seed in range(30)]
    for seed, module in enumerate(modules[:12]):
        function = next(iter(module.ops))
        function.detach()
        function.properties["sym_name"] = StringAttr(f"f{seed}")
        together.body.block.add_op(function)
    lower(together, verify_each=True)


USED_TWICE = """
relax.func private @id(%y: !relax.tensor<[a], f32>) -> !relax.tensor<[a], f32> {
  relax.return %y : !relax.tensor<[a], f32>
}
relax.func @main(%c: !relax.tensor<[], i1>, %u: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %a = relax.call @id(%u) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  %g = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[2], f32> {
    relax.yield %a : !relax.tensor<[2], f32>
  } else {
    %z = relax.negative %u : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    relax.yield %z : !relax.tensor<[2], f32>
  }
  relax.return %g : !relax.tensor<[2], f32>
}
"""
NOTHING_LEFT = """
relax.func @main(%x: !relax.tensor<[2, 1], f32>) -> !relax.tensor<[2, 0], f32> {
  %0 = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 1>, end = array<i64: 9>, strides = array<i64: 1>} : (!relax.tensor<[2, 1], f32>) -> !relax.tensor<[2, 0], f32>
  relax.return %0 : !relax.tensor<[2, 0], f32>
}
"""


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        (USED_TWICE, (np.array(True), np.ones(2, np.float32)), np.ones(2, np.float32)),
        (NOTHING_LEFT, (np.ones((2, 1), np.float32),), np.ones((2, 0), np.float32)),
    ],
    ids=["the result of a call is used twice", "a slice that begins at the end"],
)
def test_programs_that_a_pass_had_made_invalid(text: str, arguments: tuple, expected: np.ndarray):
    lower(parse(text), verify_each=True)
    np.testing.assert_array_equal(
        lowering.compile(parse(text), extra_flags=UNOPTIMISED).main(*arguments), expected
    )
