"""Sorting along an axis: every row is copied, merge-sorted and written where it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.legalize.demands import requirements
from lowering.legalize.kernels import key_type, loops, merge_sort, precedes
from lowering.legalize.registry import legalize
from lowering.legalize.windows import known
from relax_dialect import te
from relax_dialect.ops.sorting import ArgsortOp, SortOp, TopkOp
from relax_dialect.te.kernel import Buffer, KernelBuilder


def sorted_rows(
    x: te.Tensor,
    axis: int,
    descending: bool = False,
    *,
    values: bool = True,
    places: str | None = None,
    requires: Sequence[te.Requirement] = (),
) -> list[te.Tensor]:
    """The elements in order along an axis (if asked for), and where they stood, as integers of the type
    `places`. What it `requires` is checked first."""
    size, keys = x.shape[axis], key_type(x.dtype)
    others = [d for d in range(x.ndim) if d != axis]
    dtypes = [*([x.dtype] if values else []), *([places] if places else [])]

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[Buffer]) -> None:
        types = [keys, *([places] if places else [])]
        rows = [
            (ib.allocate(size, t, name="row"), ib.allocate(size, t, name="merged")) for t in types
        ]
        written = [row for row, _ in rows][0 if values else 1 :]
        end = te.cast(size, "index")
        with loops(ib, [x.shape[d] for d in others]) as around:
            at = dict(zip(others, around))

            def place(k: te.Scalar) -> tuple[te.Scalar, ...]:
                return tuple(k if d == axis else at[d] for d in range(x.ndim))

            with ib.for_(end, name="k") as k:
                rows[0][0][k] = ins[0][place(k)].astype(keys)
                if places:
                    rows[1][0][k] = k.astype(places)
            merge_sort(ib, size, rows, precedes(x.dtype, descending))
            with ib.for_(end, name="k") as k:
                for out, row in zip(outs, written):
                    out[place(k)] = row[k].astype(out.dtype)

    names = [*(["sorted"] if values else []), *(["order"] if places else [])]
    shapes = [x.shape] * len(dtypes)
    return list(te.extern(shapes, [x], kernel, dtype=dtypes, name=names, requires=requires))


@legalize(SortOp)
def sort(op: SortOp, x: te.Tensor) -> te.Tensor:
    """The elements of every row in order."""
    return sorted_rows(x, op.axis_of(x.ndim), op.descending)[0]


@legalize(ArgsortOp)
def argsort(op: ArgsortOp, x: te.Tensor) -> te.Tensor:
    """The places of the elements of every row in order."""
    axis, places = op.axis_of(x.ndim), str(op.dtype)
    return sorted_rows(x, axis, op.descending, values=False, places=places)[0]


@legalize(TopkOp)
def topk(op: TopkOp, x: te.Tensor) -> Sequence[te.Tensor]:
    """The first elements of every row in order."""
    axis = op.axis_of(x.ndim)
    places = str(op.dtype) if op.gives_indices else None
    requires = requirements(op, op.demands(x.shape))
    found = sorted_rows(
        x, axis, op.largest, values=op.gives_values, places=places, requires=requires
    )
    shape = [known(op.count_of(size)) if d == axis else size for d, size in enumerate(x.shape)]
    return [te.compute(shape, lambda *i, y=y: y[i], name=y.name) for y in found]
