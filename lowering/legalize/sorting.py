"""Operators that sort: sort, argsort, topk, median."""

from __future__ import annotations
