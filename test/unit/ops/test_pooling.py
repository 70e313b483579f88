"""Pools, as compiled C, against numpy's reductions of one window at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.pooling import (
    OPS,
    AdaptiveAvgPool1dOp,
    AdaptiveAvgPool2dOp,
    AdaptiveAvgPool3dOp,
    AdaptiveMaxPool1dOp,
    AdaptiveMaxPool2dOp,
    AdaptiveMaxPool3dOp,
    AvgPool1dOp,
    AvgPool2dOp,
    AvgPool3dOp,
    MaxPool1dOp,
    MaxPool1dWithIndicesOp,
    MaxPool2dOp,
    MaxPool2dWithIndicesOp,
    MaxPool3dOp,
    MaxPool3dWithIndicesOp,
)

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, special, tensor
from .stopping import both_stop
from .test_convolution import SIZES, margins, whole


def least(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def windows(
    x: np.ndarray, pool_size: Any, strides: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[list[int], Callable[[Sequence[int]], np.ndarray]]:
    """How many windows there are along each axis, and the elements of x in the one at a position,
    as [n, c, element]."""
    rank = x.ndim - 2
    k, s, d = (whole(v, rank) for v in (pool_size, strides, dilation))
    around, sizes = margins(padding, rank), x.shape[2:]
    counts = []
    for size, span, step, (before, after) in zip(
        sizes, [b * (a - 1) + 1 for a, b in zip(k, d)], s, around
    ):
        starts = range(-before, size + after, step)
        fits = [a for a in starts if a + span <= size + after]
        more = [
            a
            for a in starts[len(fits) :]
            if a < size and starts[len(fits) - 1] + span < size + after
        ]
        counts.append(len(fits) + (ceil_mode and len(more[:1])))

    def seen(position: Sequence[int]) -> np.ndarray:
        kept = [
            np.array([i for i in range(a, a + b * c, c) if 0 <= i < size], int)
            for a, b, c, size in zip(
                (p * b - e[0] for p, b, e in zip(position, s, around)), k, d, sizes
            )
        ]
        return flat(x[(..., *np.ix_(*kept))])

    return counts, seen


def flat(x: np.ndarray) -> np.ndarray:
    """The elements of each channel in a row."""
    return x.reshape(*x.shape[:2], int(np.prod(x.shape[2:])))


def pooled(x: np.ndarray, counts: Sequence[int], element: Callable) -> np.ndarray:
    """An array whose elements at a position are `element(position)`."""
    y = np.empty((*x.shape[:2], *counts), x.dtype)
    for position in np.ndindex(*counts):
        y[(..., *position)] = element(position)
    return y


def max_pool(
    x: np.ndarray,
    pool_size: Any = 1,
    strides: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> np.ndarray:
    counts, seen = windows(x, pool_size, strides, padding, dilation, ceil_mode)
    return pooled(x, counts, lambda p: seen(p).max(-1, initial=least(x.dtype)))


def max_pool_with_indices(
    x: np.ndarray,
    pool_size: Any = 1,
    strides: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    column_major: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.arange(x.size).reshape(x.shape)
    if column_major:
        numbers = np.arange(x.size).reshape(*x.shape[:2], *x.shape[:1:-1]).T
        numbers = np.moveaxis(numbers, [-1, -2], [0, 1])
    words = pool_size, strides, padding, dilation, ceil_mode
    counts, seen = windows(x, *words)
    _, where = windows(numbers, *words)

    def first(position: Sequence[int]) -> np.ndarray:
        elements, places = seen(position), where(position)
        if not elements.shape[-1]:
            return np.full(x.shape[:2], -1)
        return np.take_along_axis(places, elements.argmax(-1)[..., None], -1)[..., 0]

    return max_pool(x, *words), pooled(numbers, counts, first)


def few_numbers(x: np.ndarray) -> np.ndarray:
    """Integers among which several are the largest."""
    return np.rint(x)


def avg_pool(
    x: np.ndarray,
    pool_size: Any = 1,
    strides: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> np.ndarray:
    counts, seen = windows(x, pool_size, strides, padding, dilation, ceil_mode)
    everywhere = np.prod(whole(pool_size, x.ndim - 2)) if count_include_pad else None

    def mean(position: Sequence[int]) -> np.ndarray:
        found = seen(position).astype("d")
        return found.sum(-1) / (everywhere or max(found.shape[-1], 1))

    return pooled(x, counts, mean)


def adaptive(reduction: Callable) -> Callable:
    """A reduction of the parts of x that `np.linspace` divides, rounded outwards."""

    def pool(x: np.ndarray, output_size: Any = None) -> np.ndarray:
        rank = x.ndim - 2
        counts = list(x.shape[2:]) if output_size is None else whole(output_size, rank)

        def element(position: Sequence[int]) -> np.ndarray:
            cut = []
            for p, size, count in zip(position, x.shape[2:], counts):
                first, end = p * size / count, (p + 1) * size / count
                cut.append(slice(int(np.floor(first)), int(np.ceil(end))))
            return reduction(flat(x[(..., *cut)]))

        return pooled(x, counts, element)

    return pool


adaptive_max = adaptive(lambda seen: seen.max(-1))
adaptive_avg = adaptive(lambda seen: seen.mean(-1, dtype="d"))


def near_the_ends(x: np.ndarray) -> np.ndarray:
    """Integers whose sums do not fit their type."""
    return np.where(x < 0, x - 78, x + 78).astype(x.dtype)


def case(op: Any, meaning: Callable, type: Any, *, sizes: Any = SIZES, **how: Any) -> Case:
    """A pool with arguments that numpy's function takes too."""
    more = {key: how.pop(key) for key in ("values", "tolerance") if key in how}
    return Case(lambda x: op(x, **how), [type], lambda x: meaning(x, **how), sizes, **more)


