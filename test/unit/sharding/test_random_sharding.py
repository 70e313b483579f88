"""Random programs with random placements: every simulated rank returns what one device does."""

from __future__ import annotations

import numpy as np
import pytest
from optional import amount, shortened

from relax_dialect.gradient import vjp
from sharding.models import arrays, sharded
from sharding.random_programs import GRIDS, NUMBERS, Programs


@shortened
@pytest.mark.slow
@pytest.mark.parametrize("differentiates", [False, True])
def test_programs_and_their_gradients(differentiates: bool):
    for seed in range(amount(100, 12)):
        rng = np.random.default_rng(seed)
        source = Programs(rng)
        module, name = source.program(), "main"
        if differentiates:
            vjp(module, "main")
            next(iter(module.ops)).detach()
            name = "main_vjp"
        grid = GRIDS[rng.integers(len(GRIDS))]
        placements = source.sharding(module, list(grid), name)
        sharded(module, arrays(module, seed, **NUMBERS), grid, placements, name)
