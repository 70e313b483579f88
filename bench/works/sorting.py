"""Sorting a million numbers."""

from __future__ import annotations

from bench.work import Input, Work

COUNT = 1_000_000

WORKS = (
    Work(
        "sort 1M f32",
        lambda o, x: o.sort(x, axis=-1),
        (Input(("n",)),),
        {"n": COUNT},
        core=True,
        static=False,
    ),
)
