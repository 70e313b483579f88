"""Operators from their fields: constructors, their errors, accessors, and the meaning of attributes."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, f64, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from relax_dialect.ir.types import TensorType
from relax_dialect.ops import normalization
from relax_dialect.ops.base import IllFormedOpError, OperatorOp
from relax_dialect.ops.fields import Operand, OptionalOperand, one_axis, real, tensor
from relax_dialect.ops.kinds import K_ELEMWISE, K_OPAQUE, pattern_kind
from relax_dialect.ops.normalization import BatchNormOp, GroupNormOp, LayerNormOp, RmsNormOp
from relax_dialect.ops.operator import attribute_values, meant_by, operator, operators_in
from relax_dialect.ops.type_rules import FLOAT, INTEGER, LeastRank, Rank


def value(*shape: int | str) -> SSAValue:
    return create_ssa_value(TensorType(shape, f32))


X, W = value("n", 4), value(4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LayerNormOp(X, W, W, [-1], 1e-3),
        lambda: LayerNormOp(X, W, W, -1, epsilon=1e-3),
        lambda: LayerNormOp(x=X, gamma=W, beta=W, axes=(-1,), epsilon=np.float64(1e-3)),
        lambda: LayerNormOp(X, W, W, np.array([-1]), FloatAttr(1e-3, f64), None, True),
    ],
)
def test_one_op_from_all_ways_to_say_it(make: Any):
    op = make()
    assert (op.axes, op.epsilon, op.center, op.scale) == ((-1,), 1e-3, True, True)
    assert list(op.properties) == ["axes", "epsilon"]
    assert op.x is X


def test_a_default_is_left_out_unless_the_text_needs_it():
    assert LayerNormOp(X, W, W, 1, 1e-5, True, True).properties.keys() == {"axes"}
    assert RmsNormOp(X, W).properties.keys() == {"axes"}


def test_the_constructor_tells_its_arguments():
    assert str(inspect.signature(RmsNormOp.__init__)) == "(self, x, weight, axes=-1, epsilon=1e-05)"


ERRORS = {
    "relax.layer_norm: expected at most 7 arguments, found 8; write layer_norm(x, gamma, beta, axes, "
    "epsilon=..., center=..., scale=...)": lambda: LayerNormOp(X, W, W, 1, 1e-5, True, True, 0),  # pyright: ignore
    "relax.layer_norm: expected 'beta', found no argument for it; write layer_norm(x, gamma, beta, "
    "axes, epsilon=..., center=..., scale=...)": lambda: LayerNormOp(X, W),  # pyright: ignore
    "relax.layer_norm: expected arguments x, gamma, beta, axes, epsilon, center, scale, found 'axis'; "
    "the nearest is 'axes'": lambda: LayerNormOp(X, W, W, axis=1),  # pyright: ignore
    "relax.layer_norm: expected arguments x, gamma, beta, axes, epsilon, center, scale, found 'eps'; "
    "the nearest is 'epsilon'": lambda: LayerNormOp(X, W, W, 1, eps=1),  # pyright: ignore
    "relax.layer_norm: expected 'axes' once, found it by position and by name; leave one of them "
    "out": lambda: LayerNormOp(X, W, W, 1, axes=1),  # pyright: ignore
    "relax.layer_norm: expected a value as 'gamma', found 4; pass a value of the program, or write the "
    "call with `op` of the builder": lambda: LayerNormOp(X, 4, W, 1),  # pyright: ignore
    "relax.layer_norm: expected an integer or a list of integers as 'axes', found 'x'; correct "
    "'axes'": lambda: LayerNormOp(X, W, W, "x"),  # pyright: ignore
    "relax.layer_norm: expected a number as 'epsilon', found True; leave it out for "
    "1e-05": lambda: LayerNormOp(X, W, W, 1, True),
    "relax.layer_norm: expected True or False as 'center', found 2; leave it out for "
    "True": lambda: LayerNormOp(X, W, W, 1, 1e-5, 2),  # pyright: ignore
    "relax.batch_norm: expected an integer as 'axis', found 1.0; leave it out for 1": lambda: (
        BatchNormOp(X, W, W, W, W, 1.0)
    ),  # pyright: ignore
    "relax.group_norm: expected num_groups to be at least 1 (C5), found 0; correct "
    "num_groups": lambda: GroupNormOp(X, W, W, 0, 1, 1),
    "relax.rms_norm: expected one value as 'weight', found the op relax.batch_norm with 3 results; write "
    "one of them": lambda: RmsNormOp(X, BatchNormOp(X, W, W, W, W)),
}


@pytest.mark.parametrize("message", ERRORS)
def test_arguments_that_do_not_fit(message: str):
    with pytest.raises(IllFormedOpError) as info:
        ERRORS[message]()
    assert str(info.value) == message


def test_ops_that_do_not_fit_leave_no_uses():
    before = len(list(X.uses))
    with pytest.raises(IllFormedOpError):
        LayerNormOp(X, value(5), W, 1)
    assert len(list(X.uses)) == before


def test_attributes_by_meaning():
    last = LayerNormOp(X, W, W, -1)
    assert attribute_values(last) == attribute_values(LayerNormOp(X, W, W, [1]))
    assert attribute_values(last) == {"axes": (1,), "epsilon": 1e-5, "center": True, "scale": True}
    assert meant_by(last, "axes", (-1,)) == (1,)
    unknown = create_ssa_value(TensorType(None, f32))
    assert attribute_values(LayerNormOp(unknown, unknown, unknown, -1))["axes"] == (-1,)


def test_accessors_are_set_with_values_too():
    op = LayerNormOp(X, W, W, -1)
    op.axes, op.epsilon = 1, 0.5
    assert (op.axes, op.epsilon) == ((1,), 0.5)
    op.epsilon = None  # pyright: ignore
    assert op.epsilon == 1e-5 and "epsilon" not in op.properties


def test_an_integer_attribute_of_another_width_is_kept():
    given = IntegerAttr(1, i64)
    assert BatchNormOp(X, W, W, W, W, given).properties["axis"] is given  # pyright: ignore


class ScaleOp(OperatorOp):
    """The common base of the following operators."""

    x: Operand = tensor()
    factor: float = real(default=2.0)


def test_an_operator_in_a_few_lines():
    @operator("test.scale", K_ELEMWISE)
    class TestOp(ScaleOp):
        more: float = real(default=0.0)

    op = TestOp(X, more=1)
    op.verify()
    assert " {more = 1.000000e+00 : f64} : (" in str(op)
    assert (op.factor, op.more, op.result.type) == (2.0, 1.0, X.type)
    assert pattern_kind(TestOp) is K_ELEMWISE and not hasattr(ScaleOp, "PATTERN_KIND")


def test_a_file_lists_the_operators_that_it_defines():
    found = operators_in(vars(normalization))
    assert BatchNormOp in found and found == normalization.OPS
    assert operators_in(globals()) == [DemandingOp]  # not those that it imports


def test_an_operator_says_how_it_computes():
    with pytest.raises(TypeError, match=r"test\.silent: expected how the operator computes"):

        @operator("test.silent")
        class SilentOp(ScaleOp):  # pyright: ignore[reportUnusedClass]
            pass


@operator("test.demanding", K_OPAQUE)
class DemandingOp(OperatorOp):
    """An operator whose fields demand something of all that it is given."""

    x: Operand = tensor(FLOAT.by("C2"), LeastRank(1, "C3"))
    places: OptionalOperand = tensor(INTEGER, Rank(1, "C4", other=2), default=None)
    axis: int = one_axis("x", "C5", default=0)
    rate: float = real(default=0.5, above=0, constraint="C6")


SCALAR, INTEGERS = value(), create_ssa_value(TensorType((4,), i64))
DEMANDS: dict[str, Any] = {
    "a floating-point element type of 'x' (C2), found i64": lambda: DemandingOp(INTEGERS, INTEGERS),
    "a tensor of rank 1 or more (C3), found one of rank 0": lambda: DemandingOp(SCALAR),
    "an integer element type of 'places' (C1), found f32": lambda: DemandingOp(X, W),
    "'places' of rank 1 or 2 (C4), found rank 3": lambda: DemandingOp(
        X, create_ssa_value(TensorType((1, 1, 1), i64))
    ),
    "an axis from -2 to 1 for a tensor of rank 2 (C5), found 2": lambda: DemandingOp(X, axis=2),
    "rate to be greater than 0 (C6), found nan": lambda: DemandingOp(X, rate=float("nan")),
}


@pytest.mark.parametrize("message", DEMANDS)
def test_what_fields_demand_is_checked(message: str):
    with pytest.raises(IllFormedOpError) as info:
        DEMANDS[message]()
    assert f"test.demanding: expected {message}; " in str(info.value)


def test_what_is_not_known_meets_every_demand():
    unknown = create_ssa_value(TensorType(None, None))
    op = DemandingOp(unknown, unknown, axis=7)
    op.verify()
    assert (op.result.type, op.axis_of(8)) == (unknown.type, 7)


def test_a_parsed_op_is_checked_too():
    op = DemandingOp(X, INTEGERS)
    op.axis = -3
    with pytest.raises(VerifyException, match=r"an axis from -2 to 1 .* \(C5\), found -3"):
        op.verify()
