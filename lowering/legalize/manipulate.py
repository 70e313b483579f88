"""Operators that reshape a tensor or permute its dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.legalize.registry import broadcast_index, legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.manipulate import (
    BatchFlattenOp,
    BroadcastToOp,
    ExpandDimsOp,
    FlattenOp,
    PermuteDimsOp,
    ReshapeOp,
    SqueezeOp,
)
from relax_dialect.prim.run_time_checks import demanded, hole, shape_holes
from relax_dialect.symbolic import Expr, product


@legalize(PermuteDimsOp)
def permute_dims(op: PermuteDimsOp, x: te.Tensor) -> te.Tensor:
    """Dimension `d` of the result is dimension `axes[d]` of the operand."""
    return transposed(x, op.permutation(x.ndim))


def transposed(x: te.Tensor, axes: Sequence[int]) -> te.Tensor:
    """Return the tensor whose dimension `d` is dimension `axes[d]` of x."""
    position = {axis: d for d, axis in enumerate(axes)}
    return te.compute(
        [x.shape[axis] for axis in axes],
        lambda *i: x[tuple(i[position[d]] for d in range(x.ndim))],
        name="out",
    )


@legalize(ExpandDimsOp)
def expand_dims(op: ExpandDimsOp, x: te.Tensor) -> te.Tensor:
    """Return the same elements."""
    return te.reshape(x, result_shape(op), name="out")


@legalize(SqueezeOp)
def squeeze(op: SqueezeOp, x: te.Tensor) -> te.Tensor:
    """Return the same elements; the axes left out are of size 1."""
    one = symbolic.const(1)
    sizes = {d: x.shape[d] for d in op.axes(x.shape) or () if x.shape[d] is not one}
    requires = [require(op, op.demand(d), hole(size), size, one) for d, size in sizes.items()]
    return te.reshape(x, result_shape(op), "out", requires)


@legalize(BroadcastToOp)
def broadcast_to(op: BroadcastToOp, x: te.Tensor) -> te.Tensor:
    """Broadcast the operand."""
    shape = result_shape(op)
    return te.compute(
        shape,
        lambda *i: x[broadcast_index(x.shape, i)],
        name="out",
        requires=ones_or_equal(op, op.DEMAND, x.shape, shape),
    )


def require(op: OperatorOp, demand: str, found: str, size: Expr, *allowed: Expr) -> te.Requirement:
    """Return an operator's demand on a size, in the interpreter's words; `found` has holes."""
    return te.Requirement(f"{op.name}: {demanded(demand, found)}", size, allowed, shows=True)


def ones_or_equal(
    op: OperatorOp, demand: str, small: Sequence[Expr], large: Sequence[Expr]
) -> list[te.Requirement]:
    """Require that a shape broadcasts to another one, dimensions aligned at the end, unless proved."""
    one, found = symbolic.const(1), f"{shape_holes(small)} for {shape_holes(large)}"
    aligned = zip(small, large[len(large) - len(small) :])
    return [
        require(op, demand, found, a, one, b) for a, b in aligned if a is not one and a is not b
    ]


@legalize(ReshapeOp, FlattenOp, BatchFlattenOp)
def reshape(op: ReshapeOp | FlattenOp | BatchFlattenOp, x: te.Tensor) -> te.Tensor:
    """Return the elements in the order they lie in memory."""
    shape = result_shape(op)
    before, after = product(x.shape), product(shape)
    requires = []
    if before is not after:
        old, new = (f"{shape_holes(s)} ({hole(n)})" for s, n in ((x.shape, before), (shape, after)))
        demand = f"a shape of as many elements as {old}"
        requires.append(require(op, demand, new, after, before))
    return te.reshape(x, shape, "out", requires)


def flattened(x: te.Tensor) -> te.Tensor:
    """Return the elements in row-major order as a vector."""
    return te.reshape(x, (product(x.shape),), name="flat")
