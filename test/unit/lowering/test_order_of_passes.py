"""A pass that needs another one before it names that pass."""

from __future__ import annotations

import re
from random import Random

import pytest
from scoped_programs import scoped_program

from lowering.pipeline import PASSES, lower
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

OTHERS = {
    "scf": """
        relax.func @main(%x: !relax.tensor<[n], f32>, %c: i1) -> !relax.tensor<[n], f32> {
          %y = scf.if %c -> (!relax.tensor<[n], f32>) {
            scf.yield %x : !relax.tensor<[n], f32>
          } else {
            %z = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
            scf.yield %z : !relax.tensor<[n], f32>
          }
          relax.return %y : !relax.tensor<[n], f32>
        }
    """,
    "tensor": """
        relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
          %t = relax.to_builtin %x : (!relax.tensor<[4], f32>) -> tensor<4xf32>
          %e = math.exp %t : tensor<4xf32>
          %y = relax.from_builtin %e : (tensor<4xf32>) -> !relax.tensor<[4], f32>
          relax.return %y : !relax.tensor<[4], f32>
        }
    """,
}


def names_a_pass(error: str) -> bool:
    mend = error.partition("\n")[0].rpartition("; ")[2]
    return any(name in PASSES for name in re.findall(r"relax-[a-z-]+", mend))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_of_random_programs(number: int):
    """Each pass of the lowering alone, and each before those that come before it."""
    try:
        program = parse(scoped_program(Random(number)))
    except RelaxError:
        return
    for name in PASSES:
        try:
            lower(program.clone(), [name], verify_each=True)
        except RelaxError as error:
            assert names_a_pass(str(error)), f"{name}: {error}"


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_of_other_dialects(text: str):
    program = parse(text)
    for name in PASSES:
        try:
            lower(program.clone(), [name], verify_each=True)
        except RelaxError as error:
            assert names_a_pass(str(error)), f"{name}: {error}"
