"""`te.gradient` against differences, interpreted and as C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lowering
from relax_dialect import te
from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

STEP = 1e-6


def product(a: Any, b: Any) -> Any:
    k = te.reduce_axis((0, a.shape[1]))
    return te.compute((a.shape[0], b.shape[1]), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k))


def convolution(a: Any, w: Any) -> Any:
    padded = te.pad(a, (9,), (1,), 0.0)
    k = te.reduce_axis((0, 3))
    return te.compute((4,), lambda i: te.sum(padded[i * 2 + k] * w[k], axis=k))


def pool(a: Any) -> Any:
    k = te.reduce_axis((0, 2))
    return te.compute((3,), lambda i: te.max(a[i * 2 + k], axis=k))


def products(a: Any) -> Any:
    k = te.reduce_axis((0, a.shape[1]))
    return te.compute((a.shape[0],), lambda i: te.prod(a[i, k], axis=k))


def softmax(a: Any) -> Any:
    n, m = a.shape
    k = te.reduce_axis((0, m))
    highest = te.compute((n,), lambda i: te.max(a[i, k], axis=k))
    powers = te.compute((n, m), lambda i, j: te.exp(a[i, j] - highest[i]))
    total = te.compute((n,), lambda i: te.sum(powers[i, k], axis=k))
    return te.compute((n, m), lambda i, j: powers[i, j] / total[i])


def guarded(a: Any) -> Any:
    """Beyond the end nothing is read, forward or back."""
    zero = te.const(0, "f64")
    return te.compute((8,), lambda i: te.if_then_else(i < 6, a[i] * a[i], zero))


def elementwise(a: Any, b: Any) -> Any:
    """Functions of every kind, and an axis of size 1 that is repeated."""
    return te.compute(
        (3, 4),
        lambda i, j: (
            te.tanh(a[i, 0]) * te.select(b[0, j] > 0, te.exp(b[0, j]), te.sin(b[0, j]))
            + te.maximum(a[i, 0], b[0, j]) / (a[i, 0] * a[i, 0] + 1)
        ),
    )


def reshaped(a: Any) -> Any:
    flat = te.reshape(a, (12,))
    return te.compute((12,), lambda i: flat[i] * flat[11 - i])


CASES: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "product": (product, ((3, 4), (4, 5))),
    "convolution": (convolution, ((7,), (3,))),
    "pool": (pool, ((6,),)),
    "products": (products, ((3, 4),)),
    "softmax": (softmax, ((3, 4),)),
    "guarded": (guarded, ((6,),)),
    "elementwise": (elementwise, ((3, 1), (1, 4))),
    "reshaped": (reshaped, ((3, 4),)),
}


def build() -> Any:
    """A module with every case forward, and back from a cotangent."""
    builder = BlockBuilder()
    for name, (function, shapes) in CASES.items():
        params = {f"x{i}": TensorType(shape, "f64") for i, shape in enumerate(shapes)}
        with builder.function(name, params) as values:
            value = builder.emit_te(function, *values)
            builder.emit_func_output(value)

        def back(*tensors: Any, function: Any = function) -> Any:
            *inputs, head = tensors
            return te.gradient([function(*inputs)], inputs, [head])

        with builder.function(f"{name}_back", {**params, "head": value.type}) as values:
            found = builder.emit_te(back, *values)
            builder.emit_func_output(found if isinstance(found, tuple) else [found])
    return builder.get()


def test_gradients_are_differences():
    module = build()
    compiled = lowering.compile(module)
    for name, (_, shapes) in CASES.items():
        random = np.random.default_rng(0)
        arrays = [random.uniform(-1, 1, shape) for shape in shapes]
        head = random.standard_normal(run(module, name, *arrays).shape)
        found = run(module, f"{name}_back", *arrays, head)
        for mine, other in zip(compiled[f"{name}_back"](*arrays, head), found):
            np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12, err_msg=name)
        ways = [random.standard_normal(shape) for shape in shapes]
        ahead, behind = (
            run(module, name, *(a + step * way for a, way in zip(arrays, ways)))
            for step in (STEP, -STEP)
        )
        expected = np.sum((ahead - behind) * head) / (2 * STEP)
        along = sum(np.sum(g * way) for g, way in zip(found, ways))
        np.testing.assert_allclose(along, expected, rtol=1e-5, atol=1e-7, err_msg=name)


def test_an_input_that_is_not_read_has_none():
    a, b = te.placeholder((3,), "float64", "a"), te.placeholder((3,), "float64", "b")
    c = te.compute((3,), lambda i: a[i] * 2.0)
    found, none = te.gradient([c], [a, b], [te.placeholder((3,), "float64", "head")])
    assert found is not None and found.shape == a.shape
    assert none is None


def test_equal_extremes_share():
    builder = BlockBuilder()
    row = TensorType([1, 4], "f64")
    with builder.function("f", {"x": row, "h": TensorType([1], "f64")}) as (x, h):

        def back(a: Any, head: Any) -> Any:
            k = te.reduce_axis((0, 4))
            top = te.compute((1,), lambda i: te.max(a[i, k], axis=k))
            return te.gradient([top], [a], [head])

        builder.emit_func_output(builder.emit_te(back, x, h))
    found = run(builder.get(), "f", np.array([[1.0, 3, 3, 0]]), np.array([2.0]))
    np.testing.assert_array_equal(found, [[0, 1, 1, 0]])


def test_what_has_no_derivative_is_told():
    a = te.placeholder((4,), "float64", "a")
    head = te.placeholder((4,), "float64", "head")
    running = te.compute((4,), lambda i: te.scan(te.sum, a[i], axis=i), name="running")
    with pytest.raises(
        RelaxError, match=r"te.scan of te.sum in 'running'; write its gradient apart"
    ):
        te.gradient([running], [a], [head])
    copied = te.extern(
        (4,), [a], lambda ib, ins, outs: ib.copy(outs[0], ins[0]), "float64", "copied"
    )
    with pytest.raises(RelaxError, match=r"found 'copied' made by te.extern; write its gradient"):
        te.gradient([copied], [a], [head])
