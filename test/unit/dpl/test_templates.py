"""Rules whose replacement is an expression over the nodes of the pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pdl_tools import T, function, line, text

import relax_dialect
from relax_dialect import interpret
from relax_dialect.builder import op
from relax_dialect.dpl import (
    PatternError,
    RewriteError,
    apply_rules,
    is_op,
    template_rule,
    typed,
    wildcard,
)

x, y = wildcard(), wildcard()
SHARED = op.exp(x)


def applied(pattern: Any, replacement: Any, body: str, **options: Any) -> str:
    module = function(body)
    assert apply_rules([template_rule(pattern, replacement, **options)], module) == 1
    relax_dialect.verify(module)
    return text(module)


def test_nodes_stand_for_what_they_matched():
    body = line("a", "subtract", "x", "y") + line("r", "negative", "a")
    expected = text(function(line("r", "subtract", "y", "x")))
    assert applied(is_op("negative")(is_op("subtract")(x, y)), op.subtract(y, x), body) == expected


def test_a_node_alone():
    body = line("a", "negative", "x") + line("b", "negative", "a") + line("r", "exp", "b")
    expected = text(function(line("r", "exp", "x")))
    assert applied(is_op("negative")(is_op("negative")(x)), x, body) == expected


def test_an_expression_that_stands_twice_is_one_op():
    expected = text(function(line("a", "exp", "x") + line("r", "multiply", "a", "a")))
    assert (
        applied(is_op("tanh")(x), op.multiply(SHARED, SHARED), line("r", "tanh", "x")) == expected
    )


def test_attributes_numbers_and_lists_are_those_of_the_builder():
    module = function(line("r", "tanh", "x"))
    new = op.concat(
        [op.strided_slice(x, [0], [0], [1]), op.add(op.strided_slice(x, [0], [1], [2]), 1.0)],
        axis=0,
    )
    assert apply_rules([template_rule(is_op("tanh")(x), new)], module) == 1
    relax_dialect.verify(module)
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(
        interpret.run(module, "f", array, array), array + np.array([[0], [1]], np.float32)
    )


def test_a_list_is_a_value_for_each_result():
    row = "!relax.tensor<[3], f32>"
    body = (
        f"%n, %m, %v = relax.batch_norm %x, %y, %y, %y, %y {{axis = 1 : i64}} : ({T}{f', {row}' * 4}) -> "
        f"({T}, {row}, {row})\n" + line("r", "exp", "n")
    )
    module = function(body, parameters=f"%x: {T}, %y: {row}")
    normed = is_op("batch_norm")(x, y, y, y, y)
    assert apply_rules([template_rule(normed, [op.tanh(x), y, y])], module) == 1
    assert "relax.tanh" in str(module) and "batch_norm" not in str(module)


def test_a_stated_type_is_that_of_the_op():
    found = applied(is_op("tanh")(x), op.exp(typed(op.exp(x), x)), line("r", "tanh", "x"))
    assert found == text(function(line("a", "exp", "x") + line("r", "exp", "a")))


def test_a_stated_type_may_be_wider():
    module = function(
        line("a", "tanh", "x") + "%r = relax.shape_of %a : (" + T + ") -> !relax.shape<[2, 3]>\n",
        type="!relax.shape<[2, 3]>",
    )
    wide = typed(op.exp(x), "!relax.tensor<[2, 3]>")
    with pytest.raises(RewriteError, match=r"expected a value of type !relax\.tensor<.2, 3., f32>"):
        apply_rules([template_rule(is_op("tanh")(x), wide)], module)
    assert apply_rules([template_rule(is_op("tanh")(x), op.astype(wide, "f32"))], module) == 1
    assert f"relax.exp %x : ({T}) -> !relax.tensor<[2, 3]>" in str(module)


def test_a_stated_type_that_is_wrong_is_refused():
    wrong = template_rule(is_op("tanh")(x), op.exp(typed(op.exp(x), "!relax.tensor<[7], f32>")))
    with pytest.raises(
        RewriteError, match=r"typed\(relax.exp\): expected a value of type !relax.tensor<.7., f32>"
    ):
        apply_rules([wrong], function(line("r", "tanh", "x")))


def test_mistakes_are_named_where_they_are_made():
    with pytest.raises(PatternError, match="'mine': expected patterns that occur in exp"):
        template_rule(is_op("exp")(x), op.tanh(y), name="mine")
    with pytest.raises(PatternError, match=r"rule\(pattern\) takes a function"):
        template_rule(is_op("exp")(x), lambda root, match: match[x])
    with pytest.raises(PatternError, match="as an argument by position, found it as x1="):
        template_rule(is_op("exp")(x), op.softmax(x, x1=x))
    with pytest.raises(PatternError, match=r"typed: expected an expression, as op\.add"):
        typed(x, T)  # pyright: ignore
    with pytest.raises(PatternError, match=r"typed: expected a type, found '!relax\.tenser'"):
        typed(op.exp(x), "!relax.tenser")
