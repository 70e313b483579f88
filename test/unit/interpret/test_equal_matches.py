"""A symbolic variable matched at two places of a graph region: the first in the text defines it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from lowering.pipeline import lower
from relax_dialect import parse
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import register_packed, run
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
MESSAGE = (
    "@main: relax.match_cast (%a): expected size m = 4 in dimension 0, found 3; "
    "relax.match_cast (%c) defines m"
)
"""It names both."""


@pytest.mark.parametrize("block", ["dataflow", "graph"])
@pytest.mark.parametrize("form", FORMS)
def test_the_two_are_compared_in_every_form(block: str, form: str):
    module = lower(parse(PROGRAM.replace("BLOCK", block)), [form])
    verify(module)
    np.testing.assert_allclose(run(module, "main", X, Y), X + np.exp(Y), rtol=1e-6)
    with pytest.raises(RelaxError, match=re.escape(MESSAGE) + "$"):
        run(module, "main", X, LONGER)


def test_compiled():
    compiled = lowering.compile(
        parse(PROGRAM.replace("BLOCK", "dataflow")), extra_flags=UNOPTIMISED
    )
    np.testing.assert_allclose(compiled.main(X, Y), X + np.exp(Y), rtol=1e-6)
    with pytest.raises(RelaxError, match=re.escape(MESSAGE) + "$"):
        compiled.main(X, LONGER)


SEVERAL = """
relax.func @main(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>, %c: !relax.tensor<[], i1>)
    -> !relax.tensor<[?], f32> {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %a = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.yield %a : !relax.tensor<[m], f32>
  } else {
    relax.yield %y : !relax.tensor<[?], f32>
  }
  %s = relax.shape_of %x : (!relax.tensor<[?], f32>) -> !relax.shape<[?]>
  %t = relax.tuple %s, %x : (!relax.shape<[?]>, !relax.tensor<[?], f32>) -> tuple<!relax.shape<[?]>, !relax.tensor<[?], f32>>
  %u = relax.match_cast %t : tuple<!relax.shape<[?]>, !relax.tensor<[?], f32>> -> tuple<!relax.shape<[m]>, !relax.tensor<[m], f32>>
  %f = relax.closure () -> !relax.tensor<[m], f32> {
    %d = relax.call_pure_packed "equal_matches"(%y) : (!relax.tensor<[?], f32>) -> !relax.tensor<[m], f32>
    relax.return %d : !relax.tensor<[m], f32>
  }
  %p = relax.call_pure_packed "equal_matches"(%x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[m], f32>
  %v = relax.match_shape %y [m] : (!relax.tensor<[?], f32>) -> !relax.tensor<[m], f32>
  %o = relax.add %p, %v : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.return %o : !relax.tensor<[m], f32>
}
"""


def test_the_match_that_is_named_is_that_of_the_region_and_where_it_was_read():
    register_packed("equal_matches", lambda x: x[: len(x) // 2 * 2])
    module = parse(SEVERAL, name="/some/where/model.mlir")
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)
    place = "model.mlir:{}:8: @main: relax.{}: expected size m = {} in dimension 0, found {}; "
    definition = "model.mlir:12:8: relax.match_cast (%u) defines m"
    cases = [
        (LONGER, LONGER[:2], place.format(18, "match_shape (%v)", 4, 2)),
        (X, X, place.format(17, 'call_pure_packed "equal_matches": result', 3, 2)),
    ]
    for x, y, message in cases:
        for attempt in (lambda *args: run(module, "main", *args), compiled.main):
            with pytest.raises(RelaxError) as error:
                attempt(x, y, np.array(True))
            assert str(error.value) == message + definition
