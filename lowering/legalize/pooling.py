"""Pooling: maximum and average over windows, adaptive pools."""

from __future__ import annotations
