"""Panels cover the columns once, in vectors, and hold them as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import examples

from lowering import lower
from lowering.schedule.memrefs.panels import Panels
from relax_dialect import parse
from relax_dialect.errors import RelaxError


@examples(300)
@given(st.integers(1, 200), st.integers(1, 4), st.sampled_from((1, 2, 4, 8, 16)))
def test_panels_cover_the_columns_once(columns: int, vectors: int, lanes: int):
    panels = Panels(columns, vectors, lanes)
    covered: list[int] = []
    for segment in panels.segments():
        width = segment.vectors * lanes
        assert 1 <= segment.vectors <= vectors and width <= panels.width
        for n in range(segment.count):
            start = segment.start + n * width
            covered += range(start, start + (segment.rest or width))
    assert covered == list(range(columns))
    counts = [s.vectors for s in panels.segments() for _ in range(s.count)]
    assert len(counts) == panels.count and max(counts) - min(counts) <= 1


@examples(60)
@given(st.integers(1, 60), st.integers(0, 5))
def test_packed_columns_are_found_again(columns: int, depth: int):
    panels = Panels(columns, 3, 4)
    weights = np.random.default_rng(0).standard_normal((depth, columns))
    packed = panels.pack(weights)
    assert packed.shape == (panels.count, depth, panels.width)
    assert panels.pack(weights.astype(np.float32)).dtype == np.float32
    for segment in panels.segments():
        for n in range(segment.count):
            width = segment.rest or segment.vectors * 4
            start = segment.start + n * segment.vectors * 4
            found = packed[segment.first + n]
            np.testing.assert_array_equal(found[:, :width], weights[:, start : start + width])
            assert not found[:, width:].any()


def test_an_unknown_cpu_is_named():
    module = parse(
        "relax.func @main() -> !relax.shape<[]> {\n  %s = relax.shape []\n  relax.return %s : !relax.shape<[]>\n}"
    )
    with pytest.raises(RelaxError, match="cpu 'x86-64-v9': expected one of native, "):
        lower(module, ["relax-schedule{cpu=x86-64-v9}"])
