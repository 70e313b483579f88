"""Checked indices: one stage checks them all, so that the stage which reads or writes need not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from lowering.legalize.imperative_parts import loops
from relax_dialect import te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.indices import in_range
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import kind
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


def wide_index(index: te.Scalar) -> te.Scalar:
    """Return an index in a type that also holds every size."""
    return index.astype("ui64" if kind(index.dtype) == "unsigned" else "i64")


def places(
    op: OperatorOp, indices: te.Tensor, sizes: Sequence[Expr], first_axis: int = 0
) -> te.Tensor:
    """Return the indices counted from the front of their axis, as i64; the program fails if one is out of
    bounds.

    Indices of several axes are in the last dimension.
    """

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        ((given,), (out,)) = ins, outs
        outer = indices.shape if len(sizes) == 1 else indices.shape[:-1]
        with nest(ib, outer) as index:
            for d, size in enumerate(sizes):
                at = index if len(sizes) == 1 else (*index, d)
                out[at] = checked(ib, op, given[at], size, first_axis + d)

    return te.extern(indices.shape, [indices], kernel, dtype="i64", name="places")


def checked(
    ib: KernelBuilder, op: OperatorOp, given: te.Scalar, size: Expr, axis: int
) -> te.Scalar:
    """Return an index counted from the front, after a check that it is within its axis."""
    index = wide_index(given)
    length = te.cast(size, str(index.dtype))
    message = f"{op.name}: {demanded(in_range(axis), f'{{%0}} for a size of {hole(size)}')}"
    if kind(index.dtype) == "unsigned":
        ib.assert_(index < length, message, shows=True)
        return index.astype("i64")
    ib.assert_((index >= -length) & (index < length), message, shows=True)
    return te.select(index < 0, index + length, index)


@contextmanager
def nest(ib: KernelBuilder, shape: Sequence[Expr]) -> Iterator[tuple[Any, ...]]:
    """Emit loops over all indices of a shape in row-major order."""
    with loops(ib, shape) as place:
        yield tuple(place)
