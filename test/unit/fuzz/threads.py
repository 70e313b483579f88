"""Random kernels whose loops all run on several threads: no races, and the bits of one thread."""

from __future__ import annotations

import random

import pytest
from drawn_followers import drawn_cases, module_of
from sanitized_calls import CallError
from tiny_tiles import use_tiny_tiles
from watched_threads import compare_watched

from .cases import Fault


def batch(rng: random.Random, count: int) -> int:
    """Try kernels, all in one C module. Raises `Fault`."""
    cases = drawn_cases(rng, count)
    with pytest.MonkeyPatch.context() as patch:
        if rng.random() < 0.5:
            use_tiny_tiles(patch)
        try:
            compare_watched(cases)
        except CallError as error:
            raise Fault(f"@{error.function}: {error}", str(module_of(cases).module)) from None
    return count
