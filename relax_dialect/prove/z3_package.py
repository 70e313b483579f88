"""The package z3, which is imported where something is proved, and not before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

z3: Any = import_module("z3")
