"""Random sharded programs, compiled, on one to four ranks under mpirun: the results of one device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sharding.models import annotate, leaves
from sharding.random_programs import NUMBERS, Programs
from support.mpi_ranks import RankCall, run_ranks
from support.optional import MPI, amount, needs, shortened

from relax_dialect import interpret
from relax_dialect.interpret import PerRank
from relax_dialect.ir.types import TensorType
from relax_dialect.sharding import ShardingError, shard
from relax_dialect.sharding.rank_weights import arguments_by_rank

GRIDS = {1: {"tp": 1}, 2: {"tp": 2}, 3: {"tp": 3}, 4: {"dp": 2, "tp": 2}}


def arguments(module: Any, rng: np.random.Generator) -> list[np.ndarray]:
    (function,) = module.ops
    found: list[np.ndarray] = []
    for parameter in function.body.block.args:
        type = parameter.type
        assert isinstance(type, TensorType) and type.shape is not None
        shape = [size.evaluate(NUMBERS) for size in type.shape if size is not None]
        is_index = str(type.dtype) == "i64"
        found.append(rng.integers(0, 6, shape) if is_index else rng.standard_normal(shape))
    return found


@needs(MPI)
@pytest.mark.slow
@shortened
@pytest.mark.parametrize("ranks", sorted(GRIDS))
def test_random_programs_compute_what_one_device_does(ranks: int):
    texts: list[str] = []
    calls: list[RankCall] = []
    wanted: list[list[np.ndarray]] = []
    seed = 1000 * ranks
    while len(calls) < amount(25, 2):
        rng = np.random.default_rng(seed := seed + 1)
        programs = Programs(rng)
        module = programs.program()
        given = arguments(module, rng)
        whole = leaves(interpret.run(module, "main", *given))
        annotate(module, GRIDS[ranks], programs.sharding(module, [*GRIDS[ranks]]))
        try:
            shard(module, "main")
            parts = arguments_by_rank(module, "main", given)
        except ShardingError:
            continue
        name = f"f{len(calls)}"
        (function,) = module.ops
        texts.append(str(function).replace("@main", f"@{name}", 1))
        each = [[p.values[r] if isinstance(p, PerRank) else p for p in parts] for r in range(ranks)]
        calls.append(RankCall(name, each))
        wanted.append(whole)
    for call, text, whole, results in zip(
        calls, texts, wanted, run_ranks("\n".join(texts), calls, ranks)
    ):
        for result in results:
            assert not isinstance(result, str), f"{call.function}: {result}\n{text}"
            for found, expected in zip(leaves(result), whole, strict=True):
                scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
                np.testing.assert_allclose(found / scale, expected / scale, rtol=1e-5, atol=1e-5)
