"""The block builder: the documents' examples, Python's operators, and every misuse on its line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from effort import effort
from optional import UNOPTIMISED, amount, shortened
from xdsl.dialects.builtin import ModuleOp, StringAttr

import lowering
from relax_dialect import BlockBuilder, interpret, te
from relax_dialect.builder import BuildError, Value, const, op, te_tensor, var
from relax_dialect.errors import RelaxError
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.types import OBJECT, ShapeType, TensorType
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.unary import ExpOp, TanhOp


def tensor(*dims: object, dtype: str | None = "f32") -> TensorType:
    return TensorType(dims, dtype)  # pyright: ignore[reportArgumentType]


def numbers(*shape: int, dtype: str = "f4", seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def function_of(module: ModuleOp, name: str = "main") -> FuncOp:
    return next(o for o in module.ops if isinstance(o, FuncOp) and o.sym_name.data == name)


def agree(module: ModuleOp, expected: Any, *args: Any, compiled: bool = True) -> None:
    """The interpreter and the compiled C give what numpy gives."""
    found = interpret.run(module, "main", *args, check_types=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    if compiled:
        found = lowering.compile(module, extra_flags=UNOPTIMISED).main(*args)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


# The documents' examples --------------------------------------------------------------------------


def test_the_example_of_the_ast_document():
    """`relax_func` of the document: a dataflow block, then a binding with an effect."""
    bb = BlockBuilder()
    x, w = var("x", shape=["n", "k"]), var("w", shape=["k", "m"])
    with bb.function("relax_func", [x, w]):
        with bb.dataflow():
            lv0 = bb.emit(x @ w, "lv0")
            gv0 = bb.emit_output(op.flatten(lv0), "gv0")
        gv1 = bb.emit(op.call_packed("custom_inplace_update", [gv0], OBJECT), "gv1")
        bb.emit_func_output(gv1)
    module = bb.get()
    function = function_of(module, "relax_func")
    assert [o.name for o in function.body.block.ops] == [
        "relax.dataflow",
        "relax.call_packed",
        "relax.return",
    ]
    assert lv0.type == tensor("n", "m")
    assert gv0.type == tensor("m * n")
    assert (lv0.name, gv0.name, gv1.name) == ("lv0", "gv0", "gv1")

    interpret.register_packed("custom_inplace_update", lambda v: v + 1)
    a, b = numbers(3, 4), numbers(4, 5, seed=1)
    found = interpret.run(module, "relax_func", a, b)
    np.testing.assert_allclose(found, (a @ b).reshape(-1) + 1, rtol=1e-5)


@pytest.mark.slow
def test_the_example_of_emit_te():
    """The key goals of the document on EmitTE staging, line by line."""
    bb = BlockBuilder()
    n, m = te.var("n"), te.var("m")
    x = var("x", shape=[n, m])
    with bb.function("main", [x]):
        a = bb.emit(x + 1)
        A = te_tensor(a)
        b = bb.emit(te.compute((n, m), lambda x, y: A[x, y] * 2, name="B"))
        B = te_tensor(b)

        def te_func(X: te.Tensor, Y: te.Tensor):
            return te.compute((n, m), lambda x, y: A[x, y] + B[x, y])

        c = bb.emit_te(te_func, x, a)
        bb.emit_func_output(c)
    module = bb.get()
    assert [f.properties["sym_name"].data for f in module.ops] == ["main", "B", "te_func"]  # pyright: ignore
    array = numbers(3, 7)
    agree(module, (array + 1) * 3, array)


def test_unbound_symbolic_variables_are_passed_to_the_prim_func():
    """The document's `call_tir_dyn`: `m` of `2 * floordiv(m, 2)` goes in brackets."""
    bb = BlockBuilder()
    n, m = te.var("n"), te.var("m")
    x = var("x", shape=[n, 2 * (m // 2)])
    with bb.function("main", [x, ("s", ShapeType([m]))]):
        A = te_tensor(x)
        y = bb.emit(te.compute([n, 2 * (m // 2)], lambda i, j: A[i, j] + 1, name="ewise"))
        bb.emit_func_output(y)
    call = bb.lookup_binding(y)
    assert isinstance(call, CallTirOp)
    assert call.symbols is not None and call.symbols.data == (m,)
    assert y.type == x.type
    array = numbers(3, 6)
    np.testing.assert_allclose(interpret.run(bb.get(), "main", array, (7,)), array + 1)


# Operators ----------------------------------------------------------------------------------------

EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract a number": lambda x, y: x - 1.0,
    "number minus": lambda x, y: 1 - x,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (y * y + 1),
    "number over": lambda x, y: 2 / (x * x + 1),
    "negate": lambda x, y: -x,
    "nested": lambda x, y: (x + 1) * y - (x + 1) / 2.0,
    "array": lambda x, y: x + np.arange(4, dtype="f4"),
    "array first": lambda x, y: np.ones((3, 1), "f4") * x,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_operators_mean_what_they_mean_in_numpy(name: str):
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3, 4), "y": tensor(3, 4)}) as (x, y):
        bb.emit_func_output(EXPRESSIONS[name](x, y))
    a, b = numbers(3, 4), numbers(3, 4, seed=1)
    agree(bb.get(), EXPRESSIONS[name](a, b), a, b, compiled=name == "nested")


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_are_element_by_element(name: str):
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(9), "y": tensor(9)}) as (x, y):
        bb.emit_func_output(COMPARISONS[name](x, y))
    a, b = np.arange(9, dtype="f4") % 3, np.arange(9, dtype="f4") // 3
    agree(bb.get(), COMPARISONS[name](a, b), a, b, compiled=False)


def test_matmul_and_operators_by_name():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n", 4), "w": tensor(4, 6)}) as (x, w):
        y = bb.emit(op.tanh(x @ w + const(np.arange(6, dtype="f4"))))
        y = bb.emit(op.sum(op.reshape(y, ["n", 2, 3]), axis=1))
        bb.emit_func_output(y)
    assert y.type == tensor("n", 3)
    a, b = numbers(5, 4), numbers(4, 6, seed=1)
    agree(bb.get(), np.tanh(a @ b + np.arange(6)).reshape(5, 2, 3).sum(1), a, b)


def test_a_number_takes_the_element_type_next_to_it():
    for name in ("f16", "f32", "f64", "i8", "i32", "i64", "ui8", "bf16"):
        bb = BlockBuilder()
        with bb.function("main", {"x": tensor(2, dtype=name)}) as (x,):
            y = bb.emit(x + 3)
            bb.emit_func_output(y)
        assert y.dtype == parse_dtype(name)
        bb.get()


@pytest.mark.parametrize(
    ("value", "dtype"), [(1.5, "i32"), (300, "i8"), (-1, "ui8"), (128, "i8"), (1, "i1")]
)
def test_a_number_that_the_element_type_does_not_hold_is_refused(value: Any, dtype: str):
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(2, dtype=dtype)}) as (x,):
        with pytest.raises(BuildError, match=f"expected a number of element type {dtype}"):
            bb.emit(x == value)
        bb.emit_func_output(x)
    bb.get()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "?"])
