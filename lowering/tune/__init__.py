"""Schedules found by measuring: `tuning(module, path, sizes).run(60)` writes what `--schedules` reads."""

from lowering.tune.program_search import Options, Tuning, tuning

__all__ = ["Options", "Tuning", "tuning"]
