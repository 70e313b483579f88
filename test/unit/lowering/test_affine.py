"""`affine` programs: interpreter, C, MLIR and numpy compute the same, as written and raised from loops."""

from __future__ import annotations

import random

import pytest
from fuzz import affine
from optional import GCC, amount, needs

CASES = amount(60, 12)


@pytest.mark.shortened
@needs(GCC)
def test_random_programs_compute_the_same_everywhere():
    assert affine.batch(random.Random(f"affine {CASES}"), CASES) == CASES
