"""Expressions for every rule of gradients, by name."""

from __future__ import annotations

from . import elementwise, losses, moving, networks, products, reductions, windows
from .case import Case

PARTS = (elementwise, reductions, moving, products, losses, networks, windows)
CASES: dict[str, Case] = {name: case for part in PARTS for name, case in part.CASES.items()}
