"""Partitioning: which matches become functions, what the functions look like, and what they mean."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from effort import effort
from hypothesis import given
from optional import examples
from random_programs import Program, programs
from xdsl.dialects.builtin import ModuleOp

import relax_dialect
from relax_dialect import interpret
from relax_dialect.dpl import (
    K_ELEMWISE,
    Match,
    Pattern,
    PatternError,
    dominates,
    is_call_packed,
    is_constant,
    is_if,
    is_op,
    together,
    wildcard,
)
from relax_dialect.dpl.rewriter.drivers import partition
from relax_dialect.dpl.rewriter.outlined_matches import function_key
from relax_dialect.errors import RelaxError
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import verify
from relax_dialect.rewrites.forms.to_a_normal_form import to_a_normal_form
from relax_dialect.rewrites.forms.to_basic_block_normal_form import to_basic_block_normal_form
from relax_dialect.rewrites.forms.to_graph_normal_form import to_graph_normal_form
from relax_dialect.transform.regions import functions

T = "!relax.tensor<[n], f32>"
ROW = np.array([-2.0, -0.5, 0.0, 1.0, 3.5], np.float32)


def program(body: str, result: str = "%y", parameters: str = f"%x: {T}") -> ModuleOp:
    """A module of one function; `{T}` in the body is the type of a row of n floats."""
    text = body.replace("{T}", T)
    return relax_dialect.parse(
        f"relax.func @main({parameters}) -> {T} {{\n{text}\nrelax.return {result} : {T}\n}}"
    )


def line(name: str, op: str, *operands: str) -> str:
    """A binding of an operator on rows."""
    types = ", ".join(["{T}"] * len(operands))
    return f"{name} = relax.{op} {', '.join(operands)} : ({types}) -> {{T}}\n"


CHAIN = line("%a", "exp", "%x") + line("%b", "tanh", "%a") + line("%y", "add", "%b", "%x")


def tanh_of_exp() -> Pattern:
    return is_op("tanh")(is_op("exp")(wildcard()))


def outlined(module: ModuleOp) -> list[FuncOp]:
    """The functions that partitioning made."""
    marks = ("Composite", "PartitionedFromPattern")
    return [f for f in functions(module) if any(m in f.attributes for m in marks)]


def names(module: ModuleOp) -> list[str]:
    return [f.sym_name.data for f in outlined(module)]


def body(function: FuncOp) -> list[str]:
    """The names of the ops in a function."""
    return [op.name.removeprefix("relax.") for op in function.body.block.ops]


def parameters(function: FuncOp) -> list[str]:
    return [str(t).removeprefix("!relax.") for t in function.body.block.arg_types]


def assert_same(
    module: ModuleOp, pattern: Pattern, count: int, *arguments: object, **options
) -> None:
    """Partition, verify, and compare what the program gives before and after."""
    before = interpret.run(module, "main", *arguments)
    calls = partition(pattern, module, **options)
    assert len(calls) == count
    verify(module)
    assert str(relax_dialect.parse(str(module))) == str(module)
    after = interpret.run(module, "main", *arguments, check_types=True)
    np.testing.assert_array_equal(after, before)


class TestWhatIsMade:
    def test_a_match_becomes_a_call(self):
        module = program(CHAIN)
        assert_same(module, tanh_of_exp(), 1, ROW)
        (function,) = outlined(module)
        assert function.is_private
        assert function.sym_name.data == "fused_exp_tanh"
        assert body(function) == ["exp", "tanh", "return"]
        main = functions(module)[0]
        assert body(main) == ["call", "add", "return"]
        (call, *_) = main.body.block.ops
        assert call.results[0].name_hint == "b"
        assert str(function.attributes["PartitionedFromPattern"]) == '"exp_tanh"'

    def test_attributes(self):
        module = program(CHAIN)
        partition(tanh_of_exp(), module, {"Codegen": "mine", "level": 3, "x": 0.5}, name="mine.p")
        (function,) = outlined(module)
        assert {k: str(v) for k, v in function.attributes.items()} == {
            "Codegen": '"mine"',
            "Composite": '"mine.p"',
            "level": "3 : i64",
            "x": "5.000000e-01 : f64",
        }

    def test_the_check_may_refuse(self):
        x = wildcard()
        seen: list[str | None] = []

        def check(match: Match) -> bool:
            seen.append(match[x].value.name_hint)
            return match[x].value.name_hint == "a"

        module = program(
            line("%a", "exp", "%x") + line("%b", "exp", "%a") + line("%y", "exp", "%b")
        )
        assert_same(module, is_op("exp")(x), 1, ROW, check=check)
        assert seen == ["b", "a", "x"]

    def test_the_larger_of_two_matches(self):
        text = "".join(line(f"%{b}", "exp", f"%{a}") for a, b in zip("xabc", "abcy"))
        module = program(text)
        assert_same(module, is_op("exp")(is_op("exp")(is_op("exp")(wildcard()))), 1, ROW)
        assert body(functions(module)[0]) == ["exp", "call", "return"]

    def test_an_alternative_is_as_large_as_it_can_be(self):
        pattern = is_op("exp")(wildcard()).optional(is_op("tanh"))
        module = program(CHAIN)
        assert_same(module, pattern, 1, ROW)
        assert names(module) == ["fused_exp_tanh"]

    def test_equal_functions_are_one(self):
        text = line("%a", "exp", "%x") + line("%b", "tanh", "%a")
        module = program(text + line("%c", "exp", "%b") + line("%y", "tanh", "%c"))
        assert_same(module, tanh_of_exp(), 2, ROW)
        assert names(module) == ["fused_exp_tanh"]

    def test_functions_of_other_types_are_others(self):
        module = relax_dialect.parse("""
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %z: !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4], f32>> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %b = relax.exp %y : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %c = relax.exp %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %t = relax.tuple %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4], f32>>
}""")
        partition(is_op("exp")(wildcard()), module)
        verify(module)
        assert names(module) == ["fused_exp", "fused_exp_1"]
        found = interpret.run(module, "main", ROW, ROW[:2], ROW[:4], check_types=True)
        for value, size in zip(found, (5, 2, 4), strict=True):
            np.testing.assert_allclose(value, np.exp(ROW[:size]), rtol=1e-6)

    def test_names_are_unique_and_not_endless(self):
        text = "".join(line(f"%{b}", "exp", f"%{a}") for a, b in zip("xabcdefg", "abcdefgy"))
        module = relax_dialect.parse(
            str(program(text)).replace(
                "builtin.module {",
                "builtin.module {\nrelax.func private "
                f"@fused_exp_exp_exp_exp_exp_exp_etc(%x: {T}) -> {T} {{ relax.return %x : {T} }}",
            )
        )
        pattern = wildcard()
        for _ in range(8):
            pattern = is_op("exp")(pattern)
        partition(pattern, module)
        assert names(module) == ["fused_exp_exp_exp_exp_exp_exp_etc_1"]

    def test_what_is_outlined_is_not_partitioned_again(self):
        module = program(CHAIN)
        partition(tanh_of_exp(), module)
        once = str(module)
        assert partition(tanh_of_exp(), module) == []
        assert partition(is_op("exp")(wildcard()), module) == []
        assert str(module) == once

    def test_one_function_alone(self):
        text = "".join(
            f"relax.func @{name}(%x: {{T}}) -> {{T}} {{\n{line('%y', 'exp', '%x')}relax.return %y : {{T}}\n}}\n"
            for name in "fg"
        )
        module = relax_dialect.parse(text.replace("{T}", T))
        (call,) = partition(is_op("exp")(wildcard()), functions(module)[1])
        assert call.parent_op() is functions(module)[1]
        assert [body(f) for f in functions(module)] == [
            ["exp", "return"],
            ["call", "return"],
            ["exp", "return"],
        ]


class TestWhatStays:
    @pytest.mark.parametrize(
        "text",
        [
            line("%a", "exp", "%x") + line("%b", "tanh", "%a") + line("%y", "add", "%a", "%b"),
            line("%a", "exp", "%x")
            + "%y = relax.dataflow {\n"
            + line("%b", "tanh", "%a")
            + "relax.output %b : {T}\n}",
            "%y, %a = relax.dataflow {\n"
            + line("%b", "exp", "%x")
            + line("%c", "tanh", "%b")
            + "relax.output %c, %b : {T}, {T}\n}\n"
            + line("%z", "add", "%a", "%y"),
            line("%a", "exp", "%x") + "relax.print %x : ({T}) -> ()\n" + line("%y", "tanh", "%a"),
        ],
        ids=[
            "inner value used outside",
            "across blocks",
            "inner value passed out",
            "effect between",
        ],
    )
    def test_where_the_match_is_not_whole(self, text: str):
        module = program(text)
        before = str(module)
        assert partition(tanh_of_exp(), module) == []
        assert str(module) == before

    def test_a_later_effect_is_none_of_its_business(self):
        module = program(CHAIN.replace("%y =", "relax.print %b : ({T}) -> ()\n%y ="))
        assert len(partition(tanh_of_exp(), module)) == 1

    def test_what_has_an_effect(self):
        text = '%y = relax.call_packed "f"(%x) : ({T}) -> {T}'
        module = program(text)
        assert is_call_packed().find_all(module)
        assert partition(is_call_packed(), module) == []

    def test_what_defines_a_variable(self):
        text = """
          %a = relax.match_cast %x : {T} -> !relax.tensor<[k], f32>
          %b = relax.exp %a : (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
          %y = relax.match_cast %b : !relax.tensor<[k], f32> -> {T}
        """
        module = program(text)
        pattern = is_op("exp")(is_op("match_cast"))
        assert pattern.find_all(module)
        assert partition(pattern, module) == []
        assert partition(is_op("match_cast"), module) == []

    def test_a_constant(self):
        module = program(TestConstants.TEXT)
        assert is_constant().find_all(module)
        before = str(module)
        assert partition(is_constant(), module) == []
        assert str(module) == before


def test_a_wildcard_takes_every_op_by_itself():
    module = program(TestConstants.TEXT)
    assert_same(module, wildcard(), 2, ROW, bind_constants=True)
    assert body(functions(module)[0]) == ["call", "call", "return"]


class TestSizes:
    def test_a_variable_that_no_parameter_tells(self):
        module = relax_dialect.parse("""
relax.func @main(%x: !relax.tensor<[1], f32>, %k: !relax.shape<[n, m]>) -> !relax.tensor<[n, 2 * m], f32> {
  %s = relax.shape [n, 2 * m]
  %a = relax.broadcast_to %x, %s : (!relax.tensor<[1], f32>, !relax.shape<[n, 2 * m]>) -> !relax.tensor<[n, 2 * m], f32>
  %y = relax.exp %a : (!relax.tensor<[n, 2 * m], f32>) -> !relax.tensor<[n, 2 * m], f32>
  relax.return %y : !relax.tensor<[n, 2 * m], f32>
}""")
        pattern = is_op("exp")(is_op("broadcast_to")(wildcard(), wildcard()))
        assert_same(module, pattern, 1, ROW[:1], (3, 2))
        (function,) = outlined(module)
        assert parameters(function) == ["tensor<[1], f32>", "shape<[n, 2 * m]>", "shape<[m]>"]
        assert str(function.function_type.output) == "!relax.tensor<[n, 2 * m], f32>"

    def test_a_variable_that_a_parameter_tells_is_not_passed(self):
        module = program(CHAIN)
        partition(tanh_of_exp(), module)
        assert parameters(outlined(module)[0]) == ["tensor<[n], f32>"]

    def test_a_variable_of_the_body(self):
        """It is defined by a match in front of the call, which passes it."""
        module = relax_dialect.parse(
            """
relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %gv = relax.dataflow {
    %y = relax.tanh %b : (!relax.tensor<[2 * k], f32>) -> !relax.tensor<[2 * k], f32>
    %b = relax.exp %c : (!relax.tensor<[2 * k], f32>) -> !relax.tensor<[2 * k], f32>
    %c = relax.concat %a, %a axis = 0 : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[2 * k], f32>
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
    relax.output %y : !relax.tensor<[2 * k], f32>
  }
  relax.return %gv : !relax.tensor<[2 * k], f32>
}""".replace(" axis = 0", " {axis = 0 : i64}")
        )
        assert_same(module, tanh_of_exp(), 1, ROW)
        assert parameters(outlined(module)[0]) == ["tensor<[2 * k], f32>", "shape<[k]>"]

    def test_unknown_sizes(self):
        module = relax_dialect.parse(str(program(CHAIN)).replace("[n]", "[?]"))
        assert_same(module, tanh_of_exp(), 1, ROW)
        assert parameters(outlined(module)[0]) == ["tensor<[?], f32>"]


class TestParameters:
    """They stand in the order in which the pattern meets them."""

    ROWS = ", ".join(f"%{name}: {T}" for name in "xwbs")

    def order(self, text: str, pattern: Pattern, name: str) -> list[str | None]:
        module = program(text, parameters=self.ROWS)
        (call,) = partition(pattern, module, name=name)
        verify(module)
        return [value.name_hint for value in call.operands]

    PRODUCT = line("%p", "multiply", "%x", "%w")

    def test_arguments_from_left_to_right(self):
        product = is_op("multiply")(wildcard(), wildcard())
        text = self.PRODUCT + line("%y", "subtract", "%b", "%p")
        assert self.order(text, is_op("subtract")(wildcard(), product), "s") == ["b", "x", "w"]

    def test_the_pattern_counts_where_arguments_may_be_swapped(self):
        exp = is_op("exp")(wildcard())
        text = line("%e", "exp", "%w") + line("%y", "add", "%x", "%e")
        assert self.order(text, is_op("add")(exp, wildcard()), "s") == ["w", "x"]
        assert self.order(text, is_op("add")(wildcard(), exp), "s") == ["x", "w"]

    def test_a_value_met_twice_is_one(self):
        x = wildcard()
        text = self.PRODUCT + line("%q", "subtract", "%w", "%p") + line("%y", "add", "%x", "%q")
        pattern = is_op("add")(x, is_op("subtract")(wildcard(), is_op("multiply")(x, wildcard())))
        assert self.order(text, pattern, "s") == ["x", "w"]

    def test_arguments_that_the_pattern_leaves_open(self):
        text = line("%e", "exp", "%b") + self.PRODUCT + line("%y", "subtract", "%p", "%e")
        pattern = is_op("subtract")(is_op("multiply"), is_op("exp")(wildcard()))
        assert self.order(text, pattern, "s") == ["x", "w", "b"]

    def test_turns_of_a_repetition_in_the_order_of_evaluation(self):
        text = line("%e", "exp", "%x")
        for a, b, bias in (("e", "p", "s"), ("p", "q", "w"), ("q", "y", "b")):
            text += line(f"%{b}", "subtract", f"%{a}", f"%{bias}")
        pattern = is_op("exp")(wildcard()).repeat(lambda p: is_op("subtract")(p, wildcard()))
        assert self.order(text, pattern, "s") == ["x", "s", "w", "b"]

    def test_parent_then_path_then_child(self):
        text = line("%e", "exp", "%w") + line("%p", "add", "%s", "%e")
        text += line("%y", "multiply", "%x", "%p")
        elemwise = is_op("add")(wildcard(), wildcard())
        child = is_op("multiply")(wildcard(), wildcard())
        assert self.order(text, dominates(is_op("exp")(wildcard()), elemwise, child), "s") == [
            "w",
            "s",
            "x",
        ]


class TestConstants:
    TEXT = "%c = relax.constant dense<2.0> : tensor<f32>\n" + (
        "%a = relax.multiply %x, %c : ({T}, !relax.tensor<[], f32>) -> {T}\n"
        "%y = relax.multiply %a, %c : ({T}, !relax.tensor<[], f32>) -> {T}"
    )

    @pytest.mark.parametrize(("scale", "bound"), [(is_constant, None), (wildcard, True)])
    def test_they_are_copied_into_the_function(self, scale, bound: bool | None):
        module = program(self.TEXT)
        pattern = is_op("multiply")(wildcard(), scale())
        assert_same(module, pattern, 2, ROW, bind_constants=bound)
        (function,) = outlined(module)
        assert body(function) == ["constant", "multiply", "return"]
        assert body(functions(module)[0]) == ["call", "call", "return"], "no copy is left behind"

    def test_those_that_a_wildcard_matched_are_passed(self):
        module = program(self.TEXT)
        assert_same(module, is_op("multiply")(wildcard(), wildcard()), 2, ROW)
        (function,) = outlined(module)
        assert parameters(function) == ["tensor<[n], f32>", "tensor<[], f32>"]
        assert body(functions(module)[0]) == ["constant", "call", "call", "return"]

    @pytest.mark.parametrize("form", ["A-normal form", "graph form", "basic blocks"])
    def test_the_pattern_decides_for_each(self, form: str):
        text = "%c = relax.constant dense<2.0> : tensor<f32>\n" + (
            "%d = relax.constant dense<3.0> : tensor<f32>\n"
            "%a = relax.multiply %x, %c : ({T}, !relax.tensor<[], f32>) -> {T}\n"
            "%y = relax.add %a, %d : ({T}, !relax.tensor<[], f32>) -> {T}"
        )
        module = program(text)
        FORMS[form](functions(module)[0])
        pattern = is_op("add")(is_op("multiply")(wildcard(), is_constant()), wildcard())
        assert_same(module, pattern, 1, ROW)
        (function,) = outlined(module)
        assert body(function) == ["constant", "multiply", "add", "return"]
        assert parameters(function) == ["tensor<[n], f32>", "tensor<[], f32>"]
        assert "dense<2.0" in str(function)
        assert "dense<3.0" in str(functions(module)[0])

    def test_the_side_of_an_alternative_that_matched_decides(self):
        for first, count in ((is_constant(), 1), (is_op("exp")(wildcard()), 2)):
            module = program(self.TEXT)
            pattern = is_op("multiply")(wildcard(), first | wildcard())
            assert_same(module, pattern, 2, ROW)
            assert len(parameters(outlined(module)[0])) == count

    def test_they_are_passed_if_asked(self):
        module = program(self.TEXT)
        pattern = is_op("multiply")(wildcard(), is_constant())
        assert_same(module, pattern, 2, ROW, bind_constants=False)
        assert parameters(outlined(module)[0]) == ["tensor<[n], f32>", "tensor<[], f32>"]

    def test_functions_with_other_constants_are_others(self):
        text = "%d = relax.constant dense<-0.0> : tensor<f32>\n" + self.TEXT.replace("2.0", "0.0")
        module = program(text.replace("%a, %c", "%a, %d"))
        assert_same(module, is_op("multiply")(wildcard(), is_constant()), 2, ROW)
        assert len(outlined(module)) == 2


FORMS = {
    "A-normal form": to_a_normal_form,
    "graph form": to_graph_normal_form,
    "basic blocks": to_basic_block_normal_form,
}


GRAPH = """%y = relax.graph {
  %z = relax.if %c : (!relax.tensor<[], i1>) -> {T} {
    %b = relax.tanh %a : ({T}) -> {T}
    %d = relax.exp %b : ({T}) -> {T}
    %e = relax.tanh %d : ({T}) -> {T}
    relax.yield %e : {T}
  } else {
    relax.yield %x : {T}
  }
  %a = relax.exp %x : ({T}) -> {T}
  %c = relax.constant dense<1> : tensor<i1>
  relax.output %z : {T}
}"""
"""A node of the graph is used in one branch; another pair stands in the branch itself."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [CHAIN, GRAPH])
def test_the_same_in_every_form(form: str, text: str):
    """In graph form the pair across the branch is left alone; in the others it is in the branch."""
    module = program(text)
    FORMS[form](functions(module)[0])
    verify(module)
    before = interpret.run(module, "main", ROW)
    calls = partition(tanh_of_exp(), module)
    verify(module)
    assert [op for op in body(outlined(module)[0]) if op != "let"] == ["exp", "tanh", "return"]
    assert len(calls) == (2 if text is GRAPH and form != "graph form" else 1)
    np.testing.assert_array_equal(interpret.run(module, "main", ROW), before)


