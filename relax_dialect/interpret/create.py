"""Operators that make tensors: full, arange, eye, tril, one_hot and their like."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class CreateFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.create`."""
