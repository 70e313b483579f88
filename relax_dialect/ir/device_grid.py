"""Grids of devices: which ranks communicate with each other along some axes of a grid.

Ranks are numbered in row-major order: in a grid of 2 x 4 rank 5 is in row 1 and column 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from relax_dialect.errors import RelaxError

OPEN = -1
"""The size of the axis that as many devices as there are determine."""


@dataclass(frozen=True)
class Grouping:
    """A partition of all ranks: those that differ only along `axes` of a grid are one group.

    Without a grid all ranks are one group.
    """

    grid: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()

    def text(self) -> str:
        """Return the partition as `parse` reads it: `2,-1/1` for axis 1 of a grid, empty for all ranks."""
        if not self.grid:
            return ""
        return "/".join(",".join(map(str, numbers)) for numbers in (self.grid, self.axes))

    @classmethod
    def parse(cls, text: str) -> Grouping:
        """Return the partition that a text spells."""
        parts = (tuple(map(int, filter(None, part.split(",")))) for part in text.split("/"))
        return cls(*parts) if text else cls()

    def error(self) -> tuple[str, str, str] | None:
        """Return what is expected, found and the mend if no number of ranks fits; else None."""
        sizes = [size for size in self.grid if size != OPEN]
        if len(self.grid) - len(sizes) > 1 or any(size < 1 for size in sizes):
            found = str(list(self.grid))
            return "sizes of a grid of at least 1, one of them -1 at most", found, "correct 'grid'"
        inside = all(0 <= axis < len(self.grid) for axis in self.axes)
        if not inside or list(self.axes) != sorted(set(self.axes)):
            axes = f"rising axes of a grid of {len(self.grid)} axes"
            return axes, str(list(self.axes)), "correct 'grid_axes', counted from 0"
        return None

    @property
    def size(self) -> int | None:
        """The number of ranks in a group; None if the number of all ranks determines it."""
        if not self.grid:
            return None
        sizes = [self.grid[axis] for axis in self.axes]
        return None if OPEN in sizes else prod(sizes)

    def sizes(self, world: int) -> tuple[int, ...]:
        """Return the sizes of the grid for a number of ranks; `RelaxError` if they do not fill it."""
        fixed = prod(size for size in self.grid if size != OPEN)
        if OPEN in self.grid and world % fixed == 0:
            return tuple(world // fixed if size == OPEN else size for size in self.grid)
        if OPEN in self.grid or fixed != world:
            count = f"a multiple of {fixed}" if OPEN in self.grid else str(fixed)
            shape = " x ".join("?" if size == OPEN else str(size) for size in self.grid)
            raise RelaxError(
                f"expected {count} ranks for a grid of {shape}, found {world}; start as many, or correct "
                "'grid'"
            )
        return self.grid

    def group(self, rank: int, world: int) -> list[int]:
        """Return the ranks of the group of a rank, in rising order."""
        if not self.grid:
            return list(range(world))
        sizes = self.sizes(world)
        own = coordinates(rank, sizes)
        return [r for r in range(world) if self._others(coordinates(r, sizes)) == self._others(own)]

    def _others(self, place: Sequence[int]) -> list[int]:
        return [index for axis, index in enumerate(place) if axis not in self.axes]


def coordinates(rank: int, sizes: Sequence[int]) -> list[int]:
    """Return the indices of a rank along the axes of a grid."""
    found: list[int] = []
    for size in reversed(sizes):
        rank, index = divmod(rank, size)
        found.append(index)
    return found[::-1]