def test_in_branches():
    branch = "{\n" + line("%a", "exp", "%x") + line("%b", "tanh", "%a") + "relax.yield %b : {T}\n}"
    module = program(
        "%c = relax.constant dense<1> : tensor<i1>\n"
        f"%y = relax.if %c : (!relax.tensor<[], i1>) -> {{T}} {branch} else {branch}"
    )
    assert_same(module, tanh_of_exp(), 2, ROW)
    assert names(module) == ["fused_exp_tanh"]


def test_not_from_outside_into_a_branch():
    text = """%c = relax.constant dense<1> : tensor<i1>
      %a = relax.exp %x : ({T}) -> {T}
      %y = relax.if %c : (!relax.tensor<[], i1>) -> {T} {
        %b = relax.tanh %a : ({T}) -> {T}
        relax.yield %b : {T}
      } else { relax.yield %x : {T} }"""
    module = program(text)
    assert partition(tanh_of_exp(), module) == []


def test_a_whole_if():
    text = """%c = relax.constant dense<1> : tensor<i1>
      %y = relax.if %c : (!relax.tensor<[], i1>) -> {T} {
        %b = relax.tanh %x : ({T}) -> {T}
        relax.yield %b : {T}
      } else { relax.yield %x : {T} }"""
    module = program(text)
    assert_same(module, is_if(wildcard(), is_op("tanh")(wildcard()), wildcard()), 1, ROW)
    assert names(module) == ["fused_if"]