def channels_last(op: Any, meaning: Callable, **how: Any) -> Case:
    def moved(x: np.ndarray) -> np.ndarray:
        return np.moveaxis(meaning(np.moveaxis(x, -1, 1), **how), 1, -1)

    return Case(lambda x: op(x, layout="NHWC", **how), [tensor("n", "h", "w", "c")], moved, SIZES)


row, image = tensor("n", "c", "w"), tensor("n", "c", "h", "w")
volume = tensor("n", "c", "d", "h", "w")

CASES: dict[str, Case] = {}
for op, meaning in (
    (MaxPool1dOp, max_pool),
    (AvgPool1dOp, avg_pool),
):
    name = op.name.removeprefix("relax.")
    CASES[name] = case(op, meaning, row, pool_size=3)
    CASES[f"{name}_all"] = case(
        op, meaning, row, pool_size=2, strides=3, padding=(2, 1), dilation=2, ceil_mode=True
    )
    CASES[f"{name}_long"] = case(op, meaning, row, pool_size=40, strides=2, padding=20)
CASES |= {
    "max_pool1d_with_indices": case(
        MaxPool1dWithIndicesOp, max_pool_with_indices, row,
        pool_size=3, strides=2, padding=(1, 2), ceil_mode=True, values=few_numbers,
    ),
    "max_pool2d_with_indices": case(
        MaxPool2dWithIndicesOp, max_pool_with_indices, image,
        pool_size=(3, 2), strides=(1, 2), padding=1, dilation=2, column_major=True, values=special,
    ),
    "max_pool2d_with_indices_i8": case(
        MaxPool2dWithIndicesOp, max_pool_with_indices, tensor("n", "c", "h", "w", dtype="i8"),
        pool_size=2, padding=2,
    ),
    "max_pool3d_with_indices": case(
        MaxPool3dWithIndicesOp, max_pool_with_indices, tensor("n", "c", "d", "h", "w", dtype="f16"),
        pool_size=(2, 1, 3), padding=(1, 0, 2), column_major=True, values=few_numbers,
    ),
}  # fmt: skip
for op, meaning in (
    (MaxPool2dOp, max_pool),
    (AvgPool2dOp, avg_pool),
):
    name = op.name.removeprefix("relax.")
    CASES[f"{name}_default"] = case(op, meaning, image)
    CASES[f"{name}_halves"] = case(op, meaning, image, pool_size=2, strides=2)
    CASES[f"{name}_padded"] = case(op, meaning, image, pool_size=(3, 2), padding=(0, 1, 1, 0))
    CASES[f"{name}_ceil"] = case(
        op, meaning, image, pool_size=3, strides=(2, 3), padding=1, ceil_mode=True
    )
    CASES[f"{name}_dilation"] = case(
        op, meaning, image, pool_size=2, dilation=(2, 3), padding=(1, 2)
    )
    CASES[f"{name}_nhwc"] = channels_last(op, meaning, pool_size=3, strides=2, padding=1)
    CASES[f"{name}_nan"] = case(
        op, meaning, image, pool_size=2, padding=1, values=special, tolerance=1e-3
    )
    CASES[f"{name}_f16"] = case(op, meaning, tensor("n", "c", "h", "w", dtype="f16"), pool_size=3)
    CASES[f"{name}_static"] = case(
        op, meaning, tensor(1, 2, 6, 7), pool_size=3, strides=2, sizes=STATIC
    )
