"""Prints one of these prim funcs, by its name, for the tests of this folder."""

import sys

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


print(globals()[sys.argv[1]]())
