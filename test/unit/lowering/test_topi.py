"""The operators as a library of tensor expressions."""

from __future__ import annotations

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from lowering import topi
from lowering.legalize.registry import RULES
from lowering.legalize.steps import STEPS
from relax_dialect import interpret, te
from relax_dialect.builder import BlockBuilder, te_tensor
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

RANDOM = np.random.default_rng(0)


def random_array(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def test_every_operator_with_a_rule_is_there_under_its_name():
    assert {f"relax.{name}" for name in dir(topi)} == {op.name for op in RULES}
    assert topi.softmax.__name__ == "softmax"
    assert topi.softmax.__doc__ is not None


@pytest.mark.slow
def test_operators_compose_with_each_other_and_with_compute():
    def layer(X: te.Tensor, W: te.Tensor, b: te.Tensor) -> te.Tensor:
        hidden = topi.relu(topi.add(topi.matmul(X, W), b))
        return topi.softmax(te.compute(hidden.shape, lambda i, j: hidden[i, j] * 2), axis=-1)

    bb = BlockBuilder()
    types = {"x": ["n", 4], "w": [4, "m"], "b": ["m"]}
    with bb.function("main", {k: TensorType(v, "f32") for k, v in types.items()}) as (x, w, b):
        bb.emit_func_output(bb.emit_te(layer, x, w, b))
    module = bb.get()
    a, c, d = random_array(3, 4), random_array(4, 5), random_array(5)
    powers = np.exp(2 * np.maximum(a @ c + d, 0))
    expected = powers / powers.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(interpret.run(module, "main", a, c, d), expected, rtol=1e-5)
    np.testing.assert_allclose(
        lowering.compile(module, extra_flags=UNOPTIMISED)["main"](a, c, d), expected, rtol=1e-5
    )


def test_one_tensor_may_stand_twice():
    A = te.placeholder(("n",), name="A")
    function = te.create_prim_func([A, topi.multiply(A, A)], "square")
    np.testing.assert_array_equal(
        interpret.run(_module(function), "square", np.float32([2, 3])), [4, 9]
    )


def _module(function):
    from xdsl.dialects.builtin import ModuleOp

    return ModuleOp([function])


def test_shapes_of_the_builder_are_sizes():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n", 4], "f32")}) as (x,):
        y = bb.emit_te(topi.reshape, x, ["n", 2, 2])
        bb.emit_func_output(y)
    assert y.type == TensorType(["n", 2, 2], "f32")
    array = random_array(3, 4)
    np.testing.assert_array_equal(interpret.run(bb.get(), "main", array), array.reshape(3, 2, 2))


def test_mistakes_get_the_error_of_the_operator():
    A = te.placeholder((3, 4), name="A")
    B = te.placeholder((5, 4), name="B")
    with pytest.raises(RelaxError, match=r"relax\.softmax: expected an axis from -2 to 1"):
        topi.softmax(A, axis=2)
    with pytest.raises(RelaxError, match=r"relax\.add: expected sizes that broadcast"):
        topi.add(A, B)
    with pytest.raises(AttributeError, match="no 'sofmax'; there are"):
        topi.sofmax(A)


def test_sizes_that_must_be_equal_and_are_not_proved_to_be_are_checked():
    A = te.placeholder(("n", "k"), name="A")
    B = te.placeholder(("j", "m"), name="B")
    module = _module(te.create_prim_func([A, B, topi.matmul(A, B)], "product"))
    a, b = random_array(2, 3), random_array(3, 4)
    np.testing.assert_allclose(interpret.run(module, "product", a, b), a @ b, rtol=1e-5)
    with pytest.raises(RelaxError, match=r"relax\.matmul: expected the last size of lhs"):
        interpret.run(module, "product", a, random_array(2, 4))


def test_a_lambda_has_the_name_of_its_operator():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        y = bb.emit_te(lambda X: topi.exp(topi.negative(X)), x)
        z = bb.emit_te(lambda X: te.compute(X.shape, lambda i: X[i] + 1.0), y)
        k = te.reduce_axis((0, te.var("n")), name="k")
        total = bb.emit(te.compute((), lambda: te.sum(te_tensor(z)[k], axis=k), name="total"))
        bb.emit_func_output(total)
    names = [op.properties["sym_name"].data for op in bb.get().ops]  # pyright: ignore
    assert names == ["main", "exp", "add", "total"]


def test_a_call_may_be_made_before_it_is_placed():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        call = bb.call_te(topi.exp, x)
        assert call.parent is None
        assert call.callee.string_value() == "exp"
        bb.emit_func_output(bb.emit(call))
    array = random_array(3)
    np.testing.assert_allclose(interpret.run(bb.get(), "main", array), np.exp(array), rtol=1e-6)


@pytest.mark.parametrize("name", sorted(op.name.removeprefix("relax.") for op in STEPS))
def test_operators_of_several_steps_are_refused_by_name(name: str):
    with pytest.raises(AttributeError, match=rf"size that the program computes.*op\.{name}\("):
        getattr(topi, name)