def test_several_roots_give_a_tuple():
    x = wildcard()
    text = line("%a", "exp", "%x") + line("%b", "tanh", "%x") + line("%y", "add", "%a", "%b")
    module = program(text)
    assert_same(module, together(is_op("exp")(x), is_op("tanh")(x)), 1, ROW)
    (function,) = outlined(module)
    assert body(function) == ["exp", "tanh", "tuple", "return"]
    assert body(functions(module)[0]) == [
        "call",
        "tuple_get_item",
        "tuple_get_item",
        "add",
        "return",
    ]


@pytest.mark.parametrize("block", ["dataflow", "binding_block"])
def test_two_pairs_that_would_wait_for_each_other(block: str):
    """a1 -> b1 and b2 -> a2: either pair may be one function, both would be a cycle."""
    text = (
        line("%z", "exp", "%x")
        + line("%a1", "add", "%x", "%x")
        + line("%b2", "add", "%z", "%x")
        + line("%b1", "add", "%z", "%a1")
        + line("%a2", "add", "%x", "%b2")
        + line("%w", "multiply", "%b1", "%a2")
    )
    shared, add = wildcard(), is_op("add")
    pattern = together(
        add(shared, wildcard(), in_order=True),
        add(shared, wildcard(), in_order=True),
        one_to_one=False,
    )
    module = program(f"%y = relax.{block} {{\n{text}relax.output %w : {{T}}\n}}")
    assert len({m.roots[0] for m in pattern.find_all(module)}) >= 2
    assert_same(module, pattern, 1, ROW)


