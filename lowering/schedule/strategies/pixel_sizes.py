"""Tile sizes of convolutions in vectors of filters."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.support.target import Cpu


@dataclass(frozen=True)
class PixelSizes:
    """The tile sizes of a convolution."""

    pixels: int
    """The most pixels of a tile, all of one row."""
    vectors: int
    """The most vectors of filters of a tile."""
    lanes: int
    strip: int
    """About how many pixels of the result are computed before they are written to it."""


def pixel_sizes(cpu: Cpu, bits: int) -> PixelSizes:
    """Return the tile of a convolution: all registers but four hold sums, the strip is in the first cache
    and no smaller than a tile."""
    lanes, vectors = cpu.lanes(bits), 2
    pixels = (cpu.registers - 4) // vectors
    strip = cpu.l1 * 8 // bits // (vectors * lanes)
    return PixelSizes(pixels, vectors, lanes, max(strip, pixels))
