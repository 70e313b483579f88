"""PDL: what of a rule converts, that everyone who runs it does the same, and what is refused by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlir_oracle import mlir_opt
from optional import MLIR, examples, needs
from pdl_tools import (
    T,
    as_pdl,
    by_mlir,
    by_our_driver,
    by_our_driver_from_pdl,
    by_our_pass,
    by_xdsl,
    function,
    line,
    nameless,
    text,
)
from xdsl.dialects import pdl
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

import relax_dialect
from relax_dialect import interpret
from relax_dialect.builder import const, op
from relax_dialect.dpl import (
    PatternError,
    TemplateRule,
    has_attr,
    is_constant,
    is_op,
    is_tuple,
    named,
    template_rule,
    typed,
    wildcard,
)
from relax_dialect.dpl.pdl import from_pdl, to_pdl
from relax_dialect.parsing import new_context

x, y = wildcard(), wildcard()


def free(pattern: Any, replacement: Any, name: str = "r") -> TemplateRule:
    return template_rule(pattern, replacement, name=name, outside_uses=True)


SHARED = is_op("exp")(x)
ANY_EXP = is_op("exp")
SUM = is_op("maximum")(is_op("negative")(x), y)
ONE = is_constant(1.0).has_type("!relax.tensor<[], f32>")
NORM = is_op("batch_norm")(x, y, y, y, y)
STATISTICS = "!relax.tensor<[3], f32>"
CONSTANT = "%c = relax.constant dense<1.0> : tensor<f32>\n"
TIMES_ONE = f"%r = relax.multiply %c, %x : (!relax.tensor<[], f32>, {T}) -> {T}\n"

EXPRESSIBLE: dict[str, tuple[TemplateRule, ModuleOp]] = {
    "a call": (free(is_op("exp")(x), op.tanh(x)), function(line("r", "exp", "x"))),
    "operand patterns": (
        free(is_op("negative")(is_op("subtract")(x, y)), op.subtract(y, x)),
        function(line("a", "subtract", "x", "y") + line("r", "negative", "a")),
    ),
    "a value": (
        free(is_op("negative")(is_op("negative")(x)), x),
        function(line("a", "negative", "x") + line("b", "negative", "a") + line("r", "exp", "b")),
    ),
    "a shared node": (
        free(is_op("multiply")(SHARED, SHARED), op.exp(op.add(x, x))),
        function(line("a", "exp", "x") + line("r", "multiply", "a", "a")),
    ),
    "both orders": (
        free(is_op("add")(is_op("negative")(x), y), op.subtract(y, x)),
        function(
            line("a", "negative", "x")
            + line("b", "add", "a", "y")
            + line("c", "exp", "b")
            + line("d", "negative", "c")
            + line("r", "add", "y", "d")
        ),
    ),
    "one order": (
        free(is_op("add")(is_op("negative")(x), y, in_order=True), op.subtract(y, x)),
        function(
            line("a", "negative", "x") + line("b", "add", "y", "a") + line("r", "add", "a", "b")
        ),
    ),
    "alternatives": (
        free((is_op("relu") | is_op("abs"))(is_op("exp")(x)), op.exp(x)),
        function(
            line("a", "exp", "x")
            + line("b", "relu", "a")
            + line("c", "exp", "b")
            + line("r", "abs", "c")
        ),
    ),
    "optional": (
        free(is_op("tanh")(is_op("exp")(x).optional(lambda p: is_op("relu")(p))), op.sigmoid(x)),
        function(
            line("a", "exp", "x")
            + line("b", "relu", "a")
            + line("c", "tanh", "b")
            + line("d", "exp", "c")
            + line("r", "tanh", "d")
        ),
    ),
    "has_type": (
        free(is_op("exp")(x.has_type(T)), op.tanh(x)),
        function(
            line("a", "exp", "x")
            + line("b", "exp", "v", type="!relax.tensor<[n], f32>")
            + f"%r = relax.tuple %a, %b : ({T}, !relax.tensor<[n], f32>) -> "
            f"tuple<{T}, !relax.tensor<[n], f32>>",
            parameters=f"%x: {T}, %v: !relax.tensor<[n], f32>",
            type=f"tuple<{T}, !relax.tensor<[n], f32>>",
        ),
    ),
    "has_attr": (
        free(has_attr(is_op("cumsum")(x), "axis", 1), op.negative(x)),
        function(
            f"%a = relax.cumsum %x {{axis = 1 : i64}} : ({T}) -> {T}\n"
            f"%r = relax.cumsum %a {{axis = 0 : i64}} : ({T}) -> {T}\n"
        ),
    ),
    "attributes in the replacement": (
        free(is_op("exp")(x), op.cumsum(x, axis=1)),
        function(line("r", "exp", "x")),
    ),
    "a constant": (
        free(is_op("multiply")(x, is_constant()), op.negative(x)),
        function(CONSTANT + TIMES_ONE),
    ),
    "a constant of a number": (
        free(is_op("multiply")(x, ONE), x),
        function(CONSTANT + TIMES_ONE + line("s", "exp", "r"), "s"),
    ),
    "a new constant": (
        free(is_op("exp")(x), op.multiply(x, const(2.0, "float32"))),
        function(line("r", "exp", "x")),
    ),
    "a number with a stated type": (
        free(is_op("exp")(x.has_type(T)), op.multiply(x, 2.0)),
        function(line("r", "exp", "x")),
    ),
    "& and named": (
        free(is_op("exp")(named("a", x) & wildcard()), op.tanh(x)),
        function(line("r", "exp", "x")),
    ),
    "an operator alone": (
        free(is_op("relu")(ANY_EXP), op.tanh(ANY_EXP)),
        function(line("a", "exp", "x") + line("r", "relu", "a")),
    ),
    "a tuple and its field": (
        free(is_tuple([x, y])[1], y),
        function(
            f"%t = relax.tuple %x, %y : ({T}, {T}) -> tuple<{T}, {T}>\n"
            f"%a = relax.tuple_get_item %t {{index = 1 : i64}} : (tuple<{T}, {T}>) -> {T}\n"
            + line("r", "exp", "a")
        ),
    ),
    "an output of several": (
        free(is_op("exp")(NORM[0]), op.tanh(x)),
        function(
            f"%n0, %n1, %n2 = relax.batch_norm %x, %v, %v, %v, %v {{axis = 1 : i64}} : ({T}{f', {STATISTICS}' * 4}) -> "
            f"({T}, {STATISTICS}, {STATISTICS})\n" + line("r", "exp", "n0"),
            parameters=f"%x: {T}, %v: {STATISTICS}",
        ),
    ),
    "a type like another": (
        free(SUM, op.negative(typed(op.minimum(x, op.negative(y)), SUM))),
        function(line("a", "negative", "x") + line("r", "maximum", "y", "a")),
    ),
    "a stated type": (
        free(is_op("exp")(x.has_type(T)), op.tanh(typed(op.softmax(x, axis=1), T))),
        function(line("r", "exp", "x")),
    ),
    "elementwise chains": (
        free(is_op("exp")(x), op.tanh(op.abs(op.multiply(x, op.negative(x))))),
        function(line("r", "exp", "x")),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_everyone_does_the_same(name: str, tmp_path: Path):
    converted, program = EXPRESSIBLE[name]
    patterns = as_pdl([converted])
    expected = by_our_driver([converted], program)
    assert expected != text(program)
    assert by_our_pass(patterns, program) == expected
    assert by_xdsl(patterns, program, tmp_path) == expected
    assert by_our_driver_from_pdl(patterns, program) == expected


@needs(MLIR)
@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_mlir_does_the_same(name: str):
    converted, program = EXPRESSIBLE[name]
    patterns = as_pdl([converted])
    assert by_mlir(patterns, program) == by_our_driver([converted], program)
    assert "pdl_interp.func" in mlir_opt(str(patterns), "--convert-pdl-to-pdl-interp")


@needs(MLIR)
@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_mlir_prints_the_same(name: str):
    patterns = as_pdl([EXPRESSIBLE[name][0]])
    printed = mlir_opt(str(patterns))
    assert nameless(Parser(new_context(), printed).parse_module()) == nameless(patterns)


@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_reading_is_the_inverse(name: str):
    patterns = to_pdl(EXPRESSIBLE[name][0])
    assert nameless(to_pdl([*from_pdl(patterns)])) == nameless(patterns)


# Programs at random ---------------------------------------------------------------------------

IDENTITIES = [
    free(is_op("negative")(is_op("negative")(x)), x, "twice"),
    free(is_op("add")(is_op("negative")(x), y), op.subtract(y, x), "minus"),
    free((is_op("relu") | is_op("abs"))(is_op("relu")(x)), op.relu(x), "relu"),
    free(SUM, op.negative(typed(op.minimum(x, op.negative(y)), SUM)), "largest"),
    free(is_op("subtract")(x, is_op("negative")(y)), op.add(x, y), "plus"),
    free(is_op("abs")(is_op("negative")(x)), op.abs(x), "abs"),
]
"""Equal for all numbers but NaN; no op that one makes is the root of another's match with it inside."""
UNARY = ("negative", "relu", "abs", "negative")
BINARY = ("add", "subtract", "maximum", "minimum")