def test_arrays_become_constants_bit_by_bit(dtype: str):
    array = np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype)
    bb = BlockBuilder()
    with bb.function("main"):
        bb.emit_func_output(array)
    found = interpret.run(bb.get(), "main", check_types=True)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_a_shared_part_of_an_expression_is_placed_once():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(2)}) as (x,):
        part = op.tanh(x)
        for _ in range(200):
            part = part + part  # 2 ** 200 uses as a tree
        bb.emit_func_output(part)
    assert sum(1 for _ in function_of(bb.get()).body.block.ops) == 202


@shortened
def test_a_deep_expression_needs_no_recursion():
    depth = amount(5000, 2000)
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(2)}) as (x,):
        deep = x
        for _ in range(depth):
            deep = deep + x
        bb.emit_func_output(deep)
    (found,) = {interpret.run(bb.get(), "main", np.ones(2, "f4")).sum()}
    assert found == 2 * (depth + 1)


def test_xdsl_ops_mix_in():
    """Ops made by their classes, also of ops that are not placed yet."""
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3)}) as (x,):
        y = bb.emit(TanhOp(AddOp(ExpOp(x.value), x.value)), "y")
        z = bb.emit(y.value)
        assert z.value is y.value
        bb.emit_func_output(Value(y.value) * 2)
    a = numbers(3)
    agree(bb.get(), np.tanh(np.exp(a) + a) * 2, a, compiled=False)


