"""A pattern that cannot be built, can never match or is asked for what it has not: what the user reads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import StringAttr, f32

from relax_dialect.builder import const, op, var
from relax_dialect.dpl import (
    K_ELEMWISE,
    Pattern,
    PatternError,
    dominates,
    extract,
    find_all,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_call,
    is_call_dps_packed,
    is_call_packed,
    is_call_tir,
    is_const,
    is_constant,
    is_expr,
    is_function,
    is_if,
    is_let,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    repeat,
    together,
    wildcard,
)
from relax_dialect.dpl.search.pattern_analysis import analyse
from relax_dialect.dpl.syntax.language import dup
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.activation import ReluOp

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


def nested_expression() -> object:
    expression = op.relu(var("a"))
    for _ in range(3000):
        expression = op.relu(expression)
    return expression


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
        'is_op: expected the name of an operator or an op class, found 3; write is_op("relu")',
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
        "has_dtype: expected a pattern and what it must have, found relu alone; wildcard() matches anything",
    ),
    "dtype_text": (
        lambda: wildcard().has_dtype("float33"),
        "has_dtype: element type 'float33': expected one of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, i4, ui4, i2, ui2, bool, bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, int2, uint4, uint2, or a type of numpy or xDSL",
    ),
    "shape_number": (
        lambda: wildcard().has_shape(4),
        "has_shape: expected a list of sizes, found 4; None matches any size",
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
        "split[...]: expected the number of an output, counted from 0, found -1; is_tuple_get_item(p) matches any",
    ),
    "output_slice": (
        lambda: is_op("split")[0:2],
        "split[...]: expected the number of an output, counted from 0, found slice(0, 2, None); is_tuple_get_item(p) matches any",
    ),
    "unpacked": (
        lambda: [*is_op("split")],
        "split: expected a pattern to be indexed, p[0], found it unpacked; a pattern does not know how many outputs it has",
    ),
    "function_with_name": (
        lambda: is_call_tir(is_function([w()], w())),
        "is_call_tir: expected the name of a function as text, or None, found function([*], *); the arguments follow as a list",
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
        "relu(...): expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_value": (
        lambda: is_expr(3),
        "is_expr: expected a value of a program or an op class, found 3; is_constant(3) matches a constant",
    ),
    "expression": (
        lambda: relu(op.relu(var("x"))),
        'relu(...): expected a pattern, a value or a number, found Expression(relax.relu); is_op("relu")(x) is its pattern',
    ),
    "name": (
        lambda: wildcard().named(""),
        "named: expected a name and a pattern, found '' as the name; write p.named(\"x\")",
    ),
    "names_twice": (
        lambda: analyse(add(wildcard().named("x"), wildcard().named("x"))),
        "add(x=*, x=*): expected each name once, but for the two sides of |, found 'x' twice; rename one of them",
    ),
    "names_twice_behind_alternatives": (
        lambda: analyse(
            add(
                wildcard().named("x") | relu(wildcard().named("x")),
                tanh.named("x") | relu.named("x"),
            )
        ),
        "add((x=* | relu(x=*)), (x=tanh | x=relu)): expected each name once, but for the two sides of |, found 'x' twice; rename one of them",
    ),
    "name_inside": (
        lambda: analyse(relu(wildcard().named("x")).named("x")),
        "x=relu(x=*): expected each name once, found 'x' inside itself; rename one of them",
    ),
    "repeat_bare": (
        lambda: repeat(w(), lambda p: p),
        'repeat: expected wrap to put an op around its pattern, found it bare; write lambda p: is_op("relu")(p)',
    ),
    "repeat_maybe_bare": (
        lambda: repeat(w(), lambda p: p | relu(p)),
        "repeat(*, (_ | relu(_)), 0..): expected a pattern that can match, found a wrap that may return its pattern unchanged; always put an op around it",
    ),
    "repeat_without": (
        lambda: repeat(w(), lambda p: relu(w())),
        "repeat(*, relu(*), 0..): expected a pattern that can match, found a repetition whose wrap leaves its pattern out; use it as an argument",
    ),
    "repeat_counts": (
        lambda: repeat(w(), lambda p: relu(p), 2, 1),
        "repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least=2 and at_most=1; at_most=None matches any number",
    ),
    "repeat_leaks": (
        lambda: analyse(what_wrap_is_given_used_elsewhere()),
        "add(repeat(*, relu(_), 0..), _): expected the argument of wrap to be used inside its result, found it outside of its repetition; name a node made inside wrap, or use the repetition as a whole",
    ),
    "repeat_shape": (
        lambda: analyse(shape_of_a_node_of_each_turn()),
        "add(repeat(*, add(_, *), 0..), *.same_shape_as(*)): expected same_shape_as of a node that matches one value, found *, which a repetition matches many times; compare inside wrap, or with a node outside of it",
    ),
    "together_one": (
        lambda: together(w()),
        "together: expected two patterns or more, found 1; one is a whole pattern already",
    ),
    "together_same": (
        lambda: together(x, x),
        "together(*, *): expected a pattern that can match, found one pattern as two roots, which match different values",
    ),
    "together_inside": (
        lambda: relu(together(relu(w()), tanh(w()))),
        "relu(...): expected a pattern with one root, found together(relu(*), tanh(*)); together and fork_to make a whole pattern, no part of one",
    ),
    "fork_inside": (
        lambda: wildcard().fork_to(relu, tanh).named("f"),
        "named: expected a pattern with one root, found together((* ^ relu), (* ^ tanh)); together and fork_to make a whole pattern, no part of one",
    ),
    "together_not": (
        lambda: ~together(relu, tanh),
        "~p: expected a pattern with one root, found together(relu, tanh); together and fork_to make a whole pattern, no part of one",
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
        "used_by: expected the number of an operand, counted from 0, found -1; leave it out for any",
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
        "match: expected a value, an op, an expression of the builder or an operator, found 3; find_all searches a block, function or module",
    ),
    "find_where": (
        lambda: relu.find_all(3),
        "find_all: expected a block, relax.func or module to search, found 3; a single value is matched with match or extract",
    ),
    "no_pattern_for_a_number": (
        lambda: add(w(), None),
        "add(...): expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "no_pattern_the_name_of_an_operator": (
        lambda: add("relax.relu", w()),
        "add(...): expected a pattern, a value or a number, found 'relax.relu'; is_op(\"relu\") matches the operator",
    ),
    "no_pattern_a_printed_name": (
        lambda: relu("%x"),
        "relu(...): expected a pattern, a value or a number, found '%x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_pattern_a_text": (
        lambda: relu("a text"),
        "relu(...): expected a pattern, a value or a number, found 'a text'; wildcard() matches anything",
    ),
    "no_pattern_a_list": (
        lambda: relu([w()]),
        "relu(...): expected a pattern, a value or a number, found [*]; is_tuple([...]) matches a tuple of patterns",
    ),
    "no_pattern_an_array": (
        lambda: add(w(), np.zeros((30, 30))),
        "add(...): expected a pattern, a value or a number, found array([[0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0...; is_constant() matches a constant, whatever its elements",
    ),
    "no_pattern_a_type": (
        lambda: relu(TensorType([4], f32)),
        "relu(...): expected a pattern, a value or a number, found !relax.tensor<[4], f32>; has_type(wildcard(), type) matches a value of a type",
    ),
    "no_pattern_a_function": (
        lambda: relu(lambda: w()),
        "relu(...): expected a pattern, a value or a number, found the function <lambda>; wildcard() matches anything",
    ),
    "no_pattern_of_two_results": (
        lambda: relu(test.TestOp(result_types=[f32, f32])),
        "relu(...): expected a pattern, a value or a number, found the op test.op; it has 2 results: pass one value, or is_op(name)",
    ),
    "no_pattern_without_results": (
        lambda: relu(test.TestOp()),
        "relu(...): expected a pattern, a value or a number, found the op test.op; it has no results: pass one value, or is_op(name)",
    ),
    "no_pattern_of_operators": (
        lambda: w() + "x",
        "add(...): expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_pattern_either": (
        lambda: w() | "x",
        "p | q: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_pattern_both": (
        lambda: w() & "x",
        "p & q: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_pattern_used_by": (
        lambda: w() ^ "x",
        "used_by: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_pattern_only_used_by": (
        lambda: w() >> "x",
        "only_used_by: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "no_pattern_complex_number": (
        lambda: add(w(), 1j),
        "add(...): expected a number that all elements are, or None for any constant, found 1j; match any constant and look at its elements in the match",
    ),
    "expression_too_deep": (
        lambda: relu(nested_expression()),
        'relu(...): expected a pattern, a value or a number, found Expression(relax.relu); is_op("relu")(is_op("relu")(is_op("relu")(is_op("relu")(is_op("relu")(is_op("relu")(is_op("relu")(is_op("relu")(is_op("relu")(...))))))))) is its pattern',
    ),
    "expression_inside": (
        lambda: is_op("matmul")(op.relu(var("a")), w()),
        'matmul(...): expected a pattern, a value or a number, found Expression(relax.relu); is_op("relu")(a) is its pattern',
    ),
    "expression_of_expressions": (
        lambda: relu(op.relu(var("a")) + var("b")),
        'relu(...): expected a pattern, a value or a number, found Expression(relax.add); is_op("add")(is_op("relu")(a), b) is its pattern',
    ),
    "expression_with_a_number": (
        lambda: relu(var("a") + 1.0),
        'relu(...): expected a pattern, a value or a number, found Expression(relax.add); is_op("add")(...) is its pattern',
    ),
    "expression_of_a_constant": (
        lambda: relu(const(1.0, "f32")),
        "relu(...): expected a pattern, a value or a number, found an expression of a constant; is_constant() matches one",
    ),
    "attributes_of_a_call": (
        lambda: is_op("softmax")(w(), axis=1),
        'softmax(...): expected patterns of the operands, found axis=1; ask for attributes by has_attr: p.has_attr("axis", 1)',
    ),
    "wildcards_for_the_rest": (
        lambda: relu(w(), varg_default_wildcard=w()),
        "relu(...): expected varg_default_wildcard=True or varg_default_wildcard=False, found *; write patterns before it",
    ),
    "in_order": (
        lambda: add(w(), w(), in_order=1),
        "add(...): expected in_order=True or in_order=False, found 1; write patterns before it",
    ),
    "truth": (
        lambda: relu and tanh,
        "relu: expected p & q, p | q or ~p, found a pattern asked for its truth; Python's and, or, not and if ask for it: p.match(value) returns whether it matches",
    ),
    "constant_text": (
        lambda: is_constant("a"),
        "is_constant: expected a number that all elements are, or None for any constant, found 'a'; match any constant and look at its elements in the match",
    ),
    "constant_list": (
        lambda: is_const([1, 2]),
        "is_constant: expected a number that all elements are, or None for any constant, found [1, 2]; match any constant and look at its elements in the match",
    ),
    "constant_array": (
        lambda: is_const(np.array([1, 2])),
        "is_constant: expected a number that all elements are, or None for any constant, found array([1, 2]); match any constant and look at its elements in the match",
    ),
    "constant_pattern": (
        lambda: is_const(w()),
        "is_constant: expected a number that all elements are, or None for any constant, found *; match any constant and look at its elements in the match",
    ),
    "var_number": (
        lambda: is_var(3),
        "is_var: expected the name of a variable as text, or None for any, found 3; is_constant matches a number, is_expr a value",
    ),
    "var_empty": (
        lambda: is_var(""),
        "is_var: expected the name of a variable as text, or None for any, found ''; is_constant matches a number, is_expr a value",
    ),
    "var_with_sign": (
        lambda: is_var("%x"),
        "is_var: expected a name that a variable can have, found '%x'; a name is made of letters, digits, _, $, . and -, without the %",
    ),
    "var_with_digits": (
        lambda: is_var("x_1"),
        "is_var: expected a name that a variable can have, found 'x_1'; values keep no _ and digits at the end of their names, write 'x'",
    ),
    "expr_pattern": (
        lambda: is_expr(relu),
        "is_expr: expected a value of a program or an op class, found relu; it is a pattern already",
    ),
    "expr_text": (
        lambda: is_expr("relu"),
        "is_expr: expected a value of a program or an op class, found 'relu'; is_op(\"relu\") matches the operator",
    ),
    "expr_of_an_expression": (
        lambda: is_expr(op.call_pure_packed("f", [var("a")], TensorType([3], "f32"))),
        'is_expr: expected an expression of operators, found Expression(relax.call_pure_packed); is_op("call_pure_packed")(...) is its pattern',
    ),
    "expr_class": (
        lambda: is_expr(float),
        "is_expr: expected a value of a program or an op class, found the class float; wildcard() matches anything",
    ),
    "expr_of_two_results": (
        lambda: is_expr(test.TestOp(result_types=[f32, f32])),
        "is_expr: expected a value of a program or an op class, found the op test.op; it has 2 results: pass one value, or is_op(name)",
    ),
    "name_number": (
        lambda: wildcard().named(3),
        'named: expected a name and a pattern, found 3 as the name; write p.named("x")',
    ),
    "type_number": (
        lambda: has_type(x, 3),
        "has_type: expected a type, found 3; write its text, '!relax.tensor<[4], f32>', or pass xDSL's attribute",
    ),
    "type_class": (
        lambda: has_type(x, TensorType),
        "has_type: expected a type, found the class TensorType; write its text, '!relax.tensor<[4], f32>', or pass xDSL's attribute",
    ),
    "type_of_no_value": (
        lambda: has_type(x, StringAttr("a")),
        "has_type: expected a type, found \"a\"; write its text, '!relax.tensor<[4], f32>', or pass xDSL's attribute",
    ),
    "type_rest": (
        lambda: wildcard().has_type("!relax.tensor<[4], f32> -> f32"),
        "has_type: expected one type, found '!relax.tensor<[4], f32> -> f32'; take '-> f32' away",
    ),
    "dtype_number": (
        lambda: has_dtype(x, 3),
        "has_dtype: element type 3: expected one of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, i4, ui4, i2, ui2, bool, bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu, float4_e2m1fn, int4, int2, uint4, uint2, or a type of numpy or xDSL",
    ),
    "shape_text": (
        lambda: has_shape(x, "nm"),
        "has_shape: expected a list of sizes, found 'nm'; None matches any size",
    ),
    "shape_dict": (
        lambda: has_shape(x, {3: 1}),
        "has_shape: expected a list of sizes, found {3: 1}; None matches any size",
    ),
    "shape_pattern": (
        lambda: has_shape(x, relu),
        "has_shape: expected a list of sizes, found *; None matches any size",
    ),
    "shape_size": (
        lambda: has_shape(x, [1.5]),
        "has_shape: expected a symbolic size (an Expr, an integer or a text such as 'n + 1'), found 1.5 of type float",
    ),
    "shape_negative": (
        lambda: has_shape(x, [-1]),
        "has_shape: size '-1': expected at least 0, found -1 at most; write ? if it is unknown",
    ),
    "shape_of_patterns": (
        lambda: has_shape(x, [w()]),
        "has_shape: expected a number, a symbolic size or None, found *; p.same_shape_as(q) compares the shapes of two patterns",
    ),
    "shape_of_values": (
        lambda: has_shape(x, [var("n")]),
        "has_shape: expected a number, a symbolic size or None, found %n: !relax.tensor<*, f32>; p.same_shape_as(q) compares the shapes of two patterns",
    ),
    "shape_of_shape": (
        lambda: is_shape(3),
        "is_shape: expected a list of sizes, found 3; None matches any size",
    ),
    "attr_number": (
        lambda: has_attr(x, 3),
        'has_attr: expected the name of an attribute, or a dict of names and values, found 3; write has_attr(p, "axis", 1)',
    ),
    "attr_names": (
        lambda: has_attr(x, {3: 1}),
        'has_attr: expected the names of attributes as text, found 3 in a dict; write {"axis": 1}',
    ),
    "attr_twice": (
        lambda: has_attr(x, {"axis": 1}, 2),
        "has_attr: expected nothing after a dict of names and values, found 2; put it into the dict",
    ),
    "attr_pattern": (
        lambda: has_attr(x, "axis", w()),
        "has_attr('axis'): expected a number, a text, a list of these, None or xDSL's attribute, found *; an element type is written as text, 'f32'",
    ),
    "attr_class": (
        lambda: is_op("astype").has_attr("dtype", np.float32),
        "has_attr('dtype'): expected a number, a text, a list of these, None or xDSL's attribute, found the class float32; an element type is written as text, 'f32'",
    ),
    "attr_list": (
        lambda: is_op("reshape").has_attr("axis", [1, w()]),
        "has_attr('axis'): expected a number, a text, a list of these, None or xDSL's attribute, found [1, *]; an element type is written as text, 'f32'",
    ),
    "attr_of_text": (
        lambda: has_attr("axis", 1),
        "has_attr: expected a pattern, a value or a number, found 'axis'; is_var(\"axis\") matches a variable of that name",
    ),
    "attr_of_no_kind": (
        lambda: relu.has_attr("TOpPattern", "kElemWise"),
        "has_attr('TOpPattern'): expected the kind of an operator, found 'kElemWise'; K_ELEMWISE is one",
    ),
    "tuple_number": (
        lambda: is_tuple(3),
        "is_tuple: expected a list of patterns of the fields, found 3; None matches any",
    ),
    "tuple_pattern": (
        lambda: is_tuple(x),
        "is_tuple: expected a list of patterns of the fields, found *; None matches any",
    ),
    "tuple_of_two": (
        lambda: is_tuple([w()], [w()]),
        "is_tuple: expected unordered=True or unordered=False, found [*]; write patterns before it",
    ),
    "tuple_of_text": (
        lambda: is_tuple("ab"),
        "is_tuple: expected a list of patterns of the fields, found 'ab'; None matches any",
    ),
    "tuple_set": (
        lambda: is_tuple({x}),
        "is_tuple: expected a list of patterns of the fields, found {*}; None matches any",
    ),
    "output_text": (
        lambda: is_op("split")["a"],
        "split[...]: expected the number of an output, counted from 0, found 'a'; is_tuple_get_item(p) matches any",
    ),
    "output_of_text": (
        lambda: is_tuple_get_item("a", 1),
        "is_tuple_get_item: expected a pattern, a value or a number, found 'a'; is_var(\"a\") matches a variable of that name",
    ),
    "if_none": (
        lambda: is_if(None, w(), w()),
        "is_if: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "let_none": (
        lambda: is_let(is_var(), None),
        "is_let: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "function_number": (
        lambda: is_function(3, x),
        "is_function: expected a list of patterns of the parameters, found 3; None matches any",
    ),
    "function_pattern": (
        lambda: is_function(x, x),
        "is_function: expected a list of patterns of the parameters, found *; None matches any",
    ),
    "function_body": (
        lambda: is_function([x], None),
        "is_function: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "function_called_with_too_many_arguments": (
        lambda: is_function([x], x)(w(), w(), varg_default_wildcard=True),
        "call(function([*], *), [*, *, ...]): expected a pattern that can match, found 2 arguments of a function of 1 parameters",
    ),
    "function_called_with_too_few_arguments": (
        lambda: is_function([x, w()], x)(w()),
        "call(function([*, *], *), [*]): expected a pattern that can match, found 1 arguments of a function of 2 parameters",
    ),
    "call_number": (
        lambda: is_call(3),
        "is_call: expected the name of a function as text, or None, found 3; the arguments follow as a list",
    ),
    "call_empty": (
        lambda: is_call_packed(""),
        "is_call_packed: expected the name of a function as text, or None, found ''; the arguments follow as a list",
    ),
    "call_arguments": (
        lambda: is_call_tir("f", 3),
        "is_call_tir: expected a list of patterns of the arguments, found 3; None matches any",
    ),
    "call_one_argument": (
        lambda: is_call_dps_packed("f", x),
        "is_call_dps_packed: expected a list of patterns of the arguments, found *; None matches any",
    ),
    "call_argument": (
        lambda: is_call_tir("f", ["x"]),
        "is_call_tir: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "repeat_wrap": (
        lambda: repeat(x, 3),
        'repeat: expected a function of one pattern that puts an op around it, found 3; write lambda p: is_op("relu")(p)',
    ),
    "repeat_class": (
        lambda: repeat(x, ReluOp),
        'repeat: expected a function of one pattern that puts an op around it, found the class ReluOp; write lambda p: is_op("relu")(p)',
    ),
    "repeat_wrap_of_two": (
        lambda: repeat(x, lambda p, q: p),
        'repeat: expected a function of one pattern that puts an op around it, found the function <lambda>; write lambda p: is_op("relu")(p)',
    ),
    "repeat_nothing": (
        lambda: repeat(x, lambda p: None),
        "repeat: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "repeat_text": (
        lambda: repeat(x, relu, at_most="a"),
        "repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least=0 and at_most='a'; at_most=None matches any number",
    ),
    "repeat_half": (
        lambda: repeat(x, relu, at_least=0.5),
        "repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least=0.5 and at_most=None; at_most=None matches any number",
    ),
    "repeat_true": (
        lambda: repeat(x, relu, at_least=True),
        "repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least=True and at_most=None; at_most=None matches any number",
    ),
    "repeat_negative": (
        lambda: x.repeat(relu, -1),
        "repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least=-1 and at_most=None; at_most=None matches any number",
    ),
    "repeat_base": (
        lambda: repeat("x", relu),
        "repeat: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "optional_number": (
        lambda: x.optional(3),
        'optional: expected a function of one pattern that puts an op around it, found 3; write lambda p: is_op("relu")(p)',
    ),
    "optional_wrap_of_none": (
        lambda: x.optional(lambda: relu),
        'optional: expected a function of one pattern that puts an op around it, found the function <lambda>; write lambda p: is_op("relu")(p)',
    ),
    "optional_nothing": (
        lambda: x.optional(lambda p: None),
        "optional: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "dup_number": (
        lambda: dup(3),
        "dup: expected a pattern, found 3; is_constant(3) matches a constant",
    ),
    "dominates_number": (
        lambda: dominates(None, x, x),
        "dominates: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "dominates_flag": (
        lambda: relu.dominates(x, side_inputs=w()),
        'dominates: expected side_inputs=True, side_inputs=False or side_inputs="leaves", found *; write patterns before it',
    ),
    "used_by_text": (
        lambda: relu.used_by(add, index="a"),
        "used_by: expected the number of an operand, counted from 0, found 'a'; leave it out for any",
    ),
    "only_used_by_no_index": (
        lambda: relu.only_used_by(add, index=-1),
        "only_used_by: expected the number of an operand, counted from 0, found -1; leave it out for any",
    ),
    "fork_to_one": (
        lambda: relu.fork_to(tanh),
        "fork_to: expected two patterns or more, found 1; used_by takes one",
    ),
    "fork_to_text": (
        lambda: relu.fork_to(tanh, "x"),
        "fork_to: expected a pattern, a value or a number, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "same_shape_as_none": (
        lambda: relu.same_shape_as(None),
        "same_shape_as: expected a pattern, a value or a number, found None; wildcard() matches anything",
    ),
    "match_pattern": (
        lambda: extract("x", var("a")),
        "extract: expected a pattern, found 'x'; is_var(\"x\") matches a variable of that name",
    ),
    "match_without": (
        lambda: match(3, var("a")),
        "match: expected a pattern, found 3; is_constant(3) matches a constant",
    ),
    "find_all_pattern": (
        lambda: find_all(None, None),
        "find_all: expected a pattern, found None; wildcard() matches anything",
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
        "relu(_): expected a node that matched one value, found 2; each(...) returns all, in the "
        "order of the repetition"
    )


def test_nothing_was_built_of_what_was_refused():
    """An error leaves the parts as they were: they may be used again."""
    one = relu(w())
    with pytest.raises(PatternError):
        one & tanh(w())
    assert one.match(op.relu(var("a")))
