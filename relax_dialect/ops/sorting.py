"""Operators that sort: sort, argsort, topk, median."""

from __future__ import annotations

from xdsl.ir import Operation

OPS: list[type[Operation]] = []