def test_roots_with_a_variable_defined_between_them():
    """The second names k, which the first one's place does not know."""
    module = program(
        """
      %a = relax.exp %x : ({T}) -> {T}
      %c = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
      %b = relax.call_pure_packed "f"(%x) : ({T}) -> !relax.tensor<[k], f32>
      relax.print %b : (!relax.tensor<[k], f32>) -> ()
    """,
        "%a",
        f"%x: {T}, %u: !relax.tensor<[?], f32>",
    )
    x = wildcard()
    pattern = together(is_op("exp")(x), is_call_packed("f", [x]))
    assert len(pattern.find_all(module)) == 1
    assert partition(pattern, module) == []
    verify(module)


CONV = """
relax.func @main(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.tensor<[n, 4, 8, 8], f32> {
  %gv = relax.dataflow {
    %0 = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.tensor<[n, 4, 8, 8], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, 4, 8, 8], f32>) -> !relax.tensor<[n, 4, 8, 8], f32>
    %2 = relax.tanh %1 : (!relax.tensor<[n, 4, 8, 8], f32>) -> !relax.tensor<[n, 4, 8, 8], f32>
    %3 = relax.exp %1 : (!relax.tensor<[n, 4, 8, 8], f32>) -> !relax.tensor<[n, 4, 8, 8], f32>
    %4 = relax.add %2, %3 : (!relax.tensor<[n, 4, 8, 8], f32>, !relax.tensor<[n, 4, 8, 8], f32>) -> !relax.tensor<[n, 4, 8, 8], f32>
    relax.output %4 : !relax.tensor<[n, 4, 8, 8], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4, 8, 8], f32>
}"""


