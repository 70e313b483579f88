"""The gates of recurrent networks, their functions and slopes, and a step of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from relax_dialect.builder import op
from relax_dialect.ops import recurrent as ops


def _steps(holds: Any, x: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """One number where something holds, another elsewhere."""
    return op.where(holds, op.full_like(x, high), low)


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "tanh": (op.tanh, lambda x, y: 1.0 - y * y),
    "sigmoid": (op.sigmoid, lambda x, y: y * (1.0 - y)),
    "relu": (op.relu, lambda x, y: _steps(x > 0.0, x)),
    "softsign": (op.softsign, lambda x, y: 1.0 / op.square(op.abs(x) + 1.0)),
    "softplus": (op.softplus, lambda x, y: op.sigmoid(x)),
    "affine": (lambda x, a, b: a * x + b, lambda x, y, a, b: op.full_like(x, a)),
    "scaled_tanh": (
        lambda x, a, b: a * op.tanh(b * x),
        lambda x, y, a, b: a * b * (1.0 - op.square(op.tanh(b * x))),
    ),
    "leaky_relu": (
        lambda x, a: op.where(x < 0.0, a * x, x),
        lambda x, y, a: _steps(x < 0.0, x, 1.0, a),
    ),
    "thresholded_relu": (
        lambda x, a: op.where(x >= a, x, 0.0),
        lambda x, y, a: _steps(x >= a, x),
    ),
    "hard_sigmoid": (
        lambda x, a, b: op.clip(a * x + b, 0.0, 1.0),
        lambda x, y, a, b: _steps(op.logical_and(y > 0.0, y < 1.0), x, 0.0, a),
    ),
    "elu": (
        lambda x, a: op.where(x < 0.0, a * op.expm1(x), x),
        lambda x, y, a: op.where(x < 0.0, y + a, 1.0),
    ),
}
"""The functions of gates, and their slopes by argument and value."""


class Gate(NamedTuple):
    """A gate, and its slope by the sums that it is of."""

    y: Any
    slope: Any


def blocks(x: Any, count: int) -> list[Any]:
    """The parts of equal size along the last axis."""
    parts = op.split(x, count, -1)
    return [parts[i] for i in range(count)]


@dataclass(frozen=True)
class Step:
    """A step in one direction: its operator and its parameters besides sums and states.

    `rnn`, `gru` and `lstm` compute the next states from `a = x @ transpose(w_ih) + b_ih`, and from `u`,
    which maps a state to `h @ transpose(w_hh) + b_hh`.
    """

    this: ops.RecurrentOp
    direction: int
    peepholes: Any = None

    def gate(self, number: int, x: Any, *, clips: bool = True) -> Gate:
        """A function of the formula by its number, of sums that are clipped before."""
        function = self.this.functions(self.direction)[number]
        forward, slope = FUNCTIONS[function.name]
        bound = self.this.clip if clips else 0.0
        clipped = op.clip(x, -bound, bound) if bound else x
        y = forward(clipped, *function.parameters)
        found = slope(clipped, y, *function.parameters)
        return Gate(y, op.where(op.abs(x) <= bound, found, 0.0) if bound else found)

    def rnn(self, a: Any, u: Callable[[Any], Any], h: Any) -> list[Any]:
        return [self.gate(0, a + u(h)).y]

    def gru(self, a: Any, u: Callable[[Any], Any], h: Any) -> list[Any]:
        (a_r, a_z, a_n), (u_r, u_z, u_n) = blocks(a, 3), blocks(u(h), 3)
        r, z = self.gate(0, a_r + u_r).y, self.gate(0, a_z + u_z).y
        assert isinstance(self.this, ops.GruStep)
        reset = r * u_n if self.this.linear_before_reset else blocks(u(r * h), 3)[2]
        return [(1.0 - z) * self.gate(1, a_n + reset).y + z * h]

    def lstm(self, a: Any, u: Callable[[Any], Any], h: Any, c: Any) -> list[Any]:
        found = self.cell(a + u(h), c)
        return [found.o.y * found.told.y, found.c]

    def cell(self, sums: Any, c: Any) -> Cell:
        """The gates of long short-term memory, and the next c."""
        assert isinstance(self.this, ops.LstmStep)
        i, f, g, o = blocks(sums, 4)
        p = None if self.peepholes is None else blocks(self.peepholes, 3)
        of_i = self.gate(0, i if p is None else i + p[0] * c)
        of_f = self.gate(0, f if p is None else f + p[1] * c)
        if self.this.input_forget:
            of_f = Gate(1.0 - of_i.y, None)
        of_g = self.gate(1, g)
        following = of_f.y * c + of_i.y * of_g.y
        of_o = self.gate(0, o if p is None else o + p[2] * following)
        return Cell(of_i, of_f, of_g, of_o, following, self.gate(2, following, clips=False), p)


class Cell(NamedTuple):
    """The gates of an LSTM cell, the next c, its activation, and the peepholes."""

    i: Gate
    f: Gate
    g: Gate
    o: Gate
    c: Any
    told: Gate
    peepholes: Sequence[Any] | None

    def back(self, gh: Any, gc: Any, before: Any) -> tuple[Any, Any]:
        """Return the cotangents of the sums and of c before, from the cotangents of h and c."""
        of_o = gh * self.told.y * self.o.slope
        gc = gc + gh * self.o.y * self.told.slope
        p = self.peepholes
        gc = gc if p is None else gc + of_o * p[2]
        of_f = op.zeros_like(gc) if self.f.slope is None else gc * before * self.f.slope
        gain = self.g.y - before if self.f.slope is None else self.g.y
        of_i, of_g = gc * gain * self.i.slope, gc * self.i.y * self.g.slope
        of_c = gc * self.f.y
        of_c = of_c if p is None else of_c + of_i * p[0] + of_f * p[1]
        return op.concat([of_i, of_f, of_g, of_o], axis=-1), of_c