@st.composite
def random_programs(draw: st.DrawFn) -> ModuleOp:
    """Straight programs over few operators, so that the rules match often."""
    values = ["x", "y"]
    lines: list[str] = []
    for number in range(draw(st.integers(1, 14))):
        recent = st.sampled_from(values[-4:])
        operator = draw(st.sampled_from(UNARY + BINARY))
        operands = [draw(recent) for _ in range(2 if operator in BINARY else 1)]
        values.append(f"v{number}")
        lines.append(line(values[-1], operator, *operands))
    return function("".join(lines), values[-1])


def ran(module: ModuleOp | str) -> np.ndarray:
    module = relax_dialect.parse(module) if isinstance(module, str) else module
    rng = np.random.default_rng(7)
    arguments = [rng.integers(-4, 5, (2, 3)).astype(np.float32) for _ in range(2)]
    return interpret.run(module, "f", *arguments)


@cache
def patterns_for(*rules: TemplateRule) -> ModuleOp:
    """Rules as PDL, converted once for all programs."""
    return as_pdl([*rules])


@pytest.mark.slow
@given(random_programs())
@examples(20)
def test_random_programs_keep_their_meaning(program: ModuleOp):
    by_pass = by_our_pass(patterns_for(*IDENTITIES), program)
    np.testing.assert_array_equal(ran(by_pass), ran(program))
    assert by_our_driver_from_pdl(patterns_for(*IDENTITIES), program) == by_our_driver(
        [*IDENTITIES], program
    )
    assert by_pass == by_our_driver([*IDENTITIES], program)


