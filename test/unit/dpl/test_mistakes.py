"""Mistakes in rules: what is no rule, and errors in a callback, which say of which rule they are and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import relax_dialect
from relax_dialect.builder import BuildError, op, var
from relax_dialect.dpl import (
    FunctionRule,
    Match,
    Pattern,
    PatternError,
    PatternRule,
    RewriteError,
    apply_rules,
    has_dtype,
    is_constant,
    is_op,
    is_var,
    match,
    rewrite,
    rule,
    wildcard,
)
from relax_dialect.errors import RelaxError

x = wildcard()
exp = is_op("exp")(x)
HERE = "test_mistakes.py"

TEXT = """
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
"""


def module() -> ModuleOp:
    return relax_dialect.parse(TEXT)


def line_of(callback: Any) -> int:
    return callback.__code__.co_firstlineno


def deep(message: str) -> Callable[[Any, Match], object]:
    """A callback whose error comes from a function that it calls."""

    def inner() -> object:
        raise RelaxError(message)

    return lambda root, m: inner()


# pyright: reportArgumentType=false, reportIndexIssue=false, reportUnusedExpression=false
CALLBACKS: dict[str, tuple[Callable[[Any, Match], object], type[RelaxError] | None, str]] = {
    "a number": (
        lambda root, m: 1.0,
        None,
        "expected a value of type !relax.tensor<[n], f32>, found the number 1.0; return op.full(shape, "
        "value)",
    ),
    "a free variable": (
        lambda root, m: var("v", shape=["n"]),
        BuildError,
        "expected a value of the open function, found the variable 'v', which is no function's parameter; "
        "list it in the params of BlockBuilder.function",
    ),
    "a name that is not in the pattern": (
        lambda root, m: m["q"],
        PatternError,
        "'q': expected a node that took part in the match, found one that did not (names that did: none); "
        "ask with `in` before",
    ),
    "a key that is no pattern": (
        lambda root, m: m[3],
        PatternError,
        "m[...]: expected a node of the pattern or a name, found 3; pass the pattern that matched the value",
    ),
    "a key that cannot be hashed": (
        lambda root, m: m[[x]],
        PatternError,
        "m[...]: expected a node of the pattern or a name, found [*]; pass the pattern that matched the "
        "value",
    ),
    "an error further down": (
        deep("expected less, found more"),
        RelaxError,
        "expected less, found more",
    ),
}


@pytest.mark.parametrize(("callback", "cause", "message"), CALLBACKS.values(), ids=CALLBACKS)
def test_an_error_in_a_callback(
    callback: Callable[[Any, Match], object], cause: type[RelaxError] | None, message: str
):
    before = module()
    with pytest.raises(RewriteError) as error:
        rewrite(exp, callback, before)
    assert str(error.value) == f"rule '<lambda>' ({HERE}:{line_of(callback)}): {message}"
    assert str(before) == str(module())
    if cause is not None:
        assert type(error.value.__cause__) is cause


def test_the_rule_is_named_once():
    """The same text at every depth: an error that names the rule already passes as it is."""
    with pytest.raises(RewriteError) as error:
        rewrite(exp, lambda root, m: op.sum(m[x]), module())
    assert str(error.value).count("rule '<lambda>'") == 1


def test_a_rule_that_rewrites_while_it_replaces():
    """An error of an inner rule says first of which outer one it is."""

    @rule(exp)
    def inner(root: Any, m: Match) -> object:
        return m["q"]

    @rule(exp)
    def outer(root: Any, m: Match) -> object:
        return apply_rules([inner], module())

    with pytest.raises(RewriteError) as error:
        apply_rules([outer], module())
    assert str(error.value).startswith(f"{outer.origin}: {inner.origin}: 'q': expected a node")


def test_other_errors_pass_unchanged():
    def callback(root: object, m: Match) -> object:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match=r"^mine$"):
        rewrite(exp, callback, module())


class Exponentials(PatternRule):
    pattern = exp

    def replace(self, root: object, match: Match) -> object:
        return match["q"]


def test_a_rule_that_is_a_class():
    with pytest.raises(RewriteError) as error:
        apply_rules([Exponentials()], module())
    assert str(error.value).startswith(
        f"rule 'Exponentials' ({HERE}:{line_of(Exponentials.replace)}): 'q': expected a node"
    )


def same(root: object, m: Match) -> object:
    return m[x]


def one_argument(root: object) -> object:
    return root


RULES: dict[str, tuple[Callable[[], object], str]] = {
    "one rule": (
        lambda: apply_rules(FunctionRule(exp, same), module()),
        f"rule 'same' ({HERE}:{line_of(same)}): expected a list of rules, found one rule; put it into a "
        "list: [rule]",
    ),
    "a number to replace by": (
        lambda: rewrite(exp, 3, module()),
        "rule 'rewrite': expected a pattern and a function of a root and a match, found 3; write lambda "
        "root, match: match[x]",
    ),
    "a function of one argument": (
        lambda: rule(exp)(one_argument),
        f"rule 'one_argument' ({HERE}:{line_of(one_argument)}): expected a pattern and a function of a root "
        "and a match, found the function one_argument; write lambda root, match: match[x]",
    ),
    "a rule without a pattern": (
        lambda: rule(same),
        "rule: expected a pattern, a value or a number, found the function same; wildcard() matches "
        "anything",
    ),
    "a text as the pattern": (
        lambda: rewrite("exp", same, module()),
        "rule: expected a pattern, a value or a number, found 'exp'; is_op(\"exp\") matches the operator",
    ),
}


@pytest.mark.parametrize(("make", "message"), RULES.values(), ids=RULES)
def test_what_is_no_rule(make: Callable[[], object], message: str):
    with pytest.raises(PatternError) as error:
        make()
    assert str(error.value) == message


NUMBERS: dict[str, tuple[Callable[[], Pattern], str]] = {
    "numpy's number on the left": (lambda: np.float32(2.0) * x, "multiply(const(2.0), *)"),
    "numpy's truth value": (lambda: is_constant(np.bool_(True)), "const(True)"),
    "numpy's integer": (lambda: x + np.int64(3), "add(*, const(3))"),
}


@pytest.mark.parametrize(("make", "text"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_numpy(make: Callable[[], Pattern], text: str):
    assert str(make()) == text


def test_an_array_on_the_left_makes_no_array_of_patterns():
    with pytest.raises(PatternError, match=r"^add\(\.\.\.\): expected a pattern, .* found array"):
        np.ones(3) + x


def test_what_is_right_is_still_taken():
    """Iterators and tuples as lists, an operator as what wraps, types of Python's numbers."""
    assert is_op("add")(x, x).match(op.add(a := var("a"), a))
    assert x.optional(is_op("relu")).match(op.relu(a))
    assert x.repeat(is_op("relu"), at_least=2, at_most=2).match(op.relu(op.relu(a)))
    assert str(x.has_shape(iter([1, "n", None]))) == "*.has_shape([1, n, ?])"
    assert match(is_var("a"), a) and not match(is_var("b"), a)
    assert has_dtype(x, "float32").match(a)


def test_rules_may_come_from_a_generator():
    rules = (rule(exp)(lambda root, m: m[x]) for _ in range(1))
    assert apply_rules(rules, module()) == 1


def test_what_is_no_list_of_rules():
    with pytest.raises(PatternError, match="apply_rules: expected a list of rules, found 3"):
        apply_rules(3, module())  # pyright: ignore
