"""Cases of the operators on slices; numpy's word is Python's own `range(*slice.indices(size))`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.slicing import DynamicStridedSliceOp, SliceScatterOp, StridedSliceOp

from .compiled import STATIC, Case, Sizes, shape, tensor

Bounds = Sequence[int | None]


def picked(x: np.ndarray, axes: Sequence[int], slices: Sequence[slice]) -> tuple[Any, ...]:
    """The places in x that slices pick, as open grid."""
    places = [list(range(size)) for size in x.shape]
    for axis, each in zip(axes, slices):
        places[axis] = list(range(*each.indices(x.shape[axis])))
    return np.ix_(*(np.array(p, np.int64) for p in places))


def strided(
    type: TensorType,
    axes: Sequence[int],
    begin: Bounds,
    end: Bounds,
    strides: Any = None,
    **more: Any,
) -> Case:
    def meaning(x: np.ndarray) -> np.ndarray:
        found = [slice(*each) for each in zip(begin, end, strides or [1] * len(axes))]
        return x[picked(x, axes, found)]

    inbound = more.pop("assume_inbound", False)
    build = lambda x: StridedSliceOp(x, axes, begin, end, strides, inbound)  # noqa: E731
    return Case(build, [type], meaning, **more)


def scatter(
    type: TensorType,
    src: TensorType,
    start: int | None,
    end: int | None,
    step: int = 1,
    axis: int = 0,
    **more: Any,
) -> Case:
    def meaning(x: np.ndarray, src: np.ndarray) -> np.ndarray:
        result = x.copy()
        result[picked(x, [axis], [slice(start, end, step)])] = src
        return result

    build = lambda x, src: SliceScatterOp(x, src, start, end, step, axis)  # noqa: E731
    return Case(build, [type, src], meaning, **more)


def dynamic(type: TensorType, bounds: Sequence[Bounds], dtype: str = "i64", **more: Any) -> Case:
    """Begin, end and stride of each axis, given to the program in three vectors."""
    vectors = [np.array(v) for v in zip(*bounds)] if bounds else [np.zeros(0)] * 3

    def meaning(x: np.ndarray, *given: np.ndarray) -> np.ndarray:
        found = [slice(*map(int, each)) for each in zip(*given)]
        return x[picked(x, range(x.ndim), found)] if x.ndim else x

    values = [lambda x: x, *(lambda old, v=v: v.astype(old.dtype) for v in vectors)]
    types = [type, *more.pop("vectors", [tensor(len(bounds), dtype=dtype)] * 3)]
    return Case(DynamicStridedSliceOp, types, meaning, values=values, **more)


FAR = 2**63 - 1

BIG: Sequence[Sizes] = ({"n": 9, "m": 4}, {"n": 2, "m": 2}, {"n": 5, "m": 0})

CASES: dict[str, Case] = {
    "strided_slice": strided(tensor("n", "m"), [0], [1], [5]),
    "strided_slice_steps": strided(tensor("n", "m"), [0, 1], [0, 1], [None, None], [2, 3]),
    "strided_slice_from_end": strided(tensor("n", "m"), [-1], [-3], [-1]),
    "strided_slice_last": strided(tensor("n", dtype="i16"), [0], [-2], [None]),
    "strided_slice_mixed": strided(tensor("n", "m"), [1, 0], [-4, 2], [4, -1], [2, 1]),
    "strided_slice_reversed": strided(tensor("n", "m"), [1], [None], [None], [-1]),
    "strided_slice_reversed_steps": strided(tensor("n", 9), [0, 1], [-2, 7], [0, -9], [-2, -3]),
    "strided_slice_reversed_end": strided(tensor("n"), [0], [3], [-4], [-1]),
    "strided_slice_empty": strided(tensor("n", 4), [1], [3], [1]),
    "strided_slice_beyond": strided(tensor("n", 4), [0, 1], [100, -100], [200, 100]),
    "strided_slice_far": strided(
        tensor("n", "m"), [0, 1], [FAR, -FAR - 1], [-FAR - 1, FAR], [1, FAR]
    ),
    "strided_slice_far_back": strided(
        tensor("n", "m"), [0, 1], [FAR, -FAR - 1], [-FAR - 1, FAR], [-FAR - 1, -1]
    ),
    "strided_slice_static": strided(
        tensor(7, 5, dtype="f16"), [0, 1], [5, 0], [0, -1], [-2, 2], sizes=STATIC
    ),
    "strided_slice_inbound": strided(
        tensor("n", 5), [0, 1], [1, -2], [-1, 5], assume_inbound=True, sizes=BIG
    ),
    "strided_slice_symbolic": Case(
        lambda x, m: StridedSliceOp(x, [0], ["m"], ["n - 1"]),
        [tensor("n"), shape("m")],
        lambda x, m: x[m[0] : len(x) - 1],
        BIG,
    ),
    "slice_scatter": scatter(tensor("n", 8), tensor("n", 3), 2, 5, axis=1),
    "slice_scatter_steps": scatter(
        tensor("n", 7, dtype="i64"), tensor("n", 3, dtype="i64"), 1, None, 2, axis=-1
    ),
    "slice_scatter_reversed": scatter(tensor(5), tensor(5), None, None, -1, sizes=STATIC),
    "slice_scatter_unproved": scatter(
        tensor("n", 2), tensor("k", 2), 1, None, sizes=[{"n": 4, "k": 3}, {"n": 0, "k": 0}]
    ),
    "dynamic_strided_slice": dynamic(tensor("n", "m"), [(1, 5, 1), (-3, -1, 1)]),
    "dynamic_strided_slice_steps": dynamic(tensor("n", "m"), [(0, 100, 2), (9, -100, -2)], "i32"),
    "dynamic_strided_slice_far": dynamic(
        tensor("n", 4), [(FAR, -FAR - 1, -1), (-FAR - 1, FAR, FAR)]
    ),
    "dynamic_strided_slice_unproved": dynamic(
        tensor("n"),
        [(1, 4, 2)],
        vectors=[tensor(name, dtype="i64") for name in ("b", "e", "s")],
        sizes=[{"n": 5, "b": 1, "e": 1, "s": 1}],
    ),
    "dynamic_strided_slice_unsigned": dynamic(tensor("n"), [(1, 2**64 - 1, 3)], "ui64"),
    "dynamic_strided_slice_scalar": dynamic(tensor(), [], sizes=STATIC),
    "dynamic_strided_slice_static": dynamic(
        tensor(5, dtype="i8"), [(4, 0, -3)], "i8", sizes=STATIC
    ),
}
