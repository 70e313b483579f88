"""Recurrent networks: rnn, gru and lstm, cells and sequences."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class RecurrentFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.recurrent`."""
