"""Discrete Fourier transforms as products with matrices of cosines and sines.

A length with factors is transformed by Cooley and Tukey's algorithm (1965): n = a * b is a transform of
columns of length a, a multiplication by roots of unity, and a transform of rows of length b. So n numbers
take n * (a + b) multiplications of complex numbers, or fewer if a and b have factors themselves. A prime
length takes n * n, and so do a symbolic length, whose matrices are computed when the program runs, and the
transform from one side of a spectrum to real numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.symbolic import Expr, as_expr

Complex = tuple[Any, Any]
"""The real and the imaginary part; None for the latter if it is 0."""

DENSE = 32
"""Up to this length one product is as fast as several."""


MOST_ROOTS = 1 << 18
"""The most roots of unity that are computed when a model is imported."""


def roots(rows: int, columns: int, n: int, sign: int) -> Complex:
    """Return cosines and sines of `sign * 2 * pi * row * column / n`, as ops if they are many."""
    if rows * columns > MOST_ROOTS:
        return roots_at_run_time(as_expr(rows), as_expr(columns), as_expr(n), sign)
    turns = np.outer(np.arange(rows), np.arange(columns)) % n
    angle = sign * 2 * math.pi / n * turns
    return np.cos(angle), np.sin(angle)


def roots_at_run_time(rows: Expr, columns: Expr, n: Expr, sign: int) -> Complex:
    """Return cosines and sines for a symbolic length."""
    length = op.shape_to_tensor(op.shape([n]))
    shapes = (rows, [rows, 1]), (columns, [1, columns])
    row, column = (op.reshape(op.arange(0, m), s) for m, s in shapes)
    turns = op.astype(op.floor_mod(op.multiply(row, column), length), "f64")
    angle = op.multiply(op.divide(turns, op.astype(length, "f64")), sign * 2 * math.pi)
    return op.cos(angle), op.sin(angle)


def product(
    node: OnnxNode, x: Complex, factor: Complex, dtype: str, times: Any = op.matmul
) -> Complex:
    """Multiply complex numbers by a matrix, or by each element of it."""
    known = isinstance(factor[0], np.ndarray)
    cos, sin = (node.emit(f.astype(dtype) if known else op.astype(f, dtype)) for f in factor)
    re, im = x
    if im is None:
        return node.emit(times(re, cos)), node.emit(times(re, sin))
    real = op.subtract(times(re, cos), times(im, sin))
    return node.emit(real), node.emit(op.add(times(re, sin), times(im, cos)))


def transform(
    node: OnnxNode, x: Complex, n: int, sign: int, dtype: str, lead: Sequence[Any]
) -> Complex:
    """Return the sums of `x[k] * exp(sign * 2 * pi * i * k * m / n)` along the last axis; the other sizes
    lead."""
    a = next((d for d in range(math.isqrt(n), 1, -1) if n % d == 0), 1)
    if n <= DENSE or a == 1:
        return product(node, x, roots(n, n, n, sign), dtype)
    b = n // a
    swap = [*range(len(lead)), len(lead) + 1, len(lead)]

    def swapped(value: Complex, *shape: int) -> Complex:
        """Reshape numbers to matrices, and transpose them."""
        re, im = (
            None if part is None else op.permute_dims(op.reshape(part, [*lead, *shape]), swap)
            for part in value
        )
        return node.emit(re), None if im is None else node.emit(im)

    # of k = b * k1 + k2 and m = m1 + a * m2: rows k2, then m1
    columns = transform(node, swapped(x, a, b), a, sign, dtype, [*lead, b])
    turned = product(node, columns, roots(b, a, n, sign), dtype, op.multiply)
    rows = transform(node, swapped(turned, b, a), b, sign, dtype, [*lead, a])
    re, im = (node.emit(op.reshape(part, [*lead, n])) for part in swapped(rows, a, b))
    return re, im


def real_of_one_side(node: OnnxNode, x: Complex, length: Expr, dtype: str) -> Any:
    """Return the real numbers with one side of a spectrum; the other side is its mirror."""
    if (n := length.value) is None or (n // 2 + 1) * n > MOST_ROOTS:
        return _real_of_one_side(node, x, length, dtype)
    count = n // 2 + 1
    weight = np.full((count, 1), 2.0)
    weight[0] = 1
    if n % 2 == 0:
        weight[-1] = 1
    cos, sin = (part * weight / n for part in roots(count, n, n, 1))
    return product(node, x, (cos, sin), dtype)[0]


def _real_of_one_side(node: OnnxNode, x: Complex, n: Expr, dtype: str) -> Any:
    """Return the real numbers with one side of a spectrum of symbolic length."""
    count = symbolic.floordiv(n, 2) + 1
    length = op.shape_to_tensor(op.shape([n]))
    number = op.reshape(op.arange(0, count), [count, 1])
    alone = op.logical_or(op.equal(number, np.int64(0)), op.equal(op.multiply(number, 2), length))
    twice: Any = op.add(op.multiply(op.astype(alone, "f64"), -1.0), 2.0)
    weight = op.divide(twice, op.astype(length, "f64"))
    cos, sin = (op.multiply(part, weight) for part in roots_at_run_time(count, n, n, 1))
    return product(node, x, (cos, sin), dtype)[0]


def fourier(node: OnnxNode, x: Any, axis: int, n: Expr, *, inverse: bool, onesided: bool) -> Any:
    """Transform along an axis of x, whose last axis has the real part, or both parts."""
    sizes, dtype = node.shape_of(x), node.dtype(0).name
    last = len(sizes) - 1
    order = [*(d for d in range(last) if d != axis), axis]
    lead = [sizes[d] for d in order[:-1]]
    parts = sizes[last].value
    if parts not in (1, 2):
        node.fail("a last axis of size 1 or 2", str(sizes[last]), "fix it (dims={...})")
    kept = symbolic.floordiv(n, 2) + 1 if onesided else n

    def part(place: int) -> Any:
        taken = op.squeeze(op.strided_slice(x, [last], [place], [place + 1]), [last])
        given = node.emit(op.permute_dims(taken, order))
        return _of_length(node, given, sizes[axis], kept if onesided and inverse else n)

    given = part(0), part(1) if parts == 2 else None
    if onesided and inverse:
        found: Sequence[Any] = (real_of_one_side(node, given, n, dtype),)
    else:
        found = _spectrum(node, given, n, kept, 1 if inverse else -1, dtype, lead)
    if inverse and not onesided:
        length = op.astype(op.shape_to_tensor(op.shape([n])), dtype)
        found = [op.divide(value, length) for value in found]
    back = [order.index(d) for d in range(last)]
    return op.stack([op.permute_dims(value, back) for value in found], -1)


def _spectrum(
    node: OnnxNode, x: Complex, n: Expr, kept: Expr, sign: int, dtype: str, lead: Sequence[Any]
) -> Complex:
    """Return the leading numbers of a transform that are kept."""
    if n.value is None:
        return product(node, x, roots_at_run_time(n, kept, n, sign), dtype)
    re, im = transform(node, x, n.value, sign, dtype, lead)
    if kept is n:
        return re, im
    axis = [len(lead)]
    return op.strided_slice(re, axis, [0], [kept]), op.strided_slice(im, axis, [0], [kept])


def _of_length(node: OnnxNode, x: Any, size: Expr, wanted: Expr) -> Any:
    """Crop a signal, or pad it with zeros, along its last axis."""
    if size is wanted:
        return x
    *lead, _ = node.shape_of(x)
    if symbolic.maximum(size, wanted) is not size:
        x = op.concat([x, op.zeros([*lead, wanted], node.dtype(0).name)], -1)
    return node.emit(op.strided_slice(x, [len(lead)], [0], [wanted]))
