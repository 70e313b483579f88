"""Convolutions in tiles against PyTorch: every rank, step, border and dilation; depthwise ones too."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import LONG, MLIR, UNOPTIMISED, needs, package
from other_cpu import share
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering import lower
from lowering.pipeline import PASSES, optimizations
from lowering.schedule.strategies import convolution, narrow_convolution, pointwise
from lowering.schedule.strategies.narrow_convolution import RowSizes
from lowering.schedule.strategies.pixel_sizes import PixelSizes
from relax_dialect import interpret, te
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

torch = package("torch")


@dataclass(frozen=True)
class Case:
    """A convolution with what follows it."""

    filters: tuple[int, ...]
    """How many filters and channels there are, and the kernel."""
    steps: int = 1
    border: int = 1
    dilation: int = 1
    dtype: str = "float32"
    groups: int = 1
    layout: str = "first"
    """Whether channels come first or last."""
    follows: str = ""
    """`bias`: one number for each filter, and a relu; `residual`: an image that is added and multiplied."""
    turned: bool = False
    """Whether it is a transposed one, whose filters have the channels first."""
    more: int = 0
    """How many elements a transposed one adds at the end."""

    @property
    def channels(self) -> int:
        return self.filters[0] if self.turned else self.filters[1] * self.groups

    @property
    def axes(self) -> int:
        return len(self.filters) - 2

    @property
    def weights(self) -> np.ndarray:
        return np.random.default_rng(1).standard_normal(self.filters).astype(self.dtype)

    @property
    def bias(self) -> np.ndarray:
        filters = self.filters[1] * self.groups if self.turned else self.filters[0]
        shape = filters, *[1] * self.axes
        return np.random.default_rng(2).standard_normal(shape).astype(self.dtype)

    def extent(self, size: int, kernel: int) -> int:
        reach = (kernel - 1) * self.dilation
        if self.turned:
            return (size - 1) * self.steps + reach + 1 + self.more - 2 * self.border
        return (size + 2 * self.border - reach - 1) // self.steps + 1

    def emit(self, x: Any) -> Any:
        convolve = getattr(op, f"conv{self.axes}d{'_transpose' if self.turned else ''}")
        each = [self.axes * [n] for n in (self.steps, self.border, self.dilation)]
        bias = self.bias
        layout: dict[str, str] = {}
        if self.layout == "last":
            bias, layout = bias.reshape(-1), {"data_layout": "NHWC"}
        more = {"output_padding": self.axes * [self.more]} if self.turned else {}
        y = convolve(
            x,
            const(self.weights),
            strides=each[0],
            padding=each[1],
            dilation=each[2],
            groups=self.groups,
            **layout,
            **more,
        )
        if self.follows == "bias":
            return op.relu(op.add(y, const(bias)))
        return op.multiply(y, op.add(y, const(bias))) if self.follows == "residual" else y

    def torch(self, x: np.ndarray) -> np.ndarray:
        name = f"conv_transpose{self.axes}d" if self.turned else f"conv{self.axes}d"
        convolve = getattr(torch.nn.functional, name)
        more = {"output_padding": self.more} if self.turned else {}
        y = convolve(
            *map(torch.from_numpy, (x, self.weights)),
            stride=self.steps, padding=self.border, dilation=self.dilation, groups=self.groups, **more,
        ).numpy()  # fmt: skip
        if self.follows == "bias":
            return np.maximum(y + self.bias, 0)
        return y * (y + self.bias) if self.follows == "residual" else y


CASES = {
    "plain": Case((16, 3, 3, 3)),
    "bias": Case((9, 2, 3, 3), follows="bias"),
    "residual": Case((13, 3, 3, 2), follows="residual"),
    "steps": Case((8, 3, 3, 3), steps=2, follows="bias"),
    "wide_steps": Case((24, 1, 7, 7), steps=3, border=3),
    "few_filters": Case((5, 3, 3, 3), border=2, follows="residual"),
    "dilated": Case((11, 2, 3, 3), border=2, dilation=2),
    "all": Case((17, 2, 3, 2), steps=2, border=3, dilation=3, follows="residual"),
    "no_border": Case((8, 4, 2, 3), border=0),
    "points": Case((8, 9, 1, 1), steps=2, border=0, follows="bias"),
    "line": Case((12, 4, 3), follows="bias"),
    "line_steps": Case((8, 5, 5), steps=2, border=2),
    "volume": Case((8, 2, 3, 3, 3), follows="bias"),
    "double": Case((10, 3, 3, 3), dtype="float64"),
    "groups": Case((18, 3, 3, 3), groups=2, follows="bias"),
    "groups_steps": Case((16, 4, 3, 2), groups=2, steps=2, border=2, dilation=2),
    "channels_last": Case((17, 3, 3, 3), follows="bias", layout="last"),
    "channels_last_groups": Case((16, 5, 2, 3), groups=2, steps=2, layout="last"),
    "channels_last_points": Case((9, 8, 1, 1), border=0, layout="last", follows="residual"),
    "turned": Case((6, 9, 4, 4), steps=2, follows="bias", turned=True),
    "turned_views": Case((5, 8, 2, 2), steps=2, border=0, turned=True),
    "turned_cut": Case((3, 8, 5, 4), steps=3, turned=True, more=1, follows="residual"),
    "turned_halves": Case((2, 8, 8, 7), steps=4, border=2, turned=True),
    "turned_groups": Case((6, 9, 3, 3), steps=2, more=1, groups=2, turned=True, follows="bias"),
    "turned_joined": Case((8, 3, 4, 3), steps=2, turned=True, follows="bias"),
    "turned_dilated": Case((3, 8, 3, 2), steps=2, dilation=3, border=0, turned=True),
    "turned_by_one": Case((4, 10, 3, 3), border=2, dilation=2, turned=True),
    "turned_last": Case((4, 9, 4, 3), steps=2, layout="last", turned=True, follows="bias"),
    "turned_last_joined": Case((8, 3, 3, 4), steps=2, layout="last", turned=True),
    "turned_line": Case((4, 8, 6), steps=2, turned=True),
    "turned_volume": Case((2, 8, 3, 4, 2), steps=2, turned=True, more=1),
    "turned_depthwise": Case((4, 1, 4, 4), steps=2, groups=4, turned=True),
    "narrow": Case((3, 2, 3, 3), follows="bias"),
    "narrow_groups": Case((12, 2, 3, 3), groups=4, steps=2, follows="residual"),
    "narrow_line": Case((2, 3, 5), steps=2, border=2, follows="bias"),
    "narrow_volume": Case((2, 2, 2, 3, 3), dilation=2, border=2),
    "depthwise": Case((5, 1, 3, 3), groups=5, follows="bias"),
    "depthwise_steps": Case((3, 1, 3, 3), groups=3, steps=2, follows="residual"),
    "depthwise_large": Case((2, 1, 5, 7), groups=2, border=3),
    "depthwise_dilated": Case((2, 1, 3, 3), groups=2, border=4, dilation=4),
    "depthwise_far": Case((3, 1, 2, 3), groups=3, border=0, steps=2, dilation=3, dtype="float64"),
    "depthwise_bordered": Case((2, 1, 1, 1), groups=2, border=6),
}

PASSES_BEFORE = [*PASSES][: [*PASSES].index("relax-schedule")]

TINY = PixelSizes(pixels=4, vectors=2, lanes=4, strip=11)
"""So small that small images have all parts: strips, parts of long rows, tiles of unequal width."""

TINY_ROWS = RowSizes(rows=2, lanes=4, strip=150)


def use_tiny(patch: pytest.MonkeyPatch) -> None:
    for strategy in (convolution, pointwise):
        patch.setattr(strategy, "pixel_sizes", lambda cpu, bits, kernel=None: TINY)
    patch.setattr(narrow_convolution, "row_sizes", lambda *sizes: TINY_ROWS)


SIZES = ((1, 1), (7, 7), (5, 14), (14, 5), (3, 29), (13, 11), (2, 4))
"""Around tiles of 4 pixels and strips of 11."""


def type_of(case: Case, sizes: tuple[int, ...] | None) -> TensorType:
    shape = [*"zhw"[3 - case.axes :]] if sizes is None else images(case, sizes)
    dims = [*shape, case.channels] if case.layout == "last" else [case.channels, *shape]
    return TensorType(["n", *dims], {"float32": "f32"}.get(case.dtype, "f64"))


def images(case: Case, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The extents of images of a case; of volumes, 3 planes."""
    return (3, *sizes)[-case.axes :]


