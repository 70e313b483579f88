"""Ops of other dialects on builtin tensors among those of Relax."""
