"""Mutators that change the type that a function returns: it is inferred again, and so are its callers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BuildError, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.unary import TanhOp
from relax_dialect.parsing import parse, verify
from relax_dialect.visitor import DataflowMutator, ExprMutator

T, S, TRUTH = "!relax.tensor<[n], f32>", "!relax.tensor<[], f32>", "!relax.tensor<[], i1>"
HALF, TWICE = "!relax.tensor<[n], f16>", "!relax.tensor<[2 * n], f32>"

CALLERS = f"""
relax.func @main(%x: {T}) -> {T} {{
  %y = relax.call @middle(%x) : ({T}) -> {T}
  relax.return %y : {T}
}}
relax.func private @middle(%x: {T}) -> {T} {{
  %y = relax.dataflow {{
    %a = relax.call @inner(%x) : ({T}) -> {T}
    %b = relax.negative %a : ({T}) -> {T}
    relax.output %b : {T}
  }}
  relax.return %y : {T}
}}
relax.func private @inner(%x: {T}) -> {T} {{
  %y = relax.dataflow {{
    %a = relax.tanh %x : ({T}) -> {T}
    relax.output %a : {T}
  }}
  relax.return %y : {T}
}}
"""


class Half(ExprMutator):
    """Gives the result of tanh in f16."""

    def visit_tanh(self, old: TanhOp) -> Any:
        return op.astype(op.tanh(old.x), "f16")


class Joined(DataflowMutator):
    """Gives twice as many numbers."""

    def visit_tanh(self, old: TanhOp) -> Any:
        return op.concat([old.x, old.x], axis=0)


def output(module: ModuleOp, name: str) -> str:
    """The declared result type of a function."""
    (found,) = (f for f in module.ops if isinstance(f, FuncOp) and f.sym_name.data == name)
    return str(found.function_type.output)


def run(module: ModuleOp, name: str, *args: Any) -> Any:
    """What interpreter and C give, which is the same."""
    verify(module, "test")
    expected = interpret.run(module, name, *args)
    with lowering.compile(module, "mutated", extra_flags=["-O0"]) as compiled:
        np.testing.assert_array_equal(compiled[name](*args), expected)
    return expected


@pytest.mark.parametrize("whole", [True, False])
def test_callers_get_the_new_type(whole: bool):
    """Also those before the function in the text, and those of a single function that is rewritten."""
    module = parse(CALLERS)
    Half().visit_expr(module if whole else list(module.ops)[2])
    assert [output(module, f) for f in ("main", "middle", "inner")] == [HALF] * 3
    x = np.float32([0, 0.5])
    np.testing.assert_array_equal(run(module, "main", x), -np.tanh(x).astype(np.float16))


def test_sizes_change_too():
    module = parse(CALLERS)
    Joined().visit_expr(module)
    assert [output(module, f) for f in ("main", "middle", "inner")] == [TWICE] * 3
    assert run(module, "main", np.float32([1, 2])).tolist() == [-1, -2, -1, -2]


RECURSION = f"""
relax.func @main(%x: {S}) -> {S} {{
  %one = relax.constant dense<1.0> : tensor<f32>
  %c = relax.less_equal %x, %one : ({S}, {S}) -> {TRUTH}
  %y = relax.if %c : ({TRUTH}) -> {S} {{
    %t = relax.tanh %x : ({S}) -> {S}
    relax.yield %t : {S}
  }} else {{
    %z = relax.subtract %x, %one : ({S}, {S}) -> {S}
    %r = relax.call @CALLED(%z) : ({S}) -> {S}
    %s = relax.add %r, %r : ({S}, {S}) -> {S}
    relax.yield %s : {S}
  }}
  relax.return %y : {S}
}}
relax.func private @other(%x: {S}) -> {S} {{
  %y = relax.call @main(%x) : ({S}) -> {S}
  %z = relax.negative %y : ({S}) -> {S}
  relax.return %z : {S}
}}
"""


@pytest.mark.parametrize(("called", "expected"), [("main", 4), ("other", 4)])
def test_a_recursion_gives_what_its_branches_give(called: str, expected: float):
    """A function that calls itself, and one that does so through another."""
    module = parse(RECURSION.replace("CALLED", called))
    Half().visit_expr(module)
    assert output(module, "main") == output(module, "other") == "!relax.tensor<[], f16>"
    found = run(module, "main", np.float32(3))
    assert found == expected * np.tanh(np.float32(1)).astype(np.float16)


def test_a_recursion_of_several_types_has_a_wide_one():
    """If its branches do not agree, the result type says only what both have."""
    module = parse(
        RECURSION.replace("CALLED", "main").replace("relax.add %r, %r", "relax.add %z, %z")
    )
    Half().visit_expr(module)
    assert output(module, "main") == "!relax.tensor<[]>"
    assert interpret.run(module, "main", np.float32(3)) == 4


def test_a_recursion_that_grows_has_a_wide_type():
    """Sizes that change with each call are unknown in the result."""

    class Grown(ExprMutator):
        def visit_negative(self, old: Any) -> Any:
            return op.concat([old.x, old.x], axis=0)

    module = parse(f"""
