"""Normalizations: batch, layer, group, instance and RMS norm."""

from __future__ import annotations

from xdsl.ir import Operation

OPS: list[type[Operation]] = []
