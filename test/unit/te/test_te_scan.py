"""Running reductions along an axis: cumsum, cumprod, cummax with its index, linear recurrences."""

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
from xdsl.dialects.linalg.ops import GenericOp

import lowering
from relax_dialect import te
from relax_dialect.errors import RelaxError

n, m = te.var("n"), te.var("m")
A = te.placeholder((n, m), name="A")
L = te.placeholder((n, m), "i64", name="L")


def along(axis: int, reducer: te.Reducer, source: te.Tensor = A, **how: bool) -> list[te.Tensor]:
    def element(*i: te.IterVar) -> Any:
        return te.scan(reducer, source[i], axis=i[axis], **how)

    return [source, te.compute(source.shape, element, name="scan")]


def backwards() -> list[te.Tensor]:
    """The sum of all elements from here on: scanned in a mirror."""
    mirrored = te.compute((n, m), lambda i, j: te.scan(te.sum, A[i, m - 1 - j], axis=j), name="up")
    return [A, te.compute((n, m), lambda i, j: mirrored[i, m - 1 - j], name="down")]


def later(x: tuple[te.Scalar, ...], y: tuple[te.Scalar, ...]) -> tuple[te.Scalar, ...]:
    keep = x[1] >= y[1]
    return te.select(keep, x[0], y[0]), te.select(keep, x[1], y[1])


def cummax() -> list[te.Tensor]:
    pair = te.comm_reducer(later, lambda i, v: (-1, te.min_value(v)), name="cummax")
    both = te.compute(
        (n, m),
        lambda i, j: te.scan(pair, (j.astype("i64"), A[i, j]), axis=j),
        name=["index", "value"],
    )
    return [A, *both]


def linear_recurrence() -> list[te.Tensor]:
    """`y[j] = a * y[j - 1] + x[j]` as pairs of a slope and an offset."""

    def then(f: tuple[te.Scalar, ...], g: tuple[te.Scalar, ...]) -> tuple[te.Scalar, ...]:
        return f[0] * g[0], f[1] * g[0] + g[1]

    compose = te.comm_reducer(then, lambda *types: (1, 0), name="compose")
    half = te.const(0.5, "f32")
    out = te.compute((n, m), lambda i, j: te.scan(compose, (half, A[i, j]), axis=j)[1], name="y")
    return [A, out]


def np_linear_recurrence(a: np.ndarray) -> np.ndarray:
    y = np.zeros_like(a)
    for j in range(a.shape[1]):
        y[:, j] = a[:, j] + (y[:, j - 1] / 2 if j else 0)
    return y


def with_epilogue() -> list[te.Tensor]:
    _, total = along(1, te.sum)
    return [A, te.compute((n, m), lambda i, j: total[i, j] * 2 + A[i, j], name="out")]


def of_squares() -> list[te.Tensor]:
    """The scanned tensor dies here, so that the running sum may be written over it."""
    square = te.compute((n, m), lambda i, j: A[i, j] * A[i, j], name="square")
    return [A, along(1, te.sum, square)[1]]


def exclusive_cumsum(a: np.ndarray, axis: int) -> np.ndarray:
    return np.cumsum(a, axis) - a


def np_cummax(a: np.ndarray) -> list[np.ndarray]:
    value = np.maximum.accumulate(a, axis=1)
    index = [[int(np.argmax(row[: j + 1])) for j in range(len(row))] for row in a]
    return [np.array(index, "int64").reshape(a.shape), value]


CASES: dict[str, tuple[list[te.Tensor], Callable[..., Any]]] = {
    "cumsum": (along(1, te.sum), lambda a: np.cumsum(a, 1)),
    "cumsum_of_columns": (along(0, te.sum), lambda a: np.cumsum(a, 0)),
    "cumprod": (along(1, te.prod), lambda a: np.cumprod(a, 1)),
    "cummax_of_integers": (along(0, te.max, L), lambda a: np.maximum.accumulate(a, 0)),
    "cummin": (along(1, te.min), lambda a: np.minimum.accumulate(a, 1)),
    "exclusive": (along(1, te.sum, exclusive=True), lambda a: exclusive_cumsum(a, 1)),
    "exclusive_rows": (along(0, te.sum, L, exclusive=True), lambda a: exclusive_cumsum(a, 0)),
    "backwards": (backwards(), lambda a: np.cumsum(a[:, ::-1], 1)[:, ::-1]),
    "cummax": (cummax(), np_cummax),
    "linear_recurrence": (linear_recurrence(), np_linear_recurrence),
    "with_epilogue": (with_epilogue(), lambda a: np.cumsum(a, 1) * 2 + a),
    "of_squares": (of_squares(), lambda a: np.cumsum(a * a, 1)),
}


