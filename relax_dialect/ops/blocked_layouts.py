"""Layouts by letters, in some of which channels lie in blocks: `NCHW16c`, `OIHW16i16o`.

A capital letter is an axis. A number and its small letter, as in `16c`, split the axis: the capital counts
blocks of that size, and the small letter is the axis inside of a block:

    y[n, c floordiv 16, h, w, c mod 16] of NCHW16c  =  x[n, c, h, w] of NCHW
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

AXES = re.compile(r"(?:[A-Z]|[1-9][0-9]{0,8}[a-z])+")
AXIS = re.compile(r"([0-9]*)([A-Za-z])")


@dataclass(frozen=True)
class Layout:
    """The axes of a layout, and the block sizes of its split axes."""

    axes: Sequence[str]
    """The letters of all axes, in order; small ones are inside of blocks."""
    blocks: Mapping[str, int]
    """By capital letter."""

    @property
    def plain(self) -> str:
        """The layout without blocks."""
        return "".join(filter(str.isupper, self.axes))

    @property
    def merging(self) -> Sequence[int]:
        """The positions of the axes in an order in which each block follows the axis that counts it."""
        names = [name for letter in self.plain for name in (letter, letter.lower())]
        return [self.axes.index(name) for name in names if name in self.axes]

    @property
    def splitting(self) -> Sequence[int]:
        """The permutation that undoes `merging`."""
        order = self.merging
        return [order.index(axis) for axis in range(len(order))]


@cache
def parse_layout(text: str) -> Layout | None:
    """The layout that a text spells; None if it names an axis twice, or blocks of no axis."""
    if AXES.fullmatch(text) is None:
        return None
    found = AXIS.findall(text)
    axes = tuple(letter for _, letter in found)
    blocks = {letter.upper(): int(size) for size, letter in found if size}
    is_good = len(set(axes)) == len(axes) and blocks.keys() <= {*axes}
    return Layout(axes, blocks) if is_good else None


def names_axes(text: str, letters: str, splittable: Iterable[str] = ()) -> bool:
    """Whether a layout names each of the letters once, with blocks of no other axes than the splittable."""
    found = parse_layout(text)
    return (
        found is not None
        and sorted(found.plain) == sorted(letters)
        and found.blocks.keys() <= {*splittable}
    )


def plain_layout(text: str) -> str:
    """A layout without its blocks."""
    layout = parse_layout(text)
    assert layout is not None
    return layout.plain
