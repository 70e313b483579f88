"""No two threads write the same memory, or read what another writes: ThreadSanitizer on drawn programs.

`python test/unit/fuzz --kinds threads` draws more.
"""

from __future__ import annotations

import random

import pytest
from drawn_followers import Case, drawn_case
from optional import THREAD_SANITIZER, amount, needs
from tiny_tiles import use_tiny_tiles
from watched_threads import compare_watched

KINDS = ("contraction", "convolution", "attention", "moving")


@pytest.mark.slow
@pytest.mark.shortened
@needs(THREAD_SANITIZER)
def test_kernels_have_no_races():
    source = random.Random(7)
    count = amount(2, 1)
    cases: list[Case] = [drawn_case(source, kind) for kind in KINDS for _ in range(count)]
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        assert compare_watched(cases) > 0