def test_tuples_are_made_and_unpacked():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3)}) as (x,):
        t = bb.emit((x, x + 1, (x, x)))
        a, b, c = t
        bb.emit_func_output([a + b, c[0]])
    a = numbers(3)
    first, second = interpret.run(bb.get(), "main", a)
    np.testing.assert_allclose(first, 2 * a + 1, rtol=1e-6)
    np.testing.assert_array_equal(second, a)


def test_values_are_no_python_truth_and_no_loop():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3)}) as (x,):
        with pytest.raises(BuildError, match=r"BlockBuilder\.if_"):
            bool(x > 1)
        with pytest.raises(BuildError, match="expected a tuple to unpack"):
            list(x)
        assert len({x: 1}) == 1
        assert repr(x) == "%x: !relax.tensor<[3], f32>"
        assert (x.shape, x.dtype, x.name) == (tensor(3).shape, parse_dtype("f32"), "x")
        bb.emit_func_output(x)


# Blocks, branches, closures, calls ------------------------------------------------------------------


def test_blocks_pass_values_out():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n")}) as (x,):
        assert not bb.current_block_is_dataflow()
        with bb.dataflow():
            assert bb.current_block_is_dataflow()
            lv = bb.emit(x * 2)
            out = bb.emit_output(lv)
            assert bb.emit_output(lv) is out
            inside = bb.emit(out + 1)  # an output may still be used inside
            other = bb.emit_output(inside, "other")
            binding = bb.lookup_binding(out)
        assert not bb.current_block_is_dataflow()
        assert isinstance(out.value.owner, DataflowOp)
        assert bb.lookup_binding(out) is binding is bb.lookup_binding(lv)
        assert bb.lookup_binding(x) is None
        with bb.binding_block():
            gv = bb.emit_output(out + other)
        bb.emit_func_output(gv)
    assert (out.name, other.name) == ("gv", "other")
    a = numbers(5)
    agree(bb.get(), 4 * a + 1, a)


def test_symbolic_variables_of_a_block_are_defined_after_it():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("?", "?")}) as (x,):
        with bb.dataflow():
            y = bb.emit_output(bb.match_shape(x, ["n", "m"]))
        assert y.type == tensor("n", "m")
        z = bb.match_cast(x, tensor("n", "k"))
        bb.emit_func_output(op.sum(z, axis=0) + op.sum(y + op.broadcast_to(y, ["n", "m"])))
    with pytest.raises(BuildError, match="expected an open function"):
        bb.emit(z)
    assert function_of(bb.get()).function_type.output == tensor("?")


def test_branches_join_their_types():
    bb = BlockBuilder()
    params = {"c": tensor(dtype="i1"), "x": tensor("n", 4), "y": tensor("n", 8)}
    with bb.function("main", params) as (c, x, y):
        z = bb.if_(c, lambda: x * 2, lambda: y - 1)
        assert z.type == tensor("n", "?")
        bb.emit_func_output(z)
    a, b = numbers(3, 4), numbers(3, 8)
    for taken, expected in ((True, a * 2), (False, b - 1)):
        found = interpret.run(bb.get(), "main", np.array(taken), a, b)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_variables_of_a_branch_do_not_leave_it():
    bb = BlockBuilder()
    with bb.function("main", {"c": tensor(dtype="i1"), "x": tensor("?")}) as (c, x):
        z = bb.if_(c, lambda: bb.match_cast(x, tensor("k")), lambda: bb.match_cast(x, tensor("k")))
        assert z.type == tensor("?")
        with pytest.raises(BuildError, match="found 'k'"):
            bb.emit(op.shape(["k"]))
        bb.emit_func_output(z)
    bb.get()


def test_the_recursive_function_of_the_relay_document():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor()}, ret_type=tensor()) as (x,):
        y = bb.if_(
            op.equal(x, 1),
            lambda: x,
            lambda: (lambda r: r + r)(bb.call("main", x - 1)),
        )
        bb.emit_func_output(y)
    module = bb.get()
    assert interpret.run(module, "main", np.float32(5)) == 16


