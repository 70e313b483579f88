"""Recurrent networks: rnn, gru and lstm, cells and sequences."""

from __future__ import annotations