def program(sizes: tuple[int, ...] | None, cases: Mapping[str, Case]) -> Any:
    """The cases as functions of a module, for images of any size, or of these."""
    return program_of_sizes(dict.fromkeys(cases, sizes), cases)


def program_of_sizes(sizes: Mapping[str, tuple[int, ...] | None], cases: Mapping[str, Case]) -> Any:
    """Functions of a module, each for images of its own size."""
    builder = BlockBuilder()
    for name, own in sizes.items():
        with builder.function(name, {"x": type_of(cases[name], own)}) as (x,):
            builder.emit_func_output(builder.emit(cases[name].emit(x)))
    return builder.get()


def fitting(sizes: tuple[int, ...], *, turned: bool = True) -> Mapping[str, Case]:
    """The cases whose windows fit into images of these sizes, also transposed ones or not."""
    return {
        name: case
        for name, case in CASES.items()
        if min(map(case.extent, images(case, sizes), case.filters[2:])) > 0
        and (turned or not case.turned)
    }


KNOWN = ((7, 7), (5, 14), (1, 13))
"""Sizes that functions are compiled for, in turn."""


def known_sizes() -> dict[str, tuple[int, ...]]:
    """One of the known sizes for each case, the first one where its windows do not fit."""
    found: dict[str, tuple[int, ...]] = {}
    for number, name in enumerate(share(CASES)):
        sizes = KNOWN[number % len(KNOWN)]
        found[name] = sizes if name in fitting(sizes) else KNOWN[0]
    return {name: sizes for name, sizes in found.items() if name in fitting(sizes)}