def test_calls_substitute_symbolic_variables():
    bb = BlockBuilder()
    with bb.function("double", {"x": tensor("n")}, private=True) as (x,):
        bb.emit_func_output(x * 2)
    with bb.function("main", {"x": tensor("a", 3)}, attrs={"my.note": "hello"}) as (x,):
        flat = bb.emit(op.flatten(x))
        y = bb.call("double", flat)
        assert y.type == tensor("3 * a")
        later = bb.call("later", y, result_type=tensor("?"))
        bb.emit_func_output(later)
    with bb.function("later", {"x": tensor("k")}) as (x,):
        bb.emit_func_output(x + 1)
    module = bb.get()
    assert function_of(module).attributes["my.note"] == StringAttr("hello")
    assert function_of(module, "double").is_private
    a = numbers(2, 3)
    agree(module, a.reshape(-1) * 2 + 1, a, compiled=False)


def test_a_call_before_the_declaration_is_checked_by_get():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3)}) as (x,):
        bb.emit_func_output(bb.call("later", x, result_type=tensor(4)))
    with pytest.raises(RelaxError, match="@later"):
        bb.get()


def test_closures_capture_and_bind_their_own_variables():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n")}) as (x,):
        f = bb.closure([("y", tensor("n", "k"))], lambda y: y + 1)
        assert str(f.type) == (
            "!relax.func<[k] (!relax.tensor<[n, k], f32>) -> !relax.tensor<[n, k], f32>>"
        )
        with bb.dataflow():  # which holds no effects, but may make functions that have some
            made = bb.closure([], lambda: bb.emit(op.call_packed("relax.test.effect", [x], OBJECT)))
            g = bb.emit_output(made)
        assert str(g.type) == "!relax.func<() -> !relax.object, impure>"
        shape = bb.emit(op.shape(["n", 2]))
        y = bb.call(f, op.broadcast_to(const(np.zeros((1, 1), "f4")), shape))
        assert y.type == tensor("n", 2)
        bb.emit_func_output(y)
    a = numbers(3)
    np.testing.assert_array_equal(interpret.run(bb.get(), "main", a), np.ones((3, 2)))


def test_graph_form_is_built_too():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(2), "c": tensor(dtype="i1")}) as (x, c):
        with bb.graph():
            v = bb.emit(op.let(x + 1))
            out = bb.emit_output(bb.if_(c, lambda: v * 2, lambda: v))
        bb.emit_func_output(out)
    a = numbers(2)
    found = interpret.run(bb.get(), "main", a, np.array(True))
    np.testing.assert_allclose(found, (a + 1) * 2, rtol=1e-6)


# Tensor expressions --------------------------------------------------------------------------------


def scaled(X: te.Tensor, factor: float = 2.0):
    return te.compute(X.shape, lambda *i: X[i] * factor, name="scaled")


def prim_funcs(module: ModuleOp) -> list[str]:
    return [f.properties["sym_name"].data for f in module.ops if f.name == "func.func"]  # pyright: ignore


def test_equal_prim_funcs_are_made_once():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n", 4), "y": tensor("m", 4)}) as (x, y):
        a = bb.emit_te(scaled, x)
        b = bb.emit_te(scaled, y)  # equal but for the name of a variable
        c = bb.emit_te(scaled, a, factor=3.0)  # another number
        d = bb.emit_te(scaled, bb.emit(op.reshape(y, [4, "m"])))  # another shape
        bb.emit_func_output((b, c, d))
    assert prim_funcs(bb.get()) == ["scaled", "scaled_1", "scaled_2"]
    assert bb.lookup_binding(a).callee_name == bb.lookup_binding(b).callee_name  # pyright: ignore
    assert b.type == tensor("m", 4)
    p, q = numbers(2, 4), numbers(3, 4)
    found = interpret.run(bb.get(), "main", p, q)
    for array, expected in zip(found, (q * 2, p * 6, q.reshape(4, 3) * 2)):
        np.testing.assert_allclose(array, expected, rtol=1e-6)


def test_nested_arguments_and_several_results():
    def f(tensors: Any, scale: int, sizes: Any):
        X, Y = tensors["x"], tensors["rest"][0]
        total = te.compute(sizes, lambda i: X[i] + Y[i], name="total")
        return total, te.compute(sizes, lambda i: total[i] * scale, name="more")

    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n"), "s": ShapeType(["n"])}) as (x, s):
        total, more = bb.emit_te(f, {"x": x, "rest": [x + 1]}, scale=3, sizes=s, name_hint="r")
        bb.emit_func_output((total, more))
    a = numbers(3)
    found = interpret.run(bb.get(), "main", a, (3,))
    np.testing.assert_allclose(found[0], 2 * a + 1, rtol=1e-6)
    np.testing.assert_allclose(found[1], 6 * a + 3, rtol=1e-5)


