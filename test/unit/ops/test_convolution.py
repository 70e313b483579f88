"""Convolutions, as compiled C, against sums over one window at a time in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional import LIGHTLY
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import run
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.convolution import (
    OPS,
    Conv1dOp,
    Conv1dTransposeOp,
    Conv2dOp,
    Conv2dTransposeOp,
    Conv3dOp,
    Conv3dTransposeOp,
)

from .compiled import (
    STATIC,
    Case,
    Sizes,
    check,
    compile_cases,
    compile_some,
    each_case,
    special,
    tensor,
)
from .stopping import both_stop

SIZES: Sequence[Sizes] = (
    {"n": 2, "c": 3, "o": 5, "h": 7, "w": 9, "d": 4, "k": 3},
    {"n": 1, "c": 1, "o": 1, "h": 5, "w": 17, "d": 5, "k": 1},
    {"n": 0, "c": 2, "o": 3, "h": 6, "w": 5, "d": 6, "k": 2},
    {"n": 1, "c": 0, "o": 2, "h": 5, "w": 6, "d": 5, "k": 3},
)
"""No image, no channel, and odd sizes that the windows fit into."""


def whole(numbers: int | Sequence[int], rank: int) -> list[int]:
    """One number for each spatial axis."""
    return [numbers] * rank if isinstance(numbers, int) else list(numbers)


def margins(padding: int | Sequence[int], rank: int) -> list[tuple[int, int]]:
    """The padding before and after each spatial axis."""
    given = whole(padding, rank)
    return list(zip(given[:rank], given[rank:] or given))


def wide(dtype: np.dtype) -> np.dtype:
    """The type that numpy sums in."""
    return dtype if dtype.kind in "iu" else np.dtype("d")


def moved(array: np.ndarray, source: str, target: str) -> np.ndarray:
    """The axes of an array, named by letters, in another order."""
    return np.moveaxis(array, [source.index(letter) for letter in target], range(len(target)))


def forward(
    x: np.ndarray,
    w: np.ndarray,
    strides: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    dtype: Any = None,
) -> np.ndarray:
    """Every window of x with the filters of every group, one after the other."""
    rank = x.ndim - 2
    s, d = whole(strides, rank), whole(dilation, rank)
    dtype = np.dtype(dtype or x.dtype)
    x = np.pad(x, [(0, 0), (0, 0), *margins(padding, rank)]).astype(wide(dtype))
    w = w.astype(wide(dtype))
    spans = [b * (k - 1) + 1 for b, k in zip(d, w.shape[2:])]
    counts = [(size - span) // a + 1 for size, span, a in zip(x.shape[2:], spans, s)]
    y = np.zeros((len(x), len(w), *counts), wide(dtype))
    inputs, outputs = w.shape[1], len(w) // groups
    for place in np.ndindex(*counts):
        cut = [slice(p * a, p * a + span, b) for p, a, span, b in zip(place, s, spans, d)]
        for g in range(groups):
            window = x[(slice(None), slice(g * inputs, (g + 1) * inputs), *cut)]
            filters = w[g * outputs : (g + 1) * outputs]
            axes = list(range(1, x.ndim))
            found = np.tensordot(window, filters, (axes, axes))
            y[(slice(None), slice(g * outputs, (g + 1) * outputs), *place)] = found
    return y.astype(dtype)


def transposed(
    x: np.ndarray,
    w: np.ndarray,
    strides: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> np.ndarray:
    """Every element of x adds the kernel times itself to the result."""
    rank, dtype = x.ndim - 2, x.dtype
    s, d, more = (whole(v, rank) for v in (strides, dilation, output_padding))
    x, w = x.astype(wide(dtype)), w.astype(wide(dtype))
    spans = [b * (k - 1) + 1 for b, k in zip(d, w.shape[2:])]
    sizes = [(size - 1) * a + k + e for size, a, k, e in zip(x.shape[2:], s, spans, more)]
    inputs, outputs = x.shape[1] // groups, w.shape[1]
    y = np.zeros((len(x), groups * outputs, *sizes), wide(dtype))
    for place in np.ndindex(*x.shape[2:]):
        cut = [slice(p * a, p * a + span, b) for p, a, span, b in zip(place, s, spans, d)]
        for g in range(groups):
            kernel = w[g * inputs : (g + 1) * inputs]
            column = x[(slice(None), slice(g * inputs, (g + 1) * inputs), *place)]
            added = np.tensordot(column, kernel, (1, 0))
            y[(slice(None), slice(g * outputs, (g + 1) * outputs), *cut)] += added
    ends = [size - after for size, (_, after) in zip(sizes, margins(padding, rank))]
    kept = [slice(before, end) for (before, _), end in zip(margins(padding, rank), ends)]
    return y[(slice(None), slice(None), *kept)].astype(dtype)


def case(
    op: Any, meaning: Callable, types: Sequence[Any], *, sizes: Any = SIZES, **how: Any
) -> Case:
    """A convolution with arguments that numpy's function takes too."""
    more = {key: how.pop(key) for key in ("values", "tolerance") if key in how}
    more.setdefault("tolerance", 1e-4)
    return Case(
        lambda x, w: op(x, w, **how), types, lambda x, w: meaning(x, w, **how), sizes, **more
    )


