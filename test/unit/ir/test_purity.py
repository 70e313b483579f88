"""The purity of functions in chains: each is searched once for a whole module."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.pipeline import lower
from relax_dialect import parsing
from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import Match, apply_rules, is_op, rule, wildcard
from relax_dialect.ir import purity
from relax_dialect.transform.dead_code import eliminate_dead_code

T = "!relax.tensor<[4], f32>"
LENGTH = 40


def chain(first: str) -> ModuleOp:
    """Functions of which each calls the one before twice, and uses one result; the first has the given op."""
    texts = [f"relax.func @f0(%x: {T}) -> {T} {{\n  {first}\n  relax.return %x : {T}\n}}"]
    for number in range(1, LENGTH):
        call = f"relax.call @f{number - 1}(%x) : ({T}) -> {T}"
        texts.append(
            f"relax.func @f{number}(%x: {T}) -> {T} {{\n"
            f"  %0 = {call}\n  %1 = {call}\n  relax.return %0 : {T}\n}}"
        )
    return parsing.parse("\n".join(texts))


@pytest.mark.parametrize(
    ("first", "calls"), [("", 1), (f'relax.print %x {{format = "{{}}"}} : ({T}) -> ()', 2)]
)
def test_a_chain_is_searched_in_linear_time(
    first: str, calls: int, monkeypatch: pytest.MonkeyPatch
):
    searched: list[object] = []
    walk = purity._evaluated_with
    monkeypatch.setattr(purity, "_evaluated_with", lambda root: searched.append(root) or walk(root))
    eliminate_dead_code(module := chain(first))
    assert len(searched) <= 3 * LENGTH
    assert str(module).count("relax.call @f") == calls * (LENGTH - 1)


PASSES = (
    "relax-cse", "relax-convert-to-dataflow", "relax-propagate-shapes", "relax-normalize",
    "relax-combine-parallel-matmul", "relax-bind-dynamic-dims", "relax-simplify-algebra",
)  # fmt: skip


@pytest.mark.parametrize("first", ["", f'relax.print %x {{format = "{{}}"}} : ({T}) -> ()'])
@pytest.mark.parametrize("name", PASSES)
def test_passes_and_the_verifier_search_each_function_a_few_times(
    name: str, first: str, monkeypatch: pytest.MonkeyPatch
):
    module, searched, walk = chain(first), [], purity._evaluated_with
    monkeypatch.setattr(purity, "_evaluated_with", lambda root: searched.append(root) or walk(root))
    lower(module, [name])
    assert len(searched) <= 4 * LENGTH
    searched.clear()
    parsing.verify(module)
    assert len(searched) <= 3 * LENGTH


def test_a_rule_that_adds_an_effect_is_seen_in_callers():
    """The rewrite of @f0 makes it impure, so the unused call in @f1 stays."""
    x = wildcard()

    @rule(is_op("exp")(x))
    def printed(root: Value, match: Match) -> object:
        return op.call_packed("f", [match[x]], root.type)

    module = chain(f"%y = relax.exp %x : ({T}) -> {T}")
    (first, second, *_) = module.ops
    symbols = purity.ModuleSymbols(first)
    assert purity.is_pure_function(second, symbols) and "f0" in symbols.pure
    first.body.block.last_op.operands = [first.body.block.first_op.results[0]]  # pyright: ignore
    assert apply_rules([printed], module) == 1
    symbols.update(first)
    assert not purity.is_pure_function(second, symbols)