@pytest.mark.slow
def test_emit_te_compiles():
    def product(X: te.Tensor, W: te.Tensor):
        k = te.reduce_axis((0, X.shape[1]), name="k")
        shape = (X.shape[0], W.shape[1])
        return te.compute(shape, lambda i, j: te.sum(X[i, k] * W[k, j], axis=k), name="product")

    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n", 4), "w": tensor(4, "m")}) as (x, w):
        with bb.dataflow():
            y = bb.emit_output(bb.emit_te(product, x, w))
        bb.emit_func_output(y)
    a, b = numbers(3, 4), numbers(4, 5, seed=1)
    agree(bb.get(), a @ b, a, b)


@pytest.mark.parametrize("type", [tensor("?", 4), TensorType(None, "f32"), tensor(3, dtype=None)])
def test_a_te_tensor_needs_a_known_shape(type: TensorType):
    bb = BlockBuilder()
    with bb.function("main", {"x": type}) as (x,):
        with pytest.raises(BuildError, match=r"insert a match_shape .* or a match_cast"):
            te_tensor(x)
        bb.emit_func_output(x)
    bb.get()


def test_other_tensor_expressions_are_refused():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(4)}) as (x,):
        foreign = te.placeholder((4,), name="foreign")
        with pytest.raises(BuildError, match="found the placeholder 'foreign'"):
            bb.emit(te.compute((4,), lambda i: foreign[i] + 1))
        with pytest.raises(BuildError, match=r"expected a te\.Tensor or a list of them"):
            bb.emit_te(lambda X: 3, x)
        with pytest.raises(BuildError, match="emit it first"):
            te_tensor(x + 1)  # pyright: ignore[reportArgumentType]
        bb.emit_func_output(x)


# Misuse --------------------------------------------------------------------------------------------

Case = Callable[[BlockBuilder, Value], None]
MISUSES: dict[str, tuple[str, Case]] = {}


def misuse(message: str) -> Callable[[Case], Case]:
    """A body of a function that goes wrong in its line marked `# here`."""

    def register(case: Case) -> Case:
        MISUSES[case.__name__] = (message, case)
        return case

    return register


@misuse("emit_output: expected an open dataflow block, found relax.func")
def output_outside_of_a_block(bb: BlockBuilder, x: Value) -> None:
    bb.emit_output(x)  # here


@misuse("belongs to function @first; pass it as an argument")
def value_of_another_function(bb: BlockBuilder, x: Value) -> None:
    first = bb.module.body.block.first_op
    assert isinstance(first, FuncOp)
    bb.emit(Value(first.body.block.args[0]) + x)  # here


@misuse("belongs to a closed relax.dataflow block; pass it out with emit_output")
def value_of_a_closed_block(bb: BlockBuilder, x: Value) -> None:
    with bb.dataflow():
        y = bb.emit(x + 1)
        bb.emit_output(y * 2)
    bb.emit(y + 1)  # here


@misuse("belongs to a branch of relax.if")
def value_of_a_branch(bb: BlockBuilder, x: Value) -> None:
    kept: list[Value] = []

    def branch() -> Value:
        kept.append(bb.emit(x + 1))
        return kept[0]

    bb.if_(const(True, "bool"), branch, lambda: x)
    bb.emit(kept[0] + 1)  # here


@misuse("expected one result of @main, found a second one")
def second_function_output(bb: BlockBuilder, x: Value) -> None:
    bb.emit_func_output(x)
    bb.emit_func_output(x)  # here


@misuse("expected no op after the result of @main")
def emit_after_the_function_output(bb: BlockBuilder, x: Value) -> None:
    bb.emit_func_output(x)
    bb.emit(x + 1)  # here


@misuse("close it first, or open the block before emit_func_output")
def block_after_the_function_output(bb: BlockBuilder, x: Value) -> None:
    bb.emit_func_output(x)
    with bb.dataflow():  # here
        pass


@misuse("emit_func_output: expected the function's own body, found relax.dataflow open")
def function_output_in_a_block(bb: BlockBuilder, x: Value) -> None:
    with bb.dataflow():
        bb.emit_func_output(x)  # here


@misuse("expected ops without effects in relax.dataflow")
def effect_in_a_dataflow_block(bb: BlockBuilder, x: Value) -> None:
    with bb.dataflow():
        bb.emit(op.call_packed("f", [x], OBJECT))  # here