relax.func @grow(%x: {T}, %c: {TRUTH}) -> {T} {{
  %y = relax.if %c : ({TRUTH}) -> {T} {{
    relax.yield %x : {T}
  }} else {{
    %r = relax.call @grow(%x, %c) : ({T}, {TRUTH}) -> {T}
    %n = relax.negative %r : ({T}) -> {T}
    relax.yield %n : {T}
  }}
  relax.return %y : {T}
}}""")
    Grown().visit_expr(module)
    verify(module, "test")
    assert output(module, "grow") == "!relax.tensor<[?], f32>"
    assert interpret.run(module, "grow", np.float32([1, 2]), np.True_).tolist() == [1, 2]


def test_a_closure_gives_the_new_type():
    module = parse(f"""
relax.func @main(%x: {T}) -> {T} {{
  %f = relax.closure (%a: {T}) -> {T} {{
    %t = relax.tanh %a : ({T}) -> {T}
    relax.return %t : {T}
  }}
  %y = relax.call_closure %f, %x : (!relax.func<({T}) -> {T}>, {T}) -> {T}
  relax.return %y : {T}
}}""")
    Half().visit_expr(module)
    assert output(module, "main") == HALF
    x = np.float32([0, 0.5])
    np.testing.assert_array_equal(run(module, "main", x), np.tanh(x).astype(np.float16))


def test_the_state_of_a_loop_keeps_its_type():
    module = parse(f"""
relax.func @main(%x: {T}, %c: {TRUTH}) -> {T} {{
  %y = relax.while (%s = %x) : ({T}) -> {T} {{
    relax.yield %c : {TRUTH}
  }} do {{
    %t = relax.tanh %s : ({T}) -> {T}
    relax.yield %t : {T}
  }}
  relax.return %y : {T}
}}""")
    with pytest.raises(
        BuildError, match=r"relax.while \(%y\): expected a value of type .*f32>, which it keeps"
    ):
        Half().visit_expr(module)


def test_an_operator_that_does_not_take_the_new_type_says_so():
    module = parse(CALLERS.replace(f"relax.negative %a : ({T})", f"relax.add %a, %x : ({T}, {T})"))
    with pytest.raises(RelaxError, match=r"relax.add \(%b\): expected .*f16"):
        Half().visit_expr(module)


def test_a_value_that_is_only_returned_may_be_of_another_kind():
    """One more result: a tuple in the place of a tensor, if no op reads it."""

    class Pair(ExprMutator):
        def visit_tanh(self, old: TanhOp) -> Any:
            return op.tuple(old.x, op.tanh(old.x))

    text = CALLERS.replace("%b = relax.negative %a", "%b = relax.let %a")
    module = parse(text.replace("relax.output %b", "relax.output %a"))
    Pair().visit_expr(module)
    assert [output(module, f) for f in ("main", "middle", "inner")] == [f"tuple<{T}, {T}>"] * 3
    x = np.float32([0, 0.5])
    first, second = run(module, "main", x)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_allclose(second, np.tanh(x), rtol=1e-6)


def test_a_wider_value_is_cast():
    """What the declared type may still be keeps the signature."""

    class Wider(ExprMutator):
        def visit_tanh(self, old: TanhOp) -> Any:
            return op.call_pure_packed("f", [old.x], TensorType(None, "f32"))

    module = parse(CALLERS)
    Wider().visit_expr(module)
    verify(module, "test")
    assert [output(module, f) for f in ("main", "middle", "inner")] == [T] * 3
