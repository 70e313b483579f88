"""Reductions of floats along contiguous rows, in lanes.

A float that is added to is added to again only when that is done, and C compilers do not reorder the
additions. So every lane reduces its own elements, `LANES` apart, which vectorises, and the lanes are
reduced at the end. (Errors grow less, too: each sum is shorter.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lowering.legalize.kernels import loops
from relax_dialect import te
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType, kind
from relax_dialect.te.kernel import Buffer, KernelBuilder

LANES = 64


def pays(size: Expr, dtype: DType) -> bool:
    """Whether lanes help for rows of a size: of floats, and long or of unknown length."""
    return kind(dtype) == "float" and (size.value is None or size.value >= 2 * LANES)


def reduce_in_lanes(
    x: te.Tensor,
    axes: Sequence[int],
    reducer: te.Reducer,
    element: Callable[..., te.Scalar],
    dtype: DType,
    shape: Sequence[Expr],
    name: str,
) -> te.Tensor:
    """The reduction of `element(*place)` over axes of x, the last one among them, to a shape that may keep
    them as size 1."""
    kept = [d for d in range(x.ndim) if d not in axes]
    rows = [d for d in axes if d != x.ndim - 1]
    size = x.shape[-1]
    start = reducer.identity(dtype)

    def kernel(ib: KernelBuilder, _: list[te.Tensor], outs: list[Buffer]) -> None:
        (out,) = outs
        lanes = ib.allocate((LANES,), dtype, name="lanes")
        end, blocks = te.cast(size, "index"), te.cast(size // LANES, "index")

        def join(total: Any, value: te.Scalar) -> None:
            total.value = reducer.combine(total.value, value)

        with loops(ib, [x.shape[d] for d in kept]) as around:
            at = dict(zip(kept, around))
            total = ib.var(start, dtype, name="total")
            ib.fill(lanes, start)
            with loops(ib, [x.shape[d] for d in rows]) as row:
                at |= dict(zip(rows, row))

                def value(k: te.Scalar) -> te.Scalar:
                    return element(*(at.get(d, k) for d in range(x.ndim)))

                with ib.for_(blocks, name="block") as block, ib.for_(LANES, name="lane") as lane:
                    lanes[lane] = reducer.combine(lanes[lane], value(block * LANES + lane))
                with ib.for_(blocks * LANES, end, name="k") as k:
                    join(total, value(k))
            with ib.if_(blocks > 0), ib.for_(LANES, name="lane") as lane:
                join(total, lanes[lane])
            index = iter(around)
            keeps = len(shape) == x.ndim
            out[
                tuple(0 if d in axes else next(index) for d in range(x.ndim) if keeps or d in kept)
            ] = total.value

    return te.extern(tuple(shape), [x], kernel, dtype=dtype, name=name)
