"""Parts of imperative kernels: loops over shapes, and a stable merge sort of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from lowering.legalize.registry import NARROW
from relax_dialect import te
from relax_dialect.symbolic import Expr
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder, Variable

Precedes = Callable[[te.Scalar, te.Scalar], te.Scalar]


@contextmanager
def loops(ib: KernelBuilder, sizes: Sequence[Expr]) -> Iterator[list[te.Scalar]]:
    """A nest of loops over a shape, the last dimension innermost."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(ib.for_(te.cast(size, "index"), name=f"i{d}"))
            for d, size in enumerate(sizes)
        ]


def increment(variable: Variable) -> None:
    variable.value = variable.value + 1


def key_type(dtype: Any) -> str:
    """Return a type in which the elements of another are compared with one instruction."""
    name = str(dtype)
    return "f32" if name in NARROW else "i8" if name == "i1" else name


def precedes(dtype: Any, descending: bool) -> Precedes:
    """Return whether a key comes strictly before another; NaN counts as the greatest number."""
    if not str(dtype).startswith(("f", "bf")):
        return (lambda a, b: a > b) if descending else (lambda a, b: a < b)
    if descending:
        return lambda a, b: ~(a <= b) & ~te.isnan(b)
    return lambda a, b: ~(a >= b) & ~te.isnan(a)


def merge_sort(
    ib: KernelBuilder,
    size: Expr | te.Scalar,
    rows: Sequence[tuple[KernelBuffer, KernelBuffer]],
    before: Precedes,
) -> None:
    """Sort vectors by the first one, which holds the keys, bottom up: runs of 1, 2, 4, ... elements are
    merged in pairs into the second buffer of each vector, and copied back."""
    keys, _ = rows[0]
    end = te.cast(size, "index")
    width = ib.var(1, "index", name="width")
    with ib.while_(lambda: width.value < end):
        run = width.value
        with ib.for_(0, te.floordiv(end + run * 2 - 1, run * 2), name="pair") as pair:
            low = pair * run * 2
            middle, high = te.minimum(low + run, end), te.minimum(low + run * 2, end)
            left, right = ib.var(low, name="left"), ib.var(middle, name="right")
            with ib.for_(low, high, name="k") as k:
                from_left = ib.var(False, "bool", name="from_left")
                with ib.if_(left.value < middle):
                    from_left.value = True
                    with ib.if_(right.value < high):
                        from_left.value = ~before(keys[right.value], keys[left.value])
                for condition, source in ((ib.if_(from_left.value), left), (None, right)):
                    with condition or ib.else_():
                        for row, merged in rows:
                            merged[k] = row[source.value]
                        increment(source)
        with ib.for_(end, name="k") as k:
            for row, merged in rows:
                row[k] = merged[k]
        width.value = run * 2
