"""Operators that look for elements: argmax, argmin, bucketize, nonzero, unique."""

from __future__ import annotations

from xdsl.ir import Operation

OPS: list[type[Operation]] = []
