"""Recurrent networks: the products with the inputs for all steps at once, then the steps one by one.

f16 and bf16 are computed in f32, the states too from step to step, and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize
from lowering.legalize.unary import sigmoid
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops import recurrent as ops
from relax_dialect.symbolic import Expr, as_expr

Index: TypeAlias = Any
Gate: TypeAlias = Callable[..., te.Scalar]
"""`gate(number, *index)`: the sum of products, with the bias, for a hidden unit of a gate."""

NONLINEARITY: dict[str, Callable[[te.Scalar], te.Scalar]] = {
    "tanh": te.tanh,
    "relu": lambda x: te.maximum(x, 0),
}


@dataclass(frozen=True)
class Weights:
    """The weights of inputs or states, and the bias, for some gates in a row."""

    rows: te.Tensor
    """[..., gate * hidden + unit, k], in the type to compute in; the first axis may be the directions'."""
    bias: te.Tensor | None
    """For all gates."""
    hidden: Expr
    gates: int
    directions: int
    """0 for those of a cell, which have no such axis."""
    first: int = 0
    """The number of the first gate."""

    def part(self, first: int, gates: int) -> Weights:
        """Those of some of the gates, which lie elsewhere then."""
        shape = (*self.rows.shape[:-2], self.hidden * gates, self.rows.shape[-1])

        def element(*i: te.IterVar) -> te.Scalar:
            *lead, j, k = i
            return self.rows[(*lead, j + self.hidden * first if first else j, k)]

        rows = te.compute(shape, element, name=self.rows.name)
        return replace(self, rows=rows, gates=gates, first=first)

    def times(
        self,
        shape: Sequence[Expr],
        row: Callable[..., te.Scalar],
        name: str,
        requires: Sequence[te.Requirement] = (),
    ) -> Gate:
        """The products of the rows `row(k, *place)` with the gates, as one contraction. A place is that of
        the shape, after that of the direction if there are directions."""
        k = te.reduce_axis((0, self.rows.shape[-1]), name="k")
        several = self.directions > 1

        def element(*i: te.IterVar) -> te.Scalar:
            *place, j = i if several or not self.directions else (0, *i)
            weight = self.rows[(*place[: len(self.rows.shape) - 2], j, k)]
            return te.sum(row(k, *place) * weight, axis=k)

        lead = (as_expr(self.directions),) if several else ()
        all_gates = (*lead, *shape, self.hidden * self.gates)
        products = te.compute(all_gates, element, name=name, requires=requires)

        def gate(number: int, *i: Index) -> te.Scalar:
            *place, j = i
            own = number - self.first
            found = place[1:] if self.directions == 1 else place
            total = products[(*found, j + self.hidden * own if own else j)]
            if self.bias is None:
                return total
            j = j + self.hidden * number if number else j
            return total + self.bias[(*place[: bool(self.directions)], j)].astype(total.dtype)

        return gate

    def times_state(self, state: te.Tensor) -> Gate:
        """The products with a state."""
        shape = state.shape[bool(self.directions) : -1]
        return self.times(shape, lambda k, *i: state[(*i, k)], "uh")


def rnn(op: ops.RnnStep, wx: Gate, u: Weights, h: te.Tensor) -> list[te.Tensor]:
    """`f(Wx + Uh)`."""
    uh, f = u.times_state(h), NONLINEARITY[op.nonlinearity]
    return [te.compute(h.shape, lambda *i: f(wx(0, *i) + uh(0, *i)), name="h")]


def gru(op: ops.GruStep, wx: Gate, u: Weights, h: te.Tensor) -> list[te.Tensor]:
    """`(1 - z) * n + z * h`."""
    uh = (u if op.linear_before_reset else u.part(0, 2)).times_state(h)

    def reset(*i: Index) -> te.Scalar:
        return sigmoid(wx(0, *i) + uh(0, *i))

    if op.linear_before_reset:
        changed = uh
    else:
        old = te.compute(h.shape, lambda *i: reset(*i) * h[i], name="reset")
        changed = u.part(2, 1).times_state(old)

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
    """The states after a step."""
    if isinstance(op, ops.RnnStep):
        return rnn(op, wx, u, *states)
    return (gru if isinstance(op, ops.GruStep) else lstm)(op, wx, u, *states)  # pyright: ignore


