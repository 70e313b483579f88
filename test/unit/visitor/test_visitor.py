"""Visitors and mutators: the document's analysis, dispatch, rewriting, and programs of any depth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from effort import effort
from optional import UNOPTIMISED
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import IsTerminator

import lowering
from relax_dialect import interpret, parse
from relax_dialect.builder import BlockBuilder, BuildError, Value, op
from relax_dialect.dialect import Relax
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.binary import AddOp, MultiplyOp
from relax_dialect.ops.core import FuncOp, ShapeOp
from relax_dialect.ops.unary import ExpOp, NegativeOp, TanhOp
from relax_dialect.parsing import verify
from relax_dialect.visitor import DataflowMutator, ExprMutator, ExprVisitor
from relax_dialect.visitor.expr_functor import ExprFunctor, handler_names

DOCUMENT = """
relax.func @relax_func(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>) -> !relax.object {
  %gv0 = relax.dataflow {
    %lv0 = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
    %lv1 = relax.flatten %lv0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>
    relax.output %lv1 : !relax.tensor<[m * n], f32>
  }
  %gv1 = relax.binding_block {
    %u = relax.call_packed "custom_inplace_update"(%gv0) : (!relax.tensor<[m * n], f32>) -> !relax.object
    relax.output %u : !relax.object
  }
  relax.return %gv1 : !relax.object
}
"""
"""The program of the AST document: x, w, lv0, gv0 and gv1 are its variables."""


def tensor(*dims: object, dtype: str | None = "f32") -> TensorType:
    return TensorType(dims, dtype)  # pyright: ignore[reportArgumentType]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


def function_of(module: ModuleOp) -> FuncOp:
    return next(o for o in module.ops if isinstance(o, FuncOp))


def ops_of(module: ModuleOp) -> list[str]:
    return [o.name.removeprefix("relax.") for o in module.walk() if o is not module]


# The document's analyses ----------------------------------------------------------------------------


class CountVarDef(ExprVisitor):
    count = 0

    def visit_var_def(self, var: SSAValue) -> None:
        self.count += 1


class CountDataflowVarDef(ExprVisitor):
    count = 0

    def visit_dataflow_var_def(self, var: SSAValue) -> None:
        self.count += 1


class CountBoth(CountVarDef):
    dataflow = 0

    def visit_dataflow_var_def(self, var: SSAValue) -> None:
        self.dataflow += 1


def test_the_documents_analysis_counts_variables():
    counter = CountVarDef()
    counter.visit_expr(function_of(parse(DOCUMENT)))
    assert counter.count == 5  # x, w, lv0, gv0, gv1


def test_dataflow_variables_have_a_handler_of_their_own():
    counter = CountDataflowVarDef()
    counter.visit_expr(parse(DOCUMENT))
    assert counter.count == 1  # lv0
    both = CountBoth()
    both.visit_expr(parse(DOCUMENT))
    assert (both.count, both.dataflow) == (4, 1)


# Dispatch ---------------------------------------------------------------------------------------------

EVERYTHING = """
func.func private @prim(%a: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %a : tensor<?xf32>
}
relax.func @main(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.object {
  %k = relax.constant dense<1.0> : tensor<f32>
  %s = relax.shape [n, 2]
  %t = relax.tuple %x, %k : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
  %f = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>) -> !relax.tensor<[n], f32>
  %so = relax.shape_of %f : (!relax.tensor<[n], f32>) -> !relax.shape<[n]>
  %ms = relax.match_shape %so [p] : (!relax.shape<[n]>) -> !relax.shape<[p]>
  %mc = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[q], f32>
  %ct = relax.call_tir @prim(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %cl = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %e = relax.exp %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.return %e : !relax.tensor<[n], f32>
  }
  %cc = relax.call_closure %cl, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.print %cc : (!relax.tensor<[n], f32>) -> ()
  %g = relax.graph {
    %l = relax.let %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %l : !relax.tensor<[n], f32>
  }
  %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
    %z = relax.call @main(%g, %c) : (!relax.tensor<[n], f32>, !relax.tensor<[], i1>) -> !relax.object
    relax.yield %z : !relax.object
  } else {
    %p = relax.call_packed "f"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
    relax.yield %p : !relax.object
  }
  %b = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %other = arith.addf %b, %b : tensor<?xf32>
  relax.return %i : !relax.object
}
"""


def test_every_kind_of_op_comes_to_its_handler():
    module = parse(EVERYTHING)
    seen: Counter[str] = Counter()

    class Recorder(ExprVisitor):
        pass

    def recorder(name: str) -> Any:
        def handler(self: ExprVisitor, item: Operation) -> Any:
            seen[name] += 1
            return getattr(super(Recorder, self), name)(item)

        return handler

    handlers = [n for n in dir(ExprFunctor) if n.startswith("visit_") and n != "visit_expr"]
    for name in handlers:
        setattr(Recorder, name, recorder(name))
    Recorder().visit_expr(module)
    bindings = [o for o in module.walk() if o.results and not o.name.endswith("graph")]
    assert seen.pop("visit_binding") == len(bindings) + 1  # relax.print has no result
    assert seen.pop("visit_match_binding") == 2
    seen.pop("visit_var_binding")
    uses = sum(len(o.operands) for f in module.ops if isinstance(f, FuncOp) for o in f.walk())
    assert seen.pop("visit_var") == uses
    definitions = 2 + len(bindings) + 1  # parameters of @main, ops, the closure's parameter
    assert seen.pop("visit_var_def") == definitions
    assert "visit_dataflow_var_def" not in seen and "visit_dataflow_var" not in seen
    assert seen.pop("visit_op") == len(bindings) + 1 + 5  # and five terminators
    assert seen == {
        "visit_module": 1,
        "visit_prim_func": 1,
        "visit_function": 1,
        "visit_seq": 5,
        "visit_graph_block": 1,
        "visit_block": 1,
        "visit_constant": 1,
        "visit_shape": 1,
        "visit_tuple": 1,
        "visit_tuple_get_item": 1,
        "visit_shape_of": 1,
        "visit_match_shape": 1,
        "visit_match_cast": 1,
        "visit_closure": 1,
        "visit_if": 1,
        "visit_let": 1,
        "visit_call": 4,
        "visit_operator": 1,
        "visit_output": 1,
        "visit_yield": 2,
        "visit_return": 2,
    }


def test_handlers_go_by_the_name_of_the_op():
    assert handler_names("relax.add") == ("visit_add", "visit_operator", "visit_op")
    assert handler_names("relax.call_tir") == ("visit_call_tir", "visit_call", "visit_op")
    assert handler_names("relax.if") == ("visit_if", "visit_op")
    assert handler_names("arith.addf") == ("visit_arith_addf", "visit_op")


@pytest.mark.parametrize("name", [o.name for o in Relax.operations])
def test_every_op_of_the_dialect_finds_a_handler(name: str):
    handlers = [n for n in handler_names(name) if hasattr(ExprVisitor, n)]
    assert handlers, name


def test_the_narrowest_handler_is_taken_and_others_can_be_reached():
    calls: list[str] = []

    class Narrow(ExprVisitor):
        def visit_exp(self, op: ExpOp) -> None:
            calls.append("exp")
            super().visit_operator(op)

        def visit_operator(self, op: Operation) -> None:
            calls.append(op.name)

        def visit_arith_addf(self, op: Operation) -> None:
            calls.append("addf")

    Narrow().visit_expr(parse(EVERYTHING))
    assert calls == ["exp", "addf"]


def test_order_is_depth_first_and_definitions_follow_what_they_bind():
    log: list[str] = []

    class Order(ExprVisitor):
        def visit_var_def(self, var: SSAValue) -> None:
            log.append(f"def {var.name_hint}")

        def visit_var(self, var: SSAValue) -> None:
            log.append(f"use {var.name_hint}")

    Order().visit_expr(
        parse("""relax.func @main(%x: !relax.tensor<[2], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[2], f32> {
  %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[2], f32> {
    %e = relax.exp %x : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    relax.yield %e : !relax.tensor<[2], f32>
  } else {
    relax.yield %x : !relax.tensor<[2], f32>
  }
  relax.return %i : !relax.tensor<[2], f32>
}""")
    )
    text = "def x, def c, use c, use x, def e, use e, use x, def i, use i"
    assert ", ".join(log) == text


def test_a_handler_without_super_prunes():
    class Prune(CountVarDef):
        def visit_if(self, op: Operation) -> None:
            pass

    everything, pruned = CountVarDef(), Prune()
    everything.visit_expr(parse(EVERYTHING))
    pruned.visit_expr(parse(EVERYTHING))
    assert everything.count - pruned.count == 2  # %z and %p


# Mutators ---------------------------------------------------------------------------------------------


def chain_module() -> ModuleOp:
    """`exp(x * w + b)` in a dataflow block, `tanh` of it outside."""
    bb = BlockBuilder()
    params = {"x": tensor("n", 4), "w": tensor(4), "b": tensor(4)}
    with bb.function("main", params) as (x, w, b):
        with bb.dataflow():
            product = bb.emit(x * w, "product")
            total = bb.emit(product + b, "total")
            y = bb.emit_output(op.exp(total), "y")
        bb.emit_func_output(op.tanh(y))
    return bb.get()


ARGS = (numbers(3, 4), numbers(4, seed=1), numbers(4, seed=2))


def outcome(module: ModuleOp) -> Any:
    verify(module)
    return interpret.run(module, "main", *ARGS, check_types=True)


class FuseMultiplyAdd(DataflowMutator):
    """n -> 1: `x * w + b` becomes one call."""

    def visit_add(self, add: AddOp) -> Any:
        product = self.builder.lookup_binding(add.lhs)
        if isinstance(product, MultiplyOp):
            operands = [product.lhs, product.rhs, add.rhs]
            return op.call_pure_packed("relax.test.fma", operands, add.result.type)
        return None


def test_many_bindings_become_one():
    interpret.register_packed("relax.test.fma", lambda x, w, b: x * w + b)
    module = chain_module()
    expected = outcome(module)
    mutator = FuseMultiplyAdd()
    mutator.visit_expr(module)
    assert mutator.changed
    assert ops_of(module) == [
        "func",
        "dataflow",
        "call_pure_packed",
        "exp",
        "output",
        "tanh",
        "return",
    ]
    assert [o.results[0].name_hint for o in module.walk() if "packed" in o.name] == ["total"]
    np.testing.assert_allclose(outcome(module), expected, rtol=1e-6)


GRAPH_FORM = """
relax.func @main(%x: T, %y: T) -> T {
  %2 = relax.graph {
    %1 = relax.multiply %x, %x : (T, T) -> T
    %2 = relax.add %1, %y : (T, T) -> T
    relax.output %2 : T
  }
  relax.return %2 : T
}"""

A_NORMAL_FORM = """
relax.func @main(%x: T, %y: T) -> T {
  %v1 = relax.multiply %x, %x : (T, T) -> T
  %v2 = relax.add %v1, %y : (T, T) -> T
  relax.return %v2 : T
}"""


@pytest.mark.parametrize("form", [GRAPH_FORM, A_NORMAL_FORM], ids=["graph", "a_normal"])
def test_one_pattern_matches_in_both_forms(form: str):
    class Fuse(ExprMutator):
        visit_add = FuseMultiplyAdd.visit_add

    module = parse(form.replace("T", "!relax.tensor<[n], f32>"))
    Fuse().visit_expr(module)
    names = [op.name for op in module.walk()]
    assert "relax.call_pure_packed" in names
    assert not {"relax.add", "relax.multiply"} & set(names)


class ExpandTanh(ExprMutator):
    """1 -> n: tanh by exponentials."""

    def visit_tanh(self, tanh: TanhOp) -> Any:
        e = self.builder.emit(op.exp(Value(tanh.x) * 2.0), "e")
        return (e - 1.0) / (e + 1.0)


def test_one_binding_becomes_many():
    module = chain_module()
    expected = outcome(module)
    ExpandTanh().visit_expr(module)
    names = ops_of(module)
    assert "tanh" not in names and names[-2:] == ["divide", "return"]
    np.testing.assert_allclose(outcome(module), expected, rtol=1e-4, atol=1e-5)
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED).main(*ARGS)
    np.testing.assert_allclose(compiled, expected, rtol=1e-4, atol=1e-5)


def test_a_dataflow_mutator_leaves_the_rest_alone():
    class Negate(DataflowMutator):
        def visit_operator(self, old: Operation) -> Any:
            return NegativeOp(old.operands[0])

    module = chain_module()
    Negate().visit_expr(module)
    assert "tanh" in ops_of(module) and "exp" not in ops_of(module)
    verify(module)


def test_a_function_that_no_handler_changes_is_left_as_it_is():
    module = parse(EVERYTHING)
    text, ops = str(module), [id(o) for o in module.walk()]
    for mutator in (ExprMutator(), DataflowMutator(), FuseMultiplyAdd(), ExpandTanh()):
        mutator.visit_expr(module)
        assert not mutator.changed
    assert str(module) == text
    assert [id(o) for o in module.walk()] == ops


WIDE = """relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[?], f32>
  %exact = relax.exp %y : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %wide = relax.exp %exact : (!relax.tensor<[?], f32>) -> !relax.tensor<*, f32>
  %cast = relax.match_cast %wide : !relax.tensor<*, f32> -> !relax.tensor<[?], f32>
  relax.return %cast : !relax.tensor<[?], f32>
}"""

NESTED = """
relax.func @main(%x: !relax.tensor<[?], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
  %y, %unused = relax.binding_block {
    %z = relax.dataflow {
      %m = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
      %e = relax.exp %m : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.output %e : !relax.tensor<[n], f32>
    }
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
      %p = relax.match_shape %x [p] : (!relax.tensor<[?], f32>) -> !relax.tensor<[p], f32>
      %q = relax.tanh %p : (!relax.tensor<[p], f32>) -> !relax.tensor<[p], f32>
      relax.yield %q : !relax.tensor<[p], f32>
    } else {
      relax.yield %z : !relax.tensor<[n], f32>
    }
    relax.output %i, %z : !relax.tensor<[?], f32>, !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[?], f32>
}
"""


@pytest.mark.parametrize("text", [DOCUMENT, EVERYTHING, WIDE, NESTED])
def test_replacing_every_op_by_its_like_gives_the_same_text(text: str):
    class Again(ExprMutator):
        def visit_op(self, old: Operation) -> Any:
            if old.has_trait(IsTerminator):
                return None
            made = self.builder.emit(old.clone())
            return [made] if isinstance(made, Value) else made or []

    module = parse(text)
    Again().visit_expr(module)
    verify(module)
    assert str(module) == str(parse(text))


def test_an_op_can_be_wrapped():
    class Double(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return Value(old.result) * 2.0

    module = chain_module()
    Double().visit_expr(module)
    assert ops_of(module)[4:8] == ["exp", "constant", "multiply", "output"]
    x, w, b = ARGS
    np.testing.assert_allclose(outcome(module), np.tanh(2 * np.exp(x * w + b)), rtol=1e-5)


def test_ops_are_replaced_by_their_operands_and_by_nothing():
    class Remove(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return old.x

        def visit_print(self, old: Operation) -> Any:
            return []

    module = parse("""relax.func @main(%x: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %e = relax.exp %x : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  %f = relax.exp %e : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.print %f : (!relax.tensor<[2], f32>) -> ()
  relax.return %f : !relax.tensor<[2], f32>
}""")
    Remove().visit_expr(module)
    verify(module)
    assert ops_of(module) == ["func", "return"]
    assert function_of(module).body.block.args[0].name_hint == "x"


def test_types_are_inferred_anew_but_stay_as_wide_as_declared():
    class Cast(ExprMutator):
        def visit_match_cast(self, old: Operation) -> Any:
            if old.results[0].name_hint == "y":
                return self.builder.match_cast(old.operands[0], tensor("n"))
            return None

    module = parse(WIDE)
    Cast().visit_expr(module)
    verify(module)
    types = {o.results[0].name_hint: str(o.results[0].type) for o in module.walk() if o.results}
    assert types == {
        "y": "!relax.tensor<[n], f32>",
        "exact": "!relax.tensor<[n], f32>",
        "wide": "!relax.tensor<*, f32>",
        "cast": "!relax.tensor<[?], f32>",
    }


def test_types_are_inferred_anew_through_blocks_branches_and_calls():
    bb = BlockBuilder()
    with bb.function("same", {"x": tensor("?")}) as (x,):
        bb.emit_func_output(x)
    with bb.function("id", {"x": tensor("k")}) as (x,):
        bb.emit_func_output(x * 2)
    with bb.function("main", {"x": tensor("n"), "c": tensor(dtype="i1")}) as (x, c):
        y = bb.call("same", x)
        with bb.dataflow():
            z = bb.emit_output(op.exp(y))
        w = bb.if_(c, lambda: op.tanh(z), lambda: z)
        v = bb.call("id", w)
        bb.emit_func_output(v)
    module = bb.get()
    assert v.type == tensor("?")

    class Inline(ExprMutator):
        def visit_call(self, old: Operation) -> Any:
            return old.operands[0] if old.callee_name == "same" else None  # pyright: ignore

    Inline().visit_expr(module)
    verify(module)
    assert [value.type for value in (z, w, v)] == [tensor("n")] * 3


def test_a_result_that_got_wider_is_cast_to_the_signature():
    class Forget(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return op.call_pure_packed("relax.test.exp", [old.x], tensor("?", "?"))

    interpret.register_packed("relax.test.exp", np.exp)
    module = chain_module()
    expected = outcome(module)
    Forget().visit_expr(module)
    assert ops_of(module)[-2:] == ["match_cast", "return"]
    assert function_of(module).function_type.output == tensor("n", 4)
    np.testing.assert_allclose(outcome(module), expected, rtol=1e-6)


def test_dataflow_blocks_are_rewritten_in_any_textual_order():
    module = parse("""relax.func @main(%x: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %y = relax.dataflow {
    %b = relax.exp %a : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    %a = relax.tanh %x : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    relax.output %b : !relax.tensor<[2], f32>
  }
  relax.return %y : !relax.tensor<[2], f32>
}""")

    class Both(DataflowMutator):
        def visit_tanh(self, old: TanhOp) -> Any:
            return NegativeOp(old.x)

        def visit_exp(self, old: ExpOp) -> Any:
            assert isinstance(self.builder.lookup_binding(old.x), NegativeOp)
            return NegativeOp(old.x)

    Both().visit_expr(module)
    array = numbers(2)
    verify(module)
    np.testing.assert_array_equal(interpret.run(module, "main", array), array)


def test_locations_and_hints_are_kept():
    module = chain_module()
    (exp,) = (o for o in module.walk() if isinstance(o, ExpOp))
    place = object()
    exp.location = place  # pyright: ignore[reportAttributeAccessIssue]
    exp.result.name_hint = "mine"

    class Negate(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return NegativeOp(old.x)

    Negate().visit_expr(module)
    (negative,) = (o for o in module.walk() if isinstance(o, NegativeOp))
    assert negative.location is place and negative.result.name_hint == "mine"


def test_branches_blocks_and_prim_funcs_can_be_emitted():
    from relax_dialect import te

    class Rewrite(ExprMutator):
        def visit_tanh(self, old: TanhOp) -> Any:
            def twice(X: te.Tensor):
                return te.compute(X.shape, lambda *i: X[i] * 2, name="twice")

            with self.builder.dataflow():
                y = self.builder.emit_output(self.builder.emit_te(twice, old.x))
            test = op.greater(op.sum(y), 0.0)
            return self.builder.if_(test, lambda: y, lambda: op.negative(y))

    module = chain_module()
    Rewrite().visit_expr(module)
    x, w, b = ARGS
    np.testing.assert_allclose(outcome(module), 2 * np.exp(x * w + b), rtol=1e-5)


@pytest.mark.parametrize(
    ("replacement", "message"),
    [
        (lambda old: [old.x, old.x], "for each of 1 results, found 2"),
        (lambda old: ShapeOp([3]), "expected a replacement of type"),
        (lambda old: op.call_packed("f", [old.x], old.result.type), "without effects"),
    ],
)
def test_replacements_that_do_not_fit_are_refused(replacement: Any, message: str):
    class Wrong(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return replacement(old)

    with pytest.raises(BuildError, match=message):
        Wrong().visit_expr(chain_module())


def test_a_mutator_wants_a_function():
    module = chain_module()
    (exp,) = (o for o in module.walk() if isinstance(o, ExpOp))
    with pytest.raises(RelaxError, match=r"expected a module or a relax\.func to rewrite"):
        ExprMutator().visit_expr(exp)


# With xDSL's patterns in one pass ---------------------------------------------------------------------


class DoubleNegation(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NegativeOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.x.owner, NegativeOp):
            rewriter.replace(op, (), [inner.x])


class ExpToNegations(DataflowMutator):
    def visit_exp(self, old: ExpOp) -> Any:
        return op.negative(op.negative(old.x))


@dataclass(frozen=True)
class MixedPass(ModulePass):
    """A mutator, patterns, and the mutator again."""

    name = "mixed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ExpToNegations().visit_expr(op)
        PatternRewriteWalker(DoubleNegation()).rewrite_module(op)
        FuseMultiplyAdd().visit_expr(op)


def test_mutators_and_patterns_mix_in_one_pass():
    interpret.register_packed("relax.test.fma", lambda x, w, b: x * w + b)
    module = chain_module()
    MixedPass().apply(Context(), module)
    assert "exp" not in ops_of(module) and "call_pure_packed" in ops_of(module)
    x, w, b = ARGS
    np.testing.assert_allclose(outcome(module), np.tanh(x * w + b), rtol=1e-5)


# Depth and length -------------------------------------------------------------------------------------


def nested_ifs(depth: int) -> ModuleOp:
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(2), "c": tensor(dtype="i1")}) as (x, c):

        def level(left: int, value: Value) -> Any:
            if not left:
                return op.tanh(value)
            return bb.if_(c, lambda: level(left - 1, bb.emit(op.exp(value))), lambda: value)

        bb.emit_func_output(level(depth, x))
    return bb.module


def test_two_hundred_nested_ifs():
    module = nested_ifs(200)
    counter = CountVarDef()
    counter.visit_expr(module)
    assert counter.count == 2 + 2 * 200 + 1

    class ToNegative(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return NegativeOp(old.x)

    ToNegative().visit_expr(module)
    verify(module)
    array = numbers(2)
    found = interpret.run(module, "main", array, np.array(True))
    np.testing.assert_allclose(found, np.tanh(array), rtol=1e-6)


@pytest.mark.slow
def test_depth_takes_no_recursion(monkeypatch: pytest.MonkeyPatch):
    """A nest far deeper than Python's stack, made of nothing but regions."""
    import sys

    from xdsl.ir import Block, Region

    from relax_dialect.ops.blocks import BindingBlockOp, OutputOp
    from relax_dialect.ops.core import ReturnOp

    function = FuncOp("main", [tensor(2)], tensor(2))
    x = function.body.block.args[0]
    inner = ExpOp(x)
    block = Block([inner, OutputOp(inner.result)])
    for _ in range(1500):
        nested = BindingBlockOp(Region(block))
        block = Block([nested, OutputOp(nested.results[0])])
    top = block.first_op
    assert top is not None
    top.detach()
    (output,) = block.ops
    output.operands = ()
    function.body.block.add_ops([top, ReturnOp(top.results[0])])
    monkeypatch.setattr(sys, "getrecursionlimit", sys.getrecursionlimit)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        counter = CountVarDef()
        counter.visit_expr(function)
        assert counter.count == 2  # x and the exp, passed out of every block

        class ToTanh(ExprMutator):
            def visit_exp(self, old: ExpOp) -> Any:
                return TanhOp(old.x)

        mutator = ToTanh()
        mutator.visit_expr(function)
        assert mutator.changed
    finally:
        sys.setrecursionlimit(limit)