@misuse("relax.call: expected ops without effects in relax.dataflow")
def effect_of_a_callee_in_a_dataflow_block(bb: BlockBuilder, x: Value) -> None:
    with bb.dataflow():
        bb.call("effectful", x)  # here


@misuse("if_: expected no control flow in relax.dataflow")
def if_in_a_dataflow_block(bb: BlockBuilder, x: Value) -> None:
    with bb.dataflow():
        bb.if_(const(True, "bool"), lambda: x, lambda: x)  # here


@misuse("expected an open sequence around the block, found relax.dataflow open")
def nested_dataflow_blocks(bb: BlockBuilder, x: Value) -> None:
    with bb.dataflow(), bb.dataflow():  # here
        pass


@misuse("found @nowhere; define it before, or state ret_type")
def call_of_an_unknown_function(bb: BlockBuilder, x: Value) -> None:
    bb.call("nowhere", x)  # here


@misuse("found @main; define it before, or state ret_type")
def recursion_without_a_result_type(bb: BlockBuilder, x: Value) -> None:
    bb.call("main", x)  # here


@misuse("expected 1 arguments?, found 2|expected .*arguments.*found 2")
def call_with_too_many_arguments(bb: BlockBuilder, x: Value) -> None:
    bb.call("first", x, x)  # here


@misuse("expected no open function, found @main open; close it first")
def nested_functions(bb: BlockBuilder, x: Value) -> None:
    with bb.function("inner"):  # here
        pass


@misuse("get: expected no open function, found @main open")
def get_inside_of_a_function(bb: BlockBuilder, x: Value) -> None:
    bb.get()  # here


@misuse("found 'q'; define it by a parameter's type")
def undefined_symbolic_variable(bb: BlockBuilder, x: Value) -> None:
    bb.emit(op.shape(["q"]))  # here


@misuse("relax.add.*C2")
def types_that_do_not_fit(bb: BlockBuilder, x: Value) -> None:
    bb.emit(x + np.zeros(7, "f4"))  # here


@misuse("found the variable 'y', which is no function's parameter")
def variable_that_is_no_parameter(bb: BlockBuilder, x: Value) -> None:
    bb.emit(x + var("y", shape=[3]))  # here


@misuse("found 1; a number alone is const")
def number_alone(bb: BlockBuilder, x: Value) -> None:
    bb.emit(1)  # here


@misuse("if_: expected a branch that returns its value, found None")
def branch_without_a_value(bb: BlockBuilder, x: Value) -> None:
    bb.if_(const(True, "bool"), lambda: None, lambda: x)  # here


@misuse("relax.if.*C1")
def condition_that_is_no_boolean(bb: BlockBuilder, x: Value) -> None:
    bb.if_(x, lambda: x, lambda: x)  # here


def line_of_here(case: Case) -> int:
    lines, start = inspect.getsourcelines(case)
    return start + next(i for i, line in enumerate(lines) if "# here" in line)


@pytest.mark.parametrize("name", MISUSES)
def test_misuse_fails_on_its_line(name: str):
    message, case = MISUSES[name]
    bb = BlockBuilder()
    with bb.function("first", {"x": tensor(3)}) as (x,):
        bb.emit_func_output(x)
    with bb.function("effectful", {"x": tensor(3)}) as (x,):
        bb.emit_func_output(bb.emit(op.call_packed("f", [x], OBJECT)))
    with pytest.raises(RelaxError) as caught, bb.function("main", {"x": tensor(3)}) as (x,):
        case(bb, x)
        pytest.fail("nothing was refused")
    text = str(caught.value)
    assert re.search(message, text), text
    assert "expected" in text and "found" in text and (";" in text or "C" in text)
    lines = [e.lineno + 1 for e in caught.traceback if e.frame.code.name == case.__name__]
    assert lines == [line_of_here(case)]
    # what went wrong leaves no trace: the function is gone, the others stand
    with bb.function("main", {"x": tensor(3)}) as (x,):
        bb.emit_func_output(x + 1)
    assert [f.properties["sym_name"].data for f in bb.get().ops] == ["first", "effectful", "main"]  # pyright: ignore


