"""Stages computed step by step from their own results: recurrent networks against numpy."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs
from te_programs import TePrograms
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from relax_dialect import te
from relax_dialect.errors import RelaxError

n, b = te.var("n"), te.var("b")
H = 4
X = te.placeholder((n, b, 4 * H), name="X")
H0 = te.placeholder((b, H), name="H0")
C0 = te.placeholder((b, H), name="C0")
W = te.placeholder((H, 4 * H), name="W")
V = te.placeholder((n,), name="V")
S = te.placeholder((b,), name="S")


def mixed(h: te.Tensor, width: int) -> te.Tensor:
    k = te.reduce_axis((0, H))
    return te.compute((b, width), lambda i, j: te.sum(h[i, k] * W[k, j], axis=k), name="mixed")


def rnn() -> list[te.Tensor]:
    def step(t: te.Scalar, h: te.Tensor) -> Any:
        sums = mixed(h, H)
        h = te.compute((b, H), lambda i, j: te.tanh(X[t, i, j] + sums[i, j]), name="h")
        return [h], [h]

    (last,), (rows,) = te.recurrence(n, [H0], step)
    return [X, H0, W, last, rows]


def np_rnn(x: np.ndarray, h: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
    rows = []
    for x_t in x:
        h = np.tanh(x_t[:, :H] + h @ w[:, :H])
        rows.append(h)
    return [h, np.array(rows, "f").reshape(len(x), *h.shape)]


def sigmoid(x: te.Scalar) -> te.Scalar:
    return 1 / (1 + te.exp(-x))


def lstm() -> list[te.Tensor]:
    def step(t: te.Scalar, h: te.Tensor, c: te.Tensor) -> Any:
        sums = mixed(h, 4 * H)
        gates = te.compute((b, 4 * H), lambda i, j: X[t, i, j] + sums[i, j], name="gates")

        def cell(i: te.IterVar, j: te.IterVar) -> te.Scalar:
            kept = sigmoid(gates[i, j + H]) * c[i, j]
            return kept + sigmoid(gates[i, j]) * te.tanh(gates[i, j + 2 * H])

        c = te.compute((b, H), cell, name="c")
        h = te.compute(
            (b, H), lambda i, j: sigmoid(gates[i, j + 3 * H]) * te.tanh(c[i, j]), name="h"
        )
        return [h, c], h

    (h, c), (rows,) = te.recurrence(n, [H0, C0], step, name="lstm")
    return [X, H0, C0, W, rows, h, c]


def np_lstm(x: np.ndarray, h: np.ndarray, c: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
    def sigmoid(v: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-v))

    rows = []
    for x_t in x:
        i, f, g, o = np.split(x_t + h @ w, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        rows.append(h)
    return [np.array(rows, "f").reshape(len(x), *h.shape), h, c]


def shifted() -> list[te.Tensor]:
    """The states move on by one place: no copy may come too early."""

    def step(t: te.Scalar, first: te.Tensor, second: te.Tensor) -> Any:
        new = te.compute((b,), lambda i: first[i] + second[i] * V[n - 1 - t], name="new")
        return [new, first], [second, first]

    zero = te.compute((b,), lambda i: te.const(0, "f32"), name="zero")
    states, rows = te.recurrence(n, [S, zero], step)
    return [V, S, *states, *rows]


def np_shifted(v: np.ndarray, first: np.ndarray) -> list[np.ndarray]:
    second, seconds, firsts = np.zeros_like(first), [], []
    for x in v[::-1]:
        seconds.append(second)
        firsts.append(first)
        first, second = first + second * x, first
    shape = (len(v), len(first))
    return [first, second, *(np.array(r, "f").reshape(shape) for r in (seconds, firsts))]


def swapped() -> list[te.Tensor]:
    """The states change places, and nothing else happens."""
    other = te.compute((b,), lambda i: S[i] * 2, name="other")
    states, _ = te.recurrence(3, [S, other], lambda t, x, y: ([y, x], []))
    return [S, *states]


def invariant() -> list[te.Tensor]:
    """Values that do not depend on the step are computed once, before the loop."""

    def step(t: te.Scalar, s: te.Tensor) -> Any:
        root = te.compute((b,), lambda i: te.sqrt(te.abs(S[i])), name="root")
        return [te.compute((b,), lambda i: s[i] * 0.5 + root[i], name="s")], []

    (last,), _ = te.recurrence(n, [S], step)
    return [V, S, te.compute((b,), lambda i: last[i] + V[0] * 0, name="out")]


def np_invariant(v: np.ndarray, s: np.ndarray) -> np.ndarray:
    root = np.sqrt(np.abs(s))
    for _ in v:
        s = s * np.float32(0.5) + root
    return s


def with_kernel() -> list[te.Tensor]:
    """A step may be a kernel, and use its number in conditions."""

    def step(t: te.Scalar, s: te.Tensor) -> Any:
        def rotate(ib: Any, ins: Any, outs: Any) -> None:
            with ib.for_(b) as i, ib.if_(i > 0):
                outs[0][i] = ins[0][i - 1]
            with ib.if_(b > te.cast(0, "index")):
                outs[0][0] = te.select(t % 2 == 0, ins[0][b - 1], 0.0)

        return [te.extern((b,), [s], rotate, name="s")], []

    (last,), _ = te.recurrence(n, [S], step)
    return [V, S, last]


def np_rotated(v: np.ndarray, s: np.ndarray) -> np.ndarray:
    for t in range(len(v)):
        s = np.roll(s, 1)
        if t % 2 and len(s):
            s[0] = 0
    return s


CASES: dict[str, tuple[list[te.Tensor], Callable[..., Any]]] = {
    "rnn": (rnn(), np_rnn),
    "lstm": (lstm(), np_lstm),
    "shifted": (shifted(), np_shifted),
    "swapped": (swapped(), lambda s: [s * 2, s]),
    "with_kernel": (with_kernel(), np_rotated),
}


@cache
def programs() -> TePrograms:
    tensors = {name: tensors for name, (tensors, _) in CASES.items()}
    return TePrograms({**tensors, "invariant": invariant()})


def inputs(tensors: list[te.Tensor], sizes: tuple[int, int]) -> list[np.ndarray]:
    rng = np.random.default_rng(sum(sizes))
    values = dict(zip("nb", sizes))
    shapes = [[d.evaluate(values) for d in t.shape] for t in tensors if t.stage is None]
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def compare(name: str, arguments: list[np.ndarray], expected: Any) -> None:
    found = programs().run(name, *arguments)
    for f, e in zip(found, expected if isinstance(expected, list) else [expected], strict=True):
        assert (f.dtype, f.shape) == (e.dtype, e.shape)
        np.testing.assert_allclose(f, e, rtol=2e-5, atol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 1), (3, 5), (0, 2), (2, 0), (7, 3)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, sizes: tuple[int, int]):
    tensors, meaning = CASES[name]
    arguments = inputs(tensors, sizes)
    compare(name, arguments, meaning(*(a.copy() for a in arguments)))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 1), (4, 3)], ids=str)
def test_what_no_step_changes_is_computed_once(sizes: tuple[int, int]):
    arguments = inputs(invariant(), sizes)
    compare("invariant", arguments, np_invariant(*arguments))
    function = programs().functions["invariant"]
    (loop,) = (op for op in function.walk() if isinstance(op, scf.ForOp))
    inside = [r.name_hint for op in loop.body.block.ops for r in op.results]
    assert "root" not in inside and "s" in inside


@needs(MLIR)
def test_mlir_accepts_every_function():
    check_accepted(ModuleOp([function.clone() for function in programs().functions.values()]))


def memrefs(name: str) -> FuncOp:
    (function,) = (
        op
        for op in programs().modules["memrefs"].ops
        if isinstance(op, FuncOp) and op.sym_name.data == f"te_{name}"
    )
    return function


def test_states_stay_in_place():
    """The cell is updated in place, the hidden state once the product has read it: nothing is copied
    in a step but the row of the output; all memory is allocated before the loop."""
    function = memrefs("lstm")
    (loop,) = (op for op in function.walk() if isinstance(op, scf.ForOp))
    copies = [op for op in loop.walk() if isinstance(op, memref.CopyOp)]
    assert len(copies) == 1
    assert isinstance(copies[0].destination.owner, memref.SubviewOp)
    assert not [op for op in loop.walk() if isinstance(op, memref.AllocOp)]


ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "pair": (lambda: te.recurrence(n, [S], lambda t, s: s), r"expected a pair"),
    "tensors": (lambda: te.recurrence(n, [S], lambda t, s: ([t], [])), r"a list of te\.Tensor"),
    "count": (
        lambda: te.recurrence(n, [S], lambda t, s: ([s, s], [])),
        r"the step returns 2 states, expected 1",
    ),
    "shape": (
        lambda: te.recurrence(n, [S], lambda t, s: ([V], [])),
        r"the state 'S' becomes \[n\] f32, expected \[b\] f32",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refuses(what: str):
    build, message = ERRORS[what]
    with pytest.raises(RelaxError, match=message):
        build()


def test_a_step_s_tensor_does_not_leave_it():
    kept: list[te.Tensor] = []

    def step(t: te.Scalar, s: te.Tensor) -> Any:
        kept.append(te.compute((b,), lambda i: s[i] + 1, name="inner"))
        return kept[-1:], []

    te.recurrence(n, [S], step)
    with pytest.raises(RelaxError, match=r"the stage 'inner' reads the placeholder 'S'"):
        te.create_prim_func([S, *kept])
