"""Recurrent networks, step by step by their formulas: computed in f64 and rounded once, at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.special import sigmoid
from relax_dialect.interpret.total_arithmetic import maximum
from relax_dialect.ops import recurrent as ops
from relax_dialect.ops.demands import require

States = Sequence[Array]
Step = Callable[..., States]

FUNCTIONS: dict[str, Callable[..., Array]] = {
    "tanh": np.tanh,
    "sigmoid": sigmoid,
    "relu": lambda x: maximum(x, 0),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "softplus": lambda x: np.logaddexp(0, x),
    "affine": lambda x, a, b: a * x + b,
    "scaled_tanh": lambda x, a, b: a * np.tanh(b * x),
    "leaky_relu": lambda x, a: np.where(x < 0, a * x, x),
    "thresholded_relu": lambda x, a: np.where(x >= a, x, 0),
    "hard_sigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "elu": lambda x, a: np.where(x < 0, a * np.expm1(x), x),
}


@dataclass(frozen=True)
class Gates:
    """The inputs of a step other than the products and the states."""

    op: Any
    peepholes: Array | None = None
    """The peepholes of one direction."""
    direction: int = 0

    def __call__(self, number: int, x: Array) -> Array:
        """The function of a number of the formula, of a gate."""
        clip = self.op.clip
        return self.of_state(number, np.clip(x, -clip, clip) if clip else x)

    def of_state(self, number: int, x: Array) -> Array:
        """Return the function of a number of the formula."""
        function = self.op.functions(self.direction)[number]
        return FUNCTIONS[function.name](x, *function.parameters)


def rnn(gates: Gates, wx: Array, u: Callable[[Array], Array], h: Array) -> States:
    """`f(Wx + Uh)`."""
    return [gates(0, wx + u(h))]


def gru(gates: Gates, wx: Array, u: Callable[[Array], Array], h: Array) -> States:
    """`(1 - z) * n + z * h`."""
    (wx_r, wx_z, wx_n), (uh_r, uh_z, uh_n) = np.split(wx, 3, -1), np.split(u(h), 3, -1)
    r, z = gates(0, wx_r + uh_r), gates(0, wx_z + uh_z)
    reset = r * uh_n if gates.op.linear_before_reset else np.split(u(r * h), 3, -1)[2]
    return [(1 - z) * gates(1, wx_n + reset) + z * h]


def lstm(gates: Gates, wx: Array, u: Callable[[Array], Array], h: Array, c: Array) -> States:
    """`sigmoid(o) * tanh(c)` and c, once that is `sigmoid(f) * c + sigmoid(i) * tanh(g)`."""
    i, f, g, o = np.split(wx + u(h), 4, -1)
    weights = () if gates.peepholes is None else np.split(gates.peepholes, 3, -1)

    def gate(number: int, total: Array, c: Array) -> Array:
        return gates(0, total + weights[number] * c if weights else total)

    i = gate(0, i, c)
    f = 1 - i if gates.op.input_forget else gate(1, f, c)
    c = f * c + i * gates(1, g)
    return [gate(2, o, c) * gates.of_state(2, c), c]


def _read(op: ops.RecurrentOp, operands: Sequence[Any]) -> tuple[dict[str, Any], list[Array]]:
    """Return the operands by their names, in f64, and the states; biases that are left out are zeros."""
    *tensors, further = operands
    arrays = [*tensors, *further]
    require(op.demands([tuple(map(symbolic.const, array.shape)) for array in arrays]))
    found = {
        name: array if name == "lengths" else np.asarray(array, np.float64)
        for (name, _), array in zip(op.layouts(), arrays)
    }
    zeros = np.zeros(found["w_hh"].shape[:-1])
    return {"b_ih": zeros, "b_hh": zeros, **found}, [found[name] for name in "hc"[: op.STATES]]


def _products(found: dict[str, Any], *direction: int) -> Any:
    """Return the products with an input, and with a state."""
    w, u, b, c = (found[name][direction] for name in ("w_ih", "w_hh", "b_ih", "b_hh"))
    return lambda x: x @ w.T + b, lambda h: h @ u.T + c


def cell(op_type: type[ops.RecurrentOp], step: Step) -> Any:
    """Return the semantics of one step."""

    def run(op: ops.RecurrentOp, *operands: Any) -> tuple[Array, ...]:
        found, states = _read(op, operands)
        w, u = _products(found)
        states = step(Gates(op, found.get("peepholes")), w(found["x"]), u, *states)
        return tuple(state.astype(operands[0].dtype) for state in states)

    return operator_with_attributes(op_type, run)


def sequence(op_type: type[ops.SequenceOp], step: Step) -> Any:
    """Return the semantics of all steps: the output, and the last states."""

    def run(op: ops.SequenceOp, *operands: Any) -> tuple[Array, ...]:
        found, initial = _read(op, operands)
        x = found["x"].swapaxes(0, 1) if op.batch_first else found["x"]
        lengths = found.get("lengths", np.full(x.shape[1], len(x)))
        outputs: list[Array] = []
        last: list[States] = []
        for direction in range(op.directions):
            w, u = _products(found, direction)
            peepholes = found["peepholes"][direction] if "peepholes" in found else None
            gates = Gates(op, peepholes, direction)
            backwards = direction == 1 or op.direction == "reverse"
            states: States = [state[direction] for state in initial]
            output = np.empty((*x.shape[:2], states[0].shape[-1]))
            for t in reversed(range(len(x))) if backwards else range(len(x)):
                lasts = (lengths > t)[:, None]
                new = step(gates, w(x[t]), u, *states)
                states = [np.where(lasts, *pair) for pair in zip(new, states)]
                output[t] = np.where(lasts, new[0], 0)
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
