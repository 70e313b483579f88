"""Random programs with random placements: every simulated rank returns what one device does."""

from __future__ import annotations

import numpy as np
import pytest
from optional import amount

from relax_dialect.gradient import vjp
from sharding.models import arrays, sharded
from sharding.random_programs import GRIDS, NUMBERS, Programs


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, amount(200, 20), 10))
def test_programs_and_their_gradients(first: int):
    for seed in range(first, first + 10):
        rng = np.random.default_rng(seed)
        source = Programs(rng)
        module, name = source.program(), "main"
        if seed % 3 == 2:
            vjp(module, "main")
            next(iter(module.ops)).detach()
            name = "main_vjp"
        grid = GRIDS[rng.integers(len(GRIDS))]
        placements = source.sharding(module, list(grid), name)
        sharded(module, arrays(module, seed, **NUMBERS), grid, placements, name)
