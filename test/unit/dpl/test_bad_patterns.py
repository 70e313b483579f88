"""A pattern that cannot be built, can never match or is asked for what it has not: what the user reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relax_dialect.builder import op, var
from relax_dialect.dpl import (
    K_ELEMWISE,
    Pattern,
    PatternError,
    has_attr,
    has_dtype,
    is_call_tir,
    is_constant,
    is_expr,
    is_function,
    is_let,
    is_op,
    is_tuple,
    is_var,
    repeat,
    together,
    wildcard,
)
from relax_dialect.dpl.analysis import analyse

relu, tanh, add, w = is_op("relu"), is_op("tanh"), is_op("add"), wildcard
x = wildcard()


def what_wrap_is_given_used_elsewhere() -> Pattern:
    kept: list[Pattern] = []

    def wrap(p: Pattern) -> Pattern:
        kept.append(p)
        return relu(p)

    return add(repeat(w(), wrap), kept[0])


def shape_of_a_node_of_each_turn() -> Pattern:
    kept: list[Pattern] = []

    def wrap(p: Pattern) -> Pattern:
        kept.append(w())
        return add(p, kept[0])

    return add(repeat(w(), wrap), w().same_shape_as(kept[0]))


def searches_in_searches() -> Pattern:
    pattern = w()
    for _ in range(60):
        pattern = ~relu(pattern)
    return pattern


# pyright: reportArgumentType=false, reportGeneralTypeIssues=false, reportUnusedExpression=false
CASES: dict[str, tuple[Callable[[], object], str]] = {
    "unknown_operator": (
        lambda: is_op("rely"),
        "is_op('rely'): expected the name of an operator, found an unknown one; the nearest is 'relu'",
    ),
    "unknown_operator_of_relay": (
        lambda: is_op("nn.batch_matmull"),
        "is_op('nn.batch_matmull'): expected the name of an operator, found an unknown one; the nearest is 'batch_matmul'",
    ),
    "unknown_operator_of_a_dialect": (
        lambda: is_op("arith.adf"),
        "is_op('arith.adf'): expected the name of an operator, found an unknown one; the nearest is 'arith.addf'",
    ),
    "nothing_near": (
        lambda: is_op("xyzzyqq"),
        "is_op('xyzzyqq'): expected the name of an operator, found an unknown one; look it up in docs/operators.md",
    ),
    "no_operator": (
        lambda: is_op(3),
        "is_op: expected the name of an operator or an op class, found 3",
    ),
    "unknown_attribute": (
        lambda: has_attr(is_op("softmax")(w()), "axes", 1),
        "has_attr('axes'): expected the name of an attribute, found one that relax.softmax has not; the nearest is 'axis'",
    ),
    "unknown_attribute_of_any": (
        lambda: wildcard().has_attr("keepdim", 1),
        "has_attr('keepdim'): expected the name of an attribute, found one that no operator has; the nearest is 'keepdims'",
    ),
    "unknown_operator_attribute": (
        lambda: wildcard().has_attr("TOpPatern", K_ELEMWISE),
        "has_attr('TOpPatern'): expected the name of an attribute, found one that no operator has; the nearest is 'TOpPattern'",
    ),
    "attribute_without_value": (
        lambda: relu(w()).has_attr("axis"),
        "has_attr('axis'): expected one value, found 0; None asks for an attribute that is left out",
    ),
    "too_many_arguments": (
        lambda: relu(w(), w()),
        "relu(*, *): expected a pattern that can match, found 2 arguments; expected relax.relu with 1",
    ),
    "too_few_arguments": (
        lambda: add(w()),
        "add(*): expected a pattern that can match, found 1 arguments; expected relax.add with 2",
    ),
    "too_few_of_either": (
        lambda: (relu | add)(w(), w(), w()),
        "(relu | add)(*, *, *): expected a pattern that can match, found 3 arguments; expected relax.add with 2 or relax.relu with 1",
    ),
    "both_operators": (
        lambda: relu(w()) & tanh(w()),
        "(relu(*) & tanh(*)): expected a pattern that can match, found relax.relu and at once relax.tanh",
    ),
    "both_types": (
        lambda: has_dtype(w(), "f32") & has_dtype(w(), "f64"),
        "(*.has_dtype(f32) & *.has_dtype(f64)): expected a pattern that can match, found the types !relax.tensor<*, f32> and !relax.tensor<*, f64> at once",
    ),
    "both_opposites": (
        lambda: x & ~x,
        "(* & ~*): expected a pattern that can match, found a pattern and its opposite at once",
    ),
    "type_and_type": (
        lambda: wildcard().has_type("!relax.tensor<[4], f32>").has_dtype("f64"),
        "*.has_type(!relax.tensor<[4], f32>).has_dtype(f64): expected a pattern that can match, found the types !relax.tensor<[4], f32> and !relax.tensor<*, f64> at once",
    ),
    "type_and_shape": (
        lambda: wildcard().has_type("!relax.tensor<[4], f32>").has_shape([5]),
        "*.has_type(!relax.tensor<[4], f32>).has_shape([5]): expected a pattern that can match, found the types !relax.tensor<[4], f32> and !relax.tensor<[5]> at once",
    ),
    "type_text": (
        lambda: wildcard().has_type("!relax.tensr<[4]>"),
        "has_type: expected a type, found '!relax.tensr<[4]>': 'relax.tensr' is not registered",
    ),
    "type_alone": (
        lambda: has_dtype(relu),
        "expected a pattern and what it must have, found relu alone; wildcard() matches anything",
    ),
    "dtype_text": (
        lambda: wildcard().has_dtype("float33"),
        "has_dtype: element type 'float33': expected one of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index, bool, bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, or a type of numpy or xDSL",
    ),
    "shape_number": (
        lambda: wildcard().has_shape(4),
        "has_shape: expected a list of sizes, found 4; None stands for any size",
    ),
    "output_of_tuple": (
        lambda: is_tuple([w(), w()])[2],
        "tuple(*, *)[2]: expected a pattern that can match, found output 2 of a tuple of 2 fields",
    ),
    "output_of_op": (
        lambda: is_op("dropout")(w())[2],
        "dropout(*)[2]: expected a pattern that can match, found output 2 of relax.dropout, which has 2, counted from 0",
    ),
    "output_of_single": (
        lambda: relu(w())[0],
        "relu(*)[0]: expected a pattern that can match, found output 0 of relax.relu, which has one, which is no tuple",
    ),
    "output_negative": (
        lambda: is_op("split")[-1],
        "expected the number of an output, counted from 0, found -1; is_tuple_get_item(p) matches any",
    ),
    "output_slice": (
        lambda: is_op("split")[0:2],
        "expected the number of an output, counted from 0, found slice(0, 2, None); is_tuple_get_item(p) matches any",
    ),
    "unpacked": (
        lambda: [*is_op("split")],
        "split: expected a pattern to be indexed, p[0], found it unpacked; a pattern does not know how many outputs it has",
    ),
    "function_with_name": (
        lambda: is_call_tir(is_function([w()], w())),
        "expected the name of a function as text, or None, found function([*], *); the arguments follow as a list",
    ),
    "function_output": (
        lambda: w()(w())(w()),
        "*(*)(...): expected an operator to be called, made of is_op, wildcard, has_attr, |, & and ~, found *(*); match its value by p[i], used_by or is_function",
    ),
    "call_of_a_call": (
        lambda: relu(w())(w()),
        "relu(*)(...): expected an operator to be called, made of is_op, wildcard, has_attr, |, & and ~, found relu(*); match its value by p[i], used_by or is_function",
    ),
    "call_of_named": (
        lambda: relu.named("f")(w()),
        "f=relu(...): expected an operator to be called, made of is_op, wildcard, has_attr, |, & and ~, found f=relu; match its value by p[i], used_by or is_function",
    ),
    "no_pattern": (
        lambda: relu("x"),
        "expected a pattern, a value or a number, found 'x'; wildcard() matches anything",
    ),
    "no_value": (lambda: is_expr(3), "is_expr: expected a value of a program, found 3"),
    "expression": (
        lambda: relu(op.relu(var("x"))),
        "expected a pattern, a value or a number, found Expression(relax.relu); wildcard() matches anything",
    ),
    "name": (
        lambda: wildcard().named(""),
        "named: expected a name and a pattern, found '' as the name",
    ),
    "names_twice": (
        lambda: analyse(add(wildcard().named("x"), wildcard().named("x"))),
        "add(x=*, x=*): expected each name once, but for the two sides of |, found 'x' twice; give one of them another name",
    ),
    "names_twice_behind_alternatives": (
        lambda: analyse(
            add(
                wildcard().named("x") | relu(wildcard().named("x")),
                tanh.named("x") | relu.named("x"),
            )
        ),
        "add((x=* | relu(x=*)), (x=tanh | x=relu)): expected each name once, but for the two sides of |, found 'x' twice; give one of them another name",
    ),
    "name_inside": (
        lambda: analyse(relu(wildcard().named("x")).named("x")),
        "x=relu(x=*): expected each name once, found 'x' inside itself; give one of them another name",
    ),
    "repeat_bare": (
        lambda: repeat(w(), lambda p: p),
        "repeat: expected wrap to put an op around its pattern, found it bare",
    ),
    "repeat_maybe_bare": (
        lambda: repeat(w(), lambda p: p | relu(p)),
        "repeat(*, (_ | relu(_)), 0..): expected a pattern that can match, found a wrap that may give back its pattern bare; put an op around it in any case",
    ),
    "repeat_without": (
        lambda: repeat(w(), lambda p: relu(w())),
        "repeat(*, relu(*), 0..): expected a pattern that can match, found a repetition whose wrap leaves its pattern out; use it as an argument",
    ),
    "repeat_counts": (
        lambda: repeat(w(), lambda p: relu(p), 2, 1),
        "repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least=2 and at_most=1",
    ),
    "repeat_leaks": (
        lambda: analyse(what_wrap_is_given_used_elsewhere()),
        "add(repeat(*, relu(_), 0..), _): expected what wrap is given to be used inside it, found it outside of its repetition; name a node made inside wrap, or use the repetition as a whole",
    ),
    "repeat_shape": (
        lambda: analyse(shape_of_a_node_of_each_turn()),
        "add(repeat(*, add(_, *), 0..), *.same_shape_as(*)): expected same_shape_as of a node that matches one value, found *, which a repetition matches many times; compare inside wrap, or with a node outside of it",
    ),
    "together_one": (lambda: together(w()), "together: expected two patterns or more, found 1"),
    "together_same": (
        lambda: together(x, x),
        "together(*, *): expected a pattern that can match, found one pattern as two roots, which match different values",
    ),
    "together_inside": (
        lambda: relu(together(relu(w()), tanh(w()))),
        "expected a pattern with one root, found together(relu(*), tanh(*)); together and fork_to make a whole pattern, no part of one",
    ),
    "fork_inside": (
        lambda: wildcard().fork_to(relu, tanh).named("f"),
        "expected a pattern with one root, found together((* ^ relu), (* ^ tanh)); together and fork_to make a whole pattern, no part of one",
    ),
    "together_not": (
        lambda: ~together(relu, tanh),
        "expected a pattern with one root, found together(relu, tanh); together and fork_to make a whole pattern, no part of one",
    ),
    "same_shape_of_none": (
        lambda: analyse(relu(w()).same_shape_as(w())),
        "relu(*).same_shape_as(*): expected same_shape_as of another node of the pattern, found *, which is none of them; use the node itself in the pattern",
    ),
    "let_body": (
        lambda: is_let(is_var(), w(), relu(w())),
        "let(var, *, relu(*)): expected a pattern that can match, found a body that does not use the variable; use the same pattern in it",
    ),
    "used_by_index": (
        lambda: relu.used_by(add, index=2),
        "(relu ^ add): expected a pattern that can match, found operand 2 of a consumer that has 2, counted from 0",
    ),
    "used_by_no_index": (
        lambda: relu.used_by(add, index=-1),
        "used_by: expected the number of an operand, counted from 0, found -1",
    ),
    "used_by_constant": (
        lambda: relu ^ is_constant(),
        "(relu ^ const): expected a pattern that can match, found a consumer without operands",
    ),
    "too_deep": (
        lambda: analyse(searches_in_searches()),
        "~relu(~relu(~relu(~...(...)))): expected at most 50 of ~ and dominates inside each other, found more; match the parts by patterns of their own",
    ),
    "match_what": (
        lambda: relu.match(3),
        "match: expected a value, an op, an expression of the builder or an operator, found 3",
    ),
    "find_where": (
        lambda: relu.find_all(3),
        "find_all: expected a block, relax.func or module to search, found 3; a single value is matched with match or extract",
    ),
}


@pytest.mark.parametrize(("make", "message"), CASES.values(), ids=CASES)
def test_message(make: Callable[[], object], message: str):
    with pytest.raises(PatternError) as error:
        make()
    assert str(error.value) == message


def test_a_node_that_took_no_part():
    pattern = relu(x.named("x")) | tanh(y := w().named("y"))
    found = pattern.extract(op.relu(var("a")))
    assert found is not None and y not in found and found.get("y") is None
    with pytest.raises(PatternError) as error:
        found["y"]
    assert str(error.value) == (
        "'y': expected a node that took part in the match, found one that did not (names that did: x); "
        "ask with `in` before"
    )


def test_a_node_that_matched_several_values():
    kept: list[Pattern] = []

    def wrap(p: Pattern) -> Pattern:
        kept.append(relu(p))
        return kept[0]

    found = repeat(x, wrap).extract(op.relu(op.relu(var("a"))))
    assert found is not None
    assert len(found.each(kept[0])) == 2
    with pytest.raises(PatternError) as error:
        found[kept[0]]
    assert str(error.value) == (
        "relu(_): expected a node that matched one value, found 2; each(...) gives all, in the order in "
        "which a repetition met them"
    )


def test_nothing_was_built_of_what_was_refused():
    """An error leaves the parts as they were: they may be used again."""
    one = relu(w())
    with pytest.raises(PatternError):
        one & tanh(w())
    assert one.match(op.relu(var("a")))
