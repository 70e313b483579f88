"""Products with constant left operands, 1x1 convolutions among them, in vectors of filters, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED
from other_cpu import share

import lowering
from lowering import lower
from lowering.pipeline import optimizations
from lowering.schedule.strategies import contraction, convolution, pointwise
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

from .test_convolution import PASSES_BEFORE, TINY, Case, check_case, program, program_of_sizes

CASES = {
    "points": Case((9, 5, 1, 1), border=0, follows="bias"),
    "few_channels": Case((16, 2, 1, 1), border=0),
    "packed": Case((12, 6, 1, 1), border=0, follows="residual"),
    "strided": Case((9, 5, 1, 1), steps=2, border=0, follows="bias"),
    "strided_packed": Case((10, 7, 1, 1), steps=3, border=0, follows="residual"),
    "strided_padded": Case((9, 5, 1, 1), steps=2),
    "short_rows": Case((9, 3, 3, 3), follows="bias"),
    "short_rows_apart": Case((10, 2, 2, 3), steps=2, border=2, dilation=2, follows="residual"),
    "line": Case((9, 5, 1), steps=2, border=0),
    "volume": Case((8, 5, 1, 1, 1), border=0, follows="bias"),
    "double": Case((7, 5, 1, 1), border=0, dtype="float64"),
    "groups": Case((18, 5, 1, 1), border=0, groups=2),
    "groups_strided": Case((18, 5, 1, 1), steps=2, border=0, groups=2, follows="bias"),
    "channels_last": Case((9, 5, 1, 1), steps=2, border=0, layout="last"),
}
OWN = {name: CASES[name] for name in share(CASES)}
"""Those that are tried on this CPU."""
KNOWN = ((1, 3), (7, 5))
SIZES = (*KNOWN, (1, 1), (2, 2), (5, 14))
"""Fewer pixels than a tile of 4, tiles of unequal width, and more than a strip of 11."""


def use_tiny(patch: pytest.MonkeyPatch) -> None:
    for strategy in (convolution, pointwise):
        patch.setattr(strategy, "pixel_sizes", lambda cpu, bits, kernel=None: TINY)
    for name, value in {"LEAST_DEPTH": 3, "LEAST_FILLED": 0, "PACK_WEIGHTS": 60}.items():
        patch.setattr(pointwise, name, value)
    patch.setattr(contraction, "LEAST_WORK", 0)
    patch.setattr(convolution, "SHARING", 1)


@cache
def compiled() -> Any:
    return build(program(None, OWN))


def build(module: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        use_tiny(patch)
        return lowering.compile(module, "points", extra_flags=UNOPTIMISED, cache=False)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_one_artifact_for_all_images(sizes: tuple[int, ...]):
    for name, case in OWN.items():
        for batch in (2, 0):
            check_case(compiled()[name], case, sizes, batch, name)


def test_images_of_known_size():
    """Of each case for one size, in turn."""
    known = {name: KNOWN[number % 2] for number, name in enumerate(OWN)}
    model = build(program_of_sizes(known, CASES))
    for name, sizes in known.items():
        check_case(model[name], CASES[name], sizes, 2, name)


@pytest.mark.parametrize("sizes", [None, (7, 5)], ids=str)
def test_no_tile_exceeds_its_memory(sizes: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch):
    """What is interpreted is IR, where an element out of bounds is an error."""
    use_tiny(monkeypatch)
    names = ("packed", "strided_packed", "groups_strided", "short_rows")
    cases = {name: CASES[name] for name in names}
    passes = [*optimizations(), *PASSES_BEFORE, "relax-schedule"]
    module = lower(program(sizes, cases), passes)
    for name, case in cases.items():
        check_case(partial(interpret.run, module, name), case, (7, 5), 1, name)


def text(emit: Callable[[Any], Any], shape: list[Any]) -> str:
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(shape, "f32")}) as (x,):
        builder.emit_func_output(builder.emit(emit(x)))
    return lowering.to_c(builder.get(), cpu="x86-64-v3").c


def convolved(channels: int, filters: int, steps: int = 1) -> Callable[[Any], Any]:
    weights = const(np.ones((filters, channels, 1, 1), np.float32))
    return lambda x: op.conv2d(x, weights, strides=[steps, steps])


@pytest.mark.parametrize(
    "channels, filters, steps, shape, is_pointwise",
    [
        (64, 32, 1, [1, 64, 7, 7], True),  # 49 pixels are 6 vectors and one pixel
        (64, 32, 1, [1, 64, 8, 8], False),
        (256, 32, 1, [1, 256, 8, 8], True),
        (256, 32, 1, ["n", 256, "h", "w"], True),
        (64, 32, 1, ["n", 64, "h", "w"], False),
        (64, 32, 2, [1, 64, 14, 14], True),
        (512, 128, 1, [1, 512, 1, 1], True),  # squeeze and excitation
    ],
)
def test_pixels_or_filters_fill_the_vectors(
    channels: int, filters: int, steps: int, shape: list[Any], is_pointwise: bool
):
    """Panels of filters are constants `[filters / 16][channels][16]`."""
    found = text(convolved(channels, filters, steps), shape)
    assert (f"memref<[{filters // 16}, {channels}, 16], f32>" in found) is is_pointwise


def test_filters_that_are_computed_are_read_in_place():
    builder = BlockBuilder()
    types = {"x": [1, 256, 7, 7], "w": [32, 256, 1, 1]}
    with builder.function("main", {n: TensorType(s, "f32") for n, s in types.items()}) as (x, w):
        builder.emit_func_output(builder.emit(op.conv2d(x, w, strides=[2, 2])))
    model = lowering.compile(builder.get(), "computed", extra_flags=UNOPTIMISED, cache=False)
    random = np.random.default_rng(0)
    image, weights = (random.standard_normal(s).astype(np.float32) for s in types.values())
    expected = np.einsum("nchw,kc->nkhw", image[:, :, ::2, ::2], weights[:, :, 0, 0])
    np.testing.assert_allclose(model.main(image, weights), expected, 1e-4, 1e-4)


def three_by_three(width: int, filters: int = 64) -> str:
    weights = const(np.ones((filters, 16, 3, 3), np.float32))
    return text(lambda x: op.conv2d(x, weights, padding=[1, 1]), [1, 16, width, width])


@pytest.mark.parametrize("width, is_gathered", [(7, True), (13, True), (14, False), (56, False)])
def test_windows_are_gathered_if_rows_fill_tiles_badly(width: int, is_gathered: bool):
    """Tiles have 6 pixels of 2 vectors of sums: 13 pixels are 5 + 4 + 4, 14 are 5 + 5 + 4."""
    assert ("contract_" in three_by_three(width)) is is_gathered
    assert "contract_" not in three_by_three(width, 32)


def test_taps_of_a_column_are_unrolled_in_small_tiles():
    assert "convolve_6x3x16_f32(" in three_by_three(24)
