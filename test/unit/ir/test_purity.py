"""The purity of functions in chains: each is searched once for a whole module."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import parsing
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
