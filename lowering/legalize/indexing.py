"""Operators that read and write elements at indices: take, gather, scatter, slices."""

from __future__ import annotations
