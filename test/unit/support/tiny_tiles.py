"""`pytest --tiles tiny`: every schedule with tiles of 4 rows and 8 columns, and no array too small for one.

The sizes of ordinary tests leave most loops as they are, and whole models have round ones. With tiny tiles a
matmul of 7 x 5 has whole tiles, lower ones, and columns that are left, so that the tests of the operators are tests of
the schedules too. Nothing but tests knows of this: the CPU is another one, and so are the numbers below.

A new strategy takes what it can from `Cpu`. Numbers of its own, from where on it pays or how large its tiles are, are
constants of its file, which others do not import by name; here they are given another value. `test_tiny_tiles.py`
fails for one that is not listed.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from other_cpu import pytest_collection_modifyitems  # noqa: F401 - a hook of pytest

from lowering.support import target
from lowering.support.target import Cpu

THRESHOLDS: Mapping[str, Mapping[str, int]] = {
    "lowering.schedule.strategies.contraction": {
        "VECTORS": 2,
        "FEW_VECTORS": 2,
        "ACCUMULATORS": 3,
        "BLOCK": 2,
        "PACK_ROWS": 6,
        "NEVER": 1 << 40,
        "LEAST_WORK": 0,
        "FEWEST_ROWS": 1,
        "FEWEST_TURNED": 2,
    },
    "lowering.schedule.regroup.distribute_over_concat": {"MOST_PARTS": 3, "LEAST_RUN": 2},
    "lowering.schedule.strategies.narrow_contraction": {"MOST_JAMMED": 8, "AHEAD": 64},
    "lowering.schedule.strategies.narrow_convolution": {
        "MOST_FILTERS": 8,
        "MOST_PLACES": 49,
        "MOST_STEPS": 2,
        "MOST_WRITTEN": 400,
    },
    "lowering.schedule.pack.img2col": {"NARROWEST": 4},
    "lowering.schedule.primitives.cache_read": {"MOST_ALIGNED": 4096},
    "lowering.schedule.primitives.directive": {"MOST_LANES": 1024, "MOST_APART": 4},
    "lowering.schedule.emit.outlining": {"SHORTEST": 2},
    "lowering.schedule.primitives.pad_reduction": {"MOST": 256},
    "lowering.schedule.primitives.skip_zeros": {"MOST": 64},
    "lowering.schedule.primitives.specialize": {"MOST": 64},
    "lowering.schedule.primitives.split_accumulators": {"MOST": 64},
    "lowering.schedule.primitives.unroll": {"MOST": 256},
    "lowering.schedule.primitives.unroll_and_jam": {"MOST": 1024},
    "lowering.schedule.strategies.convolution": {
        "FEWEST": 2,
        "MOST_PLACES": 4,
        "MOST_JAMMED": 24,
        "FEWEST_SUMS": 3,
        "SHARING": 8,
        "MOST_GATHERED": 1 << 20,
        "LEAST_FILLED": 0,
        "PACK_PIXELS": 2,
    },
    "lowering.schedule.strategies.pointwise": {
        "LEAST_DEPTH": 3,
        "WELL_FILLED": 90,
        "LEAST_FILLED": 0,
        "PACK_WEIGHTS": 40,
    },
    "lowering.schedule.strategies.small_result": {"MOST_PLACES": 121, "FEWEST": 2},
    "lowering.schedule.strategies.reduction": {"VECTORS": 2, "FEWEST": 2, "FEWEST_PLACES": 1},
    "lowering.schedule.strategies.transpose": {
        "LEAST_SIDE": 2,
        "LINES": 1,
        "MOST": 64,
        "RUN": 1,
    },
    "lowering.schedule.strategies.pooling": {"MOST_TAPS": 4, "ROWS": 2},
    # what makes blocks of loops
    "lowering.legalize.convolution": {"LEAST": 1},
    "lowering.loops.bounded_reductions": {"LEAST_BLOCK": 4, "LEAST_LENGTH": 2},
    "lowering.loops.split_reductions": {"VECTORS": 1},
    "lowering.loops.running_sums": {"BLOCK": 3, "TILE_BLOCK": 2, "MANY": 2},
    "lowering.loops.narrow_rows": {"ROWS": 2, "LEAST": 2},
}
"""The value of each constant with tiny tiles."""


UNCHANGED = ("create", "detection", "indexing", "memory", "random", "ranges", "sampling", "trees")
"""Families of operators whose C has no tiles."""
ROWS_ALONE = ("binary", "datatype")
"""Families that have no tiles but short rows of narrow floats, as `unary` has."""
ALL_ALIKE = ("effect_traits", "operand_types", "ops", "precision")
"""Tests of all operators that compile none of them."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out tests of the operators that would do the same once more, where this is a plugin."""
    ops = Path(__file__).parents[1] / "ops"
    left = {ops / f"test_{name}.py" for name in (*UNCHANGED, *ROWS_ALONE, *ALL_ALIKE)}
    return True if collection_path in left else None


def tiny(cpu: Cpu) -> Cpu:
    """The same CPU for code with vectors of 4 floats, 8 of them for sums, and next to no cache."""
    return replace(cpu, vector_bytes=16, registers=11, l1=64, l2=256)


def use_tiny_tiles(patch: pytest.MonkeyPatch) -> None:
    """Schedule for tiny tiles from now on."""
    cpu = tiny(target.native())
    patch.setattr(target, "native", lambda: cpu)
    for module, constants in THRESHOLDS.items():
        for name, value in constants.items():
            patch.setattr(importlib.import_module(module), name, value)
