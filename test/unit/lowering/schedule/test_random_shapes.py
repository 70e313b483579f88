"""Every strategy over random shapes: scheduled for tiny tiles, interpreted and compiled, against the interpreter.

The interpreter refuses every view and every element out of bounds, and memory that is read before it is written
is NaN to it.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from drawn_followers import programs
from drawn_kernels import KINDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from optional import UNOPTIMISED
from tiny_tiles import use_tiny_tiles

import lowering
from lowering.pipeline import PASSES, lower, optimizations
from relax_dialect import interpret

EXAMPLES = int(os.environ.get("RELAX_EXAMPLES", 2))
"""How many programs of each kind are tried; more on demand."""

TOLERANCE = {"e": 2e-2, "f": 2e-5, "d": 1e-12}


@pytest.fixture(scope="module", autouse=True)
def tiny_tiles():
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_schedules_keep_the_meaning(kind: str, data: st.DataObject):
    drawn = data.draw(programs(kind))
    expected = {
        name: interpret.run(drawn.module, name, *arrays) for name, arrays in drawn.arguments.items()
    }
    passes = list(PASSES)
    upto = passes[: passes.index("relax-schedule") + 1]
    scheduled = lower(drawn.module.clone(), [*optimizations(), *upto], verify_each=True)
    compiled = lowering.compile(drawn.module, extra_flags=UNOPTIMISED)
    for name, arrays in drawn.arguments.items():
        check(interpret.run(scheduled, name, *arrays), expected[name], f"{name} scheduled")
        check(compiled[name](*arrays), expected[name], f"{name} compiled")


def check(found: Any, expected: Any, what: str) -> None:
    """Equal up to rounding, integers exactly; of several results each."""
    if isinstance(expected, tuple):
        for number, pair in enumerate(zip(found, expected, strict=True)):
            check(*pair, f"{what}, result {number}")
        return
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), what
    tolerance = TOLERANCE.get(expected.dtype.char, 0)
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(found, expected, tolerance, tolerance * scale, err_msg=what)
