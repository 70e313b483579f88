"""The literal arguments of the external functions that `relax-lower-ccl` calls."""

from __future__ import annotations

from relax_dialect.ir.device_grid import Grouping

def grid_text(grouping: Grouping) -> str:
    """Return a partition of the ranks as a literal: `2,-1/1` for axis 1 of a grid, empty for all ranks."""
    if not grouping.grid:
        return ""
    return "/".join(",".join(map(str, numbers)) for numbers in (grouping.grid, grouping.axes))


def grouping_of(text: str) -> Grouping:
    """Return the partition of the ranks that a literal spells."""
    if not text:
        return Grouping()
    grid, axes = (tuple(map(int, filter(None, part.split(",")))) for part in text.split("/"))
    return Grouping(grid, axes)