@cache
def compiled() -> Any:
    """All cases in tiny tiles, for images of any size."""
    return build(program_of_sizes(dict.fromkeys(share(CASES)), CASES), tiny=True)


def build(module: Any, *, tiny: bool) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if tiny:
            use_tiny(patch)
        return lowering.compile(module, "convolutions", extra_flags=UNOPTIMISED, cache=False)


def check(model: Any, sizes: tuple[int, ...], batch: int) -> None:
    for name, case in fitting(sizes).items():
        if name in model.functions:
            check_case(model[name], case, sizes, batch, name)


def check_case(run: Any, case: Case, sizes: tuple[int, ...], batch: int, name: str = "") -> None:
    """Compare the result for random images with PyTorch's."""
    shape = batch, case.channels, *images(case, sizes)
    x = np.random.default_rng(sum(shape)).standard_normal(shape).astype(case.dtype)
    expected = case.torch(x)
    if case.layout == "last":
        x, expected = np.ascontiguousarray(np.moveaxis(x, 1, -1)), np.moveaxis(expected, 1, -1)
    found = run(x)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4, err_msg=f"{name} {sizes}")


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_one_artifact_for_all_images(sizes: tuple[int, ...]):
    for batch in (1, 3, 0) if sizes in SIZES[:2] else (2,):
        check(compiled(), sizes, batch)


@pytest.mark.slow
def test_images_of_known_size():
    known = known_sizes()
    model = build(program_of_sizes(known, CASES), tiny=True)
    for name, sizes in known.items():
        check_case(model[name], CASES[name], sizes, 2, name)


