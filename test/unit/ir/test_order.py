"""Orders of evaluation: ops after what they need, and an error for ops that need each other."""

from __future__ import annotations

import pytest

from relax_dialect.ir.order import CycleError, in_order
from relax_dialect.ir.symbol_scopes import bound_around, free_symbols, named_symbols
from relax_dialect.normal_forms import lca_scopes
from relax_dialect.parsing import parse

PROGRAM = parse(
    """
    relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
      %f = relax.closure [s] (%v: !relax.tensor<[s], f32>) -> !relax.tensor<[s + n], f32> {
        %c = relax.concat %v, %x {axis = 0 : i64} : (!relax.tensor<[s], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[s + n], f32>
        %m = relax.match_cast %c : !relax.tensor<[s + n], f32> -> !relax.tensor<[k], f32>
        relax.return %c : !relax.tensor<[s + n], f32>
      }
      %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.return %y : !relax.tensor<[n], f32>
    }
    """
)
FUNCTION = next(iter(PROGRAM.ops))
CLOSURE, EXP, RETURN = FUNCTION.regions[0].block.ops


def test_a_closure_binds_its_own_variables():
    assert set(free_symbols(CLOSURE)) == {"n", "k"}
    assert named_symbols(CLOSURE) == {"n", "s", "k"}
    assert bound_around(CLOSURE.regions[0].block) == {"n", "s"}


def test_ops_stand_after_what_they_need():
    needs = {CLOSURE: [EXP], EXP: [], RETURN: [EXP, CLOSURE]}
    assert in_order([RETURN, CLOSURE, EXP], needs.__getitem__) == [EXP, CLOSURE, RETURN]


def test_a_cycle_names_its_ops():
    needs = {CLOSURE: [EXP], EXP: [CLOSURE]}
    with pytest.raises(CycleError, match=r"closure \(%f\) -> relax.exp \(%y\) -> relax.closure"):
        lca_scopes._in_order([CLOSURE, EXP, RETURN], RETURN, needs)  # pyright: ignore[reportPrivateUsage]
