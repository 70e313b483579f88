"""`find_all`, and what can be matched: values, ops, expressions, operators."""

from __future__ import annotations

import re

import pytest
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import parse
from relax_dialect.builder import op, var
from relax_dialect.builder.open_regions import BuildError
from relax_dialect.builder.values import Value
from relax_dialect.dpl import (
    find_all,
    has_dtype,
    is_expr,
    is_input,
    is_let,
    is_op,
    is_var,
    only_used_by,
    repeat,
    together,
    wildcard,
)

PROGRAM = """
relax.func @f(%a: T, %b: T, %c: !relax.tensor<[], i1>) -> T {
  %p = relax.dataflow {
    %q = relax.relu %a : (T) -> T
    %s, %t = relax.split %q {sections = 2 : i64} : (T) -> (H, H)
    %u = relax.concat %s, %t {axis = 0 : i64} : (H, H) -> T
    relax.output %u : T
  }
  %n = relax.let %p : (T) -> T
  %i = relax.if %c : (!relax.tensor<[], i1>) -> T {
    %x = relax.relu %n : (T) -> T
    relax.yield %x : T
  } else {
    %y = relax.tanh %p : (T) -> T
    relax.yield %y : T
  }
  relax.return %i : T
}
relax.func private @g(%a: T) -> T {
  %r = relax.relu %a : (T) -> T
  relax.return %r : T
}
"""


@pytest.fixture
def module() -> ModuleOp:
    text = re.sub(r"\bT\b", "!relax.tensor<[4], f32>", PROGRAM)
    return parse(re.sub(r"\bH\b", "!relax.tensor<[2], f32>", text))


def names(pattern: object, where: object) -> list[str | None]:
    return [match.root.name_hint for match in find_all(pattern, where)]  # pyright: ignore


def test_all_roots_in_the_order_of_the_text(module: ModuleOp):
    func = next(iter(module.ops))
    assert names(is_op("relu")(wildcard()), module) == ["q", "x", "r"]
    assert names(is_op("relu")(wildcard()), func) == ["q", "x"]
    assert names(is_op("relu")(wildcard()), func.regions[0].block) == ["q", "x"]
    assert names(is_op("relu") | is_op("tanh"), func) == ["q", "x", "y"]


def test_parameters_are_found(module: ModuleOp):
    assert names(is_input(), module) == ["a", "b", "c", "a"]
    assert names(has_dtype(is_input(), "f32"), next(iter(module.ops))) == ["a", "b"]


def test_an_op_with_several_results_is_found_once(module: ModuleOp):
    assert names(is_op("split"), module) == ["s"]
    assert names(is_op("split")(wildcard()).named("s"), module) == ["s"]
    assert names(is_op("split")[1], module) == ["t"]
    assert names(wildcard().has_shape([2]), module) == ["s", "t"]


def test_bindings_are_found_where_they_are_asked_for(module: ModuleOp):
    assert names(is_let(wildcard(), is_op("concat")), module) == ["n"]
    assert names(is_var("n"), module) == ["n"]
    assert names(is_op("relu")(is_var("n")), module) == ["x"]
    assert names(is_op("concat"), module) == ["u"]


def test_blocks_and_bindings_are_seen_through(module: ModuleOp):
    concat = is_op("concat")
    assert names(is_op("relu")(concat) | is_op("tanh")(concat), module) == ["x", "y"]
    assert names(only_used_by(concat, is_op("relu")), module) == []
    assert names(only_used_by(is_op("split"), concat), module) == ["u"]


def test_several_roots_are_found_once():
    text = """relax.func @f(%x: T, %y: T) -> T {
      %a = relax.add %x, %y : (T, T) -> T
      %b = relax.add %x, %a : (T, T) -> T
      relax.return %b : T
    }"""
    module = parse(text.replace("T", "!relax.tensor<[4], f32>"))
    x = is_input()
    add = is_op("add")
    roots = add(x, wildcard()), add(x, wildcard())
    pairs = find_all(together(*roots, one_to_one=False), module)
    assert [[root.name_hint for root in match.roots] for match in pairs] == [["a", "b"]]
    assert find_all(together(*roots), module) == [], "one root is what the other wildcard matches"


def test_an_expression_of_a_programs_values_has_to_be_emitted_first(module: ModuleOp):
    value = next(iter(module.ops)).regions[0].block.args[1]
    with pytest.raises(
        BuildError, match="expected a value visible here, found %b, which belongs to"
    ):
        is_op("relu")(is_input()).match(op.relu(Value(value)))
    assert len(list(value.uses)) == 0


def test_a_variable_of_an_expression_stands_for_itself():
    x, y = var("x", shape=[4]), var("y", shape=[4])
    assert is_op("subtract")(x, y).match(x - y)
    assert not is_op("subtract")(y, x).match(x - y)
    assert is_expr(x).match(x) and not is_expr(x).match(y)
    assert x.is_free and y.is_free


def test_what_took_part_is_found_by_node_by_name_and_in_order():
    x = var("x", shape=[4])
    kept = []

    def wrap(p):
        kept.append(is_op("relu")(p))
        return kept[0]

    top = is_op("tanh")(repeat(is_input().named("in"), wrap).named("way")).named("top")
    match = top.extract(op.tanh(op.relu(op.relu(x))))
    assert match is not None
    assert list(match.names) == ["top", "way", "in"]
    assert [value.value.owner.name for value in match.each(kept[0])] == ["relax.relu"] * 2  # pyright: ignore
    assert [o.name for o in match.ops()] == ["relax.tanh", "relax.relu", "relax.relu"]
    assert "none" not in match and match.get("none") is None
