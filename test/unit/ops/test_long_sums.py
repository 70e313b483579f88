"""Sums of a million terms keep the digits of f32, along any axis, whether or not their length is known.

`python test/unit/fuzz --kinds sums` tries all cases, for all CPUs and with ten million terms.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from fuzz import long_sums

import lowering
from relax_dialect import interpret

LENGTH = 10**6
NAMES = ("sum", "sum_ends", "variance_columns", "matmul", "vector_matrix", "cumsum_rows")
KNOWN = ("sum_columns", "cumsum_columns")
"""Cases whose length is compiled in."""


@cache
def compiled(names: tuple[str, ...], length: int | None):
    return lowering.compile(long_sums.module(names, [length]), "sums")


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0, 1000])
@pytest.mark.parametrize("name", [*NAMES, *KNOWN])
def test_compiled(name: str, offset: int):
    names, length = (NAMES, None) if name in NAMES else (KNOWN, LENGTH)
    given = long_sums.arguments(name, LENGTH, offset, seed=1)
    found = compiled(names, length)[f"{name}_{length}"](*given)
    assert long_sums.error(name, found, given) <= long_sums.BOUND


@pytest.mark.parametrize(
    "name", ["sum_columns", "variance_columns", "vector_matrix", "cumsum_columns"]
)
def test_interpreted(name: str):
    given = long_sums.arguments(name, LENGTH, 1000, seed=1)
    found = interpret.run(long_sums.module([name], [None]), f"{name}_None", *given)
    assert long_sums.error(name, np.asarray(found), given) <= long_sums.BOUND


@pytest.mark.slow
def test_infinities_and_nans_stay():
    x = np.ones(LENGTH, np.float32)
    for place, number in ((5, np.inf), (LENGTH // 2, -np.inf), (LENGTH - 1, np.nan)):
        y = x.copy()
        y[place] = number
        np.testing.assert_equal(compiled(NAMES, None)["sum_None"](y), np.float32(number))
