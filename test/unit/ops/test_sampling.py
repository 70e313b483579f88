"""Draws from distributions, as compiled C, against the sums of exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import run
from relax_dialect.ops.sampling import OPS, MultinomialFromUniformOp

from .compiled import Case, Sizes, check, compile_cases, each_case, tensor
from .inputs import refused, x
from .stopping import both_stop, same_words

SIZES = [{"b": 3, "v": 7, "n": 40}, {"b": 1, "v": 1, "n": 1}, {"b": 2, "v": 3, "n": 0}]


def eighths(prob: np.ndarray) -> np.ndarray:
    """Probabilities with sums that every type holds, zeros among them; rows need not add up to 1."""
    return np.round(np.abs(prob)).astype(prob.dtype) / prob.dtype.type(8)


def uniform(sample: np.ndarray) -> np.ndarray:
    """Numbers from 0 to 1, on the sums and between them."""
    return (np.round(np.abs(sample) * 8) % 17 / 16).astype(sample.dtype)


def draw(prob: np.ndarray, sample: np.ndarray, indices: np.ndarray) -> np.ndarray:
    result = np.zeros(sample.shape, "q")
    for place, number in np.ndenumerate(sample):
        total, row = Fraction(0), prob[int(indices[place])]
        for j, each in enumerate(row):
            total += Fraction(float(each))
            result[place] = j
            if float(number) < total:
                break
    return result


def case(prob: str, sample: str, indices: str, dtype: str = "i64") -> Case:
    def meaning(*arrays: np.ndarray) -> np.ndarray:
        return draw(*arrays).astype({"i64": "q", "i32": "i"}[dtype])

    def rows(x: np.ndarray) -> np.ndarray:
        return (np.arange(x.size).reshape(x.shape) % (3 if x.size > 1 else 1)).astype(x.dtype)

    types = [
        tensor("b", "v", dtype=prob), tensor("n", 1, dtype=sample), tensor("n", 1, dtype=indices)
    ]  # fmt: skip
    return Case(
        lambda *operands: MultinomialFromUniformOp(*operands, dtype=dtype),
        types, meaning, SIZES, [eighths, uniform, rows],
    )  # fmt: skip


CASES: dict[str, Case] = {
    "multinomial": case("f32", "f32", "i64"),
    "multinomial_narrow": case("f16", "f32", "i32", "i32"),
    "multinomial_wide": case("f64", "f16", "ui8"),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_fractions(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_the_last_place_is_drawn_where_the_sums_stay_below(model: CompiledModule):
    prob = np.array([[0.25, 0.25, np.nan], [0.0, 0.0, 0.0]], np.float32)
    sample = np.array([[0.25], [0.75], [0.0], [np.nan]], np.float32)
    rows = np.array([[0], [0], [1], [1]])
    assert model.multinomial(prob, sample, rows).tolist() == [[1], [2], [2], [2]]


def test_draws_are_distributed_as_said(model: CompiledModule):
    """Numbers at equal distances draw each place as often as its probability says."""
    prob = np.array([[0.125, 0.5, 0.0, 0.375]], np.float32)
    sample = ((np.arange(800) + 0.5) / 800).astype(np.float32)[:, None]
    drawn = model.multinomial(prob, sample, np.zeros((800, 1), np.int64))
    assert np.bincount(drawn[:, 0], minlength=4).tolist() == [100, 400, 0, 300]


def test_a_row_that_is_not_there(model: CompiledModule):
    module = ModuleOp([CASES["multinomial"].function("multinomial")])
    arrays: list[Any] = [np.ones((2, 3), "f"), np.zeros((2, 1), "f"), np.array([[1], [-1]])]
    same_words(
        lambda: run(module, "multinomial", *arrays),
        lambda: model.multinomial(*arrays),
        "every row in 'sample_indices' to be within 0..size-1 of 'prob', found -1 for a size of 2",
    )


def test_there_is_something_to_draw(model: CompiledModule):
    message = "expected 1 or more elements along a distribution (C4)"
    both_stop(model, CASES, "multinomial", (2, 0), (1, 1), (1, 1), message=message)


def test_multinomial_C1():
    refused("C1", lambda: MultinomialFromUniformOp(x(2, 3), x("n", 1, dtype="i8"), x("n", 1)))
    refused("C1", lambda: MultinomialFromUniformOp(x(2, 3), x("n", 1), x("n", 1)))


def test_multinomial_C3():
    rows = x("n", 1, dtype="i64")
    refused("C3", lambda: MultinomialFromUniformOp(x(2, 3), x("n"), rows))
    refused("C3", lambda: MultinomialFromUniformOp(x(2, 3), x("n", 2), rows))
    refused("C3", lambda: MultinomialFromUniformOp(x(2, 3), x("n + 1", 1), rows))
