"""Tile sizes of convolutions in vectors of filters."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.schedule.kernels.kernel import Kernel
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


def pixel_sizes(cpu: Cpu, bits: int, kernel: Kernel | None = None) -> PixelSizes:
    """Return the tile of a convolution: all registers but four hold sums, the strip is in the first cache
    and no smaller than a tile. A kernel may want other sizes."""
    lanes, vectors = cpu.lanes(bits), 2
    if kernel is not None:
        vectors = kernel.choose("vectors of filters", vectors, (1, 3, 4))
    pixels, most = ((cpu.registers - spare) // vectors for spare in (4, 1 + vectors))
    strip = cpu.l1 * 8 // bits // (vectors * lanes)
    if kernel is not None:
        pixels = kernel.choose("pixels", pixels, {most, pixels - 1, pixels - 2, pixels // 2} - {0})
        strip = kernel.choose("strip", strip, (strip // 4, strip // 2, 2 * strip, 4 * strip))
    return PixelSizes(pixels, vectors, lanes, max(strip, pixels))
