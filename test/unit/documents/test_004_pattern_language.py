"""Document 004, A pattern language for Relay: its examples as it writes them, its grammar, and rewriting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from levels import Levels
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
from relax_dialect.dpl import (
    K_ELEMWISE,
    dominates,
    find_all,
    has_attr,
    is_constant,
    is_expr,
    is_input,
    is_op,
    is_tuple,
    named,
    partition,
    rewrite,
    wildcard,
)
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.kinds import K_BROADCAST

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


# The grammar, on a program that runs on both levels -------------------------------------------------------

NETWORK = """
relax.func @main(%x: !relax.tensor<[b, 3, h, w], f32>, %k: !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[b, 4, h, w], f32> {
  %r = relax.dataflow {
    %conv = relax.conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[b, 3, h, w], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> T
    %relu = relax.relu %conv : (T) -> T
    %leaky = relax.leakyrelu %conv {alpha = 0.0 : f64} : (T) -> T
    %out = relax.add %relu, %leaky : (T, T) -> T
    %two = relax.constant dense<2.0> : tensor<f32>
    %scaled = relax.multiply %out, %two : (T, S) -> T
    relax.output %scaled : T
  }
  relax.return %r : T
}
"""
T = "!relax.tensor<[b, 4, h, w], f32>"
FORMS = [
    [],
    ["relax-to-a-normal-form"],
    ["relax-to-graph-normal-form"],
    ["relax-to-basic-block-normal-form"],
]


def network(passes: list[str] | None = None) -> tuple[Levels, Any, dict[str, Any]]:
    """The program in a form, its function, and its values by name."""
    levels = Levels(NETWORK, passes=passes, T=T)
    (function,) = levels.module.ops
    values = {r.name_hint: r for o in function.walk() for r in o.results}
    return levels, function, values | {a.name_hint: a for a in function.regions[0].block.args}


conv = is_op("nn.conv2d")(is_input(), is_input())
relu, leaky = is_op("nn.relu")(conv), is_op("nn.leaky_relu")(conv)
total = is_op("add")(relu, leaky)
elementwise = has_attr(wildcard(), "TOpPattern", K_ELEMWISE)
any_sum = is_op("add")(wildcard(), wildcard())

GRAMMAR = {
    "expr": (lambda v: is_expr(v["relu"]), "relu"),
    "wildcard": (lambda v: wildcard(), "conv"),
    "call": (lambda v: is_op("add")(is_op("relu")(wildcard()), wildcard()), "out"),
    "call in the other order": (
        lambda v: is_op("add")(is_op("leakyrelu")(wildcard()), wildcard()),
        "out",
    ),
    "has_type": (lambda v: wildcard().has_type(T), "out"),
    "has_attr of a call": (
        lambda v: is_op("conv2d").has_attr("padding", [1, 1, 1, 1])(wildcard(), wildcard()),
        "conv",
    ),
    "has_attr of an operator": (lambda v: has_attr(wildcard(), "TOpPattern", K_BROADCAST), "out"),
    "is_input": (lambda v: is_input(), "x"),
    "named": (lambda v: named("it", is_op("relu")(wildcard())), "relu"),
    "alternation": (lambda v: is_op("tanh")(wildcard()) | is_op("relu")(wildcard()), "relu"),
    "dominates": (lambda v: dominates(conv, elementwise, any_sum), "out"),
    "a diamond": (lambda v: total, "out"),
    "a constant": (lambda v: is_op("multiply")(wildcard(), is_constant(2.0)), "scaled"),
}
REFUSED = {
    "expr": (lambda v: is_expr(v["relu"]), "leaky"),
    "call with too few arguments": (lambda v: is_op("relu")(is_input()), "relu"),
    "has_type": (lambda v: wildcard().has_dtype("f16"), "out"),
    "has_attr": (lambda v: is_op("conv2d").has_attr("padding", [0, 0, 0, 0])(wildcard(), wildcard()), "conv"),
    "has_attr of an operator": (lambda v: elementwise, "out"),
    "is_input": (lambda v: is_input(), "conv"),
    "an input has no parents": (lambda v: is_op("relu")(is_input()), "relu"),
    "alternation": (lambda v: is_op("tanh")(wildcard()) | is_op("exp")(wildcard()), "relu"),
    "two convolutions are no diamond": (
        lambda v: is_op("add")(is_op("relu")(conv), is_op("leakyrelu")(conv.dup())) & ~total, "out",
    ),
    "a path that is not elementwise": (
        lambda v: dominates(conv, is_op("softmax")(wildcard()), any_sum), "out",
    ),
    "a constant of another number": (lambda v: is_op("multiply")(wildcard(), is_constant(3.0)), "scaled"),
}  # fmt: skip


@pytest.mark.parametrize("form", range(len(FORMS)))
@pytest.mark.parametrize("kind", GRAMMAR)
def test_grammar(kind: str, form: int):
    """Each alternative of the grammar, in each form of the program."""
    make, name = GRAMMAR[kind]
    _, _, values = network(FORMS[form])
    assert make(values).match(values[name])


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_matched(kind: str):
    make, name = REFUSED[kind]
    _, _, values = network()
    assert not make(values).match(values[name])


def test_named_groups_are_found():
    _, _, values = network()
    match = is_op("add")(named("left", relu), named("right", leaky)).extract(values["out"])
    assert match["left"].value is values["relu"] and match["right"].value is values["leaky"]
    assert match[conv].value is values["conv"]


def images(batch: int, height: int, width: int) -> Any:
    rng = np.random.default_rng(0)
    return rng.standard_normal((batch, 3, height, width)).astype(np.float32)


KERNEL = np.random.default_rng(1).standard_normal((4, 3, 3, 3)).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [total, dominates(conv, elementwise, any_sum)])
def test_diamonds_are_rewritten(pattern: Any):
    """`relu(c) + leaky_relu(c)` with alpha = 0 is 2 relu(c): the result is the same on both levels."""
    levels, function, _ = network()
    before = [levels("main", images(*sizes), KERNEL) for sizes in SIZES]
    count = rewrite(
        pattern, lambda root, match: relay.op.multiply(relay.op.relu(match[conv]), 2.0), function
    )
    names = [o.name.removeprefix("relax.") for o in function.walk()]
    assert count == 1 and "add" not in names and names.count("relu") == 1
    rewritten = Levels(str(levels.module))
    for sizes, expected in zip(SIZES, before):
        found = rewritten("main", images(*sizes), KERNEL)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


SIZES = [(1, 4, 5), (2, 1, 1), (0, 3, 3)]


@pytest.mark.slow
def test_matches_become_functions():
    """The patterns of a backend: a function of its own for what it computes."""
    levels, _, _ = network()
    expected = levels("main", images(1, 4, 5), KERNEL)
    module = levels.module.clone()
    partition(total, module)
    (private,) = [f for f in module.ops if "main" not in str(f.properties["sym_name"])]
    names = [o.name.removeprefix("relax.") for o in private.walk()]
    assert [n for n in names if n in ("conv2d", "relu", "leakyrelu", "add")] == [
        "conv2d",
        "relu",
        "leakyrelu",
        "add",
    ]
    found = Levels(str(module))("main", images(1, 4, 5), KERNEL)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_all_matches_of_a_program():
    _, function, values = network()
    kinds = is_op("relu") | is_op("leakyrelu")
    roots = [match.root for match in find_all(kinds(wildcard()), function)]
    assert roots == [values["relu"], values["leaky"]]


def test_finite_multiple_outputs_run():
    """`result[0]` and `result[1]` of one op, rewritten together."""
    levels = Levels(
        "relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> H { %a, %b = relax.split %x {sections = 2 : i64, axis = 1 : i64} "
        ": (!relax.tensor<[n, 4], f32>) -> (H, H)\n %r = relax.subtract %a, %b : (H, H) -> H\n relax.return %r : H }",
        H="!relax.tensor<[n, 2], f32>",
    )
    halves = is_op("split")(wildcard())
    first, second = halves[0], halves[1]
    pattern = is_op("subtract")(first, second)
    (function,) = levels.module.ops
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert rewrite(pattern, lambda root, m: relay.op.negative(m[second] - m[first]), function)
    np.testing.assert_array_equal(levels("main", x), x[:, :2] - x[:, 2:])
    assert not is_op("subtract")(halves[1], halves[0]).match(
        function.regions[0].block.last_op.operands[0]
    )


def test_tuples_and_products_as_tvm_spells_them():
    """Operands that TVM has in a tuple; a product with a quotient in either form."""
    x, y, z = relay.var("x", shape=["n"]), relay.var("y", shape=["n"]), relay.var("z", shape=["n"])
    joined = relay.op.concat([x, y], axis=0)
    p, q = wildcard(), wildcard()
    for given in (is_tuple([p, q]), is_tuple(None), wildcard()):
        assert is_op("concatenate")(given).match(joined)
    a, b, c = wildcard(), wildcard(), wildcard()
    for expression in (x * (y / z), (x * y) / z, (y / z) * x):
        assert ((a * b) / c).match(expression) and (a * (b / c)).match(expression)
        assert not (a / (b * c)).match(expression)
