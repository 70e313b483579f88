"""Operators on images: resize2d, grid_sample, pixel_shuffle."""

from __future__ import annotations

from xdsl.ir import Operation

OPS: list[type[Operation]] = []
