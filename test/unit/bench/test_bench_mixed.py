"""The mixed operators of the benchmark: legalising makes one prim func for each that is distinct."""

from __future__ import annotations

import pytest

from bench import mixed
from lowering.legalize.relax_legalize import legalize
from relax_dialect.ops.calls import CallTirOp


@pytest.mark.slow
@pytest.mark.parametrize("widths", [1, 2])
def test_operators_have_one_prim_func_if_and_only_if_they_are_alike(widths: int):
    module = mixed.mixed(3 * len(mixed.KINDS), widths)
    keys = [mixed.key(operator) for operator in mixed.operators(module)]
    legalize(module)
    module.verify()
    callees = [op.callee_name for op in module.walk() if isinstance(op, CallTirOp)]
    assert len(keys) == len(callees) == 3 * len(mixed.KINDS)
    assert mixed.prim_funcs(module) == len(set(keys)) == len(set(callees))
    assert len(set(zip(keys, callees))) == len(set(keys))


def test_no_two_kinds_of_the_mix_are_alike():
    keys = map(mixed.key, mixed.operators(mixed.mixed(len(mixed.KINDS), 1)))
    assert len(set(keys)) == len(mixed.KINDS)