def test_padding_of_groups_is_copied_strip_by_strip():
    module = program((7, 7), {"case": Case((18, 3, 3, 3), groups=2)})
    padded = "memref<?x2x3x9x9xf32>"
    assert padded in str(lower(module, PASSES_BEFORE))
    assert padded not in str(lower(module, ["relax-schedule"]))


@pytest.mark.parametrize(
    "turned, order", [(False, (0, 2, 3, 1)), (False, (1, 0, 2, 3)), (True, (0, 3, 1, 2))], ids=str
)
def test_the_view_of_groups_is_read_transposed(turned: bool, order: tuple[int, ...]):
    """What is interpreted is IR, where an element out of bounds is an error."""
    filters = (8, 8, 2, 2) if turned else (8, 2, 2, 2)
    case = Case(filters, steps=2, border=0, groups=4, turned=turned, follows="bias")
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType([2, 8, 8, 8], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.permute_dims(case.emit(x), [*order])))
    module = lower(builder.get(), [*optimizations(), *PASSES_BEFORE, "relax-schedule"])
    x = np.random.default_rng(5).standard_normal((2, 8, 8, 8)).astype(np.float32)
    found, expected = interpret.run(module, "main", x), case.torch(x).transpose(order)
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4)


def test_images_and_channels_may_be_padded_too():
    def kernel(x: te.Tensor, w: te.Tensor) -> te.Tensor:
        n, h, v = x.shape[0], x.shape[2], x.shape[3]
        padded = te.pad(x, (n + 1, 5, h + 2, v + 2), (1, 2, 1, 1), 0.5)
        r, s = (te.reduce_axis((0, 3), name) for name in "rs")
        return te.compute(
            (n + 1, 5, h, v),
            lambda i, c, y, z: te.sum(padded[i, c, y + r, z + s] * w[c, 0, r, s], axis=[r, s]),
        )

    builder = BlockBuilder()
    types = {"x": TensorType(["n", 3, "h", "w"], "f32"), "w": TensorType([5, 1, 3, 3], "f32")}
    with builder.function("main", types) as arguments:
        builder.emit_func_output(builder.emit_te(kernel, *arguments))
    model = lowering.compile(builder.get(), "padded", extra_flags=UNOPTIMISED, cache=False)
    random = np.random.default_rng(4)
    w = random.standard_normal((5, 1, 3, 3)).astype(np.float32)
    for shape in ((2, 3, 5, 18), (1, 3, 1, 1), (0, 3, 4, 4)):
        x = random.standard_normal(shape).astype(np.float32)
        images = np.pad(x, [(1, 0), (2, 0), (1, 1), (1, 1)], constant_values=0.5)
        windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), (2, 3))
        expected = np.einsum("nchwrs,crs->nchw", windows, w[:, 0])
        np.testing.assert_allclose(model.main(x, w), expected, 1e-4, 1e-4)


@needs(LONG)
def test_tiles_of_this_machine():
    """A third of the cases: what is computed does not depend on the tiles."""
    model = build(program(None, dict([*CASES.items()][::3])), tiny=False)
    for sizes in itertools.product((1, 14, 31), (1, 15, 33)):
        check(model, sizes, 1)


@pytest.mark.slow
@needs(MLIR)
@pytest.mark.parametrize("sizes", [None, (13, 11)], ids=str)
def test_mlir_accepts_the_tiles(sizes: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch):
    use_tiny(monkeypatch)
    some = [*CASES][::3] if sizes is None else [*fitting(sizes, turned=False)][1::2]
    module = program(sizes, {name: CASES[name] for name in some})
    passes = [*optimizations(), *PASSES]
    for name in passes[: passes.index("relax-lower-functions")]:
        lower(module, [name])
        if name in ("relax-schedule", "relax-linalg-to-loops", "relax-split-reductions"):
            check_accepted(ModuleOp([f.clone() for f in module.ops if isinstance(f, func.FuncOp)]))
        if name == "relax-schedule":
            text = str(module)
            assert "convolve_4x3x8_f32" in text and "convolve_rows_2x3x3_f32" in text
            assert "memref.copy" not in text
