"""Sorting along an axis: every row is copied, sorted and written where it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import loops
from lowering.legalize.registry import legalize
from lowering.legalize.row_sort import SHORT, RowSort
from relax_dialect import symbolic, te
from relax_dialect.ops.sorting import ArgsortOp, SortOp, TopkOp
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

FEW = SHORT // 4
"""The most elements that are kept in order during one pass over a row."""


def sorted_rows(
    x: te.Tensor,
    axis: int,
    descending: bool = False,
    *,
    first: int | None = None,
    values: bool = True,
    places: str | None = None,
    requires: Sequence[te.Requirement] = (),
) -> list[te.Tensor]:
    """Return the elements in order along an axis (if `values`), and their original indices, as integers of
    the type `places`; all of them, or the `first` few. The `requires` are checked first."""
    size = x.shape[axis]
    taken = size if first is None else symbolic.const(first)
    others = [d for d in range(x.ndim) if d != axis]

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        end, few = te.cast(size, "index"), first is not None and first <= FEW
        room = symbolic.minimum(size, SHORT) if few else size
        row = RowSort(ib, room, x.dtype, descending, places, values)
        with loops(ib, [x.shape[d] for d in others]) as around:
            at = dict(zip(others, around))

            def index(k: te.Scalar) -> tuple[te.Scalar, ...]:
                return tuple(k if d == axis else at[d] for d in range(x.ndim))

            def element(k: te.Scalar) -> te.Scalar:
                return ins[0][index(k)]

            def load() -> None:
                with ib.for_(end, name="k") as k:
                    row.load(k, element(k), k)

            count = ib.var(end, name="count")
            if first is not None and few and room is not size:
                count.value = row.load_first(end, first, element)
            elif first is None or not row.may_be_long:
                load()
            else:
                with ib.if_(end > max(SHORT, 4 * first)):
                    count.value = row.load_candidates(end, te.const(first, "index"), element)
                with ib.else_():
                    load()
            row.sort(count.value)
            with ib.for_(te.cast(taken, "index"), name="k") as k:
                found = [*([row.value(k)] if values else []), *([row.place(k)] if places else [])]
                for out, result in zip(outs, found, strict=True):
                    out[index(k)] = result

    dtypes = [*([x.dtype] if values else []), *([places] if places else [])]
    names = [*(["sorted"] if values else []), *(["order"] if places else [])]
    shapes = [[taken if d == axis else n for d, n in enumerate(x.shape)]] * len(dtypes)
    return list(te.extern(shapes, [x], kernel, dtype=dtypes, name=names, requires=requires))


@legalize(SortOp)
def sort(op: SortOp, x: te.Tensor) -> te.Tensor:
    """Return the elements of every row in order."""
    return sorted_rows(x, op.axis_of(x.ndim), op.descending)[0]


@legalize(ArgsortOp)
def argsort(op: ArgsortOp, x: te.Tensor) -> te.Tensor:
    """Return the indices of the elements of every row in sorted order."""
    axis, places = op.axis_of(x.ndim), str(op.dtype)
    return sorted_rows(x, axis, op.descending, values=False, places=places)[0]


@legalize(TopkOp)
def topk(op: TopkOp, x: te.Tensor) -> Sequence[te.Tensor]:
    """Return the first elements of every row in order."""
    axis = op.axis_of(x.ndim)
    places = str(op.dtype) if op.gives_indices else None
    return sorted_rows(
        x,
        axis,
        op.largest,
        first=op.k if op.k >= 1 else None,
        values=op.gives_values,
        places=places,
        requires=requirements(op, op.demands(x.shape)),
    )