@given(random_programs(), st.sampled_from(IDENTITIES))
@examples(12)
def test_one_rule_on_random_programs_is_the_same_by_xdsl(
    tmp_path_factory: pytest.TempPathFactory, program: ModuleOp, converted: TemplateRule
):
    folder = tmp_path_factory.getbasetemp()
    patterns = patterns_for(converted)
    assert by_xdsl(patterns, program, folder) == by_our_driver([converted], program)


@needs(MLIR)
@given(random_programs())
@examples(6)
def test_random_programs_keep_their_meaning_by_mlir(program: ModuleOp):
    np.testing.assert_array_equal(ran(by_mlir(patterns_for(*IDENTITIES), program)), ran(program))


# How one rule becomes several patterns --------------------------------------------------------


def patterns_of(
    rule_or_pattern: Any, replacement: Any = None, **options: Any
) -> list[pdl.PatternOp]:
    return [
        p
        for p in to_pdl(rule_or_pattern, replacement, **options).ops
        if isinstance(p, pdl.PatternOp)
    ]


def test_plain_arguments_need_no_second_order():
    assert len(patterns_of(is_op("add")(x, y), x)) == 1
    assert len(patterns_of(is_op("add")(x, x), x)) == 1
    assert len(patterns_of(is_op("add")(x, is_op("exp")(y)), x)) == 2
    assert len(patterns_of(is_op("add")(x, is_op("exp")(x)), x)) == 2
    assert len(patterns_of(is_op("subtract")(x, is_op("exp")(y)), x)) == 1


def test_what_is_tried_first_has_the_greater_benefit():
    first, second = patterns_of(
        is_op("exp")(is_op("abs")(x) | is_op("relu")(x)), x, name="a b", benefit=4
    )
    assert [p.benefit.value.data for p in (first, second)] == [5, 4]
    assert [p.sym_name.data for p in (first, second) if p.sym_name] == ["a_b_0", "a_b_1"]
    assert "relax.abs" in str(first) and "relax.relu" in str(second)


def test_a_zero_has_two_signs():
    zero = is_constant(0.0).has_type("!relax.tensor<[2], f32>")
    found = patterns_of(is_op("subtract")(x, zero), x)
    assert ["dense<0.0" in str(p) for p in found] == [True, False]
    assert ["dense<-0.0" in str(p) for p in found] == [False, True]


def test_ways_that_contradict_themselves_are_left_out():
    sum = is_op("cumsum")(x).has_attr("axis", 1)
    alternatives = sum.has_attr("axis", 0) | sum
    assert len(patterns_of(is_op("exp")(alternatives), x)) == 1
    with pytest.raises(PatternError, match="expected a pattern that can match"):
        to_pdl(is_op("exp")(sum.has_attr("axis", 0)), x)


def test_several_rules_have_several_names():
    found = patterns_of([free(is_op("exp")(x), op.tanh(x)), free(is_op("tanh")(x), op.exp(x))])
    assert len({p.sym_name.data for p in found if p.sym_name}) == 2
