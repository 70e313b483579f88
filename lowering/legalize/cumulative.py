"""Operators that accumulate along an axis: cumsum, cumprod and their like."""

from __future__ import annotations
