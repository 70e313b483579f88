"""Schedules: how the loops of a kernel are cut, ordered and vectorized, by the strategy of its kind."""
