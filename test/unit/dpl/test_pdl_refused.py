"""Rules that PDL cannot express, and PDL that is no rule of ours, are refused by name."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fuzz.texts import mutate
from optional import amount, shortened
from pdl_tools import function, line
from xdsl.dialects.builtin import ModuleOp

import relax_dialect
from relax_dialect.builder import const, op
from relax_dialect.dpl import (
    PatternError,
    TemplateRule,
    apply_rules,
    dominates,
    has_attr,
    is_call,
    is_constant,
    is_expr,
    is_function,
    is_if,
    is_input,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    repeat,
    rule,
    template_rule,
    together,
    wildcard,
)
from relax_dialect.dpl.pdl import from_pdl, to_pdl
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.errors import RelaxError
from relax_dialect.rewrites.partition.apply_pdl import apply_pdl

x, y, z = wildcard(), wildcard(), wildcard()
BATCH_NORM = is_op("batch_norm")(x, y, y, y, y)


def free(pattern: Any, replacement: Any) -> TemplateRule:
    return template_rule(pattern, replacement, outside_uses=True)


relu = is_op("relu")
FUNCTION = next(iter(function(line("r", "exp", "x")).ops))
REFUSED: dict[str, tuple[str, Callable[[], Any]]] = {
    "is_expr": ("is_expr", lambda: relu(is_expr(FUNCTION.regions[0].block.args[0]))),
    "is_input": ("is_input", lambda: relu(is_input())),
    "is_var": ("is_var", lambda: relu(is_var("x"))),
    "has_dtype": ("has_dtype", lambda: relu(x.has_dtype("f32"))),
    "has_shape": ("has_shape", lambda: relu(x.has_shape([2, 3]))),
    "same_shape_as": ("same_shape_as", lambda: is_op("add")(x, y.same_shape_as(x))),
    "not": ("~", lambda: relu(~is_op("exp")(x))),
    "not of an operator": ("~", lambda: (~is_op("exp"))(x)),
    "is_if": ("is_if", lambda: relu(is_if(x, y, z))),
    "is_let": ("is_let", lambda: relu(is_let(x, y))),
    "is_function": ("is_function", lambda: is_op("tuple")(is_function([x], x))),
    "is_call": ("a call by name", lambda: relu(is_call("f", [x]))),
    "repeat": ("repeat", lambda: relu(repeat(x, lambda p: is_op("exp")(p)))),
    "dominates": ("dominates", lambda: dominates(is_op("exp")(x), wildcard(), relu(wildcard()))),
    "used_by": ("used_by", lambda: is_op("exp")(x) ^ relu(wildcard())),
    "only_used_by": ("used_by", lambda: is_op("exp")(x) >> relu(wildcard())),
    "together": ("together", lambda: together(is_op("exp")(x), is_op("tanh")(x))),
    "fork_to": ("together", lambda: x.fork_to(is_op("exp")(wildcard()), relu(wildcard()))),
    "a type with an unknown size": (
        "has_type",
        lambda: relu(x.has_type("!relax.tensor<[?], f32>")),
    ),
    "a type of unknown rank": ("has_type", lambda: relu(x.has_type("!relax.tensor<*, f32>"))),
    "a type of unknown elements": ("has_type", lambda: relu(x.has_type("!relax.tensor<[2]>"))),
    "an object": ("has_type", lambda: relu(x.has_type("!relax.object"))),
    "any operator": ("any operator", lambda: wildcard()(x)),
    "further arguments": ("further arguments", lambda: relu(varg_default_wildcard=True)),
    "a tuple of any fields": ("is_tuple of any number", lambda: relu(is_tuple()[0])),
    "any results": ("any number of results", lambda: is_op("split")(x)[0]),
    "any output": (
        "any output",
        lambda: relu(is_tuple_get_item(BATCH_NORM)),
    ),
    "an output of anything": ("an output of any op", lambda: relu(x[0])),
    "several results as one": ("any result", lambda: relu(is_op("batch_norm")(x, y, y, y, y))),
    "the operator's kind": ("has_attr(TOpPattern)", lambda: has_attr(relu(x), "TOpPattern", 0)),
    "a default": ("has_attr(alpha", lambda: has_attr(is_op("leakyrelu")(x), "alpha", 0.01)),
    "an absent attribute": (
        "has_attr(alpha, None)",
        lambda: has_attr(is_op("leakyrelu")(x), "alpha", None),
    ),
    "a number of any type": ("is_constant(1.0)", lambda: is_op("add")(x, is_constant(1.0))),
    "a number that no type holds": (
        "is_constant(0.5)",
        lambda: is_op("add")(x, is_constant(0.5).has_type("!relax.tensor<[], i32>")),
    ),
    "two ops at once": ("& of two ops", lambda: relu(is_op("exp")(x) & is_op("exp")(y))),
    "no op": ("a root that is no op", lambda: x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_pdl_cannot_express_is_named(name: str):
    construct, make = REFUSED[name]
    pattern = make()
    replacement = (
        [x]
        if name in ("together", "fork_to")
        else x
        if x in nodes_of(pattern)
        else const(1.0, "f32")
    )
    with pytest.raises(PatternError) as caught:
        to_pdl(pattern, replacement)
    message = str(caught.value)
    assert message.startswith("to_pdl: expected ") and construct in message and "; " in message
    assert "PDL cannot express" in message


def test_a_function_of_python_is_refused():
    @rule(is_op("exp")(x))
    def tanh_instead(root: Any, match: Any) -> object:
        return op.tanh(match[x])

    with pytest.raises(
        PatternError, match=r"found a Python function in rule 'tanh_instead' \(test_pdl_refused.py"
    ):
        to_pdl(tanh_instead)


def test_a_whole_match_is_refused():
    whole = template_rule(is_op("exp")(is_op("abs")(x)), op.exp(x), name="even")
    with pytest.raises(PatternError, match="even: expected a rule with outside_uses=True"):
        to_pdl(whole)
    assert len(list(to_pdl(template_rule(is_op("exp")(x), op.tanh(x))).ops)) == 1


REPLACEMENTS: dict[str, tuple[str, Callable[[], Any]]] = {
    "a type that follows": ("relax.matmul, whose result type", lambda: op.exp(op.matmul(x, y))),
    "a broadcast": ("relax.add, whose result type", lambda: op.exp(op.add(x, y))),
    "a conversion": ("relax.astype, whose result type", lambda: op.exp(op.astype(x, "f64"))),
    "a number": ("a number, whose element type", lambda: op.add(x, 1.0)),
    "the root": ("the root itself", lambda: op.exp(ROOT)),
    "two values": ("2 values for the 1 results", lambda: [x, y]),
    "no sample": ("built from no sample", lambda: op.add(x)),
    "several results": ("several results", lambda: BATCH_NORM),
    "a number alone": ("built from no sample", lambda: 1.0),
    "optional operands": ("optional operands", lambda: op.binary_cross_entropy_with_logits(x, y)),
}
ROOT = is_op("add")(is_op("exp")(x), BATCH_NORM[0], in_order=True)


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_what_pdl_cannot_replace_with_is_named(name: str):
    construct, make = REPLACEMENTS[name]
    with pytest.raises(PatternError) as caught:
        to_pdl(ROOT, make(), name="mine")
    message = str(caught.value)
    assert message.startswith("to_pdl: mine: expected a replacement that PDL can express, found ")
    assert construct in message and "; " in message


def test_an_alternative_without_a_node_of_the_replacement_is_refused():
    with pytest.raises(
        PatternError, match="takes no part in this alternative; make a rule of each"
    ):
        to_pdl(relu(is_op("exp")(x) | is_op("tanh")(y)), x)


def test_too_many_ways_are_refused():
    pattern = x
    for _ in range(7):
        pattern = is_op("exp")(pattern) | is_op("tanh")(pattern)
    with pytest.raises(PatternError, match="at most 64 patterns of PDL"):
        to_pdl(is_op("abs")(pattern), x)


def test_too_deep_a_pattern_is_refused():
    pattern = x
    for _ in range(300):
        pattern = is_op("exp")(pattern)
    with pytest.raises(PatternError, match="at most 256 nodes, found 301"):
        to_pdl(pattern, x)


def test_mistakes_in_the_call():
    with pytest.raises(PatternError, match="expected a rule, or a pattern and its replacement"):
        to_pdl([x])  # pyright: ignore
    with pytest.raises(PatternError, match="leave one out"):
        to_pdl(free(is_op("exp")(x), x), x)
    with pytest.raises(PatternError, match="expected a benefit from 0 to 32703, found -1"):
        to_pdl(is_op("exp")(x), x, benefit=-1)


# Reading --------------------------------------------------------------------------------------


def a_pattern(body: str, rewrite: str | None) -> ModuleOp:
    """One pattern; its rewrite is a function from outside where none is given."""
    last = 'with "f"' if rewrite is None else f"{{\n{rewrite}\n}}"
    return relax_dialect.parse(
        f"pdl.pattern @mine : benefit(1) {{\n{body}\npdl.rewrite %root {last}\n}}"
    )


OPERAND = "%x = pdl.operand\n"
TYPE = "%t = pdl.type\n"
EXP = '%root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)'
BY_X = "pdl.replace %root with (%x : !pdl.value)"
UNREADABLE: dict[str, tuple[str, str, str | None]] = {
    "an open attribute": (
        "a pdl.attribute without a value",
        OPERAND + TYPE + "%a = pdl.attribute\n" + EXP.replace(" ->", ' {"axis" = %a} ->'),
        BY_X,
    ),
    "a shared type": (
        "one pdl.type of two values",
        TYPE + "%x = pdl.operand : %t\n" + EXP,
        BY_X,
    ),
    "a wide type": (
        "pdl.type : !relax.tensor<*, f32>",
        OPERAND + "%t = pdl.type : !relax.tensor<*, f32>\n" + EXP,
        BY_X,
    ),
    "any op": (
        "a pdl.operation without a name",
        OPERAND + TYPE + EXP.replace('"relax.exp" ', ""),
        BY_X,
    ),
    "another name of an op": (
        "an unknown op, 'relax.dense'",
        OPERAND
        + TYPE
        + EXP.replace("relax.exp", "relax.dense").replace(
            "(%x : !pdl", "(%x, %x : !pdl.value, !pdl"
        ),
        BY_X,
    ),
    "ranges": (
        "pdl.operands",
        "%x = pdl.operands\n" + TYPE + EXP.replace("!pdl.value", "!pdl.range<value>"),
        "pdl.erase %root",
    ),
    "a function": ("a rewrite without root or body", OPERAND + TYPE + EXP, None),
    "an erasure": ("pdl.erase in the rewrite", OPERAND + TYPE + EXP, "pdl.erase %root"),
    "no replacement": (
        "0 times pdl.replace",
        OPERAND + TYPE + EXP,
        "%u = pdl.type : !relax.tensor<[], f32>",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_our_patterns_cannot_express_is_named(name: str):
    construct, body, rewrite = UNREADABLE[name]
    with pytest.raises(PatternError) as caught:
        from_pdl(a_pattern(body, rewrite))
    message = str(caught.value)
    assert message.startswith("from_pdl: @mine: expected what our patterns can express, found ")
    assert construct in message and "; " in message


def test_an_unknown_op_is_named_with_the_nearest():
    module = a_pattern(OPERAND + TYPE + EXP.replace("exp", "epx"), BY_X)
    with pytest.raises(PatternError, match=r"from_pdl: @mine: .*'relax.epx'.*the nearest is 'exp'"):
        from_pdl(module)


# Damaged files --------------------------------------------------------------------------------

FILES = sorted((Path(__file__).parents[2] / "filecheck" / "dpl" / "pdl").glob("*.mlir"))
TEXTS = [text for file in FILES if "pdl.pattern" in (text := file.read_text("utf-8"))]


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("seed", range(4))
def test_damaged_patterns_end_in_a_program_or_an_error(seed: int):
    rng = random.Random(seed)
    ran = 0
    while ran < amount(8, 5):
        try:
            patterns = relax_dialect.parse(mutate(rng.choice(TEXTS), TEXTS, rng))
        except RelaxError:
            continue
        ran += 1
        for apply in (
            lambda module, patterns=patterns: apply_pdl(module, patterns),
            lambda module, patterns=patterns: apply_rules(from_pdl(patterns), module),
        ):
            module = patterns.clone()
            try:
                apply(module)
            except RelaxError:
                continue
            relax_dialect.verify(module)
