"""relax-fold-transpose-into-matmul: the same products, no copy, linear work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effort import effort

from relax_dialect import BlockBuilder
from relax_dialect.builder import op
from relax_dialect.rewrites.matmul.fold_transpose_into_matmul import fold_transposes

from .rewritten import assert_kept, function, names, special

RANDOM = np.random.default_rng(0)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype("f")


FORMS: dict[str, Any] = {
    "matmul": lambda bb, x, w, b: op.matmul(x, op.permute_dims(w)),
    "matmul + b": lambda bb, x, w, b: op.matmul(x, op.permute_dims(w, [1, 0])) + b,
    "negative axes": lambda bb, x, w, b: op.matmul(x, op.permute_dims(w, [-1, 0])),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lead", [(), ("n",), ("b", "n")])
def test_matmul_becomes_linear(form: str, lead: tuple[str, ...]):
    module = function(FORMS[form], [*lead, 6], [4, 6], [4])
    x = special(RANDOM, *(2, 3)[: len(lead)], 6)
    assert assert_kept(module, fold_transposes, x, numbers(4, 6), numbers(4)) == 1
    assert "permute_dims" not in names(module) and "linear" in names(module)


@pytest.mark.parametrize("bias", [False, True])
def test_linear_becomes_matmul(bias: bool):
    def make(bb: BlockBuilder, x: Any, w: Any, b: Any) -> Any:
        return op.linear(x, op.permute_dims(w), b if bias else None)

    module = function(make, ["n", 6], [6, "m"], ["m"])
    x = special(RANDOM, 3, 6)
    assert assert_kept(module, fold_transposes, x, numbers(6, 4), numbers(4)) == 1
    assert names(module)[:1] == ["matmul"] and "permute_dims" not in names(module)


def test_out_dtype_stays():
    def make(bb: BlockBuilder, x: Any, w: Any) -> Any:
        return op.matmul(x, op.permute_dims(w), out_dtype="f32")

    module = function(make, ["n", 6], [4, 6], dtype="f16")
    x, w = numbers(3, 6).astype("f2"), numbers(4, 6).astype("f2")
    assert assert_kept(module, fold_transposes, x, w) == 1


def test_constants_are_transposed_once_for_all_products():
    matrix = special(RANDOM, 4, 6)

    def make(bb: BlockBuilder, x: Any, y: Any) -> Any:
        transposed = bb.emit(op.permute_dims(bb.emit(matrix)))
        return op.matmul(x, transposed), op.matmul(y, transposed)

    module = function(make, ["n", 6], ["m", 6])
    assert assert_kept(module, fold_transposes, numbers(3, 6), numbers(2, 6)) == 1
    assert names(module)[:2] == ["matmul", "matmul"] and "permute_dims" not in names(module)


@pytest.mark.long
def test_work_is_linear():
    def work(length: int) -> int:
        def make(bb: BlockBuilder, x: Any, w: Any) -> Any:
            shared = bb.emit(op.permute_dims(w))
            for number in range(length):
                matrix = shared if number % 2 else bb.emit(op.permute_dims(w))
                x = bb.emit(op.matmul(x, matrix))
            return x

        module = function(make, ["n", 4], [4, 4])
        return effort(lambda: fold_transposes(module))

    work(2)
    assert work(200) < 2.5 * work(100)
