"""A symbolic variable matched at two places of a graph region: the first in the text defines it."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from lowering.driver import lower
from relax_dialect import parse
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import verify

FORMS = (
    "relax-to-a-normal-form",
    "relax-to-graph-normal-form",
    "relax-to-basic-block-normal-form",
    "relax-topological-sort",
    "relax-topological-sort{order=depth-first direction=from-outputs}",
    "relax-topological-sort{order=breadth-first direction=from-inputs}",
    "relax-canonicalize-bindings",
    "relax-propagate-shapes",
    "relax-cse",
    "relax-dce",
)

PROGRAM = """
relax.func @main(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.BLOCK {
    %d = relax.add %a, %c : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    %c = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %b = relax.exp %y : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    relax.output %d : !relax.tensor<[m], f32>
  }
  relax.return %r : !relax.tensor<[m], f32>
}
"""
X, Y, LONGER = (np.arange(n, dtype=np.float32) for n in (3, 3, 4))
MESSAGE = r"relax.match_cast \(%a\): expected size m = 4 in dimension 0, found 3"


@pytest.mark.parametrize("block", ["dataflow", "graph"])
@pytest.mark.parametrize("form", FORMS)
def test_the_two_are_compared_in_every_form(block: str, form: str):
    module = lower(parse(PROGRAM.replace("BLOCK", block)), [form])
    verify(module)
    np.testing.assert_allclose(run(module, "main", X, Y), X + np.exp(Y), rtol=1e-6)
    with pytest.raises(RelaxError, match=MESSAGE):
        run(module, "main", X, LONGER)


def test_compiled():
    compiled = lowering.compile(parse(PROGRAM.replace("BLOCK", "dataflow")))
    np.testing.assert_allclose(compiled.main(X, Y), X + np.exp(Y), rtol=1e-6)
    with pytest.raises(RelaxError, match=MESSAGE):
        compiled.main(X, LONGER)
