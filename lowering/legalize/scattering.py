"""Operators that write elements at indices; f16 and bf16 accumulate in f32."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest, places
from lowering.legalize.manipulate import ones_or_equal
from lowering.legalize.registry import broadcasts, legalize
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.scattering import VALUES, IndexPutOp, ScatterElementsOp, ScatterNdOp
from relax_dialect.ops.type_rules import is_float
from relax_dialect.symbolic import Expr, broadcast, const, provably_different
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

COMBINE: dict[str, Callable[[te.Scalar, te.Scalar], te.Scalar]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": te.maximum,
    "min": te.minimum,
    "mean": lambda a, b: a + b,
}
"""The combination of an element and its update."""

At = Callable[[tuple[Any, ...]], Sequence[te.Scalar]]


def scattered(
    data: te.Tensor,
    outer: Sequence[Expr],
    at: At,
    inner: Sequence[Expr],
    update: Callable[[tuple[Any, ...]], te.Scalar],
    reduction: str,
    inputs: Sequence[te.Tensor],
    requires: Sequence[te.Requirement],
) -> te.Tensor:
    """Return a copy of the data with updates combined with slices of it: for each index of `outer` the one
    that begins with the indices `at`, of the shape `inner`."""
    dtype = data.dtype if reduction == "update" else wide(data.dtype)
    source = data
    if dtype != data.dtype:
        source = te.compute(data.shape, lambda *i: data[i].astype(dtype), name="wide")

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        (out,) = outs
        ib.copy(out, ins[0])
        count = ib.allocate(data.shape, dtype, name="count") if reduction == "mean" else None
        if count is not None:
            ib.fill(count, te.const(1, dtype))
        with nest(ib, outer) as i:
            start = [ib.var(index.astype("index"), name="at") for index in at(i)]
            first = tuple(variable.value for variable in start)
            with nest(ib, inner) as j:
                place, value = (*first, *j), update((*i, *j)).astype(dtype)
                if reduction == "update":
                    out[place] = value
                else:
                    out[place] = COMBINE[reduction](out[place], value)
                if count is not None:
                    count[place] = count[place] + 1
        if count is not None:
            with nest(ib, data.shape) as i:
                total, number = out[i], count[i]
                out[i] = total / number if is_float(dtype) else total // number

    total = te.extern(
        data.shape, [source, *inputs], kernel, dtype=dtype, name="out", requires=requires
    )
    if dtype == data.dtype:
        return total
    return te.compute(data.shape, lambda *i: total[i].astype(data.dtype), name="out")


@legalize(ScatterElementsOp)
def scatter_elements(
    op: ScatterElementsOp, data: te.Tensor, indices: te.Tensor, updates: te.Tensor
) -> te.Tensor:
    """Write every update at its own position, except along the axis."""
    axis = op.axis_of(data.ndim)
    found = places(op, indices, [data.shape[axis]], axis)

    def at(i: tuple[Any, ...]) -> Sequence[te.Scalar]:
        return (*i[:axis], found[i], *i[axis + 1 :])

    requires = requirements(op, op.demands(data.shape, indices.shape, updates.shape))
    return scattered(
        data, indices.shape, at, (), lambda i: updates[i], op.reduction, [found, updates], requires
    )


@legalize(ScatterNdOp)
def scatter_nd(
    op: ScatterNdOp, data: te.Tensor, indices: te.Tensor, updates: te.Tensor
) -> te.Tensor:
    """Write every slice of the updates at its row of indices."""
    depth = indices.shape[-1].value
    if depth is None:
        mend = "name it by a relax.match_cast of 'indices'"
        op.fail("a number as the last size of 'indices' (C2)", str(indices.shape[-1]), mend)
    found = places(op, indices, data.shape[:depth]) if depth else indices

    def at(i: tuple[Any, ...]) -> Sequence[te.Scalar]:
        return [found[(*i, d)] for d in range(depth)]

    inputs = [found, updates] if depth else [updates]
    requires = requirements(op, op.demands(data.shape, indices.shape, updates.shape))
    outer, inner = indices.shape[:-1], data.shape[depth:]
    return scattered(data, outer, at, inner, lambda i: updates[i], op.reduction, inputs, requires)


@legalize(IndexPutOp)
def index_put(
    op: IndexPutOp, data: te.Tensor, indices: list[te.Tensor], values: te.Tensor
) -> te.Tensor:
    """Every value goes to the elements at its indices; both are read as broadcasting puts them."""
    rank = max(index.ndim for index in indices)
    outer = tuple(_joint([index.shape for index in indices], rank))
    inner = data.shape[len(indices) :]
    found = [places(op, index, [data.shape[d]], d) for d, index in enumerate(indices)]

    def at(i: tuple[Any, ...]) -> Sequence[te.Scalar]:
        return [f[_aligned(f, i, outer)] for f in found]

    def update(i: tuple[Any, ...]) -> te.Scalar:
        return values[_aligned(values, i, (*outer, *inner))]

    requires = [r for f in found for r in broadcasts(op, f.shape, outer)]
    requires += ones_or_equal(op, VALUES, values.shape, (*outer, *inner))
    return scattered(data, outer, at, inner, update, op.reduction, [*found, values], requires)


def _joint(shapes: Sequence[Sequence[Expr]], rank: int) -> Iterator[Expr]:
    """Yield the shape that shapes broadcast to."""
    for d in range(rank, 0, -1):
        yield broadcast(*(shape[-d] for shape in shapes if len(shape) >= d))


def _aligned(tensor: te.Tensor, i: Sequence[Any], shape: Sequence[Expr]) -> tuple[Any, ...]:
    """Return the index at which a tensor is read to broadcast to a shape, at an index of that."""
    front = len(shape) - tensor.ndim
    pairs = zip(tensor.shape, shape[front:], i[front:])
    return tuple(_broadcast_place(size, target, index) for size, target, index in pairs)


def _broadcast_place(size: Expr, target: Expr, index: te.Scalar) -> Any:
    one = const(1)
    if size is one:
        return 0
    if size is target or provably_different(size, one):
        return index
    return te.select(te.equal(size, 1), 0, index)
