"""Recurrent networks: the products with the inputs for all steps at once, then the steps one by one.

f16 and bf16 are computed in f32, the states too from step to step, and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize
from lowering.legalize.unary import sigmoid
from lowering.legalize.windows import at, wide
from relax_dialect import te
from relax_dialect.ops import recurrent as ops
from relax_dialect.symbolic import Expr

Index: TypeAlias = Any
Gate: TypeAlias = Callable[..., te.Scalar]
"""`gate(number, *index)`: the sum of products, with the bias, for a hidden unit of a gate."""

NONLINEARITY: dict[str, Callable[[te.Scalar], te.Scalar]] = {
    "tanh": te.tanh,
    "relu": lambda x: te.maximum(x, 0),
}


@dataclass(frozen=True)
class Weights:
    """What inputs or states are multiplied with, and the bias; the first axis may be the directions'."""

    turned: te.Tensor
    """[..., k, gate, unit], so that neighbouring units read neighbours of it."""
    bias: te.Tensor | None
    gates: int

    @staticmethod
    def of(rows: te.Tensor, bias: te.Tensor | None, gates: int, hidden: Expr) -> Weights:
        """Weights of [..., gates * hidden, k], turned, in the type to compute in."""

        def element(*i: te.IterVar) -> te.Scalar:
            *lead, k, gate, j = i
            return rows[(*lead, gate * hidden + j, k)].astype(wide(rows.dtype))

        shape = (*rows.shape[:-2], rows.shape[-1], gates, hidden)
        return Weights(te.compute(shape, element, name=f"{rows.name}_turned"), bias, gates)

    def times(
        self,
        shape: Sequence[Expr],
        row: Callable[..., te.Scalar],
        name: str,
        *,
        first: int = 0,
        requires: Sequence[te.Requirement] = (),
    ) -> Gate:
        """The products of the rows `row(k, *place)` for all places of a shape, whose last axes are the
        weights' first ones and the batch; for the gates from the first one on."""
        *lead, columns, _, hidden = self.turned.shape
        k = te.reduce_axis((0, columns), name="k")

        def element(*i: te.IterVar) -> te.Scalar:
            *place, gate, j = i
            number = gate + first if first else gate
            weight = self.turned[(*_lead(place, len(lead)), k, number, j)]
            return te.sum(row(k, *place).astype(weight.dtype) * weight, axis=k)

        products = te.compute(
            (*shape, self.gates - first, hidden), element, name=name, requires=requires
        )

        def gate(number: int, *i: Index) -> te.Scalar:
            *place, j = i
            found = products[(*place, number - first, j)]
            if self.bias is None:
                return found
            bias = self.bias[(*_lead(place, len(lead)), j + hidden * number if number else j)]
            return found + bias.astype(found.dtype)

        return gate

    def times_state(self, state: te.Tensor, first: int = 0) -> Gate:
        """The products with a state."""
        return self.times(state.shape[:-1], lambda k, *i: state[(*i, k)], "uh", first=first)


def _lead(place: Sequence[Index], count: int) -> Sequence[Index]:
    """The indices of the weights' first axes, before that of the batch."""
    return place[len(place) - 1 - count : -1]


def rnn(op: ops.RnnStep, wx: Gate, u: Weights, h: te.Tensor) -> list[te.Tensor]:
    """`f(Wx + Uh)`."""
    uh, f = u.times_state(h), NONLINEARITY[op.nonlinearity]
    return [te.compute(h.shape, lambda *i: f(wx(0, *i) + uh(0, *i)), name="h")]


def gru(op: ops.GruStep, wx: Gate, u: Weights, h: te.Tensor) -> list[te.Tensor]:
    """`(1 - z) * n + z * h`."""
    uh = u.times_state(h)

    def reset(*i: Index) -> te.Scalar:
        return sigmoid(wx(0, *i) + uh(0, *i))

    if op.linear_before_reset:
        changed = uh
    else:
        old = te.compute(h.shape, lambda *i: reset(*i) * h[i], name="reset")
        changed = u.times_state(old, first=2)

    def element(*i: te.IterVar) -> te.Scalar:
        z = sigmoid(wx(1, *i) + uh(1, *i))
        n = changed(2, *i)
        n = te.tanh(wx(2, *i) + (reset(*i) * n if op.linear_before_reset else n))
        return (1 - z) * n + z * h[i]

    return [te.compute(h.shape, element, name="h")]


