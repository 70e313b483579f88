"""Reductions along contiguous rows, in lanes.

A float that is added to is added to again only when that is done, and C compilers do not reorder the
additions. So every lane reduces its own elements, `LANES` apart, which vectorises, and the lanes are
reduced at the end. (Errors grow less, too: each sum is shorter.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeAlias

from lowering.legalize.kernels import increment, loops
from relax_dialect import te
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType, kind
from relax_dialect.te.kernel import Buffer, KernelBuilder

LANES = 64

Place: TypeAlias = tuple[te.Scalar, ...]
Rows: TypeAlias = Callable[[], AbstractContextManager[Callable[[te.Scalar], Place]]]
"""`with rows() as at:` is a loop over rows of x, where `at(k)` is the place of the element k of one."""


def long_rows(size: Expr) -> bool:
    """Whether rows are so long that lanes may help, or of a length that is not known."""
    return size.value is None or size.value >= 2 * LANES


def lanes_help(size: Expr, dtype: DType) -> bool:
    """Whether to reduce in lanes: integers are reordered by C compilers."""
    return kind(dtype) == "float" and long_rows(size)


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


def reduce_in_lanes(
    x: te.Tensor,
    axes: Sequence[int],
    reducer: te.Reducer,
    element: Callable[..., te.Scalar],
    dtype: DType,
    shape: Sequence[Expr],
    name: str,
) -> te.Tensor:
    """The reduction of `element(*place)`, of a type, over axes of x."""
    size, start = x.shape[-1], reducer.identity(dtype)
    blocks, rest = (te.cast(n, "index") for n in (size // LANES, size % LANES))

    def compute(ib: KernelBuilder, rows: Rows) -> te.Scalar:
        lanes = ib.allocate((LANES,), dtype, name="lanes")
        ib.fill(lanes, start)

        def join(count: object, value: Callable[[te.Scalar], Any]) -> None:
            """Reduce a lane, and a value that depends on it, to that lane."""
            with ib.for_(count, name="lane") as lane:
                lanes[lane] = reducer.combine(lanes[lane], value(lane))

        with rows() as at:
            with ib.for_(blocks, name="block") as block:
                join(LANES, lambda lane: element(*at(block * LANES + lane)))
            join(rest, lambda lane: element(*at(blocks * LANES + lane)))
        width = LANES
        while width > 1:
            width //= 2
            join(width, lambda lane, width=width: lanes[lane + width])
        return lanes[0]

    return _by_rows(x, axes, shape, dtype, name, compute)


def first_in_lanes(
    x: te.Tensor,
    axes: Sequence[int],
    matches: Callable[..., te.Scalar],
    number: Callable[[Place], te.Scalar],
    otherwise: te.Scalar,
    shape: Sequence[Expr],
    name: str,
) -> te.Tensor:
    """The number (i64) of the first place that matches: looked for in blocks, whose lanes are joined, and
    then in that block."""
    size = x.shape[-1]
    end, blocks = te.cast(size, "index"), te.cast(size // LANES, "index")

    def compute(ib: KernelBuilder, rows: Rows) -> te.Scalar:
        found = ib.var(otherwise, "i64", name="found")
        with rows() as at, ib.if_(te.equal(found.value, otherwise)):
            block, any_ = ib.var(0, "index", name="block"), ib.var(0, "i32", name="any")
            with ib.while_(lambda: te.equal(any_.value, 0) & (block.value < blocks)):
                start = block.value * LANES
                with ib.for_(LANES, name="lane") as lane:
                    any_.value = any_.value | matches(*at(start + lane)).astype("i32")
                increment(block)
            k = ib.var((block.value - any_.value.astype("index")) * LANES, "index", name="k")
            with ib.while_(lambda: ib.both(k.value < end, lambda: ~matches(*at(k.value)))):
                increment(k)
            with ib.if_(k.value < end):
                found.value = number(at(k.value))
        return found.value

    return _by_rows(x, axes, shape, "i64", name, compute)
