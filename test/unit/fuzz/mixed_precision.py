"""Random networks in f16 and bf16, interpreted and compiled for a CPU: their errors are those of the roundings."""

from __future__ import annotations

import random

from rewrites.narrow_networks import NARROW, drawn, within

import lowering
from relax_dialect import interpret
from relax_dialect.parsing import verify
from relax_dialect.rewrites.quantization.to_mixed_precision import to_mixed_precision

from .cases import Fault
from .schedules import cpus


def batch(rng: random.Random, count: int) -> int:
    """Try so many networks, compiled together."""
    dtype, cpu = rng.choice(NARROW), rng.choice(cpus())
    module, calls = drawn(rng.sample(range(1 << 30), count), dtype)
    wide = str(module)
    to_mixed_precision(module, dtype)
    verify(module)
    compiled = lowering.compile(module, "networks", cpu=cpu, extra_flags=("-O1",))
    for name, rows, bounded in calls:
        for how, found in (
            ("interpreted", interpret.run(module, name, rows)),
            (f"compiled for {cpu}", compiled[name](rows)),
        ):
            if not within(found, bounded):
                raise Fault(f"{name} in {dtype}, {how}: beyond the bound of its roundings", wide)
    return count
