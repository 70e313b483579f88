"""Operators on images, as compiled C, against numpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.image import (
    OPS,
    AffineGridOp,
    GridSample3dOp,
    GridSampleOp,
)
from relax_dialect.ops.resizing import Resize1dOp, Resize2dOp, Resize3dOp
from relax_dialect.ops.vision import RoiAlignOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, keep, shape, tensor
from .inputs import ranked, refused, x
from .inputs import shape as sizes_value
from .regions import CASES as REGIONS

SOME: Sequence[Sizes] = (
    {"n": 5, "m": 7, "k": 3, "b": 2},
    {"n": 1, "m": 1, "k": 1, "b": 1},
    {"n": 3, "m": 1, "k": 8, "b": 0},
    {"n": 1, "m": 4, "k": 6, "b": 1},
)

EXACT: Sequence[Sizes] = ({"n": 4, "k": 8, "b": 2}, {"n": 4, "k": 2, "b": 1})
"""Where all weights are multiples of 1/4, so that halves are exactly that."""

SCALES: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 5, "b": 2},
    {"n": 2, "m": 5, "k": 1, "b": 1},
)
"""Sizes that the scales 0.75 and 1.125 lead to."""

COORDINATES: dict[str, Callable[[int, int, int], float]] = {
    "half_pixel": lambda p, h, n: ((2 * p + 1) * h - n) / (2 * n),
    "pytorch_half_pixel": lambda p, h, n: ((2 * p + 1) * h - n) / (2 * n) if n > 1 else 0.0,
    "tf_half_pixel_for_nn": lambda p, h, n: (2 * p + 1) * h / (2 * n),
    "asymmetric": lambda p, h, n: p * h / n,
    "align_corners": lambda p, h, n: p * (h - 1) / max(n - 1, 1),
}
NEAREST: dict[str, Callable[[float], float]] = {
    "round": lambda c: np.floor(c + 0.5),
    "round_prefer_floor": lambda c: np.ceil(c - 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def cubic(t: float, a: float) -> float:
    """The kernel of Keys as its two polynomials are usually printed."""
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


SCALED: dict[str, Callable[[int, int, int, float], float]] = {
    "half_pixel": lambda p, h, n, s: (p + 0.5) / s - 0.5,
    "asymmetric": lambda p, h, n, s: p / s,
    "align_corners": lambda p, h, n, s: p * (h - 1) / (s * h - 1) if n > 1 else 0,
    "half_pixel_symmetric": lambda p, h, n, s: h / 2 - n / s / 2 + (p + 0.5) / s - 0.5,
}


def weight_row(
    c: float, h: int, method: str, rounding: str, alpha: float, exclude: bool, width: float = 1
):
    """The weight of each of h elements at a coordinate: every element is asked how far it is."""
    row = np.zeros(h)
    if method == "nearest_neighbor":
        row[int(np.clip(NEAREST[rounding](c), 0, h - 1))] = 1
        return row
    reach = 1 if method == "linear" else 2
    for place in range(int(c - 2 * width) - 2, int(c + 2 * width) + 4):
        t = abs(c - place) / width
        weight = max(0.0, 1 - t) if reach == 1 else cubic(t, alpha)
        if t < reach and not (exclude and not 0 <= place < h):
            row[min(max(place, 0), h - 1)] += weight
    return row / row.sum() if exclude or width > 1 else row


def resize(
    op: type,
    type: Any,
    size: Any,
    method: str = "linear",
    mode: str = "half_pixel",
    rounding: str | None = None,
    layout: str | None = None,
    out_dtype: str | None = None,
    *,
    alpha: float = -0.75,
    exclude: bool = False,
    roi: Sequence[float] | None = None,
    filler: float = 0.0,
    scales: Sequence[float] | None = None,
    antialias: bool = False,
    **more: Any,
) -> Case:
    """A matrix of weights for each axis."""
    letters, rank = layout or "NC" + op.SPATIAL, len(op.SPATIAL)
    parts = dict(zip(op.SPATIAL, zip(roi[:rank], roi[rank:]))) if roi is not None else {}

    def meaning(x: np.ndarray, target: tuple[int, ...], _: Any = None) -> np.ndarray:
        result_type = np.dtype(out_dtype or x.dtype)
        if 0 in target:
            extents = dict(zip(op.SPATIAL, target))
            return np.empty([extents.get(d, n) for d, n in zip(letters, x.shape)], result_type)
        word = rounding or ("round" if mode == "align_corners" or op is Resize2dOp else "floor")
        y, outside = x.astype(np.float64), {}
        for letter, n in zip(op.SPATIAL, target):
            axis = letters.index(letter)
            h = x.shape[axis]
            if letter in parts:
                low, high = (end * (h - 1) for end in parts[letter])
                places = np.linspace(low, high, n) if n > 1 else [(low + high) / 2]
                outside[axis] = [not 0 <= c <= h - 1 for c in places]
            elif scales is not None:
                scale = scales[op.SPATIAL.index(letter)]
                places = [SCALED[mode](p, h, n, scale) for p in range(n)]
            else:
                places = [COORDINATES[mode](p, h, n) for p in range(n)]
            ratio = n / h if scales is None else scales[op.SPATIAL.index(letter)]
            width = max(1, 1 / ratio) if antialias else 1
            rows = [weight_row(c, h, method, word, alpha, exclude, width) for c in places]
            y = np.moveaxis(np.tensordot(np.array(rows).reshape(n, h), y, (1, axis)), 0, axis)
        for axis, rows in outside.items():
            np.moveaxis(y, axis, 0)[np.array(rows)] = filler
        between = result_type.kind in "iu" and method != "nearest_neighbor"
        return (np.rint(y) if between else y).astype(result_type)

    def build(x: Any, target: Any, by: Any = None) -> Any:
        dtype = named(out_dtype)
        words = roi, layout, method, mode, rounding, alpha, exclude, filler, dtype, by, antialias
        return op(x, target, *words)

    given = [] if scales is None else [tensor(rank)]
    values = [keep, keep, *(lambda x: np.array(scales, x.dtype) for _ in given)]
    return Case(build, [type, size, *given], meaning, **{"sizes": SOME, "values": values, **more})


def named(dtype: str | None) -> str | None:
    return {None: None, "float32": "f32", "int32": "i32"}[dtype]


def sampled(
    type: Any,
    grid: Any,
    method: str,
    padding: str,
    aligned: bool,
    layout: str = "NCHW",
    **more: Any,
) -> Case:
    """Place by place, element by element: sums over all elements, which know where they stand again
    under reflection or beyond the edge."""

    def home(place: int, size: int) -> int | None:
        if padding == "zeros":
            return place if 0 <= place < size else None
        if padding == "border":
            return min(max(place, 0), size - 1)
        if aligned:
            period = 2 * (size - 1) or 1
            place %= period
            return min(place, period - place) if size > 1 else 0
        place %= 2 * size
        return min(place, 2 * size - 1 - place)

    def axis_weights(g: float, size: int) -> np.ndarray:
        c = (g + 1) / 2 * (size - 1) if aligned else ((g + 1) * size - 1) / 2
        row = np.zeros(size)
        reach = {"nearest": 0.5, "bilinear": 1, "bicubic": 2}[method]
        for place in range(int(np.floor(c)) - 2, int(np.floor(c)) + 4):
            t, target = abs(c - place), home(place, size)
            if t < reach and target is not None:
                row[target] += {"nearest": 1, "bilinear": 1 - t, "bicubic": cubic(t, -0.75)}[method]
        return row

    op = GridSample3dOp if layout in ("NCDHW", "NDHWC") else GridSampleOp

    def meaning(x: np.ndarray, grid: np.ndarray) -> np.ndarray:
        images = x if layout[1] == "C" else np.moveaxis(x, -1, 1)
        y = np.zeros((*images.shape[:2], *grid.shape[1:-1]))
        for b, *place in np.ndindex(grid.shape[:-1]):
            seen = images[b].astype(np.float64)
            for g, size in zip(map(float, grid[(b, *place)][::-1]), images.shape[2:]):
                seen = np.tensordot(seen, axis_weights(g, size), (1, 0))
            y[(b, slice(None), *place)] = seen
        return (y if layout[1] == "C" else np.moveaxis(y, 1, -1)).astype(x.dtype)

    def build(x: Any, grid: Any) -> Any:
        return op(x, grid, method, layout, padding, aligned)

    return Case(build, [type, grid], meaning, **{"sizes": SOME, **more})


def affine(data: Any, size: Any, aligned: bool, **more: Any) -> Case:
    def meaning(data: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
        y = np.zeros((len(data), len(size), *size))
        for place in np.ndindex(*size):
            spots = []
            for p, n in zip(place, size):
                middle = (n - 1) / 2
                spots.append((p - middle) / (max(middle, 0.5) if aligned else n / 2))
            y[(slice(None), slice(None), *place)] = data.astype(np.float64) @ [*spots[::-1], 1.0]
        return y.astype(data.dtype)

    return Case(
        lambda d, s: AffineGridOp(d, s, aligned), [data, size], meaning, **{"sizes": SOME, **more}
    )


GRID = tensor("b", "k", 2, 2)
IMAGES = tensor("b", 2, "n", "m")

CASES: dict[str, Case] = {
    "resize1d": resize(Resize1dOp, tensor("b", 2, "n"), shape("k")),
    "resize1d_nearest": resize(
        Resize1dOp, tensor("b", 2, "n"), shape("k"), "nearest_neighbor", "asymmetric"
    ),
    "resize2d": resize(Resize2dOp, IMAGES, shape("k", "m")),
    "resize2d_static": resize(Resize2dOp, tensor(1, 3, 4, 6), shape(7, 3), sizes=STATIC),
    "resize2d_nhwc": resize(
        Resize2dOp, tensor("b", "n", "m", 3, dtype="f64"), shape(4, "k"), "linear", "align_corners",
        layout="NHWC",
    ),
    "resize2d_half": resize(Resize2dOp, tensor(1, 2, "n", "m", dtype="f16"), shape("k", 5)),
    "resize2d_bytes": resize(
        Resize2dOp, tensor("b", 1, "n", 4, dtype="ui8"), shape("k", 8), sizes=EXACT
    ),
    "resize2d_nearest_i1": resize(
        Resize2dOp, tensor("b", 1, "n", 4, dtype="i1"), shape("k", 3), "nearest_neighbor"
    ),
    "resize2d_to_f32": resize(
        Resize2dOp, tensor("b", 1, "n", 4, dtype="i32"), shape("k", 3), out_dtype="float32"
    ),
    "resize2d_to_i32": resize(
        Resize2dOp, tensor("b", 1, "n", 4), shape("k", 3), "nearest_neighbor", out_dtype="int32"
    ),
    "resize2d_cubic": resize(Resize2dOp, IMAGES, shape("k", 5), "cubic"),
    "resize2d_cubic_exclude": resize(
        Resize2dOp, IMAGES, shape("k", 5), "cubic", "asymmetric", alpha=-0.5, exclude=True
    ),
    "resize2d_crop": resize(
        Resize2dOp, IMAGES, shape("k", 5), "linear", "tf_crop_and_resize",
        roi=[0.25, -0.5, 0.75, 1.25], filler=9.5,
    ),
    "resize2d_crop_nearest": resize(
        Resize2dOp, tensor("b", 1, "n", 4, dtype="i8"), shape("k", 3), "nearest_neighbor",
        "tf_crop_and_resize", "round", roi=[1.1, -0.1, 0.1, 1.1], filler=-3.0,
    ),
    "resize2d_crop_cubic": resize(
        Resize2dOp, tensor("b", 1, "n", 4, dtype="ui8"), shape("k", 3), "cubic",
        "tf_crop_and_resize", roi=[0, 0.1, 0.95, 1], filler=3.0,
    ),
    "resize2d_scales": resize(
        Resize2dOp, IMAGES, shape("k", 5), "linear", "align_corners", scales=[0.75, 1.125], sizes=SCALES
    ),
    "resize2d_scales_nearest": resize(
        Resize2dOp, tensor("b", "n", "m", 2, dtype="i8"), shape("k", 5), "nearest_neighbor",
        "half_pixel_symmetric", layout="NHWC", scales=[0.75, 1.125], sizes=SCALES,
    ),
    "resize2d_scales_cubic": resize(
        Resize2dOp, IMAGES, shape("k", 5), "cubic", "half_pixel", exclude=True, scales=[0.75, 1.125],
        antialias=True, sizes=SCALES,
    ),
    "resize1d_antialias": resize(
        Resize1dOp, tensor("b", 2, "n", dtype="ui8"), shape("k"), antialias=True, exclude=True
    ),
    "resize2d_antialias": resize(
        Resize2dOp, tensor("b", 2, "n", "m", dtype="f16"), shape("k", 2), "cubic", "asymmetric",
        antialias=True, tolerance=4e-3,
    ),
    "resize3d": resize(Resize3dOp, tensor("b", 2, "n", 3, "m"), shape(2, "k", 4)),
    "resize3d_nearest": resize(
        Resize3dOp, tensor("b", 2, "n", 3, "m"), shape(2, "k", 4), "nearest_neighbor", "align_corners"
    ),
    "grid_sample_nhwc": sampled(
        tensor("b", "n", "m", 3, dtype="f64"), tensor("b", 2, "k", 2, dtype="f64"),
        "bilinear", "zeros", False, "NHWC",
    ),
    "grid_sample_half": sampled(
        tensor(1, 2, "n", 3, dtype="f16"), tensor(1, "k", 2, 2, dtype="f16"), "bilinear", "border",
        True, tolerance=4e-3,
    ),
    "grid_sample3d": sampled(
        tensor("b", 2, "n", 3, "m"), tensor("b", "k", 2, 1, 3), "bilinear", "zeros", False, "NCDHW",
        sizes=SOME[:2], tolerance=1e-4,
    ),
    "grid_sample3d_nearest": sampled(
        tensor("b", "n", 3, "m", 2, dtype="f64"), tensor("b", "k", 1, 2, 3, dtype="f64"),
        "nearest", "reflection", True, "NDHWC", sizes=SOME[:2],
    ),
    **REGIONS,
    "affine_grid": affine(tensor("b", 2, 3), shape("n", "m"), True),
    "affine_grid_sides": affine(tensor("b", 2, 3), shape("n", "m"), False),
    "affine_grid_volume": affine(tensor("b", 3, 4, dtype="f64"), shape("n", 2, "m"), True),
    "affine_grid_volume_sides": affine(tensor(1, 3, 4, dtype="f16"), shape("n", 2, 3), False),
}  # fmt: skip
for mode in COORDINATES:
    CASES[f"resize2d_linear_{mode}"] = resize(Resize2dOp, IMAGES, shape("k", 4), "linear", mode)
for mode, word in product(("half_pixel", "asymmetric"), NEAREST):
    CASES[f"resize2d_{mode}_{word}"] = resize(
        Resize2dOp, tensor(1, 1, "n", "m"), shape("k", 4), "nearest_neighbor", mode, word
    )
for method, padding, aligned in product(
    ("nearest", "bilinear", "bicubic"), ("zeros", "border", "reflection"), (False, True)
):
    name = f"grid_sample_{method}_{padding}_{'centres' if aligned else 'sides'}"
    CASES[name] = sampled(IMAGES, GRID, method, padding, aligned, sizes=SOME[:2], tolerance=1e-4)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


EMPTY = [{"n": 2, "m": 3, "k": 0, "b": 1}, {"n": 0, "m": 3, "k": 0, "b": 2}]


@pytest.mark.parametrize("name", [n for n in CASES if n.startswith("resize") and "scales" not in n])
def test_resized_to_nothing(model: CompiledModule, name: str):
    """Images with rows, and images without where these are the ones that go."""
    check(model, CASES, name, EMPTY[: 1 if "3d" in name or "nhwc" in name else 2])


BAD: dict[str, tuple[list[Any], str]] = {
    "resize1d": (
        [np.zeros((1, 2, 0), np.float32), (3,)],
        "expected x to have 1 or more elements along W (C7)",
    ),
    "resize2d_scales": (
        [np.zeros((1, 2, 7, 5), np.float32), (7, 5), np.array([0.75, 1.125], np.float32)],
        "expected every scale times the size of its axis within 1 of the size of the result (C9), found "
        "them 1.75 apart for sizes 7 and 7",
    ),
    "resize2d_scales_cubic": (
        [np.zeros((1, 2, 7, 5), np.float32), (5, 5), np.array([0.75, np.nan], np.float32)],
        "expected every scale times the size of its axis within 1 of the size of the result (C9), found "
        "them nan apart for sizes 5 and 5",
    ),
    "roi_align_max": (
        [np.zeros((2, 3, 0, 4), np.float32), np.zeros((1, 5), np.float32)],
        "expected x to have 1 or more elements along H (C3)",
    ),
    "roi_pool": (
        [np.zeros((2, 3, 4, 4), np.float32), np.array([[0, 0, 0, 1, 1], [-1, 0, 0, 1, 1]], "f")],
        "expected every image in 'rois' to be within 0..size-1 of the batch, found -1 for a size of 2",
    ),
    "roi_align": (
        [np.zeros((2, 3, 4, 4), np.float32), np.array([[0, 0, 0, 1, 1], [2, 0, 0, 1, 1]], "f")],
        "expected every image in 'rois' to be within 0..size-1 of the batch",
    ),
    "grid_sample_bilinear_zeros_sides": (
        [np.zeros((1, 2, 0, 2), np.float32), np.zeros((1, 3, 2, 2), np.float32)],
        "expected x to have 1 or more elements along H (C3)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_an_error(model: CompiledModule, name: str):
    arrays, message = BAD[name]
    module = ModuleOp([CASES[name].function(name)])
    for attempt in (lambda: run(module, name, *arrays), lambda: model[name](*arrays)):
        with pytest.raises(RelaxError, match=re.escape(message)):
            attempt()


def test_nearest_is_exact_far_out(model: CompiledModule):
    """The coordinate 0.9999999 of single precision would give the element before."""
    row = np.arange(3 * 10**5, dtype=np.float32).reshape(1, 2, -1)
    size = 10**6 + 3
    expected = row[:, :, np.arange(size) * (row.shape[2]) // size]
    np.testing.assert_array_equal(
        model.resize1d_nearest(row[:, :1].repeat(2, 1), (size,))[:, 0], expected[:, 0]
    )


def images(*dims: object) -> Any:
    return x(1, 3, *dims)


def test_unknown_types_stay_unknown():
    op = Resize2dOp(ranked(None), sizes_value("h", 3))
    assert str(op.results[0].type) == "!relax.tensor<[?, ?, h, 3]>"
    op = GridSampleOp(ranked(), x("n", None, 4, 2))
    assert str(op.results[0].type) == "!relax.tensor<[n, ?, ?, 4], f32>"
    op = AffineGridOp(ranked(), ["h", 2])
    assert str(op.results[0].type) == "!relax.tensor<[?, 2, h, 2], f32>"


def test_resize_C2():
    refused("C2", lambda: Resize2dOp(x(1, 3, 4), 5))
    refused("C2", lambda: Resize2dOp(images(4, 4), 5, None, "NCDW"))


def test_resize_C4():
    refused("C4", lambda: Resize2dOp(images(4, 4), [2, 3, 4]))


def test_resize_C5():
    refused("C5", lambda: Resize2dOp(images(4, 4), 5, None, None, "area"))
    refused("C5", lambda: Resize2dOp(images(4, 4), 5, None, None, "linear", "centre"))
    refused("C5", lambda: Resize2dOp(images(4, 4), 5, None, None, "linear", "asymmetric", "up"))


def test_resize_C6():
    bits = x(1, 3, 4, 4, dtype="i1")
    refused("C6", lambda: Resize2dOp(bits, 5))
    refused("C6", lambda: Resize2dOp(images(4, 4), 5, out_dtype="i1"))
    Resize2dOp(bits, 5, None, None, "nearest_neighbor")


def test_resize_C7():
    refused("C7", lambda: Resize2dOp(images(0, 4), 5))


def test_resize_C8():
    crop = "tf_crop_and_resize"
    refused("C8", lambda: Resize2dOp(images(4, 4), 5, None, None, "linear", crop))
    refused("C8", lambda: Resize2dOp(images(4, 4), 5, [0, 1], None, "linear", crop))


def test_resize_C9():
    words = None, None, "linear", "half_pixel", None, None, None, None, None
    refused("C9", lambda: Resize2dOp(images(4, 4), 5, *words, x(3)))
    refused("C9", lambda: Resize2dOp(images(4, 4), 5, *words, x(2, 1)))
    refused("C9", lambda: Resize2dOp(images(4, 4), 5, *words, x(2, dtype="i32")))


def test_resize_C10():
    refused(
        "C10", lambda: Resize2dOp(images(4, 4), 5, None, None, "nearest_neighbor", antialias=True)
    )


def test_grid_sample_C3():
    refused("C3", lambda: GridSampleOp(images(0, 4), x(1, 2, 2, 2)))


def test_grid_sample_C4():
    refused("C4", lambda: GridSampleOp(images(4, 4), x(1, 2, 2, 2, dtype="f64")))
    whole = x(1, 3, 4, 4, dtype="i32"), x(1, 2, 2, 2, dtype="i32")
    refused("C4", lambda: GridSampleOp(*whole))


def test_grid_sample_C5():
    refused("C5", lambda: GridSampleOp(images(4, 4), x(1, 2, 2)))
    refused("C5", lambda: GridSampleOp(images(4, 4), x(1, 2, 2, 3)))
    refused("C5", lambda: GridSampleOp(images(4, 4), x(2, 2, 2, 2)))
    refused("C5", lambda: GridSample3dOp(x(1, 3, 4, 4, 4), x(1, 2, 2, 2)))
    refused("C5", lambda: GridSample3dOp(x(1, 3, 4, 4, 4), x(1, 1, 2, 2, 2)))


def test_grid_sample_C6():
    grid = x(1, 2, 2, 2)
    refused("C6", lambda: GridSampleOp(images(4, 4), grid, "linear"))
    refused("C6", lambda: GridSampleOp(images(4, 4), grid, "nearest", None, "wrap"))
    refused("C6", lambda: GridSample3dOp(x(1, 3, 4, 4, 4), x(1, 1, 2, 2, 3), "bicubic"))


def test_affine_grid_C1():
    refused("C1", lambda: AffineGridOp(x("n", 2, 3, dtype="i32"), [4, 4]))


def test_affine_grid_C2():
    refused("C2", lambda: AffineGridOp(x("n", 2, 3), [4, 4, 4, 4]))


def test_affine_grid_C3():
    refused("C3", lambda: AffineGridOp(x("n", 2), [4, 4]))
    refused("C3", lambda: AffineGridOp(x("n", 2, 2), [4, 4]))
    refused("C3", lambda: AffineGridOp(x("n", 2, 3), [4, 4, 4]))


def test_roi_align_C3():
    refused("C3", lambda: RoiAlignOp(images(4, 0), x("k", 5), 2, 1.0))


def test_roi_align_C4():
    refused("C4", lambda: RoiAlignOp(images(4, 4), x("k", 5, dtype="f64"), 2, 1.0))


def test_roi_align_C5():
    refused("C5", lambda: RoiAlignOp(images(4, 4), x(5), 2, 1.0))
    refused("C5", lambda: RoiAlignOp(images(4, 4), x("k", 4), 2, 1.0))


def test_roi_align_C6():
    refused("C6", lambda: RoiAlignOp(images(4, 4), x("k", 5), 0, 1.0))


def test_roi_align_C7():
    refused("C7", lambda: RoiAlignOp(images(4, 4), x("k", 5), 2, 1.0, mode="sum"))