def test_a_name_that_is_taken_is_refused():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3)}) as (x,):
        bb.emit_func_output(x)
    with pytest.raises(BuildError, match=r"a name that is free, found relax\.func @main"):
        bb.function("main").__enter__()
    with pytest.raises(BuildError, match="a text as its name, found 5; write one in quotes"):
        bb.function(5).__enter__()  # pyright: ignore
    assert len(list(bb.get().ops)) == 1


def test_a_function_without_a_result_is_refused():
    bb = BlockBuilder()
    with (
        pytest.raises(BuildError, match="@main: expected a result, found none"),
        bb.function("main", {"x": tensor(3)}) as (x,),
    ):
        bb.emit(x + 1)
    assert list(bb.get().ops) == []


def test_a_mistake_inside_a_block_can_be_mended():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor(3)}) as (x,):
        with pytest.raises(BuildError), bb.dataflow():
            y = bb.emit(x + 1)
            bb.emit(op.call_packed("f", [y], OBJECT))
        with pytest.raises(BuildError):
            bb.if_(const(True, "bool"), lambda: bb.emit_output(x), lambda: x)
        bb.emit_func_output(x)
    assert sum(1 for _ in bb.get().walk()) == 4  # module, function, the condition, return


def test_a_result_wider_than_declared_is_refused():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("?")}, ret_type=tensor(3)) as (x,):
        with pytest.raises(BuildError, match="declared result type"):
            bb.emit_func_output(x)
        bb.emit_func_output(bb.match_cast(x, tensor(3)))
    bb.get()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ([("x", tensor(1)), ("x", tensor(1))], "found 'x' twice"),
        (["x"], "expected pairs of name and type"),
        ([("x", tensor("n floordiv 2"))], r"add a parameter of type !relax\.shape<\[n\]>"),
    ],
)
def test_bad_parameters(params: Any, message: str):
    bb = BlockBuilder()
    with pytest.raises(BuildError, match=message), bb.function("main", params):
        pass
    assert list(bb.get().ops) == []


def test_sizes_that_parameters_are_solved_for():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("2 * n"), "y": tensor("m + n")}) as (x, y):
        assert {"n", "m"} <= bb.defined_variables
        pairs = bb.emit(op.reshape(x, ["n", 2]))
        bb.emit_func_output([pairs, op.reshape(y, ["m + n", 1])])
    assert "-> tuple<!relax.tensor<[n, 2], f32>, !relax.tensor<[m + n, 1], f32>>" in str(bb.get())


def test_normalize_gives_an_op_that_is_not_placed():
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n")}) as (x,):
        made = bb.normalize(op.exp(x) + 1)
        assert made.parent is None and isinstance(made, AddOp)
        assert made.result.type == tensor("n")
        assert isinstance(bb.lookup_binding(made.lhs), ExpOp)
        with pytest.raises(BuildError, match="found a value; lookup_binding"):
            bb.normalize(x)
        bb.emit_func_output(made)
    bb.get()


def test_functions_made_elsewhere_are_taken_in():
    a = te.placeholder(("n",), name="a")
    doubled = te.create_prim_func([a, te.compute(("n",), lambda i: a[i] * 2, name="b")], "doubled")
    bb = BlockBuilder()
    assert bb.add_func(doubled) == "doubled"
    with bb.function("main", {"x": tensor(3)}) as (x,):
        bb.emit_func_output(bb.emit(bb.call_tir("doubled", x) + bb.call("doubled", x)))
    array = numbers(3)
    agree(bb.get(), array * 4, array)


# Size ----------------------------------------------------------------------------------------------


def emit_many(emits: int) -> None:
    bb = BlockBuilder()
    with bb.function("main", {"x": tensor("n", 4)}) as (x,):
        with bb.dataflow():
            y = x
            for _ in range(emits):
                y = bb.emit(y + x)
            y = bb.emit_output(y)
        bb.emit_func_output(y)


@pytest.mark.long
def test_many_emits_are_linear_work():
    emit_many(10)
    assert effort(lambda: emit_many(4000)) < 11 * effort(lambda: emit_many(400))


def test_every_operator_has_its_function():
    assert {"add", "tanh", "matmul", "call_packed", "match_cast", "print", "let"} <= set(dir(op))
    assert not {"if", "func", "dataflow", "output"} & set(dir(op))
    with pytest.raises(AttributeError, match="has no 'wheer'; the nearest is 'where'"):
        op.wheer  # noqa: B018
