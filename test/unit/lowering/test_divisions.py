"""Divisions of indices, by sizes that may be 0, in loops that may run no turn."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from te_programs import TePrograms

from relax_dialect import te

n, d, c = te.var("n"), te.var("d"), te.var("c")
A = te.placeholder((n, d), name="A")
V = te.placeholder((n,), name="V")
D = te.placeholder((d,), name="D")
C = te.placeholder((c,), name="C")


def integers_at_points(element: Callable[[te.IterVar], te.Scalar]) -> list[te.Tensor]:
    """Integers at n points, whatever the sizes of D and C are."""
    out = te.compute((n,), lambda i: element(i).astype("i64"), name="out")
    return [V, D, C, out]


def guarded() -> list[te.Tensor]:
    """Nothing is divided by a size of zero: the branch is not taken then."""

    def element(i: te.IterVar) -> te.Scalar:
        return te.if_then_else(te.cast(d, "index") > 0, i // d, i - 1)

    return integers_at_points(element)


def running() -> list[te.Tensor]:
    """A reduction loop divides too."""
    k = te.reduce_axis((0, n))
    return [V, D, te.compute((), lambda: te.sum(V[k] * D[k % d], axis=k), name="out")]


def np_running(v: np.ndarray, periodic: np.ndarray) -> np.ndarray:
    return np.sum(v * np.resize(periodic, v.shape)) if periodic.size else v.sum() * 0


def with_index(function: Callable[[np.ndarray, int, int], np.ndarray]) -> Callable[..., Any]:
    return lambda v, x, y: function(np.arange(len(v)), len(x), len(y))


CASES: dict[str, tuple[list[te.Tensor], Callable[..., Any]]] = {
    "remainder": (integers_at_points(lambda i: i % d), with_index(lambda i, d, c: i % d)),
    "quotient": (integers_at_points(lambda i: i // d), with_index(lambda i, d, c: i // d)),
    "shifted": (
        integers_at_points(lambda i: (i + c) % d * 100 + (c + i) // d),
        with_index(lambda i, d, c: (i + c) % d * 100 + (i + c) // d),
    ),
    "negative": (
        integers_at_points(lambda i: (i - c) % d * 100 + (i - c) // d),
        with_index(lambda i, d, c: (i - c) % d * 100 + (i - c) // d),
    ),
    "towards_zero": (
        integers_at_points(lambda i: te.truncmod(i - c, d) * 100 + te.truncdiv(i - c, d)),
        with_index(lambda i, d, c: np.fmod(i - c, d) * 100 + np.trunc((i - c) / d).astype(int)),
    ),
    "constant": (integers_at_points(lambda i: i % 40), with_index(lambda i, d, c: i % 40)),
    "negative_divisor": (
        integers_at_points(lambda i: i // (d - 20) + i % (c - 15)),
        with_index(lambda i, d, c: i // (d - 20) + i % (c - 15)),
    ),
    "guarded": (guarded(), with_index(lambda i, d, c: i // d if d else i - 1)),
    "running": (running(), np_running),
    "small_of_small": (
        integers_at_points(lambda i: i // 3 % 4 * 100 + i % 8 // 3 * 10 + i // 2 // 3),
        with_index(lambda i, d, c: i // 3 % 4 * 100 + i % 8 // 3 * 10 + i // 2 // 3),
    ),
    "carried_down": (
        integers_at_points(lambda i: (d - i * c) // (d + 1) * 100 + (d - i * c) % 7),
        with_index(lambda i, d, c: (d - i * c) // (d + 1) * 100 + (d - i * c) % 7),
    ),
    "flat": ([A, te.compute((n * d,), lambda i: A[i // d, i % d])], np.ravel),
    "tile": (
        [D, V, te.compute((n,), lambda i: D[i % d] + V[n - 1 - i])],
        lambda periodic, v: np.resize(periodic, v.shape) + v[::-1],
    ),
}


@cache
def programs() -> TePrograms:
    return TePrograms({name: tensors for name, (tensors, _) in CASES.items()})


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (50, 7, 3), (100, 64, 5), (0, 2, 2), (5, 9, 12)], ids=str
)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, sizes: tuple[int, int, int]):
    tensors, meaning = CASES[name]
    values = dict(zip("ndc", sizes))
    rng = np.random.default_rng(sum(sizes))
    arguments = [
        rng.standard_normal([s.evaluate(values) for s in t.shape]).astype(np.float32)
        for t in tensors
        if t.stage is None
    ]
    (found,) = programs().run(name, *arguments)
    expected = np.asarray(meaning(*arguments))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 6])
def test_a_division_in_a_branch_that_is_not_taken(n: int):
    none, one = np.zeros(0, "f"), np.zeros(1, "f")
    (found,) = programs().run("guarded", np.zeros(n, "f"), none, one)
    np.testing.assert_array_equal(found, np.arange(n) - 1)
