"""The first element of contiguous rows that matches, looked for in blocks.

A search that stops where it finds something does not vectorise; one that asks for a whole block of `LANES`
elements whether any of them matches does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from lowering.legalize.kernels import increment, loops
from relax_dialect import te
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType
from relax_dialect.te.kernel import Buffer, KernelBuilder

LANES = 64

Place: TypeAlias = tuple[te.Scalar, ...]
Rows: TypeAlias = Callable[[], AbstractContextManager[Callable[[te.Scalar], Place]]]
"""`with rows() as at:` is a loop over rows of x, where `at(k)` is the place of the element k of one."""


def long_rows(size: Expr) -> bool:
    """Whether rows are so long that lanes may help, or of a length that is not known."""
    return size.value is None or size.value >= 2 * LANES


def _by_rows(
    x: te.Tensor,
    axes: Sequence[int],
    shape: Sequence[Expr],
    dtype: DType | str,
    name: str,
    compute: Callable[[KernelBuilder, Rows], te.Scalar],
) -> te.Tensor:
    """The tensor of a shape (which may keep the axes as size 1) whose elements are computed from rows of
    x: the last one of the axes is the last one of x."""
    kept = [d for d in range(x.ndim) if d not in axes]
    outer = [d for d in axes if d != x.ndim - 1]
    named = range(x.ndim) if len(shape) == x.ndim else kept

    def kernel(ib: KernelBuilder, _: list[te.Tensor], outs: list[Buffer]) -> None:
        with loops(ib, [x.shape[d] for d in kept]) as around:
            known = dict(zip(kept, around))

            @contextmanager
            def rows() -> Iterator[Callable[[te.Scalar], Place]]:
                with loops(ib, [x.shape[d] for d in outer]) as row:
                    at = known | dict(zip(outer, row))
                    yield lambda k: tuple(at.get(d, k) for d in range(x.ndim))

            outs[0][tuple(known.get(d, 0) for d in named)] = compute(ib, rows)

    return te.extern(tuple(shape), [x], kernel, dtype=dtype, name=name)


def first_match(
    x: te.Tensor,
    axes: Sequence[int],
    row_matches: Callable[..., te.Scalar] | None,
    matches: Callable[..., te.Scalar],
    number: Callable[[Place], te.Scalar],
    otherwise: te.Scalar,
    shape: Sequence[Expr],
    name: str,
) -> te.Tensor:
    """The number (i64) of the first place that matches: looked for in rows (in those that match, as any
    place in them tells), there in blocks, whose lanes are joined, and then in that block."""
    size, zero = x.shape[-1], te.const(0, "index")
    end, blocks = te.cast(size, "index"), te.cast(size // LANES, "index")

    def compute(ib: KernelBuilder, rows: Rows) -> te.Scalar:
        found = ib.var(otherwise, "i64", name="found")

        def is_wanted(found: te.Scalar, at: Callable[[te.Scalar], Place]) -> te.Scalar:
            is_open, may = te.equal(found, otherwise), row_matches
            return is_open if may is None else ib.both(is_open, lambda: may(*at(zero)))

        with rows() as at, ib.if_(is_wanted(found.value, at)):
            block, any_ = ib.var(0, "index", name="block"), ib.var(0, "i32", name="any")
            with ib.while_(lambda: te.equal(any_.value, 0) & (block.value < blocks)):
                start = block.value * LANES
                with ib.for_(LANES, name="lane") as lane:
                    any_.value = any_.value | matches(*at(start + lane)).astype("i32")
                increment(block)
            k = ib.var((block.value - any_.value.astype("index")) * LANES, "index", name="k")
            with ib.if_(te.equal(any_.value, 1)):
                first = ib.var(LANES, "i32", name="first")
                with ib.for_(LANES, name="lane") as lane:
                    other = te.select(matches(*at(k.value + lane)), lane.astype("i32"), LANES)
                    first.value = te.minimum(first.value, other)
                k.value = k.value + first.value.astype("index")
            with (
                ib.else_(),
                ib.while_(lambda: ib.both(k.value < end, lambda: ~matches(*at(k.value)))),
            ):
                increment(k)
            with ib.if_(k.value < end):
                found.value = number(at(k.value))
        return found.value

    return _by_rows(x, axes, shape, "i64", name, compute)
