"""What of the inside of turns and branches is kept for the way back, and is not computed anew there."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, shortened

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import check_gradient, gradient
from relax_dialect.gradient.through_loops import loop_tape, loops, recording
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.parsing import parse, verify

COUNT, STATE, MATRIX = (
    TensorType([], "i64"),
    TensorType(["n", 3], "f64"),
    TensorType([3, 3], "f64"),
)
RANDOM = np.random.default_rng(0)
GIVEN = [np.array(7), *(RANDOM.normal(size=s) for s in ((2, 3), (3, 3), (3, 3)))]


def gated(most: int | None = None) -> BlockBuilder:
    """k turns of a recurrent cell with one gate, of a known number at most if it is given."""
    b = BlockBuilder()
    with b.function("loss", {"k": COUNT, "h": STATE, "w": MATRIX, "u": MATRIX}) as (k, h, w, u):

        def turn(i: Any, h: Any) -> Any:
            gate = b.emit(op.sigmoid(h @ w))
            new = b.emit(op.tanh((gate * h) @ u))
            return i + 1, b.emit(h + gate * (new - h))

        turns = k if most is None else b.emit(op.floor_mod(k, most + 1))
        _, h = b.while_(lambda i, _: i < turns, turn, b.emit(np.zeros((), np.int64)), h)
        b.emit_func_output(b.emit(op.sum(op.square(h))))
    return b


def branching() -> BlockBuilder:
    """k turns, of which every other one multiplies by w."""
    b = BlockBuilder()
    with b.function("loss", {"k": COUNT, "h": STATE, "w": MATRIX, "u": MATRIX}) as (k, h, w, u):

        def turn(i: Any, h: Any) -> Any:
            even = b.emit(op.floor_mod(i, 2) == 0)
            new = b.if_(even, lambda: b.emit(op.tanh(h @ w)), lambda: b.emit(op.sin(h)))
            return i + 1, new

        _, h = b.while_(lambda i, _: i < k, turn, b.emit(k - k), h)
        b.emit_func_output(b.emit(op.sum(h @ u)))
    return b


def adjoint(program: BlockBuilder) -> tuple[Any, Counter[str]]:
    """A module with the adjoint of its loss, and how often each op stands in that."""
    module = program.get()
    name = gradient(module, "loss")
    verify(parse(str(module)))
    (function,) = (each for each in module.ops if each.sym_name.data == name)  # pyright: ignore
    return module, Counter(each.name.removeprefix("relax.") for each in walk_ops(function))


def test_products_are_computed_once_in_a_segment():
    """Forward and in the segment, twice each; linear goes back, and is not among them."""
    _, found = adjoint(gated())
    assert found["matmul"] == 4 and found["sigmoid"] == found["tanh"] == 2
    assert found["linear"] == found["einsum"] == 2


def test_a_loop_of_few_turns_computes_them_once():
    _, found = adjoint(gated(most=10))
    assert found["matmul"] == found["linear"] == found["einsum"] == 2
    assert found["sigmoid"] == found["tanh"] == 1


def test_what_is_larger_than_the_state_is_computed_anew(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loop_tape, "MOST", 0)
    _, found = adjoint(gated())
    assert found["matmul"] == 6


def test_sizes_beyond_what_is_reasoned_about_are_no_fault():
    many = "(a + b + c + d + e) * (f + g + h + i + j)"
    shape = TensorType([many] * 4, "f64")
    b = BlockBuilder()
    sizes = {f"of_{s}": TensorType([s], "f64") for s in "abcdefghij"}
    with b.function("loss", {"k": COUNT, **sizes, "y": shape}) as (k, *_, y):
        _, y = b.while_(
            lambda i, _: i < k,
            lambda i, y: (i + 1, b.emit(op.sin(op.softmax(y)))),
            b.emit(k - k),
            y,
        )
        b.emit_func_output(b.emit(op.sum(y)))
    _, found = adjoint(b)
    assert found["softmax"] == 3


@pytest.mark.slow
def test_what_a_branch_gave_is_not_computed_anew():
    """tanh stands in the loop forward and in that of a segment alone, and there is nothing to add zeros to."""
    _, found = adjoint(branching())
    assert found["tanh"] == 2
    assert found["zeros_like"] == 1  # the gradient of w begins with it


@pytest.mark.slow
@shortened
@pytest.mark.parametrize(
    ("program", "segment"),
    [(gated, 3), (gated, 64), (lambda: gated(most=10), 1), (branching, 1), (branching, 3)],
)
def test_the_gradients_are_right(program: Any, segment: int, monkeypatch: pytest.MonkeyPatch):
    for each in (loops, recording):
        monkeypatch.setattr(each, "SEGMENT", segment)
    module, _ = adjoint(program())
    assert check_gradient(module, "loss", *GIVEN) < 1e-7
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)
    for turns in (0, 1, 7):
        given = [np.array(turns), *GIVEN[1:]]
        value, gradients = run(module, "loss_adjoint", *given)
        found_value, found = compiled.loss_adjoint(*given)
        np.testing.assert_allclose(found_value, value, rtol=1e-12)
        for one, other in zip(found, gradients, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_a_product_with_a_vector_turns_no_matrix():
    """In a loop each turn would copy it."""
    b = BlockBuilder()
    row = TensorType([3], "f64")
    with b.function("loss", {"x": row, "a": MATRIX}) as (x, a):
        b.emit_func_output(b.emit(op.sum(op.tanh(a @ x)) + op.sum(x @ a)))
    module, found = adjoint(b)
    assert "permute_dims" not in found
    assert check_gradient(module, "loss", GIVEN[1][0], GIVEN[2]) < 1e-9
