"""Expressions of the builder as patterns, products with quotients, and matches in the order of the text."""

from __future__ import annotations

from typing import Any

import pytest

from relax_dialect import parse
from relax_dialect.builder import op, var
from relax_dialect.builder.values import Value
from relax_dialect.dpl import (
    PatternContext,
    PatternError,
    find_all,
    is_expr,
    is_op,
    is_tuple,
    rewrite,
    together,
    wildcard,
)

T = "!relax.tensor<[n, 4], f32>"


def values(body: str) -> dict[str, Value]:
    """The values of a function of `%x, %y, %z`, by name."""
    text = f"relax.func @main(%x: {T}, %y: {T}, %z: {T}) -> !relax.object {{\n{body}\nrelax.return %r : {T}\n}}"
    module = parse(text.replace("$T", T))
    block = next(iter(module.ops)).regions[0].block
    found = [*block.args, *(result for each in block.ops for result in each.results)]
    return {value.name_hint or "": Value(value) for value in found}


PRODUCT = "%q = relax.divide %y, %z : ($T, $T) -> $T\n%r = relax.multiply %x, %q : ($T, $T) -> $T"


def test_expressions_that_are_not_emitted():
    """`is_expr` of an expression is its ops, with operands in this order and attributes as they are."""
    v = values(PRODUCT)
    x, y, z, r = v["x"], v["y"], v["z"], v["r"].value
    assert is_expr(x * (y / z)).match(r)
    assert not is_expr(x * (z / y)).match(r)
    assert not is_expr((y / z) * x).match(r)
    assert not is_expr((x * y) / z).match(r)
    assert (is_expr(y / z) * wildcard()).match(r)


@pytest.mark.parametrize(
    ("expression", "matches"),
    [
        (lambda x, y: op.softmax(x, axis=1), True),
        (lambda x, y: op.softmax(x), True),  # the last axis is that one
        (lambda x, y: op.softmax(x, axis=0), False),
        (lambda x, y: op.softmax(y, axis=1), False),
        (lambda x, y: op.relu(x), False),
    ],
)
def test_attributes_of_expressions(expression: Any, matches: bool):
    v = values("%r = relax.softmax %x {axis = -1 : i64} : ($T) -> $T")
    assert bool(is_expr(expression(v["x"], v["y"])).match(v["r"].value)) is matches


def test_numbers_and_lists_in_expressions():
    v = values(
        "%k = relax.constant dense<1.0> : tensor<f32>\n"
        "%a = relax.add %x, %k : ($T, !relax.tensor<[], f32>) -> $T\n"
        "%c = relax.concat %a, %y {axis = 0 : i64} : ($T, $T) -> !relax.tensor<[2 * n, 4], f32>\n"
        "%r = relax.relu %a : ($T) -> $T"
    )
    x, y, c = v["x"], v["y"], v["c"].value
    assert is_expr(op.concat([x + 1, y], axis=0)).match(c)
    assert not is_expr(op.concat([x + 2, y], axis=0)).match(c)
    assert not is_expr(op.concat([x + 1, y], axis=1)).match(c)
    with pytest.raises(PatternError, match="is_expr: expected an expression of operators"):
        is_expr(op.call_pure_packed("f", [x], x.type))


def test_products_and_quotients_are_rewritten():
    """The factors are found in either form, and the whole value is replaced."""
    v = values(PRODUCT)
    a, b, c = (is_expr(v[name]) for name in "xyz")
    pattern = (a * b) / c
    function = v["r"].value.owner.parent_op()
    rewrite(pattern, lambda root, match: op.negative(match[b]), function)
    names = [each.name for each in function.body.block.ops]
    assert names == ["relax.negative", "relax.return"]


