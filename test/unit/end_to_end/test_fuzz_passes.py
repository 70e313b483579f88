"""Damaged programs through every pass: each run ends in a verified module or in one clear error."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator

import pytest
from fuzz import passes
from optional import FULL
from xdsl.dialects.builtin import ModuleOp

CASES = int(os.environ.get("RELAX_FUZZ_CASES", "16" if FULL else "4"))
SEED = int(os.environ.get("RELAX_FUZZ_SEED", "0"))
PARTS = 4
LONGEST = 4000 if FULL else 2000
"""The length of the longest programs that are damaged: a hundred pipelines take ten seconds for the longest of all,
which `make fuzz` damages too."""


@pytest.fixture(autouse=True, scope="module")
def programs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        short = [text for text in passes.EVERY_PROGRAM if len(text) < LONGEST]
        patch.setattr(passes, "EVERY_PROGRAM", short)
        yield


@pytest.mark.slow
@pytest.mark.shortened
@pytest.mark.parametrize("damaged", [passes.damaged_text, passes.damaged_ops])
@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_program_passes_or_is_refused(
    part: int, damaged: Callable[[random.Random], ModuleOp | None]
):
    rng = random.Random(f"{damaged.__name__} {SEED} {part}")
    count = CASES // PARTS if damaged is passes.damaged_text else CASES // PARTS // 3
    accepted = sum(passes.case(rng, damaged) for _ in range(count))
    for _ in range(50):  # a short run may have met none
        accepted = accepted or passes.case(rng, damaged)
    assert accepted, "all of the mutations are refused, which tests no pass"
