"""Recurrent networks: one sample, one hidden unit after the other, against interpreter and C."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY

from lowering.runtime.loading import CompiledModule
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.recurrent import (
    OPS,
    GruCellOp,
    GruOp,
    LstmCellOp,
    LstmOp,
    RnnCellOp,
    RnnOp,
)

from .compiled import FEW, STATIC, Case, Sizes, check, compile_cases, each_case, tensor
from .inputs import refused, x
from .stopping import both_stop

Vector = Sequence[float]


def sigmoid(x: float) -> float:
    return (1 + math.tanh(x / 2)) / 2


def product(rows: np.ndarray, vector: Vector, bias: np.ndarray) -> list[float]:
    return [math.fsum(a * b for a, b in zip(row, vector)) + at for row, at in zip(rows, bias)]


def gates(of: Vector, count: int) -> list[Vector]:
    size = len(of) // count
    return [of[gate * size : (gate + 1) * size] for gate in range(count)]


def rnn_step(kind: str, x: Vector, u: Callable, h: Vector) -> list[Vector]:
    f = math.tanh if kind == "tanh" else lambda value: max(value, 0.0)
    return [[f(a + b) for a, b in zip(x, u(h))]]


def gru_step(kind: str, x: Vector, u: Callable, h: Vector) -> list[Vector]:
    from_x, from_h = gates(x, 3), gates(u(h), 3)
    r, z = ([sigmoid(a + b) for a, b in zip(from_x[g], from_h[g])] for g in (0, 1))
    if kind == "after":
        reset = [a * b for a, b in zip(r, from_h[2])]
    else:
        reset = gates(u([a * b for a, b in zip(r, h)]), 3)[2]
    n = [math.tanh(a + b) for a, b in zip(from_x[2], reset)]
    return [[new + keep * (old - new) for new, keep, old in zip(n, z, h)]]


def lstm_step(_: str, x: Vector, u: Callable, h: Vector, c: Vector) -> list[Vector]:
    i, f, g, o = gates([a + b for a, b in zip(x, u(h))], 4)
    c = [sigmoid(a) * old + sigmoid(b) * math.tanh(new) for a, old, b, new in zip(f, c, i, g)]
    return [[sigmoid(a) * math.tanh(b) for a, b in zip(o, c)], c]


STEPS = {"rnn": (rnn_step, 1), "gru": (gru_step, 1), "lstm": (lstm_step, 2)}


def one_sequence(
    network: str,
    kind: str,
    x: np.ndarray,
    states: Sequence[Vector],
    parameters: Sequence[np.ndarray],
) -> tuple[list[Vector], Sequence[Vector]]:
    """The outputs and the last states of one sample, [steps, inputs]."""
    w_ih, w_hh, *biases = parameters
    b_ih, b_hh = biases or (np.zeros(len(w_ih)),) * 2
    outputs: list[Vector] = []
    for row in x:
        u = lambda h: product(w_hh, h, b_hh)  # noqa: E731
        states = STEPS[network][0](kind, product(w_ih, row, b_ih), u, *states)
        outputs.append(states[0])
    return outputs, states


def cell(network: str, kind: str = "") -> Callable[..., Any]:
    count = STEPS[network][1]

    def meaning(x: np.ndarray, *others: np.ndarray) -> Any:
        states, parameters = others[:count], others[count:]
        results = [np.empty_like(state) for state in states]
        for n, row in enumerate(x):
            sample = [list(state[n]) for state in states]
            _, last = one_sequence(network, kind, row[None], sample, parameters)
            for result, state in zip(results, last):
                result[n] = state
        return tuple(results)

    return in_double(meaning)


def sequence(
    network: str, kind: str = "", direction: str = "forward", batch_first: bool = False
) -> Callable[..., Any]:
    count = STEPS[network][1]

    def meaning(x: np.ndarray, *others: np.ndarray) -> Any:
        x = x if batch_first else x.transpose(1, 0, 2)
        states, parameters = others[:count], others[count:]
        directions, _, hidden = states[0].shape
        output = np.empty((*x.shape[:2], directions * hidden), x.dtype)
        results = [np.empty_like(state) for state in states]
        for d in range(directions):
            turned = -1 if d == 1 or direction == "reverse" else 1
            for n, sample in enumerate(x):
                own = [list(state[d, n]) for state in states]
                weights = [parameter[d] for parameter in parameters]
                outputs, last = one_sequence(network, kind, sample[::turned], own, weights)
                for t, row in enumerate(outputs[::turned]):
                    output[n, t, d * hidden : (d + 1) * hidden] = row
                for result, state in zip(results, last):
                    result[d, n] = state
        return output if batch_first else output.transpose(1, 0, 2), *results

    return in_double(meaning)


def in_double(meaning: Callable[..., tuple[np.ndarray, ...]]) -> Callable[..., Any]:
    def rounded(*arrays: np.ndarray) -> Any:
        results = meaning(*(array.astype(np.float64) for array in arrays))
        return tuple(result.astype(arrays[0].dtype) for result in results)

    return rounded


GATES = {"rnn": 1, "gru": 3, "lstm": 4}

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "hard_sigmoid": lambda x: min(max(0.2 * x + 0.5, 0), 1),
    "softsign": lambda x: x / (1 + abs(x)),
    "elu(0.5)": lambda x: x if x > 0 else 0.5 * (math.exp(x) - 1),
    "sigmoid": sigmoid,
    "leaky_relu(0.1)": lambda x: max(x, 0.1 * x),
    "scaled_tanh(0.9,1.5)": lambda x: 0.9 * math.tanh(1.5 * x),
    "softplus": lambda x: math.log(1 + math.exp(x)),
    "affine(0.5,0.25)": lambda x: x / 2 + 0.25,
    "thresholded_relu(0.3)": lambda x: x if x >= 0.3 else 0.0,
    "relu": lambda x: max(x, 0.0),
}


def of_form(step: Callable[..., list[Vector]], names: str, clip: float) -> Callable[..., Any]:
    """A network of [steps, batch, inputs] whose samples end early, one after the other: of each the steps
    that it has are read, in the order of the direction."""
    words = names.split()

    def limited(name: str) -> Callable[[Vector], list[float]]:
        return lambda xs: [FUNCTIONS[name](min(max(x, -clip), clip)) for x in xs]

    def meaning(x: np.ndarray, *others: np.ndarray) -> Any:
        count = 2 if step is lstm_form else 1
        states, (w, u, b, c, lengths, *peepholes) = others[:count], others[count:]
        ways, each = len(w), len(words) // len(w)
        output = np.zeros((*x.shape[:2], ways, u.shape[2]))
        results = [np.array(state) for state in states]
        for d, n in np.ndindex(ways, x.shape[1]):
            own = words[d * each : (d + 1) * each]
            functions = [
                *map(limited, own),
                lambda xs, own=own: [FUNCTIONS[own[-1]](v) for v in xs],
            ]
            now = [list(state[d, n]) for state in states]
            order = range(min(int(lengths[n]), len(x)))
            for t in reversed(order) if d else order:
                before, from_h = product(w[d], x[t, n], b[d]), lambda h, d=d: product(u[d], h, c[d])
                now = step(functions, before, from_h, *now, *(p[d] for p in peepholes))
                output[t, n, d] = now[0]
            for result, state in zip(results, now):
                result[d, n] = state
        return output.reshape(*x.shape[:2], ways * u.shape[2]), *results

    return in_double(meaning)


def lstm_form(
    functions: Sequence[Any], x: Vector, u: Callable, h: Vector, c: Vector, peepholes: Vector
) -> list[Vector]:
    """With peepholes, and a forget gate that is what the input gate is not."""
    f, g, _, of_c = functions
    i, _, n, o = gates([a + b for a, b in zip(x, u(h))], 4)
    p, _, s = gates(peepholes, 3)
    i = f([a + own * old for a, own, old in zip(i, p, c)])
    c = [(1 - a) * old + a * new for a, old, new in zip(i, c, g(n))]
    o = f([a + own * new for a, own, new in zip(o, s, c)])
    return [[a * b for a, b in zip(o, of_c(c))], c]


def gru_form(functions: Sequence[Any], x: Vector, u: Callable, h: Vector) -> list[Vector]:
    f, g, _ = functions
    from_x, from_h = gates(x, 3), gates(u(h), 3)
    r, z = (f([a + b for a, b in zip(from_x[k], from_h[k])]) for k in (0, 1))
    n = g([a + k * b for a, k, b in zip(from_x[2], r, from_h[2])])
    return [[new + keep * (old - new) for new, keep, old in zip(n, z, h)]]


def lengths(x: np.ndarray) -> np.ndarray:
    """Of no step, of some, of more than there are."""
    return (np.arange(len(x)) * 3 % 10).astype(x.dtype)


LSTM_NAMES = "hard_sigmoid softsign elu(0.5) sigmoid leaky_relu(0.1) scaled_tanh(0.9,1.5)"
GRU_NAMES = "softplus affine(0.5,0.25) thresholded_relu(0.3) relu"


def types(
    network: str,
    x: Sequence[object],
    hidden: object,
    *,
    batch: object = "n",
    directions: int | None = None,
    biases: bool = True,
    dtype: str = "f32",
) -> list[TensorType]:
    """The types of the operands, given that of x; with `directions` those of a sequence."""
    gates = GATES[network]
    rows = hidden * gates if isinstance(hidden, int) else f"{gates} * {hidden}"
    lead = () if directions is None else (directions,)
    states = [(*lead, batch, hidden)] * STEPS[network][1]
    parameters = [(*lead, rows, x[-1]), (*lead, rows, hidden), *[(*lead, rows)] * 2 * biases]
    return [tensor(*dims, dtype=dtype) for dims in (x, *states, *parameters)]


def half(x: np.ndarray) -> np.ndarray:
    return x * np.asarray(0.5, x.dtype)


def hundredth(x: np.ndarray) -> np.ndarray:
    """For bf16, which gets whole numbers."""
    return x * np.asarray(0.01, x.dtype)


FITS = [(5, 3, 2), (1, 3, 4), (1, 3, 4), (1, 16, 2), (1, 16, 4), (1, 16), (1, 16)]
"""Shapes that an lstm takes."""

CASES = {
    "rnn_cell": Case(RnnCellOp, types("rnn", ["n", "b"], "k"), cell("rnn", "tanh"), values=half),
    "rnn_cell_relu": Case(
        lambda *a: RnnCellOp(*a, nonlinearity="relu"),
        types("rnn", [2, 3], 5, batch=2, biases=False),
        cell("rnn", "relu"),
        STATIC,
    ),
    "gru_cell": Case(GruCellOp, types("gru", ["n", 3], 5), cell("gru", "after"), values=half),
    "gru_cell_before": Case(
        lambda *a: GruCellOp(*a, linear_before_reset=False),
        types("gru", ["n", "m"], "k", dtype="f64"),
        cell("gru", "before"),
    ),
    "gru_cell_bf16": Case(
        GruCellOp,
        types("gru", ["n", 3], 5, dtype="bf16"),
        cell("gru", "after"),
        FEW,
        values=hundredth,
        tolerance=8e-3,
    ),
    "lstm_cell": Case(LstmCellOp, types("lstm", ["n", "b"], "k"), cell("lstm"), values=half),
    "lstm_cell_f16": Case(
        LstmCellOp, types("lstm", ["n", 3], 5, biases=False, dtype="f16"), cell("lstm"), FEW
    ),
    "rnn": Case(
        RnnOp,
        types("rnn", ["m", "n", 3], 4, directions=1),
        sequence("rnn", "tanh"),
        values=half,
    ),
    "rnn_relu_both": Case(
        lambda *a: RnnOp(*a, direction="bidirectional", nonlinearity="relu"),
        types("rnn", [3, 2, 3], 4, batch=2, directions=2, biases=False),
        sequence("rnn", "relu", "bidirectional"),
        STATIC,
        values=half,
    ),
    "gru": Case(
        lambda *a: GruOp(*a, direction="reverse"),
        types("gru", ["m", "n", "b"], "k", directions=1),
        sequence("gru", "after", "reverse"),
        values=half,
    ),
    "gru_before_both": Case(
        lambda *a: GruOp(
            *a, direction="bidirectional", batch_first=True, linear_before_reset=False
        ),
        types("gru", ["n", "m", 3], 4, directions=2, biases=False, dtype="f64"),
        sequence("gru", "before", "bidirectional", batch_first=True),
        FEW,
    ),
    "lstm": Case(
        LstmOp,
        types("lstm", ["m", "n", "b"], "k", directions=1),
        sequence("lstm"),
        values=half,
    ),
    "lstm_both": Case(
        lambda *a: LstmOp(*a, direction="bidirectional"),
        types("lstm", ["m", "n", 3], 4, directions=2),
        sequence("lstm", "", "bidirectional"),
        values=half,
    ),
    "lstm_reverse": Case(
        lambda *a: LstmOp(*a, direction="reverse", batch_first=True),
        types("lstm", [2, 5, 3], 4, batch=2, directions=1),
        sequence("lstm", "", "reverse", batch_first=True),
        STATIC,
    ),
    "lstm_f16": Case(
        LstmOp,
        types("lstm", ["m", "n", 3], 4, directions=1, dtype="f16"),
        sequence("lstm"),
        FEW,
        values=half,
    ),
    "lstm_form": Case(
        lambda *a: LstmOp(
            *a, direction="bidirectional", activations=LSTM_NAMES, clip=0.7, input_forget=True
        ),
        [*types("lstm", ["m", "n", 3], 4, directions=2), tensor("n", dtype="i32"), tensor(2, 12)],
        of_form(lstm_form, LSTM_NAMES, 0.7),
        FEW,
        [*[half] * 7, lengths, half],
    ),
    "gru_form": Case(
        lambda *a: GruOp(*a, direction="bidirectional", activations=GRU_NAMES),
        [*types("gru", ["m", "n", 3], 4, directions=2, dtype="f64"), tensor("n", dtype="i64")],
        of_form(gru_form, GRU_NAMES, math.inf),
        FEW,
        [*[half] * 6, lengths],
    ),
    "open": Case(
        LstmOp,
        [
            tensor(*(f"s{place}{axis}" for axis in range(len(fit))))
            for place, fit in enumerate(FITS)
        ],
        sequence("lstm"),
        sizes=(),
    ),
    "half_open": Case(
        GruCellOp,
        [tensor("n", "i"), tensor("n", "k"), tensor(15, 3), tensor(15, 5)],
        cell("gru", "after"),
        sizes=({"n": 2, "i": 3, "k": 5},),
    ),
}
"""`open` and `half_open` demand of their sizes what only a run can tell."""


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES, LIGHTLY)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@pytest.mark.slow
@each_case(CASES)
def test_agrees_with_loops_over_units(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


STOPS = {
    "'h' to have one entry for each direction": (1, (2, 3, 4)),
    "'h' to have one entry for each sample of the batch": (1, (1, 4, 4)),
    "'c' to have one entry for each hidden unit": (2, (1, 3, 5)),
    "'w_ih' to have one entry for each hidden unit of every gate": (3, (1, 12, 2)),
    "'w_ih' to have one entry for each input": (3, (1, 16, 3)),
    "'b_hh' to have one entry for each direction": (6, (2, 16)),
}


@pytest.mark.slow
@pytest.mark.parametrize("message", STOPS)
def test_C3_sizes_that_only_a_run_can_tell(model: CompiledModule, message: str):
    place, shape = STOPS[message]
    shapes = [shape if each == place else fit for each, fit in enumerate(FITS)]
    both_stop(model, CASES, "open", *shapes, message=f"relax.lstm: expected {message} (C3); slice")


@pytest.mark.parametrize(
    ("shapes", "place"),
    [([(2, 4), (2, 5)], "input"), ([(2, 3), (2, 6)], "hidden unit of every gate")],
)
def test_C3_the_first_operand_is_right_though_another_is_constant(
    model: CompiledModule, shapes: list[tuple[int, ...]], place: str
):
    message = f"'w_ih' to have one entry for each {place} (C3)"
    both_stop(model, CASES, "half_open", *shapes, (15, 3), (15, 5), message=message)


def test_the_builder_takes_arrays_for_weights_and_biases():
    bb = BlockBuilder()
    arrays = [np.full(dims, 0.1 * len(dims), np.float32) for dims in ((4, 3), (4, 4), (4,), (4,))]
    with bb.function("main", {"x": tensor("n", 3)}) as (x,):
        bb.emit_func_output(bb.emit(op.rnn_cell(x, op.zeros(["n", 4], "f32"), *arrays)))
    ones = np.ones((2, 3), np.float32)
    result = run(bb.get(), "main", ones)
    np.testing.assert_allclose(result, np.tanh(np.full((2, 4), 0.8)), rtol=1e-6)


def test_C4_C7_C8_what_is_refused():
    given: list[Any] = [x(2, 3), x(2, 5), x(2, 5), x(20, 3), x(20, 5)]
    refused("C4", lambda: LstmCellOp(*given, b_hh=x(20)))
    refused("C7", lambda: LstmCellOp(*given, activations="sigmoid tanh"))
    refused("C7", lambda: LstmCellOp(*given, activations="sigmoid tanh gelu"))
    refused("C7", lambda: LstmCellOp(*given, activations="sigmoid tanh elu(1,2)"))
    refused("C8", lambda: LstmCellOp(*given, clip=-1.0))