def work(length: int, mutator: type[ExprFunctor]) -> int:
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n")}) as (x,):
        with bb.dataflow():
            y = x
            for _ in range(length):
                y = bb.emit(op.exp(y) + y)
            y = bb.emit_output(y)
        bb.emit_func_output(y)
    return effort(lambda: mutator().visit_expr(bb.module))


class AllToTanh(DataflowMutator):
    def visit_exp(self, old: ExpOp) -> Any:
        return TanhOp(old.x)


@pytest.mark.long
@pytest.mark.parametrize("kind", [CountVarDef, AllToTanh])
def test_cost_is_linear_in_the_length(kind: type[ExprFunctor]):
    work(10, kind)
    assert work(1000, kind) < 6 * work(200, kind)


def test_attributes_of_kept_ops_stay():
    module = chain_module()
    (exp,) = (o for o in module.walk() if isinstance(o, ExpOp))
    exp.attributes["my.mark"] = StringAttr("here")
    FuseMultiplyAdd().visit_expr(module)
    assert [o for o in module.walk() if "my.mark" in o.attributes] == [exp]


def test_a_handler_that_raises_leaves_a_program_behind():
    class Fails(ExprMutator):
        def visit_exp(self, old: ExpOp) -> Any:
            return NegativeOp(old.x)

        def visit_tanh(self, old: TanhOp) -> Any:
            raise ValueError("enough")

    module = chain_module()
    mutator = Fails()
    with pytest.raises(ValueError, match="enough"):
        mutator.visit_expr(module)
    assert "exp" not in ops_of(module)
    verify(module)
    CountVarDef().visit_expr(module)
    ExpandTanh().visit_expr(module)  # and the mutators work on
    verify(module)


def test_a_skipped_block_sees_the_replaced_values():
    class SkipBlocks(ExprMutator):
        def visit_dataflow_block(self, block: Any) -> None:
            pass

        def visit_exp(self, old: ExpOp) -> Any:
            return NegativeOp(old.x)

    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(2)}) as (x,):
        y = bb.emit(op.exp(x))
        with bb.dataflow():
            z = bb.emit_output(op.exp(y))
        bb.emit_func_output(z)
    module = bb.get()
    SkipBlocks().visit_expr(module)
    verify(module)
    assert ops_of(module) == ["func", "negative", "dataflow", "exp", "output", "return"]
