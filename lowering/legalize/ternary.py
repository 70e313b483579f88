"""Elementwise operators on three tensors: where, clip and their like."""

from __future__ import annotations