def lstm(_: ops.LstmStep, wx: Gate, u: Weights, h: te.Tensor, c: te.Tensor) -> list[te.Tensor]:
    """`sigmoid(o) * tanh(c)` and c, once that is `sigmoid(f) * c + sigmoid(i) * tanh(g)`."""
    uh = u.times_state(h)

    def gate(number: int, i: Sequence[Index]) -> te.Scalar:
        return wx(number, *i) + uh(number, *i)

    def memory(*i: te.IterVar) -> te.Scalar:
        return sigmoid(gate(1, i)) * c[i] + sigmoid(gate(0, i)) * te.tanh(gate(2, i))

    c = te.compute(c.shape, memory, name="c")
    h = te.compute(h.shape, lambda *i: sigmoid(gate(3, i)) * te.tanh(c[i]), name="h")
    return [h, c]


def _step(op: ops.RecurrentOp, wx: Gate, u: Weights, states: Sequence[te.Tensor]) -> Any:
    """The states behind a step."""
    if isinstance(op, ops.RnnStep):
        return rnn(op, wx, u, *states)
    return (gru if isinstance(op, ops.GruStep) else lstm)(op, wx, u, *states)  # pyright: ignore


def _read(
    op: ops.RecurrentOp, operands: Sequence[Any]
) -> tuple[list[te.Tensor], Weights, Weights, list[te.Requirement]]:
    """The states, both weights, and what is to be checked of the sizes."""
    *tensors, biases = operands
    *states, w_ih, w_hh = tensors[1:]
    shapes = [tensor.shape for tensor in (*tensors, *biases)]
    hidden = op.sizes(shapes)["H"]
    assert hidden is not None
    b_ih, b_hh = biases or (None, None)
    weights = Weights.of(w_ih, b_ih, op.GATES, hidden), Weights.of(w_hh, b_hh, op.GATES, hidden)
    return states, *weights, requirements(op, op.demands(shapes))


def converted(tensor: te.Tensor, dtype: Any) -> te.Tensor:
    """A tensor of another element type, itself if it has that one."""
    if tensor.dtype == dtype:
        return tensor
    return te.compute(tensor.shape, lambda *i: tensor[i].astype(dtype), name=tensor.name)


@legalize(ops.RnnCellOp, ops.GruCellOp, ops.LstmCellOp)
def cell(op: ops.RecurrentOp, *operands: Any) -> list[te.Tensor]:
    """One step."""
    x = operands[0]
    states, w, u, requires = _read(op, operands)
    states = [converted(state, wide(state.dtype)) for state in states]
    wx = w.times(x.shape[:1], lambda k, n: x[n, k], "wx", requires=requires)
    return [converted(state, x.dtype) for state in _step(op, wx, u, states)]


@legalize(ops.RnnOp, ops.GruOp, ops.LstmOp)
def sequence(op: ops.SequenceOp, *operands: Any) -> list[te.Tensor]:
    """The output of all steps, and the states behind the last one."""
    x = operands[0]
    states, w, u, requires = _read(op, operands)
    sizes = dict(zip(op.x_layout, x.shape))
    steps, hidden = sizes["T"], states[0].shape[-1]
    both, reverse = op.direction == "bidirectional", op.direction == "reverse"

    def mirrored(t: Index, turn: bool = True) -> Index:
        return steps - 1 - t if turn else t

    def row(k: Index, t: Index, d: Index, n: Index) -> te.Scalar:
        time = te.select(te.equal(d, 0), t, mirrored(t)) if both else mirrored(t, reverse)
        return at(x, op.x_layout, {"T": time, "N": n, "I": k})

    directions = states[0].shape[0]
    wx = w.times((steps, directions, sizes["N"]), row, "wx", requires=requires)

    def step(t: te.Scalar, *states: te.Tensor) -> tuple[list[te.Tensor], list[te.Tensor]]:
        following = _step(op, lambda gate, *i: wx(gate, t, *i), u, states)
        return following, following[:1]

    initial = [converted(state, wide(state.dtype)) for state in states]
    last, (rows,) = te.recurrence(steps, initial, step, name=op.name.rpartition(".")[2])

    def output(*i: te.IterVar) -> te.Scalar:
        index = dict(zip(op.x_layout, i))
        t, n, j = (index[letter] for letter in "TNI")
        value = rows[mirrored(t, reverse), 0, n, j]
        if both:
            value = te.if_then_else(j < hidden, value, rows[mirrored(t), 1, n, j - hidden])
        return value.astype(x.dtype)

    shape = [hidden * (1 + both) if letter == "I" else sizes[letter] for letter in op.x_layout]
    return [te.compute(shape, output, name="output"), *(converted(s, x.dtype) for s in last)]
