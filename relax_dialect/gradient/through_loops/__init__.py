"""Reverse mode through loops and recursion: trip counts, tapes, cotangents of the state."""
