"""Gradients of loops of many turns, next to the loops themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from bench.languages import ours
from bench.measuring import Table, all_cores, side_by_side, use_one_core
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import gradient
from relax_dialect.ir.types import TensorType

TURNS = 10_000
MOST_FORWARDS = 5

Turn = Callable[[Any, Any, Any], Any]
"""The next y of y, x and w."""

BODIES: Mapping[str, Turn] = {
    "tanh(y)": lambda y, x, w: op.tanh(y),
    "tanh(y * w) + x": lambda y, x, w: op.tanh(y * w) + x,
    "y * w + x": lambda y, x, w: y * w + x,
}


def module(turn: Turn, size: int) -> ModuleOp:
    """`@loss` of the number of turns, x and w, and its adjoint."""
    builder, row = BlockBuilder(), TensorType([size], "f32")
    with builder.function("loss", {"k": TensorType([], "i64"), "x": row, "w": row}) as (k, x, w):
        _, y = builder.while_(
            lambda i, y: i < k,
            lambda i, y: (i + 1, builder.emit(turn(y, x, w))),
            builder.emit(k - k),
            x,
        )
        builder.emit_func_output(builder.emit(op.sum(y)))
    made = builder.get()
    gradient(made, "loss")
    return made


def table() -> Table:
    """Loops over rows that fit into the first cache, and over such of which a tape fits into none."""
    made = Table(
        f"Gradients of loops of {TURNS} turns",
        ("turn", "floats", "forward us", "adjoint us", "forwards", "within limits"),
    )
    for name, turn in BODIES.items():
        for size in (64, 1024):
            with all_cores():
                model = lowering.compile(module(turn, size), opt_level=ours.LEVEL, cache=False)
            given = np.array(TURNS), np.full(size, 0.3, "f4"), np.full(size, 0.99, "f4")
            use_one_core()
            runs = partial(model.loss, *given), partial(model.loss_adjoint, *given)
            forward, adjoint = side_by_side(runs)
            ratio = adjoint / forward
            what = f"{name}, {size} floats, forwards"
            within = made.limit(what, ratio, at_most=MOST_FORWARDS)
            made.rows.append((name, size, forward * 1e6, adjoint * 1e6, ratio, within))
    return made
