"""The examples of the design document, written as it writes them."""

import pytest
from xdsl.dialects.builtin import f32
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
)

from relax_dialect import builder as relay
from relax_dialect.dpl import *  # noqa: F403
from relax_dialect.dpl import K_ELEMWISE, dominates, has_attr, is_input, is_op, wildcard
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

is_elemwise = has_attr(wildcard(), "TOpPattern", K_ELEMWISE)


def test_match_op_or():
    is_add_or_sub = is_op("add") | is_op("subtract")
    assert is_add_or_sub.match(relay.op.get("add"))
    assert is_add_or_sub.match(relay.op.get("subtract"))
    assert not is_add_or_sub.match(relay.op.get("multiply"))


def test_no_match_attr():
    op = is_op("nn.dense").has_attr("TOpPattern", K_ELEMWISE)
    op_pat = op(wildcard(), wildcard())
    x = relay.var("x")
    y = relay.var("y")
    assert not op_pat.match(relay.op.nn.dense(x, y))


def test_match_attr():
    op = is_op("nn.relu").has_attr("TOpPattern", K_ELEMWISE)
    op_pat = op(wildcard())
    x = relay.var("x")
    assert op_pat.match(relay.op.nn.relu(x))


def test_match_diamond():
    # Pattern
    is_conv2d = is_op("nn.conv2d")(is_input(), is_input())
    path1 = is_op("nn.relu")(is_conv2d)
    path2 = is_op("nn.leaky_relu")(is_conv2d)
    diamond = is_op("add")(path1, path2)
    # Expr
    inp = relay.var("input")
    weight = relay.var("weight")
    conv2d = relay.op.nn.conv2d(inp, weight)
    relu = relay.op.nn.relu(conv2d)
    leaky_relu = relay.op.nn.leaky_relu(conv2d, alpha=0)
    out = relu + leaky_relu
    # Check
    assert diamond.match(out)
    # the arguments of add may be swapped, the two convolutions must be one
    assert diamond.match(leaky_relu + relu)
    other = relay.op.nn.leaky_relu(relay.op.nn.conv2d(inp, weight), alpha=0)
    assert not diamond.match(relu + other)


def test_match_dom_diamond():
    # Pattern
    is_conv2d = is_op("nn.conv2d")(is_input(), is_input())
    reduction = is_op("add")(wildcard(), wildcard())
    diamond = dominates(is_conv2d, is_elemwise, reduction)
    # Expr
    inp = relay.var("input")
    weight = relay.var("weight")
    conv2d = relay.op.nn.conv2d(inp, weight)
    relu = relay.op.nn.relu(conv2d)
    leaky_relu = relay.op.nn.leaky_relu(conv2d, alpha=0)
    out = relu + leaky_relu
    # Check
    assert diamond.match(out)
    # the way may be longer, but each op of it is element by element
    assert diamond.match(relay.op.tanh(relu) + leaky_relu)
    assert not diamond.match(relay.op.nn.softmax(relu) + leaky_relu)


def test_what_leaves_the_diamond_is_no_diamond():
    is_conv2d = is_op("nn.conv2d")(is_input(), is_input())
    reduction = is_op("add")(wildcard(), wildcard())
    diamond = dominates(is_conv2d, is_elemwise, reduction)
    inp = relay.var("input")
    weight = relay.var("weight")
    conv2d = relay.op.nn.conv2d(inp, weight)
    relu = relay.op.nn.relu(conv2d)
    out = relu + relay.op.nn.leaky_relu(conv2d, alpha=0)
    # relu is used by more than the sum: it would have to be computed again
    found = is_op("multiply")(diamond, wildcard())
    assert not found.match(out * relu)
    assert found.match(out * relay.op.tanh(out))


@irdl_op_definition
class TwoOutputsOp(IRDLOperation):
    name = "test.two_outputs"
    x = operand_def(AnyAttr())
    y = operand_def(AnyAttr())
    first = result_def(AnyAttr())
    second = result_def(AnyAttr())


def test_multi_output():
    # Pattern
    is_2outputs = is_op(TwoOutputsOp)(wildcard(), wildcard())
    is_output1 = is_2outputs[0]
    is_output2 = is_2outputs[1]
    # Expr
    tensor = TensorType.get(None, f32)
    inp = relay.op.get("relax.relu").create(operands=[], result_types=[tensor]).results[0]
    result = TwoOutputsOp.create(operands=[inp, inp], result_types=[tensor, tensor])
    output1 = result.results[0]
    output2 = result.results[1]
    # Check
    assert is_output1.match(output1)
    assert is_output2.match(output2)
    assert not is_output1.match(output2)
    assert not is_output2.match(output1)


def test_multi_output_of_a_tuple():
    """The same where the outputs are the fields of a tuple, as in Relay."""
    is_2outputs = is_op("tuple")(is_input(), is_input())
    inp, weight = relay.var("input"), relay.var("weight")
    result = relay.op.tuple(inp, weight)
    assert is_2outputs[0].match(result[0])
    assert is_2outputs[1].match(result[1])
    assert not is_2outputs[1].match(result[0])


def test_multi_output_of_an_expression():
    """The results of an expression that is not placed: those of one expression are one op's."""
    split = is_op("split")(wildcard())
    halves = relay.op.split(relay.var("x", shape=["n", 4]), 2, 1)
    assert split[0].match(halves[0]) and not split[1].match(halves[0])
    assert is_op("subtract")(split[1], split[0]).match(halves[1] - halves[0])
    other = relay.op.split(relay.var("x", shape=["n", 4]), 2, 1)
    assert not is_op("subtract")(split[1], split[0]).match(halves[1] - other[0])
    with pytest.raises(RelaxError, match=r"relax.split: .* its 2 results, counted from 0, found 2"):
        split.match(halves[2])
    with pytest.raises(RelaxError, match=r"relax.split: .* one result .*, found 2; e\[0\] is its"):
        split.match(relay.op.relu(halves))


def test_expression_pattern():
    x, y = relay.var("x"), relay.var("y")
    pattern = is_op("add")(x, wildcard())
    assert pattern.match(x + y) and pattern.match(y + x)
    assert not pattern.match(y + y)
    assert not pattern.match(relay.op.relu(x))
