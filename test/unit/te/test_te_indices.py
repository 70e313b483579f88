"""Indices beyond affine ones: divided, remainders, read from tensors, within reductions and branches."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from te_programs import TePrograms
from xdsl.dialects import memref, scf
from xdsl.dialects.func import FuncOp

from relax_dialect import te

n, m = te.var("n"), te.var("m")
A = te.placeholder((n, m), name="A")
I = te.placeholder((n,), "i64", name="I")  # noqa: E741
J = te.placeholder((m,), "i32", name="J")
B = te.placeholder((2 * n, 3 * m), name="B")

DTYPES = {"f32": "float32", "i64": "int64", "i32": "int32"}


def axis(extent: object, name: str = "k") -> te.IterVar:
    return te.reduce_axis((0, extent), name)


def embedding_bag() -> list[te.Tensor]:
    k = axis(n)
    return [A, I, te.compute((m,), lambda j: te.sum(A[I[k] % n, j], axis=k), name="bag")]


def strided_circle() -> list[te.Tensor]:
    k = axis(m)

    def element(i: te.IterVar) -> te.Scalar:
        return te.sum(A[i, (i * 2 + k * 3 + 1) % m] * k.astype("f32"), axis=k)

    return [A, te.compute((n,), element, name="out")]


def space_to_depth() -> list[te.Tensor]:
    return [
        B,
        te.compute((n, m, 6), lambda i, j, c: B[i * 2 + c // 3, j * 3 + c % 3], name="out"),
    ]


def depth_to_space() -> list[te.Tensor]:
    depth = te.placeholder((n, m, 6), name="D")

    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        return depth[i // 2, j // 3, i % 2 * 3 + j % 3]

    return [depth, te.compute((2 * n, 3 * m), element, name="out")]


def guarded_gather() -> list[te.Tensor]:
    """Row numbers out of range give zero and read nothing."""

    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        inside = te.all(I[i] >= 0, I[i] < te.cast(n, "i64"))
        return te.if_then_else(inside, A[I[i], j], 0.0)

    return [A, I, te.compute((n, m), element, name="out")]


def np_guarded(a: np.ndarray, rows: np.ndarray) -> np.ndarray:
    inside = (rows >= 0) & (rows < len(a))
    found = a[np.where(inside, rows, 0)] if len(a) else a
    return np.where(inside[:, None], found, np.float32(0))


def of_floats() -> list[te.Tensor]:
    """The nearest of two sizes, by an index that is computed in floats."""

    def element(i: te.IterVar) -> te.Scalar:
        place = te.floor(i.astype("f32") * 0.5)
        return A[place.astype("index"), 0]

    return [A, te.compute((n,), element, name="out")]


def mirrored_modulo() -> list[te.Tensor]:
    """Remainders of negative numbers have the sign of the divisor."""

    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        return A[(i - 3) % n, (-j - 1) % m]

    return [A, te.compute((n, m), element, name="out")]


def np_bag(a: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return a[rows % len(a)].sum(axis=0) if len(a) else np.zeros(a.shape[1], "f")


def np_circle(a: np.ndarray) -> np.ndarray:
    n, m = a.shape
    i, k = np.arange(n)[:, None], np.arange(m)[None]
    return (a[i, (i * 2 + k * 3 + 1) % m] * k).sum(axis=1) if m else np.zeros(n)


def np_space_to_depth(b: np.ndarray) -> np.ndarray:
    n, m = b.shape[0] // 2, b.shape[1] // 3
    return b.reshape(n, 2, m, 3).transpose(0, 2, 1, 3).reshape(n, m, 6)


def np_depth_to_space(d: np.ndarray) -> np.ndarray:
    n, m, _ = d.shape
    return d.reshape(n, m, 2, 3).transpose(0, 2, 1, 3).reshape(2 * n, 3 * m)


def np_mirrored(a: np.ndarray) -> np.ndarray:
    return np.roll(a, 3, axis=0)[:, ::-1]


CASES: dict[str, tuple[list[te.Tensor], Callable[..., Any]]] = {
    "rows_and_columns": (
        [A, I, J, te.compute((n, m), lambda i, j: A[I[i] % n, J[j].astype("index") % m])],
        lambda a, i, j: a[np.ix_(i % max(len(a), 1), j % max(a.shape[1], 1))],
    ),
    "twice": (
        [A, I, te.compute((n, m), lambda i, j: A[I[I[i] % n] % n, j])],
        lambda a, i: a[i[i % max(len(a), 1)] % max(len(a), 1)],
    ),
    "embedding_bag": (embedding_bag(), np_bag),
    "strided_circle": (strided_circle(), np_circle),
    "space_to_depth": (space_to_depth(), np_space_to_depth),
    "depth_to_space": (depth_to_space(), np_depth_to_space),
    "guarded_gather": (guarded_gather(), np_guarded),
    "of_floats": (of_floats(), lambda a: a[np.arange(len(a)) // 2, 0]),
    "mirrored": (mirrored_modulo(), np_mirrored),
    "upsampled": (
        [A, te.compute((n * 2, m * 3), lambda i, j: A[i // 2, j // 3], name="out")],
        lambda a: np.repeat(np.repeat(a, 2, axis=0), 3, axis=1),
    ),
}


@cache
def programs() -> TePrograms:
    return TePrograms({name: tensors for name, (tensors, _) in CASES.items()})


RUNS = [
    (name, sizes)
    for name in CASES
    for sizes in ((1, 1), (3, 5), (0, 2), (2, 0), (17, 9), (40, 7))
    if name != "of_floats" or sizes[1] > 0  # it reads the first column
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sizes"), RUNS, ids=str)
def test_agrees_with_numpy(name: str, sizes: tuple[int, int]):
    tensors, meaning = CASES[name]
    rng = np.random.default_rng(sum(sizes))
    values = dict(zip("nm", sizes))
    arguments = []
    for t in (t for t in tensors if t.stage is None):
        shape = [d.evaluate(values) for d in t.shape]
        high = 9 if str(t.dtype) == "f32" else 50
        arguments.append(rng.integers(-high, high, shape).astype(DTYPES[str(t.dtype)]))
    expected = np.asarray(meaning(*arguments), np.float32)
    (found,) = programs().run(name, *arguments, **values)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def function(name: str) -> FuncOp:
    (found,) = (
        op
        for op in programs().modules["loops"].ops
        if isinstance(op, FuncOp) and op.sym_name.data == f"te_{name}"
    )
    return found


@pytest.mark.slow
def test_a_row_number_is_loaded_outside_of_its_row():
    """Elements that the inner loop does not change are loaded before it."""
    found = [op for op in function("embedding_bag").walk() if isinstance(op, scf.ForOp)]
    bodies = [[op for op in loop.body.block.ops if isinstance(op, memref.LoadOp)] for loop in found]
    (loads,) = (own for own in bodies if any(load.memref.name_hint == "A" for load in own))
    names = {load.memref.name_hint for load in loads}
    assert names == {"A", "bag"}