def test_the_spelling_of_tvm_for_operands_in_a_tuple():
    """`concat(wildcard())` takes any number of operands; the list says how many."""
    v = values(
        "%s = relax.stack %x, %y, %z {axis = 0 : i64} : ($T, $T, $T) -> !relax.tensor<[3, n, 4], f32>\n"
        '%e = relax.einsum %x, %y {subscripts = "ij,ij->ij"} : ($T, $T) -> $T\n'
        "%c = relax.concat %x {axis = 0 : i64} : ($T) -> $T\n"
        "%r = relax.relu %c : ($T) -> $T"
    )
    any_one, any_other = wildcard(), wildcard()
    for name, count in (("stack", 3), ("einsum", 2), ("concat", 1)):
        value, called = v[name[0]].value, is_op(name)
        for given in (
            wildcard(),
            is_tuple(None),
            None,
            is_tuple([wildcard() for _ in range(count)]),
        ):
            assert called(given).match(value), (name, given)
        assert bool(called(is_tuple([any_one, any_other])).match(value)) is (count == 2)
        assert bool(called(any_one, any_other).match(value)) is (count == 2)
    only = wildcard()
    assert is_op("concat")(only).extract(v["c"].value)[only].value is v["x"].value
    assert str(is_op("concat")(only)) == "concat(*)"


def test_equal_matches_come_in_the_order_of_the_text():
    """Of several values that fit, the first one of the text is taken."""
    v = values(
        "%r = relax.dataflow {\n%a = relax.relu %x : ($T) -> $T\n%b = relax.tanh %x : ($T) -> $T\n%c = relax.tanh %x : ($T) -> $T\n"
        "%d = relax.tanh %x : ($T) -> $T\n%e = relax.add %d, %c : ($T, $T) -> $T\n"
        "%f = relax.add %e, %b : ($T, $T) -> $T\n%g = relax.add %f, %a : ($T, $T) -> $T\n"
        "relax.output %g : $T\n}"
    )
    shared = wildcard()
    first, second = is_op("relu")(shared), is_op("tanh")(shared)
    function = v["r"].value.owner.parent_op()
    (found,) = find_all(together(first, second), function)
    assert (found[first].name, found[second].name) == ("a", "b")
    with PatternContext() as context:
        used = wildcard()
        ones = [is_op("tanh")(used), is_op("tanh")(used), is_op("relu")(used)]
        matched = context.match_dfb(v["r"].value.owner)
    assert [matched[one].name for one in ones] == ["b", "c", "a"]


EXPRESSIONS = {
    "x*(y/z)": lambda x, y, z: x * (y / z),
    "(y/z)*x": lambda x, y, z: (y / z) * x,
    "(x*y)/z": lambda x, y, z: (x * y) / z,
    "(x/y)*z": lambda x, y, z: (x / y) * z,
    "x/(y*z)": lambda x, y, z: x / (y * z),
    "(x/y)/z": lambda x, y, z: (x / y) / z,
    "x/(y/z)": lambda x, y, z: x / (y / z),
    "x*(y*z)": lambda x, y, z: x * (y * z),
}
OF_TVM = {
    "x*(y/z)": {"x*(y/z)", "(y/z)*x", "(x*y)/z", "(x/y)*z"},
    "(y/z)*x": {"x*(y/z)", "(y/z)*x", "(x*y)/z", "(x/y)*z"},
    "(x*y)/z": {"x*(y/z)", "(y/z)*x", "(x*y)/z", "(x/y)*z"},
    "x/(y*z)": {"x/(y*z)"},
    "x/(y/z)": {"x/(y/z)"},
}
"""The expressions that patterns of these forms match in TVM 0.27."""


@pytest.mark.parametrize("pattern", OF_TVM)
def test_products_and_quotients_match_as_in_tvm(pattern: str):
    made = EXPRESSIONS[pattern](wildcard(), wildcard(), wildcard())
    parameters = [var(name, shape=["n"]) for name in "xyz"]
    matched = {name for name, build in EXPRESSIONS.items() if made.match(build(*parameters))}
    assert matched == OF_TVM[pattern]