def test_a_dominator_pattern_is_outlined_whole():
    module = relax_dialect.parse(CONV)
    conv = is_op("conv2d")(wildcard(), wildcard())
    path = wildcard().has_attr("TOpPattern", K_ELEMWISE)(wildcard())
    pattern = dominates(conv, path, is_op("add")(wildcard(), wildcard()))
    random = np.random.default_rng(0)
    x = random.standard_normal((2, 3, 8, 8)).astype(np.float32)
    w = random.standard_normal((4, 3, 1, 1)).astype(np.float32)
    assert_same(module, pattern, 1, x, w)
    (function,) = outlined(module)
    assert sorted(body(function)) == sorted(["conv2d", "relu", "tanh", "exp", "add", "return"])


def test_equal_functions_have_equal_keys():
    first, second = program(CHAIN), program(CHAIN.replace("%b", "%q"))
    renamed = relax_dialect.parse(str(first).replace("[n]", "[k]"))
    other = relax_dialect.parse(str(first).replace("relax.exp", "relax.sin"))
    keys = [function_key(functions(m)[0]) for m in (first, second, renamed, other)]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def wrong(value: Any) -> Any:
    """A value of a type that is not asked for."""
    return value


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda m: partition(3, wrong("main")),
            "partition: expected a relax.func or a module, found 'main'",
        ),
        (
            lambda m: partition(is_op("exp"), functions(m)[0].clone()),
            "partition: expected a function of a module, which the new functions are put into, found "
            "@main without one; put it into a module",
        ),
        (lambda m: partition("exp", m), "expected a pattern, a value or a number, found 'exp'"),
        (
            lambda m: partition(is_op("exp"), m, name=""),
            "partition: expected a name for the functions",
        ),
        (
            lambda m: partition(is_op("exp"), m, check=wrong(3)),
            "partition: expected a function of a match",
        ),
        (
            lambda m: partition(is_op("exp"), m, wrong([1])),
            "partition: expected the attributes as a mapping",
        ),
        (
            lambda m: partition(is_op("exp"), m, {"Composite": "a.b"}),
            "found 'Composite'; a composite is named by the argument name",
        ),
        (
            lambda m: partition(is_op("exp"), m, {"k": wrong(object)}),
            "partition: expected text, a number or an attribute for 'k', found <class 'object'>",
        ),
    ],
)
def test_what_is_refused(make, message: str):
    module = program(CHAIN)
    before = str(module)
    with pytest.raises(PatternError, match=re.escape(message)):
        make(module)
    assert str(module) == before


