"""Prints one of these prim funcs, by its name, for the tests of this folder."""

import sys
from typing import Any

from xdsl.dialects.func import FuncOp

from relax_dialect import te

n, m = te.var("n"), te.var("m")


def element_wise() -> FuncOp:
    a = te.placeholder((128, 128), name="A")
    b = te.compute((128, 128), lambda x, y: a[x, y] * 2, name="B")
    return te.create_prim_func([a, b], name="element_wise")


def unbound_symbol() -> FuncOp:
    a = te.placeholder((n, 2 * (m // 2)), name="A")
    b = te.compute(a.shape, lambda i, j: a[i, j] + 1, name="B")
    return te.create_prim_func([a, b], name="unbound_symbol")


def matmul() -> FuncOp:
    a = te.placeholder((n, 64), name="A")
    b = te.placeholder((64, 128), name="B")
    k = te.reduce_axis((0, 64), name="k")
    c = te.compute((n, 128), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return te.create_prim_func([a, b, c], name="matmul")


def pad() -> FuncOp:
    a = te.placeholder((n,), name="A")
    b = te.compute((n + 1,), lambda i: te.if_then_else(i >= 1, a[i - 1], 0.0), name="B")
    return te.create_prim_func([a, b], name="pad")


def stages() -> FuncOp:
    a = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), name="k")
    total = te.compute((n,), lambda i: te.sum(a[i, k], axis=k), name="total")
    mean = te.compute((n,), lambda i: total[i] / m, name="mean")
    return te.create_prim_func([a, mean], name="stages")


def window() -> FuncOp:
    a = te.placeholder((n,), name="A")
    k = te.reduce_axis((0, 3), name="k")
    b = te.compute((n - 2,), lambda i: te.max(a[i + k], axis=k), name="B")
    return te.create_prim_func([a, b], name="window")


def argmax() -> FuncOp:
    def first(x: Any, y: Any) -> Any:
        keep = x[1] >= y[1]
        return te.select(keep, x[0], y[0]), te.select(keep, x[1], y[1])

    reducer = te.comm_reducer(first, lambda i, v: (-1, te.min_value(v)), name="argmax")
    a = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), name="k")
    index, value = te.compute(
        (n,), lambda i: reducer((k.astype("i64"), a[i, k]), axis=k), name=["index", "value"]
    )
    return te.create_prim_func([a, index, value], name="argmax")


def cumsum() -> FuncOp:
    a = te.placeholder((n, m), name="A")
    b = te.compute((n, m), lambda i, j: te.scan(te.sum, a[i, j], axis=j), name="B")
    return te.create_prim_func([a, b], name="cumsum")


def scatter() -> FuncOp:
    data, updates = te.placeholder((n,), name="data"), te.placeholder((m,), name="updates")
    rows = te.placeholder((m,), "int64", name="rows")

    def kernel(ib: Any, ins: Any, outs: Any) -> None:
        (data, rows, updates), (out,) = ins, outs
        ib.copy(out, data)
        with ib.for_(m, name="j") as j:
            row = rows[j].astype("index")
            ib.assert_((row >= 0) & (row < n), "scatter: row out of range")
            out[row] = updates[j]

    out = te.extern((n,), [data, rows, updates], kernel, name="out")
    return te.create_prim_func([data, rows, updates, out], name="scatter")


def two_sizes() -> FuncOp:
    a, b = te.placeholder((n,), name="A"), te.placeholder((m,), name="B")
    c = te.compute((n,), lambda i: a[i] + b[i], name="C")
    return te.create_prim_func([a, b, c], name="two_sizes")


def gather() -> FuncOp:
    a, rows = te.placeholder((n,), name="A"), te.placeholder((m,), "int64", name="rows")
    b = te.compute((m,), lambda i: a[rows[i]], name="B")
    return te.create_prim_func([a, rows, b], name="gather")


def recurrence() -> FuncOp:
    x, w = te.placeholder((n, 4), name="X"), te.placeholder((4, 4), name="W")
    start = te.placeholder((4,), name="h")
    k = te.reduce_axis((0, 4), name="k")

    def step(t: te.Scalar, h: te.Tensor) -> Any:
        sums = te.compute((4,), lambda i: te.sum(h[k] * w[k, i], axis=k), name="sums")
        h = te.compute((4,), lambda i: te.tanh(x[t, i] + sums[i]), name="h")
        return [h], [h]

    _, (rows,) = te.recurrence(n, [start], step)
    return te.create_prim_func([x, w, start, rows], name="recurrence")


print(globals()[sys.argv[1]]())
