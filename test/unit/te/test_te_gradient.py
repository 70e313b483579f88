"""`te.gradient` against differences, interpreted and as C."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from drawn_expressions import drawn as drawn_expression
from optional import FULL, UNOPTIMISED, amount, shortened

import lowering
from relax_dialect import te
from relax_dialect.builder import BlockBuilder
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import vjp
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


def strided(a: Any, w: Any) -> Any:
    """Steps of several elements, of which some are never read, and sizes that are known by name alone."""
    k, n = te.reduce_axis((0, 2)), a.shape[0]
    return te.compute((n // 3,), lambda i: te.sum(a[i * 3 + k * 2] * w[i, 1 - k], axis=k))


def turned(a: Any) -> Any:
    """Indices that two loops share, and one that runs backwards."""
    k, n = te.reduce_axis((0, 3)), a.shape[0]
    return te.compute((n,), lambda i: te.sum(a[n - 1 - i, k] * a[i, i % 1 + k], axis=k))


def diagonal(a: Any) -> Any:
    return te.compute((3,), lambda i: a[i, i] * a[i, 2])


def gathered(a: Any) -> Any:
    """Rows that are read at places computed elsewhere."""
    rows = te.compute((4,), lambda i: (i.astype("i64") * 2) % 3, "rows")
    return te.compute((4, 2), lambda i, j: a[rows[i], j] * a[i // 2, j])


def first_largest(a: Any) -> Any:
    """The pairs of an argmax: the number has no gradient, the value that of the element it is."""

    def larger(x: Any, y: Any) -> Any:
        return tuple(te.select(x[1] >= y[1], p, q) for p, q in zip(x, y))

    argmax = te.comm_reducer(larger, lambda i, v: (-1, te.min_value(v)), "argmax")
    k = te.reduce_axis((0, 4))
    number, top = te.compute((3,), lambda i: argmax((k.astype("i64"), a[i, k]), axis=k))
    return te.compute((3,), lambda i: top[i] * top[i] + number[i].astype("f64"))


def running(a: Any) -> Any:
    sums = te.compute(a.shape, lambda i, j: te.scan(te.sum, a[i, j] * a[i, j], axis=j))
    return te.compute(a.shape, lambda i, j: te.scan(te.sum, sums[i, j], axis=i, exclusive=True))


def assembled(a: Any) -> Any:
    """Parts that overlap where they are read: turned round, every second one, and a number."""
    parts = [te.part(a, 0, 5, 3, [-2]), te.part(a, 3), te.part(te.const(1.5, "f64"), 9, shape=2)]
    whole = te.assemble((11,), parts)
    return te.compute((11,), lambda i: whole[i] * whole[10 - i])


def largest(a: Any) -> Any:
    """The largest of what is computed, and rounded, each time anew."""
    k = te.reduce_axis((0, 4))
    return te.compute((3,), lambda i: te.max(te.sin(a[i, k]) * a[i, k] + a[i, k] * 0.3, axis=k))


CASES: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "product": (product, ((3, 4), (4, 5))),
    "convolution": (convolution, ((7,), (3,))),
    "pool": (pool, ((6,),)),
    "products": (products, ((3, 4),)),
    "softmax": (softmax, ((3, 4),)),
    "guarded": (guarded, ((6,),)),
    "elementwise": (elementwise, ((3, 1), (1, 4))),
    "reshaped": (reshaped, ((3, 4),)),
    "largest": (largest, ((3, 4),)),
    "strided": (strided, ((9,), (3, 2))),
    "turned": (turned, ((4, 3),)),
    "diagonal": (diagonal, ((3, 3),)),
    "gathered": (gathered, ((3, 2),)),
    "first_largest": (first_largest, ((3, 4),)),
    "running": (running, ((3, 4),)),
    "assembled": (assembled, ((6,),)),
}


SYMBOLIC = ("product", "softmax", "strided", "running")
"""The cases whose sizes are known by name alone: equal ones have one name."""


def sizes(name: str, shape: tuple[int, ...]) -> Any:
    return [f"n{size}" for size in shape] if name in SYMBOLIC else shape


SHORT = ("largest", "gathered", "running")
COMPILED = (*SHORT, "convolution", "softmax", "strided", "assembled") if FULL else SHORT


def build(names: Iterable[str]) -> Any:
    """A module with cases forward, and back from a cotangent."""
    builder = BlockBuilder()
    for name in names:
        function, shapes = CASES[name]
        params = {f"x{i}": TensorType(sizes(name, shape), "f64") for i, shape in enumerate(shapes)}
        with builder.function(name, params) as values:
            value = builder.emit_te(function, *values)
            builder.emit_func_output(value)

        def back(*tensors: Any, function: Any = function) -> Any:
            *inputs, head = tensors
            found = te.gradient([function(*inputs)], inputs, [head])
            return [g for g in found if g is not None]

        with builder.function(f"{name}_back", {**params, "head": value.type}) as values:
            found = builder.emit_te(back, *values)
            builder.emit_func_output(found if isinstance(found, tuple) else [found])
    return builder.get()


def drawn(name: str, module: Any) -> tuple[list[np.ndarray], np.ndarray]:
    """Operands of a case, and a cotangent."""
    random = np.random.default_rng(0)
    arrays = [random.uniform(-1, 1, shape) for shape in CASES[name][1]]
    return arrays, random.standard_normal(run(module, name, *arrays).shape)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_differences(name: str):
    check(name)


@shortened
def test_gradients_of_random_expressions(monkeypatch: pytest.MonkeyPatch):
    for seed in range(amount(9, 6)):
        name = f"random_{seed}"
        monkeypatch.setitem(CASES, name, drawn_expression(seed))
        check(name)


def check(name: str) -> None:
    """Gradients of a case are differences: those of the tensor expressions, and those of the prim func made
    of them, read as expressions again."""
    module = build([name])
    arrays, head = drawn(name, module)
    found = run(module, f"{name}_back", *arrays, head)
    ways = [np.random.default_rng(1).standard_normal(a.shape) for a in arrays]
    ahead, behind = (
        run(module, name, *(a + step * way for a, way in zip(arrays, ways)))
        for step in (STEP, -STEP)
    )
    expected = np.sum((ahead - behind) * head) / (2 * STEP)
    along = sum(np.sum(g * way) for g, way in zip(found, ways))
    np.testing.assert_allclose(along, expected, rtol=1e-5, atol=1e-7)
    vjp(module, name)
    value, read = run(module, f"{name}_vjp", *arrays, head)
    np.testing.assert_array_equal(value, run(module, name, *arrays))
    for mine, other in zip(read, found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@shortened
def test_compiled_gradients():
    module = build(COMPILED)
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)
    for name in COMPILED:
        arrays, head = drawn(name, module)
        found = run(module, f"{name}_back", *arrays, head)
        for mine, other in zip(compiled[f"{name}_back"](*arrays, head), found):
            np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12, err_msg=name)


def test_an_input_that_is_not_read_has_none():
    a, b = te.placeholder((3,), "float64", "a"), te.placeholder((3,), "float64", "b")
    c = te.compute((3,), lambda i: a[i] * 2.0)
    found, none = te.gradient([c], [a, b], [te.placeholder((3,), "float64", "head")])
    assert found is not None and found.shape == a.shape
    assert none is None


@pytest.mark.parametrize("reducer", [te.max, te.min, te.nanmax, te.nanmin], ids=lambda r: r.name)
def test_equal_extremes_share(reducer: Any):
    """What is not a number gets nothing from those that pass over it."""
    sign = 1 if reducer in (te.max, te.nanmax) else -1
    first = np.nan if reducer in (te.nanmax, te.nanmin) else 1.0
    builder = BlockBuilder()
    row = TensorType([1, 4], "f64")
    with builder.function("f", {"x": row, "h": TensorType([1], "f64")}) as (x, h):

        def back(a: Any, head: Any) -> Any:
            k = te.reduce_axis((0, 4))
            top = te.compute((1,), lambda i: reducer(a[i, k], axis=k))
            return te.gradient([top], [a], [head])

        builder.emit_func_output(builder.emit_te(back, x, h))
    found = run(builder.get(), "f", np.array([[first, 3, 3, 0]]) * sign, np.array([2.0]))
    np.testing.assert_array_equal(found, [[0, 1, 1, 0]])


def test_what_has_no_derivative_is_told():
    a = te.placeholder((4,), "float64", "a")
    head = te.placeholder((4,), "float64", "head")
    running = te.compute((4,), lambda i: te.scan(te.prod, a[i], axis=i), name="running")
    with pytest.raises(
        RelaxError, match=r"te.scan of te.prod in 'running'; write its gradient apart"
    ):
        te.gradient([running], [a], [head])
    copied = te.extern(
        (4,), [a], lambda ib, ins, outs: ib.copy(outs[0], ins[0]), "float64", "copied"
    )
    with pytest.raises(RelaxError, match=r"found 'copied' made by te.extern; write its gradient"):
        te.gradient([copied], [a], [head])
