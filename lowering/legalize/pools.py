"""Parts of all pools: reductions, divided and put into the layout of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial, reduce
from operator import and_
from typing import Any, TypeAlias

from lowering.legalize.binary import quotient
from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest
from lowering.legalize.registry import known_tensor
from lowering.legalize.windows import Index, at, known, laid_out, times
from relax_dialect import te
from relax_dialect.ops.pooling import AdaptivePoolOp, PoolOp
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType
from relax_dialect.te.kernels.kernel_builder import KernelBuilder

Element: TypeAlias = Callable[[Mapping[str, Index]], Any]
"""A value at an index by letters."""


@contextmanager
def each_seen(
    ib: KernelBuilder, op: PoolOp, index: Mapping[str, Index], sizes: Mapping[str, Expr]
) -> Iterator[Mapping[str, Index]]:
    """Emit loops over the positions of the window at an index; yield the index of the element there.
    Padding is skipped, by a branch where there may be some, which gcc may have to keep (see
    `emit_c.syntax.compiler_attributes`)."""
    windows = op.pool_windows()
    with nest(ib, [known(window.size) for window in windows]) as steps:
        spots = {
            w.letter: times(index[w.letter], w.stride) + times(k, w.dilation) - w.before
            for w, k in zip(windows, steps)
        }
        padded = [w.letter for w in windows if w.before or w.after or op.ceil_mode]
        inside = [(spots[d] >= 0) & (spots[d] < sizes[d]) for d in padded]
        with ib.if_(reduce(and_, inside)) if inside else nullcontext():
            yield {**index, **spots}


def reduced(
    op: PoolOp | AdaptivePoolOp,
    x: te.Tensor,
    reducer: te.Reducer,
    value: Element,
    axes: Sequence[te.IterVar],
    type_of_total: DType,
    divisor: Element | None = None,
) -> te.Tensor:
    """Return the values reduced over the axes, if there are any, in the layout of x, and divided."""
    if not axes:
        return finished(op, x, value, divisor)
    layout, requires = op.x_layout, requirements(op, op.demands(op.x_sizes))
    total = laid_out(
        _shape(op), layout, lambda index: reducer(value(index), axis=axes), "total", requires
    )
    if divisor is None and type_of_total == x.dtype and layout == op.result_layout:
        return total
    return finished(op, x, partial(at, total, layout), divisor)


def finished(
    op: PoolOp | AdaptivePoolOp, x: te.Tensor, value: Element, divisor: Element | None = None
) -> te.Tensor:
    """Return the reduced values, divided, in the type and the layout of the result."""
    requires = requirements(op, op.demands(op.x_sizes))

    def out(index: Mapping[str, Index]) -> te.Scalar:
        found = value(index)
        if divisor is not None:
            found = quotient(found, te.cast(divisor(index), found.dtype))
        return found.astype(x.dtype)

    return laid_out(_shape(op), op.result_layout, out, "out", requires)


def _shape(op: PoolOp | AdaptivePoolOp) -> dict[str, Expr]:
    """Return the sizes of the result by letters."""
    (type,) = op.checked_types()
    return dict(zip(op.result_layout, known_tensor(op, "the result", type)[0]))
