"""Adjoints of recurrent networks: a loop over the steps from the last one computes the cotangents of
sums of products; the cotangents of weights and inputs are products of these, over all steps at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.adjoints.normalization import wide
from relax_dialect.gradient.adjoints.recurrent_gates import Step, blocks
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import recurrent as ops

KINDS = {1: "rnn", 3: "gru", 4: "lstm"}
"""The kinds of networks by their number of gates."""


def _named(of: Applied[ops.RecurrentOp]) -> dict[str, Any]:
    """Return the operands by name, floats in the type of the computation; unknown sizes are replaced by
    those of their letters, which have names."""
    shapes = [of.type(i).shape for i in range(len(of.inputs))]
    named = (None if shape is None else tuple(of.sizes(i)) for i, shape in enumerate(shapes))
    sizes = of.op.sizes([*named])
    found: dict[str, Any] = {}
    for index, (name, layout) in enumerate(of.op.layouts()):
        x, shape = of.inputs[index], shapes[index]
        if shape is None or None in shape:
            own = [sizes[letter] or of.sizes(index)[axis] for axis, letter in enumerate(layout)]
            x = of.builder.match_cast(x, TensorType(own, of.type(index).dtype))
        found[name] = x if name == "lengths" else wide(of, x)
    return found


@expansion(ops.RnnCellOp, ops.GruCellOp, ops.LstmCellOp)
def cell(of: Applied[ops.RecurrentOp]) -> Any:
    """The formula of a step."""
    found = _named(of)
    step = Step(of.op, 0, found.get("peepholes"))
    a, u = op.linear(found["x"], found["w_ih"], found.get("b_ih")), _products(found)
    states = [found["h"], *([found["c"]] if "c" in found else [])]
    return tuple(getattr(step, KINDS[of.op.GATES])(a, u, *states))


def _products(found: dict[str, Any]) -> Callable[[Any], Any]:
    """The sums of products with a state."""
    return lambda h: op.linear(h, found["w_hh"], found.get("b_hh"))


@adjoint(ops.RnnOp, ops.GruOp, ops.LstmOp)
def sequence(of: Applied[ops.SequenceOp], of_output: Any, *of_last: Any) -> Any:
    """Direction by direction."""
    named = _named(of)
    time_first = (lambda x: op.permute_dims(x, [1, 0, 2])) if of.op.batch_first else lambda x: x
    x, output = time_first(named["x"]), time_first(wide(of, of.outputs[0]))
    of_output = time_first(wide(of, of_output))
    count, gates = of.op.directions, []
    for d in range(count):
        own = {
            name: value if name in ("x", "lengths") else op.squeeze(_part(value, 0, d, 1), [0])
            for name, value in named.items()
        }
        size = of.sizes(1)[-1]
        direction = DirectionCotangents(
            of,
            d,
            {**own, "x": x},
            _part(output, 2, size * d, size),
            _part(of_output, 2, size * d, size),
            [op.squeeze(_part(wide(of, last), 0, d, 1), [0]) for last in of_last],
        )
        gates.append(direction.back())
    found: list[Any] = []
    for name in named:
        parts = [each.get(name) for each in gates]
        if name == "x":
            found.append(time_first(parts[0] if count == 1 else parts[0] + parts[1]))
        elif name == "lengths":
            found.append(None)
        else:
            found.append(op.stack(parts, axis=0))
    return found


def _part(x: Any, axis: int, start: Any, size: Any) -> Any:
    return op.strided_slice(x, [axis], [start], [start + size], assume_inbound=True)


class DirectionCotangents:
    """One direction of a sequence: operands by name, output, cotangents of it and of the last states."""

    def __init__(
        self,
        of: Applied[ops.SequenceOp],
        d: int,
        named: dict[str, Any],
        output: Any,
        of_output: Any,
        of_last: Sequence[Any],
    ):
        emit = of.builder.emit
        self.builder, self.this = of.builder, of.op
        self.steps = symbolic.as_expr(of.sizes()[1 if of.op.batch_first else 0])
        self.backwards = d == 1 or of.op.direction == "reverse"
        self.named = {name: emit(value) for name, value in named.items()}
        self.step = Step(of.op, d, self.named.get("peepholes"))
        self.lasts = None
        if "lengths" in named:
            number_of_step = op.expand_dims(op.arange(0, self.steps + 1, 1), [1, 2])
            lengths = op.expand_dims(self.named["lengths"].astype("i64"), [0, 2])
            self.lasts = emit(lengths > number_of_step)
        self.h = emit(self.before(output, self.named["h"]))
        self.of_output, self.of_last = emit(of_output), [emit(last) for last in of_last]
        self.a = emit(op.linear(self.named["x"], self.named["w_ih"], self.named.get("b_ih")))
        self.u = emit(_products(self.named)(self.h))

    def before(self, states: Any, initial: Any) -> Any:
        """Return the states before every step, from the states after it and the first one."""
        first = op.expand_dims(initial, [0])
        if not self.backwards:
            return _part(op.concat([first, states], axis=0), 0, 0, self.steps)
        shifted = _part(op.concat([states, first], axis=0), 0, 1, self.steps)
        if self.lasts is None:
            return shifted
        return op.where(_part(self.lasts, 0, 1, self.steps), shifted, first)

    def over(self, turn: Callable[..., Sequence[Any]], states: Sequence[Any], *, back: bool) -> Any:
        """Emit a loop over the steps, forward or backward: an iteration yields the next states and a row
        to collect. For a sample without such a step the states are unchanged, and the row is zero."""
        final, emit = number(self.steps, "i64"), self.builder.emit

        def body(count: Any, *values: Any) -> Any:
            t = emit(count if back == self.backwards else final - 1 - count)
            *new, row = turn(t, *values[:-1])
            if self.lasts is not None:
                lasts = emit(op.take(self.lasts, t, 0))
                new = [op.where(lasts, *pair) for pair in zip(new, values)]
                row = op.where(lasts, row, 0.0)
            return [count + 1, *new, op.index_put(values[-1], [t], row)]

        zero = op.full([], 0, "i64")
        return self.builder.while_(lambda count, *_: count < final, body, zero, *states)[1:]

    def rows(self, width: int) -> Any:
        """Zeros for so many blocks of hidden units in every step."""
        (batch, hidden) = self.named["h"].shape
        return op.zeros([self.steps, batch, hidden * width], self.named["h"].dtype)

    def back(self) -> dict[str, Any]:
        """The cotangents of the operands by name."""
        return getattr(self, f"back_{KINDS[self.this.GATES]}")()

    def given(self, t: Any, gh: Any) -> Any:
        """Return the cotangent of h after a step: that of the next step, plus that of the output."""
        return gh + op.take(self.of_output, t, 0)

    def gathered(self, of_a: Any, of_u: Any, **found: Any) -> dict[str, Any]:
        """Return the cotangents of inputs, weights and biases from the cotangents of the sums."""
        biases = self.builder.emit(op.sum(of_a, [0, 1]))
        names = {
            "x": op.matmul(of_a, self.named["w_ih"]),
            "w_ih": self.weights(of_a, self.named["x"]),
            "b_ih": biases,
            "b_hh": biases if of_u is of_a else op.sum(of_u, [0, 1]),
        }
        return {"w_hh": self.weights(of_u, self.h), **names, **found}

    def weights(self, of_sums: Any, factors: Any) -> Any:
        """Return the sum over steps and samples of the products of cotangents with the other factors."""
        rows = self.steps * symbolic.as_expr(self.named["h"].shape[0])
        sums, found = (self.builder.emit(x) for x in (of_sums, factors))
        turned = op.permute_dims(op.reshape(sums, [rows, sums.shape[-1]]), [1, 0])
        return op.matmul(turned, op.reshape(found, [rows, found.shape[-1]]))

    def back_rnn(self) -> dict[str, Any]:
        def turn(t: Any, gh: Any) -> Any:
            sums = op.take(self.a, t, 0) + op.take(self.u, t, 0)
            of_sums = self.builder.emit(self.given(t, gh) * self.step.gate(0, sums).slope)
            return op.matmul(of_sums, self.named["w_hh"]), of_sums

        of_h, of_sums = self.over(turn, [self.of_last[0], self.rows(1)], back=True)
        return self.gathered(of_sums, of_sums, h=of_h)

    def back_lstm(self) -> dict[str, Any]:
        sums = self.builder.emit(self.a + self.u)

        def forth(t: Any, c: Any) -> Any:
            new = self.builder.emit(self.step.cell(op.take(sums, t, 0), c).c)
            return new, new

        after = self.over(forth, [self.named["c"], self.rows(1)], back=False)[1]
        before = self.builder.emit(self.before(after, self.named["c"]))

        def turn(t: Any, gh: Any, gc: Any) -> Any:
            c = self.builder.emit(op.take(before, t, 0))
            found = self.step.cell(op.take(sums, t, 0), c)
            of_sums, of_c = self.builder.emit_all(found.back(self.given(t, gh), gc, c))
            return op.matmul(of_sums, self.named["w_hh"]), of_c, of_sums

        of_h, of_c, of_sums = self.over(turn, [*self.of_last, self.rows(4)], back=True)
        i, f, _, o = blocks(of_sums, 4)
        peeped = [op.sum(g * c, [0, 1]) for g, c in ((i, before), (f, before), (o, after))]
        found = {"peepholes": op.concat(peeped, axis=0)} if "peepholes" in self.named else {}
        return self.gathered(of_sums, of_sums, h=of_h, c=of_c, **found)

    def back_gru(self) -> dict[str, Any]:
        assert isinstance(self.this, ops.GruStep)
        first, emit = self.this.linear_before_reset, self.builder.emit
        w = self.named["w_hh"]
        hidden = self.named["h"].shape[1]
        w_rz, w_n = _part(w, 0, 0, hidden * 2), emit(_part(w, 0, hidden * 2, hidden))
        bias = self.named.get("b_hh")
        b_n = None if bias is None else emit(_part(bias, 0, hidden * 2, hidden))

        def turn(t: Any, gh: Any) -> Any:
            h = emit(op.take(self.h, t, 0))
            a, u = (blocks(op.take(x, t, 0), 3) for x in (self.a, self.u))
            r, z = self.step.gate(0, a[0] + u[0]), self.step.gate(0, a[1] + u[1])
            n = self.step.gate(1, a[2] + (r.y * u[2] if first else op.linear(r.y * h, w_n, b_n)))
            g = emit(self.given(t, gh))
            of_n, of_z = emit(g * (1.0 - z.y) * n.slope), g * (h - n.y) * z.slope
            if first:
                of_r = of_n * u[2] * r.slope
                of_u = emit(op.concat([of_r, of_z, of_n * r.y], axis=-1))
                return g * z.y + op.matmul(of_u, w), op.concat([of_u, of_n], axis=-1)
            of_reset = emit(op.matmul(of_n, w_n))
            of_rz = emit(op.concat([of_reset * h * r.slope, of_z], axis=-1))
            of_h = g * z.y + op.matmul(of_rz, w_rz) + of_reset * r.y
            return of_h, op.concat([of_rz, of_n], axis=-1)

        of_h, rows = self.over(turn, [self.of_last[0], self.rows(4 if first else 3)], back=True)
        if first:
            of_r, of_z, of_un, of_n = blocks(rows, 4)
            of_u = op.concat([of_r, of_z, of_un], axis=-1)
            return self.gathered(op.concat([of_r, of_z, of_n], axis=-1), of_u, h=of_h)
        r = self.step.gate(0, blocks(self.a, 3)[0] + blocks(self.u, 3)[0]).y
        of_rz, of_n = _part(rows, 2, 0, hidden * 2), _part(rows, 2, hidden * 2, hidden)
        of_w = [self.weights(of_rz, self.h), self.weights(of_n, r * self.h)]
        return self.gathered(rows, rows, h=of_h, w_hh=op.concat(of_w, axis=0))