PATTERNS = {
    "elementwise pairs": lambda: wildcard().has_attr("TOpPattern", K_ELEMWISE)(
        wildcard().has_attr("TOpPattern", K_ELEMWISE)(wildcard())
    ),
    "tanh of anything": lambda: is_op("tanh")(wildcard()),
    "tanh of a binary": lambda: is_op("tanh")(
        (is_op("add") | is_op("multiply") | is_op("subtract"))(wildcard(), wildcard())
    ),
    "reshapes": lambda: is_op("reshape")(wildcard(), wildcard()),
    "broadcasts": lambda: is_op("broadcast_to")(wildcard(), wildcard()),
    "matmuls": lambda: is_op("tanh")(
        is_op("matmul")(wildcard(), is_op("permute_dims")(wildcard()) | wildcard())
    ),
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("bind_constants", [True, False])
@examples(12)
@given(program=programs())
def test_random_programs_mean_the_same(pattern: str, bind_constants: bool, program: Program):
    module = relax_dialect.parse(str(program.module))
    partition(PATTERNS[pattern](), module, bind_constants=bind_constants)
    verify(module)
    try:
        expected = interpret.run(program.module, "main", *program.arguments)
    except RelaxError:
        return  # sizes that do not fit at run time
    found = interpret.run(module, "main", *program.arguments, check_types=True)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def long_chain(length: int) -> ModuleOp:
    text, last = "", "%x"
    for number in range(length // 4):
        text += line(f"%a{number}", "exp", last) + line(f"%b{number}", "tanh", f"%a{number}")
        text += line(f"%c{number}", "add", f"%b{number}", "%x") + line(
            f"%d{number}", "sin", f"%c{number}"
        )
        last = f"%d{number}"
    return program(f"%y = relax.dataflow {{\n{text}relax.output {last} : {{T}}\n}}")


@pytest.mark.long
def test_the_work_is_linear():
    short, long = long_chain(500), long_chain(1000)
    partition(tanh_of_exp(), long_chain(40))  # what is loaded and cached once
    few = effort(lambda: partition(tanh_of_exp(), short))
    many = effort(lambda: partition(tanh_of_exp(), long))
    assert [len([o for o in f.walk() if isinstance(o, CallOp)]) for f in functions(long)] == [
        250,
        0,
    ]
    assert many < 2.2 * few
