"""Recurrent networks: the products with the inputs for all steps at once, then the steps one by one.

f16 and bf16 are computed in f32, the states too from step to step, and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lowering.legalize.activation import elu, log_one_plus_exp
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

FUNCTIONS: dict[str, Callable[..., te.Scalar]] = {
    "tanh": te.tanh,
    "sigmoid": sigmoid,
    "relu": lambda x: te.maximum(x, 0),
    "softsign": lambda x: x / (1 + te.abs(x)),
    "softplus": log_one_plus_exp,
    "affine": lambda x, a, b: a * x + b,
    "scaled_tanh": lambda x, a, b: a * te.tanh(b * x),
    "leaky_relu": lambda x, a: te.select(x < 0, a * x, x),
    "thresholded_relu": lambda x, a: te.select(x >= a, x, 0),
    "hard_sigmoid": lambda x, a, b: te.minimum(te.maximum(a * x + b, 0), 1),
    "elu": elu,
}


def applied(op: ops.RecurrentOp, number: int, x: te.Scalar, place: Sequence[Index]) -> te.Scalar:
    """Apply function `number` of the formula, in the direction that `place` begins with."""
    each = [op.functions(direction)[number] for direction in range(op.directions)]
    first, *others = (FUNCTIONS[f.name](x, *f.parameters) for f in dict.fromkeys(each))
    return te.select(te.equal(place[0], 0), first, others[0]) if others else first


def gated(op: ops.RecurrentOp, number: int, x: te.Scalar, place: Sequence[Index]) -> te.Scalar:
    """Return the function of a gate."""
    limited = te.minimum(te.maximum(x, -op.clip), op.clip) if op.clip else x
    return applied(op, number, limited, place)


@dataclass(frozen=True)
class GateWeights:
    """The weights of inputs or states, and the bias, for some consecutive gates."""

    rows: te.Tensor
    """[..., gate * hidden + unit, k], in the type to compute in; the first axis may be the directions'."""
    bias: te.Tensor | None
    """For all gates."""
    hidden: Expr
    gates: int
    directions: int
    """The number of directions, 0 for the weights of a cell, which have no such axis."""
    first: int = 0
    """The number of the first gate."""

    def part(self, first: int, gates: int) -> GateWeights:
        """Return the weights of some of the gates, copied to a tensor of their own."""
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
        """Return the products of the rows `row(k, *place)` with the gates, as one contraction. A `place` is
        an index of the shape, after that of the direction if there are several."""
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
        """Return the products with a state."""
        shape = state.shape[bool(self.directions) : -1]
        return self.times(shape, lambda k, *i: state[(*i, k)], "uh")


def rnn(op: ops.RnnStep, wx: Gate, u: GateWeights, _: None, h: te.Tensor) -> list[te.Tensor]:
    """`f(Wx + Uh)`."""
    uh = u.times_state(h)
    return [te.compute(h.shape, lambda *i: gated(op, 0, wx(0, *i) + uh(0, *i), i), name="h")]


def gru(op: ops.GruStep, wx: Gate, u: GateWeights, _: None, h: te.Tensor) -> list[te.Tensor]:
    """`(1 - z) * n + z * h`."""
    uh = (u if op.linear_before_reset else u.part(0, 2)).times_state(h)

    def reset(*i: Index) -> te.Scalar:
        return gated(op, 0, wx(0, *i) + uh(0, *i), i)

    if op.linear_before_reset:
        changed = uh
    else:
        old = te.compute(h.shape, lambda *i: reset(*i) * h[i], name="reset")
        changed = u.part(2, 1).times_state(old)

    def element(*i: te.IterVar) -> te.Scalar:
        z = gated(op, 0, wx(1, *i) + uh(1, *i), i)
        n = changed(2, *i)
        n = gated(op, 1, wx(2, *i) + (reset(*i) * n if op.linear_before_reset else n), i)
        return (1 - z) * n + z * h[i]

    return [te.compute(h.shape, element, name="h")]


def lstm(
    op: ops.LstmStep,
    wx: Gate,
    u: GateWeights,
    peepholes: te.Tensor | None,
    h: te.Tensor,
    c: te.Tensor,
) -> list[te.Tensor]:
    """`sigmoid(o) * tanh(c)` and c, once that is `sigmoid(f) * c + sigmoid(i) * tanh(g)`."""
    uh = u.times_state(h)

    def gate(number: int, i: Sequence[Index], seen: te.Tensor | None = None) -> te.Scalar:
        """Return a gate of a number, with the state that it has a peephole to."""
        total = wx(number, *i) + uh(number, *i)
        if seen is not None and peepholes is not None:
            *place, j = i
            block = j + u.hidden * (2 if number == 3 else number)
            own = peepholes[(*place[: bool(u.directions)], block)]
            total = total + own.astype(total.dtype) * seen[i]
        return gated(op, 1 if number == 2 else 0, total, i)

    def memory(*i: te.IterVar) -> te.Scalar:
        new = gate(0, i, c)
        kept = 1 - new if op.input_forget else gate(1, i, c)
        return kept * c[i] + new * gate(2, i)

    following = te.compute(c.shape, memory, name="c")

    def element(*i: te.IterVar) -> te.Scalar:
        return gate(3, i, following) * applied(op, 2, following[i], i)

    return [te.compute(h.shape, element, name="h"), following]


def _step(
    op: ops.RecurrentOp,
    wx: Gate,
    u: GateWeights,
    peepholes: te.Tensor | None,
    states: Sequence[te.Tensor],
) -> Any:
    """Return the states after a step."""
    if isinstance(op, ops.RnnStep):
        return rnn(op, wx, u, None, *states)
    return (gru if isinstance(op, ops.GruStep) else lstm)(op, wx, u, peepholes, *states)  # pyright: ignore


