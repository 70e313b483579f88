"""Gradients of loops of many iterations, next to the loops themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

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

Emit = Callable[[Any], Any]
Turn = Callable[..., Any]
"""Returns the next state, from a function that emits operators, the state and weights."""


def gated(emit: Emit, y: Any, w: Any, u: Any) -> Any:
    """Return a recurrent cell with one gate."""
    gate = emit(op.sigmoid(y @ w))
    return y + gate * (op.tanh((gate * y) @ u) - y)


class Loop(NamedTuple):
    """An iteration, with the shapes of state and weights."""

    name: str
    turn: Turn
    state: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]

    def types(self) -> dict[str, TensorType]:
        """Return the types of the parameters of the loss, the trip count first."""
        shapes = {"y": self.state, **{f"w{i}": shape for i, shape in enumerate(self.weights)}}
        floats = {name: TensorType(list(shape), "f32") for name, shape in shapes.items()}
        return {"k": TensorType([], "i64"), **floats}

    def given(self) -> list[np.ndarray]:
        """Return arguments with which the state neither vanishes nor diverges."""
        rng = np.random.default_rng(0)
        weights = [
            np.full(s, 0.99, "f4") if len(s) == 1 else 0.1 * rng.standard_normal(s, "f4")
            for s in self.weights
        ]
        return [np.array(TURNS), np.full(self.state, 0.3, "f4"), *weights]


ELEMENTWISE: Mapping[str, Turn] = {
    "tanh(y)": lambda emit, y, x, w: op.tanh(y),
    "tanh(y * w) + x": lambda emit, y, x, w: op.tanh(y * w) + x,
    "y * w + x": lambda emit, y, x, w: y * w + x,
}

LOOPS = (
    *(
        Loop(name, turn, (size,), ((size,), (size,)))
        for name, turn in ELEMENTWISE.items()
        for size in (64, 1024)
    ),
    Loop("tanh(w @ y)", lambda emit, y, w: op.tanh(w @ y), (64,), ((64, 64),)),
    Loop("tanh(y @ w)", lambda emit, y, w: op.tanh(y @ w), (8, 64), ((64, 64),)),
    Loop("a gated cell", gated, (4, 32), ((32, 32), (32, 32))),
)


def module(loop: Loop) -> ModuleOp:
    """Return `@loss` of the trip count, the state and weights, and its adjoint."""
    builder = BlockBuilder()
    with builder.function("loss", loop.types()) as (k, y, *weights):
        _, y = builder.while_(
            lambda i, y: i < k,
            lambda i, y: (i + 1, builder.emit(loop.turn(builder.emit, y, *weights))),
            builder.emit(k - k),
            y,
        )
        builder.emit_func_output(builder.emit(op.sum(y)))
    made = builder.get()
    gradient(made, "loss")
    return made


def table() -> Table:
    """Time loops over rows that fit into the first cache, over rows whose tape fits into none, and
    products."""
    made = Table(
        f"Gradients of loops of {TURNS} turns",
        ("turn", "state", "forward us", "adjoint us", "forwards", "within limits"),
    )
    for loop in LOOPS:
        with all_cores():
            model = lowering.compile(module(loop), opt_level=ours.LEVEL, cache=False)
        given = loop.given()
        use_one_core()
        runs = partial(model.loss, *given), partial(model.loss_adjoint, *given)
        forward, adjoint = side_by_side(runs)
        ratio, state = adjoint / forward, " x ".join(map(str, loop.state))
        within = made.limit(f"{loop.name}, {state}, forwards", ratio, at_most=MOST_FORWARDS)
        made.rows.append((loop.name, state, forward * 1e6, adjoint * 1e6, ratio, within))
    return made
