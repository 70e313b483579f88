"""Indices that are out of range stop a tensor expression with the same words in interpreter and C, and
what is proved to be in range is not checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import examples
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering import topi
from relax_dialect import interpret, te
from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

n, m = te.var("n"), te.var("m")
X = te.placeholder((n,), name="X")
Y = te.placeholder((m,), name="Y")
Z = te.placeholder((n, 4), name="Z")
I = te.placeholder((m,), "i64", name="I")  # noqa: E741
K = te.placeholder((n,), "i64", name="K")
F = te.placeholder((n * m,), name="F")
T = te.placeholder((256,), name="T")
B = te.placeholder((n,), "ui8", name="B")
U = te.placeholder((n,), "ui64", name="U")


def row(shape: Any, body: Callable[..., Any], name: str = "out") -> te.Tensor:
    return te.compute(shape, body, name=name)


def bag() -> te.Tensor:
    k = te.reduce_axis((0, m), "k")
    return row((4,), lambda j: te.sum(Z[I[k], j], axis=k))


def steps(count: te.Scalar | Any) -> te.Tensor:
    start = row((4,), lambda j: te.const(0, "f32"), "start")

    def step(t: te.Scalar, h: te.Tensor) -> Any:
        h = row((4,), lambda j: h[j] + Z[t, j], "h")
        return [h], [h]

    return te.recurrence(count, [start], step)[1][0]


def scatter(check: bool) -> te.Tensor:
    def kernel(ib: Any, ins: Any, outs: Any) -> None:
        (x, rows, y), (out,) = ins, outs
        ib.copy(out, x)
        with ib.for_(m, name="j") as j:
            place = rows[j].astype("index")
            if check:
                ib.assert_((place >= 0) & (place < n), "scatter: expected a row")
            out[place] = out[place] + y[j]

    return te.extern((n,), [X, I, Y], kernel, name="out")


def neighbours() -> te.Tensor:
    """A loop whose counter is bounded on both sides, and a branch in it."""

    def kernel(ib: Any, ins: Any, outs: Any) -> None:
        (x,), (out,) = ins, outs
        ib.copy(out, x)
        with ib.for_(1, n, name="i") as i:
            out[i] = x[i - 1]
            with ib.if_(i + 1 < n):
                out[i] = x[i - 1] + x[i + 1]

    return te.extern((n,), [X], kernel, name="out")


PROVED: dict[str, Sequence[te.Tensor]] = {
    "elementwise": [X, row((n,), lambda i: X[i] * 2)],
    "mirrored": [X, row((n,), lambda i: X[n - 1 - i])],
    "shorter": [X, row((n - 2,), lambda i: X[i] + X[i + 2])],
    "halved": [X, row((2 * n,), lambda i: X[i // 2])],
    "flat": [Z, row((4 * n,), lambda i: Z[i // 4, i % 4])],
    "row_major": [F, row((n, m), lambda i, j: F[i * m + j])],
    "rolled": [X, row((n,), lambda i: X[(i + 1) % n])],
    "rolled_back": [X, row((n,), lambda i: X[(i - 3) % n])],
    "table_of_bytes": [T, B, row((n,), lambda i: T[B[i].astype("index")])],
    "masked": [T, K, row((n,), lambda i: T[K[i] & 255])],
    "product": [F, row((n, m), lambda i, j: F[te.minimum(i * j, n * m - 1)])],
    "gathered_modulo": [X, K, row((n,), lambda i: X[K[i] % n])],
    "clamped": [X, row((n,), lambda i: X[te.maximum(te.minimum(i + 1, n - 1), 0)])],
    "clamped_below": [X, row((n,), lambda i: X[te.maximum(i - 1, 0)])],
    "padded": [
        X,
        row((n + 2,), lambda i: te.if_then_else(te.all(i >= 1, i < n + 1), X[i - 1], 0.0)),
    ],
    "padded_else": [X, row((n + 1,), lambda i: te.if_then_else(i < 1, 0.0, X[i - 1]))],
    "guarded_gather": [
        X,
        I,
        row(
            (m,),
            lambda i: te.if_then_else(te.all(I[i] >= 0, I[i] < te.cast(n, "i64")), X[I[i]], 0.0),
        ),
    ],
    "steps": [Z, steps(n)],
    "neighbours": [X, neighbours()],
    "scatter": [X, I, Y, scatter(check=True)],
}


def checks(tensors: Sequence[te.Tensor], **how: bool) -> list[cf.AssertOp]:
    function = te.create_prim_func(tensors, "f", **how)
    return [op for op in function.walk() if isinstance(op, cf.AssertOp)]


@pytest.mark.parametrize("name", PROVED)
def test_what_is_proved_is_not_checked(name: str):
    found = checks(PROVED[name])
    assert [op.msg.data for op in found] == ["scatter: expected a row"] * (name == "scatter")


MEND = "change the index or the shape, or guard the access with te.if_then_else"


def f(*sizes: int) -> np.ndarray:
    return np.arange(np.prod(sizes, dtype=int), dtype=np.float32).reshape(sizes)


def i(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def range_of(reader: str, low: int, high: int, size: int, tensor: str = "X") -> str:
    return (
        f"te.compute '{reader}': reads '{tensor}' at indices {low} to {high} of dimension 0, whose size "
        f"is {size}; {MEND}"
    )


def each_of(where: str, tensor: str, size_of_axis: int = 0) -> str:
    return (
        f"{where}: expected every index to be within 0..size-1 of axis {size_of_axis} of '{tensor}'"
    )


GATHER = each_of("te.compute 'out'", "X")
CHECKED: dict[str, tuple[Sequence[te.Tensor], Sequence[tuple[Sequence[np.ndarray], Any]]]] = {
    "two_sizes": (
        [X, Y, row((n,), lambda i: X[i] + Y[i])],
        [
            ([f(3), f(3)], f(3) * 2),
            ([f(3), f(5)], f(3) * 2),
            ([f(0), f(0)], f(0)),
            ([f(3), f(2)], range_of("out", 0, 2, 2, "Y")),
        ],
    ),
    "halved": (
        [X, Y, row((m,), lambda i: X[i // 2])],
        [([f(3), f(6)], f(3).repeat(2)), ([f(3), f(7)], range_of("out", 0, 3, 3))],
    ),
    "before": (
        [X, Y, row((m,), lambda i: X[n - 1 - i])],
        [([f(3), f(3)], f(3)[::-1]), ([f(3), f(5)], range_of("out", -2, 2, 3))],
    ),
    "constant": (
        [X, Y, row((m,), lambda i: X[2])],
        [([f(3), f(1)], f(3)[2:]), ([f(1), f(0)], f(0)), ([f(2), f(1)], range_of("out", 2, 2, 2))],
    ),
    "gathered": (
        [X, I, row((m,), lambda j: X[I[j]])],
        [
            ([f(3), i(2, 0, 2)], f(3)[[2, 0, 2]]),
            ([f(3), i(0, 3)], GATHER),
            ([f(3), i(-1, 0)], GATHER),
            ([f(0), i()], f(0)),
            ([f(0), i(0)], GATHER),
        ],
    ),
    "offset": (
        [X, I, row((m,), lambda j: X[I[j] + 1])],
        [([f(3), i(-1, 1)], f(3)[[0, 2]]), ([f(3), i(2)], GATHER)],
    ),
    "guarded_on_one_side": (
        [X, Y, row((m,), lambda i: te.if_then_else(i >= 1, X[i - 1], 9.0))],
        [([f(3), f(4)], np.float32([9, 0, 1, 2])), ([f(3), f(5)], GATHER)],
    ),
    "narrowed": (
        [X, B, row((n,), lambda i: X[te.minimum(B[i].astype("i8").astype("index"), n - 1)])],
        [([f(2), np.uint8([1, 9])], f(2)[[1, 1]]), ([f(2), np.uint8([0, 200])], GATHER)],
    ),
    "wrapped": (
        [X, U, row((n,), lambda i: X[te.minimum(U[i].astype("index"), n - 1)])],
        [([f(2), np.uint64([1, 9])], f(2)[[1, 1]]), ([f(2), np.uint64([0, 2**64 - 1])], GATHER)],
    ),
    "over_and_over": (
        [X, I, row((m,), lambda j: X[I[j] % n])],
        [([f(3), i(-1, 7)], f(3)[[2, 1]]), ([f(0), i()], f(0))],
    ),
    "bag": (
        [Z, I, bag()],
        [
            ([f(3, 4), i(2, 0)], f(3, 4)[[2, 0]].sum(0)),
            ([f(3, 4), i(2, 4)], each_of("te.compute 'out'", "Z")),
        ],
    ),
    "steps": (
        [Z, Y, steps(m)],
        [
            ([f(3, 4), f(3)], f(3, 4).cumsum(0)),
            ([f(3, 4), f(0)], f(0, 4)),
            ([f(3, 4), f(4)], range_of("h", 0, 3, 3, "Z")),
        ],
    ),
    "scatter": (
        [X, I, Y, scatter(check=False)],
        [
            ([f(3), i(2, 0), f(2)], np.float32([1, 1, 2])),
            ([f(3), i(0, 3), f(2)], each_of("te.extern 'out'", "out")),
            ([f(3), i(-1), f(1)], each_of("te.extern 'out'", "out")),
        ],
    ),
}


def program(tensors: Sequence[te.Tensor]) -> ModuleOp:
    """A module whose main calls the prim func of tensors."""
    *given, out = tensors
    bb = BlockBuilder()
    params = {t.name: TensorType(t.shape, t.dtype) for t in given}
    with bb.function("main", params) as values:
        prim = bb.add_func(te.create_prim_func([*given, out], "f"))
        bb.emit_func_output(bb.call_tir(prim, *values))
    return bb.get()


@pytest.mark.parametrize("name", CHECKED)
def test_what_is_not_proved_is_checked(name: str):
    tensors, runs = CHECKED[name]
    module = program(tensors)
    compiled = lowering.compile(module)
    for arrays, expected in runs:
        for run in (lambda *a: interpret.run(module, "main", *a), compiled["main"]):
            if isinstance(expected, str):
                with pytest.raises(RelaxError) as error:
                    run(*arrays)
                assert str(error.value) == expected
            else:
                np.testing.assert_array_equal(run(*arrays), expected)


def test_an_access_that_is_always_out_of_bounds_is_refused_at_once():
    with pytest.raises(
        RelaxError, match=r"reads 'X' at indices 1 to n of dimension 0, whose size is n"
    ):
        checks([X, row((n,), lambda i: X[i + 1])])


def test_an_index_is_checked_once():
    twice = row((m,), lambda j: X[I[j]] + X[I[j]] * 2)
    assert len(checks([X, I, twice])) == 1
    assert len(checks([X, I, Y, scatter(check=False)])) == 1


def test_operators_and_unchecked_functions_check_nothing_more():
    gathered = row((m,), lambda j: X[I[j]])
    assert not checks([X, I, gathered], checked=False)
    ours = topi.add(X, Y)
    read = row((m,), lambda j: ours[I[j]])
    *sizes, last = [op.msg.data for op in checks([X, Y, I, read])]
    assert all(text.startswith("relax.add: ") for text in sizes)
    assert last == each_of("te.compute 'out'", "add")


# Any index arithmetic -----------------------------------------------------------------------------

SMALL = st.integers(-3, 4)


@st.composite
def indices(draw: st.DrawFn, depth: int = 3) -> Callable[[Any, Any, Any], Any]:
    """An expression of an index, a size and an element of a tensor: the same in TE and in Python."""
    kind = draw(st.sampled_from("iiinec" if depth == 0 else "iinec+-*/%<>"))
    if kind in "inec":
        number = draw(SMALL)
        return lambda i, n, e: {"i": i, "n": n, "e": e, "c": number}[kind]
    first = draw(indices(depth=depth - 1))
    if kind in "*/%":
        number = draw(st.integers(1, 4))
        by: Callable[[Any], Any] = {
            "*": lambda v: v * number,
            "/": lambda v: v // number,
            "%": lambda v: v % number,
        }[kind]
        return lambda i, n, e: by(first(i, n, e))
    second = draw(indices(depth=depth - 1))

    def joined(i: Any, n: Any, e: Any) -> Any:
        a, b = first(i, n, e), second(i, n, e)
        if kind in "+-":
            return a + b if kind == "+" else a - b
        if all(isinstance(v, int | np.integer) for v in (a, b)):
            return max(a, b) if kind == ">" else min(a, b)
        return (te.maximum if kind == ">" else te.minimum)(*map(as_index, (a, b)))

    return joined


def as_index(value: Any) -> Any:
    return value.astype("index") if isinstance(value, te.Scalar) else te.cast(value, "index")


def in_python(index: Callable[..., Any], arrays: Sequence[np.ndarray]) -> list[int]:
    x, k = arrays
    return [int(index(place, len(x), int(k[place]))) for place in range(len(k))]


@examples(60)
@given(indices(), st.booleans(), st.integers(0, 4), st.lists(st.integers(-1, 4), max_size=4))
def test_any_index_is_read_or_refused(
    index: Callable[..., Any], guarded: bool, size: int, elements: list[int]
):
    arrays = [f(size), i(*elements)]

    def element(j: te.IterVar) -> te.Scalar:
        place = as_index(index(j, n, I[j].astype("index")))
        return te.if_then_else(place >= 0, X[place], -1.0) if guarded else X[place]

    places = in_python(index, arrays)
    fine = all((guarded and p < 0) or 0 <= p < size for p in places)
    try:
        function = te.create_prim_func([X, I, row((m,), element)], "f")
    except RelaxError as error:
        assert "reads 'X'" in str(error) and (not fine or not elements)
        return
    module = ModuleOp([function])
    assert isinstance(function, FuncOp)
    if fine:
        expected = [-1.0 if p < 0 else arrays[0][p] for p in places]
        np.testing.assert_array_equal(interpret.run(module, "f", *arrays), expected)
    else:
        with pytest.raises(RelaxError, match=r"^te\.compute 'out': (reads|expected every index)"):
            interpret.run(module, "f", *arrays)
