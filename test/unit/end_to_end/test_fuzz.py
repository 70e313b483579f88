"""Damaged programs: reading one ends in a verified module or in one clear error, never in a crash."""

from __future__ import annotations

import os
import random

import pytest
from fuzz import texts

CASES = int(os.environ.get("RELAX_FUZZ_CASES", "500"))
SEED = int(os.environ.get("RELAX_FUZZ_SEED", "0"))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_damaged_program_is_read_or_refused(part: int):
    rng = random.Random(f"{SEED} {part}")
    accepted = sum(texts.case(rng) for _ in range(CASES // 4))
    assert accepted, "all of the mutations are refused, which tests no printing"