def in_layouts(data: str, kernel: str, out: str, **how: Any) -> Callable:
    """The meaning of a convolution of images whose operands and result have other layouts."""

    def meaning(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        y = forward(moved(x, data, "NCHW"), moved(w, kernel, "OIHW"), **how)
        return moved(y, "NCHW", out)

    return meaning


def layout_case(data: str, kernel: str, out: str, types: Sequence[Any], **how: Any) -> Case:
    meaning = in_layouts(data, kernel, out, **how)
    layouts: dict[str, Any] = {"data_layout": data, "kernel_layout": kernel, "out_layout": out}
    return Case(
        lambda x, w: Conv2dOp(x, w, **how, **layouts), types, meaning, SIZES, tolerance=1e-4
    )


image, kernel = tensor("n", "c", "h", "w"), tensor("o", "c", 3, 3)
volume, cube = tensor("n", "c", "d", "h", "w"), tensor("o", "c", 2, 3, 2)
row = tensor("n", "c", "w")

CASES: dict[str, Case] = {
    "conv1d": case(Conv1dOp, forward, [row, tensor("o", "c", 3)]),
    "conv1d_all": case(
        Conv1dOp,
        forward,
        [tensor("n", 6, "w"), tensor(4, 3, 3)],
        strides=2,
        padding=(2, 1),
        dilation=2,
        groups=2,
    ),
    "conv1d_long": case(Conv1dOp, forward, [row, tensor("o", "c", 40)], strides=3, padding=20),
    "conv2d": case(Conv2dOp, forward, [image, kernel]),
    "conv2d_padded": case(Conv2dOp, forward, [image, kernel], padding=(0, 1, 2, 3)),
    "conv2d_strides": case(Conv2dOp, forward, [image, kernel], strides=(3, 2), padding=1),
    "conv2d_dilation": case(
        Conv2dOp, forward, [image, kernel], strides=(1, 3), dilation=(1, 2), padding=(0, 2)
    ),
    "conv2d_point": case(Conv2dOp, forward, [image, tensor("o", "c", 1, 1)], strides=2),
    "conv2d_symbolic_kernel": case(
        Conv2dOp, forward, [image, tensor("o", "c", "k", "k")], strides=2, padding=1
    ),
    "conv2d_seven": case(Conv2dOp, forward, [image, tensor("o", "c", 7, 7)], strides=2, padding=3),
    "conv2d_depthwise": case(
        Conv2dOp, forward, [tensor("n", 4, "h", "w"), tensor(4, 1, 3, 3)], padding=1, groups=4
    ),
    "conv2d_multiplier": case(
        Conv2dOp, forward, [tensor("n", 3, "h", "w"), tensor(6, 1, 3, 3)], strides=2, groups=3
    ),
    "conv2d_groups": case(
        Conv2dOp, forward, [tensor("n", "2 * c", "h", "w"), tensor(4, "c", 3, 3)], groups=2
    ),
    "conv2d_unproved": case(
        Conv2dOp,
        forward,
        [image, tensor("o", "k", 3, 3)],
        sizes=[{"n": 1, "c": 2, "h": 5, "w": 4, "o": 3, "k": 2}],
    ),
    "conv2d_unproved_groups": case(
        Conv2dOp,
        forward,
        [image, tensor("o", "k", 3, 3)],
        groups=2,
        sizes=[{"n": 2, "c": 6, "h": 3, "w": 6, "o": 4, "k": 3}],
    ),
    "conv2d_static": case(
        Conv2dOp, forward, [tensor(1, 3, 8, 9), tensor(4, 3, 3, 3)], padding=1, sizes=STATIC
    ),
    "conv2d_nan": case(Conv2dOp, forward, [image, kernel], padding=1, values=special),
    "conv2d_f64": case(
        Conv2dOp,
        forward,
        [tensor("n", "c", "h", "w", dtype="f64"), tensor("o", "c", 3, 3, dtype="f64")],
        tolerance=1e-12,
    ),
    "conv2d_f16": case(
        Conv2dOp,
        forward,
        [tensor("n", "c", "h", "w", dtype="f16"), tensor("o", "c", 3, 3, dtype="f16")],
        tolerance=2e-3,
    ),
    "conv2d_i8": case(
        Conv2dOp,
        lambda x, w, padding, out_dtype: forward(x, w, padding=padding, dtype=np.int32),
        [tensor("n", "c", "h", "w", dtype="i8"), tensor("o", "c", 3, 3, dtype="i8")],
        padding=1,
        out_dtype="i32",
    ),
    "conv2d_ui8_i8": case(
        Conv2dOp,
        lambda x, w, out_dtype: forward(x, w, dtype=np.int32),
        [tensor("n", "c", "h", "w", dtype="ui8"), tensor("o", "c", 3, 3, dtype="i8")],
        out_dtype="i32",
    ),
    "conv2d_i32": case(
        Conv2dOp,
        forward,
        [tensor("n", "c", "h", "w", dtype="i32"), tensor("o", "c", 3, 3, dtype="i32")],
        strides=2,
    ),
    "conv2d_nhwc": layout_case(
        "NHWC", "OIHW", "NHWC", [tensor("n", "h", "w", "c"), kernel], strides=2, padding=1
    ),
    "conv2d_hwio": layout_case(
        "NHWC", "HWIO", "NHWC", [tensor("n", "h", "w", 4), tensor(3, 3, 2, 6)], groups=2
    ),
    "conv2d_nhwc_depthwise": layout_case(
        "NHWC", "OIHW", "NHWC", [tensor("n", "h", "w", 4), tensor(4, 1, 3, 3)], groups=4
    ),
    "conv2d_two_channels": layout_case(
        "NHWC", "OIHW", "NHWC", [tensor(1, "h", "w", 2), tensor(2, 2, 3, 3)], padding=1
    ),
    "conv2d_relaid": layout_case(
        "NHWC", "IHWO", "NCHW", [tensor("n", "h", "w", "c"), tensor("c", 3, 3, "o")], padding=1
    ),
    "conv3d": case(Conv3dOp, forward, [volume, cube]),
    "conv3d_all": case(
        Conv3dOp,
        forward,
        [tensor("n", 4, "d", "h", "w"), tensor(2, 2, 2, 3, 2)],
        strides=(1, 2, 2),
        padding=(0, 1, 2),
        dilation=(1, 2, 1),
        groups=2,
    ),
    "conv1d_transpose": case(Conv1dTransposeOp, transposed, [row, tensor("c", "o", 3)]),
    "conv1d_transpose_all": case(
        Conv1dTransposeOp,
        transposed,
        [tensor("n", 6, "w"), tensor(6, 2, 3)],
        strides=3,
        padding=(1, 2),
        output_padding=2,
        dilation=2,
        groups=2,
    ),
    "conv2d_transpose": case(
        Conv2dTransposeOp,
        transposed,
        [image, tensor("c", "o", 3, 3)],
        strides=2,
        padding=1,
        output_padding=1,
    ),
    "conv2d_transpose_cut": case(
        Conv2dTransposeOp, transposed, [image, tensor("c", "o", 2, 2)], padding=2, strides=(2, 1)
    ),
    "conv2d_transpose_symbolic_kernel": case(
        Conv2dTransposeOp, transposed, [image, tensor("c", "o", "k", "k")], strides=2, dilation=3
    ),
    "conv2d_transpose_f16": case(
        Conv2dTransposeOp,
        transposed,
        [tensor("n", "c", "h", "w", dtype="f16"), tensor("c", "o", 3, 3, dtype="f16")],
        tolerance=2e-3,
    ),
    "conv3d_transpose": case(
        Conv3dTransposeOp,
        transposed,
        [tensor("n", 2, "d", "h", "w"), tensor(2, 1, 2, 3, 2)],
        strides=(2, 1, 3),
        groups=2,
    ),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES, LIGHTLY)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("name", CASES)
def test_padding_asks_nothing_of_elements(name: str):
    """A choice for every element is slow, and one that gcc 12 vectorises wrongly for some channels."""
    module = ModuleOp([CASES[name].function(name)])
    lowering.lower(module, ["relax-legalize"])
    assert not any(op.name in ("scf.if", "arith.select") for op in module.walk())


TOO_SMALL = (
    "relax.conv2d: expected a size of 0 or more along H of the result (C3); pad x, or narrow"
)
CHANNELS = "relax.conv2d: expected x to have the channels that 'weight' reads (C8); correct x"


@pytest.mark.slow
def test_a_window_that_does_not_fit_is_an_error(model: CompiledModule):
    both_stop(model, CASES, "conv2d", (1, 2, 1, 5), (4, 2, 3, 3), message=TOO_SMALL)
    message = TOO_SMALL.replace("conv2d", "conv2d_transpose").replace("H", "W")
    both_stop(model, CASES, "conv2d_transpose_cut", (1, 2, 4, 2), (2, 1, 2, 2), message=message)


EMPTY: dict[str, Sequence[Sizes]] = {
    "conv1d": [{"n": 2, "c": 2, "o": 3, "w": 2}],
    "conv2d": [{"n": 1, "c": 2, "o": 3, "h": 2, "w": 5}, {"n": 1, "c": 2, "o": 3, "h": 2, "w": 2}],
    "conv2d_strides": [{"n": 1, "c": 2, "o": 3, "h": 0, "w": 5}],
    "conv2d_transpose": [{"n": 1, "c": 2, "o": 3, "h": 0, "w": 2}],
    "conv2d_transpose_cut": [{"n": 1, "c": 2, "o": 1, "h": 4, "w": 3}],
    "conv2d_transpose_symbolic_kernel": [{"n": 1, "c": 2, "o": 3, "h": 0, "w": 2, "k": 2}],
}
"""Sizes of images that are too small by one; the last lead to zeros that no element of x added to."""


@pytest.mark.parametrize("name", EMPTY)
def test_windows_that_fit_nowhere_give_nothing(model: CompiledModule, name: str):
    check(model, CASES, name, EMPTY[name])


@pytest.mark.slow
@pytest.mark.parametrize("height", [0, 1])
def test_a_size_below_zero_is_an_error(model: CompiledModule, height: int):
    found = f"(C3), found {height - 2}; pad x, or narrow the window"
    both_stop(model, CASES, "conv2d", (1, 2, height, 5), (4, 2, 3, 3), message=found)


def test_kernels_of_other_sizes_have_sums_of_their_own():
    """Filters of 3 and 4 places, by strides of 2, are of one shape."""
    module = ModuleOp([])
    for k in (3, 4):
        types = [tensor("n", 2, "w"), tensor(2, 16, k)]
        module.body.block.add_op(
            case(Conv1dTransposeOp, transposed, types, strides=2).function(f"f{k}")
        )
    lowering.lower(module, ["relax-legalize"])
    called = {op.callee_name for op in module.walk() if isinstance(op, CallTirOp)}
    assert sum("sums" in name for name in called) == 2


@pytest.mark.slow
def test_channels_that_differ_are_an_error(model: CompiledModule):
    x, w = (1, 3, 5, 5), (4, 2, 3, 3)
    both_stop(model, CASES, "conv2d_unproved", x, w, message=CHANNELS)
    both_stop(model, CASES, "conv2d_unproved_groups", x, w, message=CHANNELS)


@pytest.mark.slow
def test_groups_that_do_not_divide_are_an_error(model: CompiledModule):
    message = "relax.conv2d: expected 2 groups to divide the channels O of 'weight' (C7); correct"
    x, w = (1, 4, 5, 5), (3, 2, 3, 3)
    both_stop(model, CASES, "conv2d_unproved_groups", x, w, message=message)


@pytest.mark.slow
@pytest.mark.shortened
def test_bf16_accumulates_in_f32():
    """512 ones and a hundredth each sum up to what bf16 alone would never reach."""
    types = [tensor("n", "c", "w", dtype="bf16"), tensor("o", "c", 1, dtype="bf16")]
    cases = {"conv": Case(Conv1dOp, types, lambda x, w: x)}
    x, w = (
        np.full((1, 512, 2), 1.0078125, ml_dtypes.bfloat16),
        np.ones((1, 512, 1), ml_dtypes.bfloat16),
    )
    expected = np.full((1, 1, 2), 516).astype(ml_dtypes.bfloat16)
    module = ModuleOp([cases["conv"].function("conv")])
    np.testing.assert_array_equal(run(module, "conv", x, w), expected)
    np.testing.assert_array_equal(compile_some(cases)["conv"](x, w), expected)