CASES |= {
    "max_pool2d_i8": case(
        MaxPool2dOp, max_pool, tensor("n", "c", "h", "w", dtype="i8"), pool_size=2, padding=2
    ),
    "max_pool2d_ui16": case(
        MaxPool2dOp, max_pool, tensor("n", "c", "h", "w", dtype="ui16"), pool_size=2
    ),
    "avg_pool2d_include": case(
        AvgPool2dOp, avg_pool, image, pool_size=3, padding=1, count_include_pad=True
    ),
    "avg_pool2d_f64": case(
        AvgPool2dOp, avg_pool, tensor("n", "c", "h", "w", dtype="f64"), pool_size=3, padding=1
    ),
    "avg_pool2d_i8": case(
        AvgPool2dOp,
        avg_pool,
        tensor("n", "c", "h", "w", dtype="i8"),
        pool_size=3,
        padding=1,
        ceil_mode=True,
        strides=2,
        values=near_the_ends,
    ),
    "avg_pool2d_ui64": case(
        AvgPool2dOp,
        avg_pool,
        tensor("n", "c", "h", "w", dtype="ui64"),
        pool_size=(2, 3),
        padding=1,
        count_include_pad=True,
    ),
    "adaptive_avg_pool2d_i8": case(
        AdaptiveAvgPool2dOp,
        adaptive_avg,
        tensor("n", "c", "h", "w", dtype="i8"),
        output_size=2,
        values=near_the_ends,
    ),
    "max_pool3d": case(MaxPool3dOp, max_pool, volume, pool_size=(2, 3, 2), strides=2, padding=1),
    "avg_pool3d": case(AvgPool3dOp, avg_pool, volume, pool_size=(2, 3, 2), strides=2, padding=1),
}
for one, two, three, meaning in (
    (AdaptiveMaxPool1dOp, AdaptiveMaxPool2dOp, AdaptiveMaxPool3dOp, adaptive_max),
    (AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp, adaptive_avg),
):
    name = two.name.removeprefix("relax.")
    CASES |= {
        one.name.removeprefix("relax."): case(one, meaning, row, output_size=4),
        f"{name}_global": case(two, meaning, image, output_size=1),
        f"{name}_same": case(two, meaning, image),
        f"{name}_parts": case(two, meaning, image, output_size=(2, 3)),
        f"{name}_finer": case(two, meaning, image, output_size=(9, 1)),
        f"{name}_halves": case(two, meaning, tensor("n", "c", 6, "w"), output_size=(2, 3)),
        f"{name}_nhwc": channels_last(two, meaning, output_size=(1, 2)),
        f"{name}_f16": case(two, meaning, tensor("n", "c", "h", "w", dtype="f16"), output_size=2),
        f"{name}_nan": case(two, meaning, image, output_size=2, values=special, tolerance=1e-3),
        three.name.removeprefix("relax."): case(three, meaning, volume, output_size=(1, 2, 3)),
    }


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES, LIGHTLY)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_a_window_that_does_not_fit_is_an_error(model: CompiledModule):
    message = "relax.avg_pool2d: expected a size of 0 or more along W of the result (C3); pad x"
    both_stop(model, CASES, "avg_pool2d_f16", (1, 2, 3, 1), message=message)


@pytest.mark.parametrize(
    "sizes", [{"n": 1, "c": 2, "h": 4, "w": 2}, {"n": 1, "c": 2, "h": 2, "w": 2}]
)
@pytest.mark.parametrize("name", ["max_pool1d", "avg_pool2d_f16", "max_pool2d_f16"])
def test_windows_that_fit_nowhere_give_nothing(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, [sizes])


@pytest.mark.parametrize("name", ["adaptive_max_pool2d_same", "adaptive_avg_pool2d_parts"])
def test_an_empty_image_is_an_error(model: CompiledModule, name: str):
    message = "expected x to have 1 or more elements along H (C3); there is nothing to reduce"
    both_stop(model, CASES, name, (1, 2, 0, 1), message=message)