def _read(
    op: ops.RecurrentOp, operands: Sequence[Any]
) -> tuple[te.Tensor, list[te.Tensor], Weights, Weights, list[te.Requirement]]:
    """x and the states in the type to compute in, both weights, and what is to be checked of the sizes."""
    *tensors, biases = operands
    x, *states, w_ih, w_hh = tensors
    shapes = [tensor.shape for tensor in (*tensors, *biases)]
    sizes = op.sizes(shapes)
    hidden, count = sizes["H"], sizes["D"]
    assert hidden is not None
    directions = count.value if isinstance(op, ops.SequenceOp) and count is not None else 0
    assert directions is not None

    def weights(rows: te.Tensor, bias: te.Tensor | None) -> Weights:
        return Weights(converted(rows, wide(rows.dtype)), bias, hidden, op.GATES, directions)

    b_ih, b_hh = biases or (None, None)
    x, *states = (converted(each, wide(each.dtype)) for each in (x, *states))
    return x, states, weights(w_ih, b_ih), weights(w_hh, b_hh), requirements(op, op.demands(shapes))


def converted(tensor: te.Tensor, dtype: Any) -> te.Tensor:
    """A tensor of another element type, itself if it has that one."""
    if tensor.dtype == dtype:
        return tensor
    return te.compute(tensor.shape, lambda *i: tensor[i].astype(dtype), name=tensor.name)


@legalize(ops.RnnCellOp, ops.GruCellOp, ops.LstmCellOp)
def cell(op: ops.RecurrentOp, *operands: Any) -> list[te.Tensor]:
    """One step."""
    x, states, w, u, requires = _read(op, operands)
    wx = w.times(x.shape[:1], lambda k, n: x[n, k], "wx", requires)
    return [converted(state, operands[0].dtype) for state in _step(op, wx, u, states)]


@legalize(ops.RnnOp, ops.GruOp, ops.LstmOp)
def sequence(op: ops.SequenceOp, *operands: Any) -> list[te.Tensor]:
    """The output of all steps, and the states after the last one."""
    x, states, w, u, requires = _read(op, operands)
    sizes = dict(zip(op.layout("x"), x.shape))
    steps, hidden = sizes["T"], w.hidden
    both, reverse = op.direction == "bidirectional", op.direction == "reverse"
    # in the order of x, so that all rows are one dimension in memory
    wx = w.times(x.shape[:2], lambda k, _, *i: x[(*i, k)], "wx", requires)

    def mirrored(t: Index, turn: bool = True) -> Index:
        return steps - 1 - t if turn else t

    def step(t: te.Scalar, *states: te.Tensor) -> tuple[list[te.Tensor], list[te.Tensor]]:
        def gate(number: int, d: Index, n: Index, j: Index) -> te.Scalar:
            time = te.select(te.equal(d, 0), t, mirrored(t)) if both else mirrored(t, reverse)
            place = (n, time) if op.batch_first else (time, n)
            return wx(number, d, *place, j)

        following = _step(op, gate, u, states)
        h = following[0]
        return following, [h if both else te.compute(h.shape[1:], lambda *i: h[(0, *i)], name="h")]

    last, (rows,) = te.recurrence(steps, states, step, name=op.name.rpartition(".")[2])
    last, dtype = [converted(state, operands[0].dtype) for state in last], operands[0].dtype
    if op.direction == "forward" and not op.batch_first:
        return [converted(rows, dtype), *last]

    def output(*i: te.IterVar) -> te.Scalar:
        index = dict(zip(layout, i))
        d, t, n, j = (index[letter] for letter in "DTNI")
        if not both:
            return rows[mirrored(t, reverse), n, j].astype(dtype)
        time = te.select(te.equal(d, 0), t, mirrored(t))
        return rows[time, d, n, j].astype(dtype)

    # both directions of a place stand side by side: an axis of their own, merged with the units after
    layout = op.layout("x").replace("I", "DI")
    axes = {**sizes, "D": as_expr(1 + both), "I": hidden}
    found = te.compute([axes[letter] for letter in layout], output, name="output")
    shape = [hidden * (1 + both) if letter == "I" else sizes[letter] for letter in op.layout("x")]
    return [te.reshape(found, shape, name="output"), *last]
