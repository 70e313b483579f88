"""Operators that make tensors: full, arange, eye, tril, one_hot and their like."""

from __future__ import annotations
