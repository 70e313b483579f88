"""Recurrent networks, step by step as their formulas say: computed in f64 and rounded once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.special import sigmoid
from relax_dialect.interpret.values import Array
from relax_dialect.ops import recurrent as ops
from relax_dialect.ops.demands import require

States = Sequence[Array]
Step = Callable[..., States]

NONLINEARITY: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
}


def rnn(op: ops.RnnStep, wx: Array, u: Callable[[Array], Array], h: Array) -> States:
    """`f(Wx + Uh)`."""
    return [NONLINEARITY[op.nonlinearity](wx + u(h))]


def gru(op: ops.GruStep, wx: Array, u: Callable[[Array], Array], h: Array) -> States:
    """`(1 - z) * n + z * h`."""
    (wx_r, wx_z, wx_n), (uh_r, uh_z, uh_n) = np.split(wx, 3, -1), np.split(u(h), 3, -1)
    r, z = sigmoid(wx_r + uh_r), sigmoid(wx_z + uh_z)
    reset = r * uh_n if op.linear_before_reset else np.split(u(r * h), 3, -1)[2]
    return [(1 - z) * np.tanh(wx_n + reset) + z * h]


def lstm(_: ops.LstmStep, wx: Array, u: Callable[[Array], Array], h: Array, c: Array) -> States:
    """`sigmoid(o) * tanh(c)` and c, once that is `sigmoid(f) * c + sigmoid(i) * tanh(g)`."""
    i, f, g, o = np.split(wx + u(h), 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


def _read(
    op: ops.RecurrentOp, operands: Sequence[Any]
) -> tuple[Array, list[Array], Array, Array, Array, Array]:
    """x, the states, both weights and both biases (zeros if there are none), in f64."""
    *tensors, biases = operands
    shapes = [tuple(map(symbolic.const, array.shape)) for array in (*tensors, *biases)]
    require(op.demands(shapes))
    x, *states, w_ih, w_hh = (np.asarray(array, np.float64) for array in tensors)
    zeros = np.zeros(w_hh.shape[:-1])
    b_ih, b_hh = (np.asarray(array, np.float64) for array in biases or (zeros, zeros))
    return x, states, w_ih, w_hh, b_ih, b_hh


def cell(op_type: type[ops.RecurrentOp], step: Step) -> Any:
    """The semantics of one step."""

    def run(op: ops.RecurrentOp, *operands: Any) -> tuple[Array, ...]:
        x, states, w_ih, w_hh, b_ih, b_hh = _read(op, operands)
        states = step(op, x @ w_ih.T + b_ih, lambda h: h @ w_hh.T + b_hh, *states)
        return tuple(state.astype(operands[0].dtype) for state in states)

    return operator_with_attributes(op_type, run)


def sequence(op_type: type[ops.SequenceOp], step: Step) -> Any:
    """The semantics of all steps: the output, and the last states."""

    def run(op: ops.SequenceOp, *operands: Any) -> tuple[Array, ...]:
        x, initial, *parameters = _read(op, operands)
        if op.batch_first:
            x = x.swapaxes(0, 1)
        outputs: list[Array] = []
        last: list[States] = []
        for direction, (w_ih, w_hh, b_ih, b_hh) in enumerate(zip(*parameters)):
            backwards = direction == 1 or op.direction == "reverse"
            states: States = [state[direction] for state in initial]
            output = np.empty((*x.shape[:2], w_hh.shape[-1]))
            for t in reversed(range(len(x))) if backwards else range(len(x)):
                wx = x[t] @ w_ih.T + b_ih
                states = step(op, wx, lambda h, w=w_hh, b=b_hh: h @ w.T + b, *states)
                output[t] = states[0]
            outputs.append(output)
            last.append(states)
        output = np.concatenate(outputs, -1)
        if op.batch_first:
            output = output.swapaxes(0, 1)
        results = (output, *map(np.stack, zip(*last)))
        return tuple(result.astype(operands[0].dtype) for result in results)

    return operator_with_attributes(op_type, run)


@register_impls
class RecurrentFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.recurrent`."""

    rnn_cell = cell(ops.RnnCellOp, rnn)
    gru_cell = cell(ops.GruCellOp, gru)
    lstm_cell = cell(ops.LstmCellOp, lstm)
    rnn = sequence(ops.RnnOp, rnn)
    gru = sequence(ops.GruOp, gru)
    lstm = sequence(ops.LstmOp, lstm)