@dataclass(frozen=True)
class RecurrentOperands:
    """The operands of a network, x and the states in the type to compute in."""

    x: te.Tensor
    states: list[te.Tensor]
    w: GateWeights
    u: GateWeights
    lengths: te.Tensor | None
    peepholes: te.Tensor | None
    requires: list[te.Requirement]
    """The requirements on the sizes, to be checked."""


def _read(op: ops.RecurrentOp, operands: Sequence[Any]) -> RecurrentOperands:
    """Return the operands by their names."""
    *tensors, further = operands
    given = dict(zip((name for name, _ in op.layouts()), (*tensors, *further)))
    shapes = [tensor.shape for tensor in given.values()]
    hidden = op.sizes(shapes)["H"]
    assert hidden is not None
    directions = op.directions if isinstance(op, ops.SequenceOp) else 0

    def weights(rows: te.Tensor, bias: te.Tensor | None) -> GateWeights:
        return GateWeights(converted(rows, wide(rows.dtype)), bias, hidden, op.GATES, directions)

    states = [given[name] for name in "xhc" if name in given]
    x, *states = (converted(each, wide(each.dtype)) for each in states)
    return RecurrentOperands(
        x,
        states,
        weights(given["w_ih"], given.get("b_ih")),
        weights(given["w_hh"], given.get("b_hh")),
        given.get("lengths"),
        given.get("peepholes"),
        requirements(op, op.demands(shapes)),
    )


def converted(tensor: te.Tensor, dtype: Any) -> te.Tensor:
    """Return a tensor of another element type, itself if it has that one."""
    if tensor.dtype == dtype:
        return tensor
    return te.compute(tensor.shape, lambda *i: tensor[i].astype(dtype), name=tensor.name)


@legalize(ops.RnnCellOp, ops.GruCellOp, ops.LstmCellOp)
def cell(op: ops.RecurrentOp, *operands: Any) -> list[te.Tensor]:
    """One step."""
    given = _read(op, operands)
    x, dtype = given.x, operands[0].dtype
    wx = given.w.times(x.shape[:1], lambda k, n: x[n, k], "wx", given.requires)
    found = _step(op, wx, given.u, given.peepholes, given.states)
    return [converted(state, dtype) for state in found]


@legalize(ops.RnnOp, ops.GruOp, ops.LstmOp)
def sequence(op: ops.SequenceOp, *operands: Any) -> list[te.Tensor]:
    """Return the output of all steps, and the states after the last one."""
    given = _read(op, operands)
    x, states = given.x, given.states
    sizes = dict(zip(op.layout("x"), x.shape))
    steps, hidden = sizes["T"], given.w.hidden
    both, reverse = op.direction == "bidirectional", op.direction == "reverse"
    # in the order of x, so that all rows are one dimension in memory
    wx = given.w.times(x.shape[:2], lambda k, _, *i: x[(*i, k)], "wx", given.requires)

    def mirrored(t: Index, turn: bool = True) -> Index:
        return steps - 1 - t if turn else t

    def time(t: Index, d: Index) -> Index:
        """Return the step of x that is the t-th of a direction."""
        return te.select(te.equal(d, 0), t, mirrored(t)) if both else mirrored(t, reverse)

    def step(t: te.Scalar, *states: te.Tensor) -> tuple[list[te.Tensor], list[te.Tensor]]:
        def gate(number: int, d: Index, n: Index, j: Index) -> te.Scalar:
            place = (n, time(t, d)) if op.batch_first else (time(t, d), n)
            return wx(number, d, *place, j)

        def kept(new: te.Tensor, old: te.Tensor | None) -> te.Tensor:
            """Return the new state, or the old one or 0 if a sample has no such step."""
            if (ends := given.lengths) is None:
                return new

            def element(d: te.IterVar, n: te.IterVar, j: te.IterVar) -> te.Scalar:
                has = te.cast(time(t, d), "i64") < ends[n].astype("i64")
                return te.select(has, new[d, n, j], 0 if old is None else old[d, n, j])

            return te.compute(new.shape, element, name=new.name)

        found = _step(op, gate, given.u, given.peepholes, states)
        h = kept(found[0], None)
        row = h if both else te.compute(h.shape[1:], lambda *i: h[(0, *i)], name="h")
        return [kept(*pair) for pair in zip(found, states)], [row]

    last, (rows,) = te.recurrence(steps, states, step, name=op.name.rpartition(".")[2])
    last, dtype = [converted(state, operands[0].dtype) for state in last], operands[0].dtype
    if op.direction == "forward" and not op.batch_first:
        return [converted(rows, dtype), *last]

    def output(*i: te.IterVar) -> te.Scalar:
        index = dict(zip(layout, i))
        d, t, n, j = (index[letter] for letter in "DTNI")
        if not both:
            return rows[mirrored(t, reverse), n, j].astype(dtype)
        return rows[time(t, d), d, n, j].astype(dtype)

    # both directions of a position are adjacent: an axis of their own, merged with the units after
    layout = op.layout("x").replace("I", "DI")
    axes = {**sizes, "D": as_expr(1 + both), "I": hidden}
    found = te.compute([axes[letter] for letter in layout], output, name="output")
    shape = [hidden * (1 + both) if letter == "I" else sizes[letter] for letter in op.layout("x")]
    return [te.reshape(found, shape, name="output"), *last]
