"""Convolutions of narrow floats, of integers and of symbolic numbers of channels against PyTorch, in tiny tiles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional import UNOPTIMISED, package
from other_cpu import share
from tiny_tiles import use_tiny_tiles

import lowering
from relax_dialect import te
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

torch = package("torch")

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
TYPES |= {"i8": np.int8, "i32": np.int32, "i64": np.int64}


@dataclass(frozen=True)
class Case:
    """A convolution of a type; filters are constant where their sizes are not given by letters."""

    dtype: str
    filters: tuple[int, ...]
    groups: int = 1
    steps: int = 1
    last: bool = False
    turned: bool = False
    """Whether it is a transposed one."""
    out: str | None = None
    letters: str = ""
    """The sizes that are symbolic: channels and filters `co`, the place of a filter `rs`."""

    @property
    def shape(self) -> tuple[int, ...]:
        channels = self.filters[0] if self.turned else self.filters[1] * self.groups
        return (2, channels, 9, 13)

    def array(self, shape: tuple[int, ...]) -> np.ndarray:
        random = np.random.default_rng(sum(shape))
        found = random.integers(-9, 9, shape) if "i" in self.dtype else random.normal(size=shape)
        return found.astype(TYPES[self.dtype])


CASES = {
    "half": Case("f16", (9, 3, 3, 3)),
    "half_depthwise": Case("f16", (3, 1, 3, 3), groups=3, steps=2),
    "brain_to_float": Case("bf16", (4, 2, 3, 3), groups=2, out="f32"),
    "int": Case("i32", (9, 2, 3, 3)),
    "long_last": Case("i64", (5, 3, 2, 2), last=True),
    "byte": Case("i8", (3, 2, 3, 3)),
    "byte_depthwise": Case("i8", (6, 1, 3, 3), groups=6, out="i32"),
    "channels": Case("f32", (9, 3, 3, 3), letters="co"),
    "one_filter": Case("f32", (1, 3, 3, 3), letters="o"),
    "channels_and_places": Case("f64", (4, 2, 2, 3), groups=2, steps=2, letters="cors"),
    "depthwise_filters": Case("f32", (6, 1, 3, 3), groups=6, letters="co"),
    "depthwise_places": Case("f32", (6, 1, 3, 3), groups=6, letters="rs"),
    "depthwise_last": Case("f32", (11, 1, 3, 3), groups=11, last=True),
    "depthwise_far_apart": Case("f32", (5, 1, 3, 3), groups=5, steps=3),
    "half_turned": Case("f16", (3, 9, 3, 3), steps=2, turned=True),
    "int_turned": Case("i32", (3, 5, 3, 3), steps=3, turned=True),
    "turned_filters": Case("f32", (3, 5, 3, 3), steps=2, turned=True, letters="o"),
    "turned_depthwise": Case("f32", (6, 1, 4, 4), groups=6, steps=2, turned=True),
    "turned_depthwise_last": Case("f32", (9, 1, 3, 4), groups=9, steps=2, turned=True, last=True),
    "few_far_apart": Case("f32", (2, 3, 4, 4), steps=4),
}


@cache
def compiled() -> Any:
    """All cases, and sums over windows without channels, in one artifact."""
    builder = BlockBuilder()
    for name in share(CASES):
        case = CASES[name]
        (n, c, *_), (o, i, *window) = case.shape, case.filters
        channels = "c" if "c" in case.letters else c
        x = [n, "h", "w", channels] if case.last else [n, channels, "h", "w"]
        places = ["r", "s"] if "r" in case.letters else window
        filters: list[int | str] = [o, i]
        if "o" in case.letters:
            filters[int(case.turned)] = "o"
        arguments = {"x": TensorType(x, case.dtype)}
        if case.letters:
            arguments["w"] = TensorType([*filters, *places], case.dtype)
        with builder.function(name, arguments) as values:
            weights = values[1] if case.letters else const(case.array(case.filters))
            convolved = (op.conv2d_transpose if case.turned else op.conv2d)(
                values[0], weights, strides=[case.steps] * 2, padding=[1, 1], groups=case.groups,
                data_layout="NHWC" if case.last else "NCHW", out_dtype=case.out,
            )  # fmt: skip
            builder.emit_func_output(builder.emit(convolved))
    for rank in (1, 2):
        sizes = ("h", "w")[:rank]
        types = {"x": TensorType(sizes, "f32"), "w": TensorType([3] * rank, "f32")}
        with builder.function(f"windows{rank}", types) as values:
            builder.emit_func_output(builder.emit_te(windows, *values))
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        return lowering.compile(builder.get(), "types", extra_flags=UNOPTIMISED, cache=False)


def windows(x: te.Tensor, w: te.Tensor) -> te.Tensor:
    """The sums over windows of an image without channels."""
    axes = [te.reduce_axis((0, 3)) for _ in x.shape]
    return te.compute(
        [size - 2 for size in x.shape],
        lambda *i: te.sum(x[tuple(p + k for p, k in zip(i, axes))] * w[tuple(axes)], axis=axes),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", share(CASES))
def test_agrees_with_torch(name: str):
    case = CASES[name]
    x, w = case.array(case.shape), case.array(case.filters)
    convolve = torch.nn.functional.conv_transpose2d if case.turned else torch.nn.functional.conv2d
    expected = convolve(
        *(torch.from_numpy(array.astype(np.float64)) for array in (x, w)),
        stride=case.steps, padding=1, groups=case.groups,
    ).numpy()  # fmt: skip
    if case.last:
        x, expected = np.ascontiguousarray(np.moveaxis(x, 1, -1)), np.moveaxis(expected, 1, -1)
    found = compiled()[name](x, w) if case.letters else compiled()[name](x)
    dtype = case.out or case.dtype
    assert found.dtype == TYPES[dtype]
    if "i" in dtype:
        np.testing.assert_array_equal(found, expected.astype(np.int64).astype(found.dtype))
    else:
        digits = {"f16": 2e-3, "bf16": 2e-2, "f32": 1e-5, "f64": 1e-12}[case.dtype]
        np.testing.assert_allclose(found.astype(np.float64), expected, 2 * digits, 5 * digits)


@pytest.mark.parametrize("rank", (1, 2))
def test_windows_without_channels(rank: int):
    random = np.random.default_rng(rank)
    x, w = (random.normal(size=[size] * rank).astype(np.float32) for size in (19, 3))
    view = np.lib.stride_tricks.sliding_window_view(x, w.shape)
    expected = (view * w).sum(tuple(range(rank, 2 * rank)))
    np.testing.assert_allclose(compiled()[f"windows{rank}"](x, w), expected, 1e-4, 1e-4)