@cache
def programs() -> TePrograms:
    return TePrograms({name: tensors for name, (tensors, _) in CASES.items()})


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 1), (3, 5), (0, 2), (2, 0), (17, 9)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, sizes: tuple[int, int]):
    tensors, meaning = CASES[name]
    x = np.random.default_rng(sum(sizes)).integers(-8, 8, sizes)
    x = x.astype("int64") if tensors[0] is L else (x / 4).astype("float32")
    expected = meaning(x)
    found = programs().run(name, x)
    for f, e in zip(found, expected if isinstance(expected, list) else [expected], strict=True):
        assert (f.dtype, f.shape) == (e.dtype, e.shape)
        np.testing.assert_allclose(f, e, rtol=2e-5, atol=2e-5)


@needs(MLIR)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_mlir(name: str):
    x = np.random.default_rng(0).integers(-8, 8, (5, 7))
    programs().check_mlir(name, x if CASES[name][0][0] is L else x.astype("float32"))


@needs(MLIR)
def test_mlir_accepts_every_function():
    check_accepted(ModuleOp([function.clone() for function in programs().functions.values()]))


def loops(name: str) -> FuncOp:
    found = programs().modules["loops"]
    (function,) = (
        op for op in found.ops if isinstance(op, FuncOp) and op.sym_name.data == f"te_{name}"
    )
    return function


@pytest.mark.slow
def test_the_scanned_axis_runs_in_order():
    for function in programs().functions.values():
        for op in function.walk():
            if isinstance(op, GenericOp) and len(op.results) > 1:
                kinds = [kind.data.value for kind in op.iterator_types]
                assert kinds.count("reduction") == 1


@pytest.mark.slow
def test_a_row_is_scanned_in_registers_and_stored_at_each_step():
    function = loops("cumsum")
    found = [op for op in function.walk() if isinstance(op, scf.ForOp) and op.iter_args]
    assert len(found) == 2  # one in blocks, one for short rows
    inner = found[-1]
    (store,) = (op for op in inner.walk() if isinstance(op, memref.StoreOp))
    assert store.parent_op() is inner
    assert store.memref is function.body.block.args[-1]


def test_columns_are_scanned_row_by_row():
    """The reduction is the outer loop, so that the inner one is contiguous."""
    stores = [op for op in loops("cumsum_of_columns").walk() if isinstance(op, memref.StoreOp)]
    running = next(op for op in stores if len(op.indices) == 2)
    inner = running.parent_op()
    assert isinstance(inner, scf.ForOp) and not inner.iter_args
    assert running.indices[1] is inner.body.block.args[0]


@pytest.mark.slow
def test_elementwise_fusion_leaves_a_scan_alone():
    module = programs().modules["tensors"].clone()
    lowering.lower(module, ["relax-legalize", "relax-fuse-elementwise"], verify_each=True)
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(programs().run("with_epilogue", x)[0], np.cumsum(x, 1) * 2 + x)
    scans = [op for op in module.walk() if isinstance(op, GenericOp) and len(op.results) > 1]
    assert len(scans) == len(CASES)


K = te.reduce_axis((0, m))

ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "axis": (
        lambda: te.compute((n,), lambda i: te.scan(te.sum, A[i, K], axis=K)),
        r"te\.scan of te\.sum: axis= takes an index of the te\.compute.*the index 'k'",
    ),
    "foreign axis": (
        lambda: te.compute((n,), lambda i: te.scan(te.sum, A[i, 0], axis=te.IterVar("j", m))),
        r"uses the index 'j', which is not among its own parameters",
    ),
    "reducer": (lambda: te.scan(sum, A[0, 0], axis=K), r"expected a reducer such as te\.sum"),  # pyright: ignore
    "two axes": (
        lambda: te.compute(
            (n, m),
            lambda i, j: (te.scan(te.sum, A[i, j], axis=i), te.scan(te.sum, A[i, j], axis=j)),
        ),
        r"reduced over the axes \[i\] and \[j\]",
    ),
    "one scanned": (
        lambda: te.compute((n, m), lambda i, j: (te.scan(te.sum, A[i, j], axis=j), A[i, j])),
        r"reduced over the axes \[j\] and \[\]",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refuses(what: str):
    build, message = ERRORS[what]
    with pytest.raises(RelaxError, match=message):
        build()
