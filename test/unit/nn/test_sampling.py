"""The next token: greedy, and drawn by temperature, top-k and top-p."""

from __future__ import annotations

from functools import cache

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import interpret, nn
from relax_dialect.builder import BlockBuilder
from relax_dialect.ir.types import TensorType

LOGITS = np.log(np.array([[0.1, 0.4, 0.05, 0.25, 0.2], [0.2, 0.2, 0.2, 0.2, 0.2]], np.float32))


@cache
def program() -> ModuleOp:
    bb = BlockBuilder()
    number, real = TensorType([], "i64"), TensorType([], "f32")
    types = {
        "logits": TensorType(["n", 5], "f32"), "key": number, "temperature": real, "top_k": number,
        "top_p": real,
    }  # fmt: skip
    with bb.function("next", types) as values, nn.emitting(bb):
        bb.emit_func_output(nn.emit(nn.sample(*values)))
    return bb.get()


def drawn(
    temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, count: int = 400
) -> np.ndarray:
    """The share of each word among those drawn after the first row."""
    rows, real = np.repeat(LOGITS[:1], count, 0), np.float32
    asked = np.array(temperature, real), np.array(top_k), np.array(top_p, real)
    found = interpret.run(program(), "next", rows, np.array(5), *asked)
    return np.bincount(found, minlength=5) / count


def test_a_temperature_of_zero_takes_the_most_likely_word() -> None:
    assert drawn(0.0).tolist() == [0, 1, 0, 0, 0]


def test_shares_are_the_probabilities() -> None:
    np.testing.assert_allclose(drawn(), np.exp(LOGITS[0]), atol=0.08)
    sharp = np.exp(2 * LOGITS[0])
    np.testing.assert_allclose(drawn(0.5), sharp / sharp.sum(), atol=0.08)


def test_top_k_and_top_p_leave_the_likely_words() -> None:
    assert set(np.flatnonzero(drawn(top_k=2))) == {1, 3}
    assert set(np.flatnonzero(drawn(top_p=0.6))) == {1, 3}
    assert set(np.flatnonzero(drawn(top_p=0.84))) == {1, 3, 4}
    assert set(np.flatnonzero(drawn(top_p=0.0))) == {1}
    assert set(np.flatnonzero(drawn(top_k=99))) == {0, 1, 2, 3, 4}
