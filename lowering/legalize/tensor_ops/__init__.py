"""Ops of other dialects on builtin tensors in Relax functions."""
