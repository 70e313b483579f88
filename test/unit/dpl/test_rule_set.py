"""Rules as one xDSL pattern, and as the canonicalization patterns of operators."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.transforms.canonicalize import CanonicalizePass

from relax_dialect.builder import op
from relax_dialect.dpl import RuleSet, has_dtype, is_op, rule, wildcard
from relax_dialect.ops import canonicalization
from relax_dialect.parsing import parse, verify

PROGRAM = """
relax.func @f(%x: !relax.tensor<[n], f32>, %k: !relax.tensor<[n], i32>) -> !relax.object {
  %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %c = relax.abs %k : (!relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>
  %t = relax.tuple %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[n], i32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], i32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], i32>>
}
"""

x = wildcard()


@rule(is_op("tanh")(is_op("tanh")(x)))
def twice(root, match):  # pyright: ignore
    return op.sin(match[x])


@rule(is_op("tanh")(x))
def once(root, match):  # pyright: ignore
    return op.cos(match[x])


@rule(has_dtype("i32") & is_op("abs")(x))
def by_type(root, match):  # pyright: ignore
    return match[x]


@rule(has_dtype("i32"))
def of_any_op(root, match):  # pyright: ignore
    return op.negative(root) if "abs" in str(root.value.owner) else None


def operators(module: ModuleOp) -> list[str]:
    names = [each.name.removeprefix("relax.") for each in module.walk()]
    return [n for n in names if n not in ("builtin.module", "func", "tuple", "return")]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([twice, once], ["sin", "abs"]),
        ([once, twice], ["cos", "cos", "abs"]),
        ([by_type], ["tanh", "tanh"]),
        ([of_any_op, twice], ["sin", "abs", "negative"]),
    ],
)
def test_the_first_rule_that_matches_is_applied(rules: list, expected: list[str]):
    module = parse(PROGRAM)
    PatternRewriteWalker(RuleSet(rules), walk_reverse=True).rewrite_module(module)
    verify(module)
    assert operators(module) == expected


def test_rules_of_ones_own_canonicalize_operators(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(canonicalization, "_SOURCES", [*canonicalization._SOURCES])
    try:
        canonicalization.canonicalize_by(lambda: RuleSet([by_type]))
        module = parse(PROGRAM)
        CanonicalizePass().apply(Context(), module)
        assert operators(module) == ["tanh", "tanh"]
    finally:
        canonicalization._patterns.cache_clear()
