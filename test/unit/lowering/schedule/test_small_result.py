"""Convolutions to images of a few places, with windows as large as the images, against numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED
from tiny_tiles import use_tiny_tiles

import lowering
from lowering.pipeline import PASSES
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType


@dataclass(frozen=True)
class Case:
    """A convolution whose filters are an argument, or a constant."""

    x: tuple[int | str, ...]
    weight: tuple[int | str, ...]
    padding: tuple[int, int] = (0, 0)
    strides: int = 1
    dilation: int = 1
    groups: int = 1
    is_constant: bool = False

    def filters(self, sizes: Mapping[str, int]) -> np.ndarray:
        shape = [sizes.get(str(size), size) for size in self.weight]
        return np.random.default_rng(5).standard_normal(shape).astype(np.float32)  # pyright: ignore

    def emit(self, x: Any, *given: Any) -> Any:
        (w,) = given or (const(self.filters({})),)
        found = op.conv2d(
            x,
            w,
            padding=self.padding,
            strides=self.strides,
            dilation=self.dilation,
            groups=self.groups,
        )
        return op.relu(found)

    def numpy(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The definition, a place of the filters after the other."""
        x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in self.padding)])
        outputs = len(w) // self.groups
        rows, columns = (
            (size - (taps - 1) * self.dilation - 1) // self.strides + 1
            for size, taps in zip(x.shape[2:], w.shape[2:])
        )
        found = np.zeros((len(x), len(w), rows, columns), x.dtype)
        for g in range(self.groups):
            seen = x[:, g * w.shape[1] : (g + 1) * w.shape[1]]
            own = w[g * outputs : (g + 1) * outputs]
            for r, s in np.ndindex(*w.shape[2:]):
                part = seen[:, :, r * self.dilation :, s * self.dilation :]
                part = part[:, :, :: self.strides, :: self.strides][:, :, :rows, :columns]
                found[:, g * outputs : (g + 1) * outputs] += np.einsum(
                    "ncyx,kc->nkyx", part, own[:, :, r, s]
                )
        return np.maximum(found, 0)


CASES = {
    "padded": Case(("n", "c", 7, 6), (9, "c", 7, 6), (1, 1)),
    "symbolic": Case(("n", "c", "h", "h"), (16, "c", "h", "h"), (1, 1)),
    "points": Case((9, "c", 5, 8), (8, "c", 5, 8)),
    "dilated": Case((5, 3, 8, 8), (10, 3, 4, 4), (1, 1), dilation=2),
    "strided": Case((3, 2, 9, 9), (12, 2, 5, 5), strides=2),
    "constant": Case(("n", 2, 5, 5), (9, 2, 4, 4), is_constant=True),
    "groups": Case((5, 6, 6, 6), (18, 3, 6, 6), (1, 0), groups=2),
}
SIZES = ({"n": 7, "c": 2, "h": 5}, {"n": 1, "c": 1, "h": 4}, {"n": 0, "c": 3, "h": 3})


def program() -> Any:
    builder = BlockBuilder()
    for name, case in CASES.items():
        types = {"x": TensorType(list(case.x), "f32")}
        if not case.is_constant:
            types["w"] = TensorType(list(case.weight), "f32")
        with builder.function(name, types) as values:
            builder.emit_func_output(builder.emit(case.emit(*values)))
    return builder.get()


@cache
def compiled() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        return lowering.compile(program(), "small_results", extra_flags=UNOPTIMISED, cache=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_same_as_numpy(name: str):
    case = CASES[name]
    is_symbolic = any(isinstance(size, str) for size in case.x)
    for sizes in SIZES if is_symbolic else SIZES[:1]:
        shape = [sizes.get(str(size), size) for size in case.x]
        x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)  # pyright: ignore
        w = case.filters(sizes)
        found = compiled()[name](x) if case.is_constant else compiled()[name](x, w)
        np.testing.assert_allclose(found, case.numpy(x, w), 1e-4, 1e-4)


@pytest.mark.slow
def test_images_share_what_is_read_of_the_filters():
    module = program()
    lowering.lower(module, [*PASSES][: [*PASSES].index("relax-schedule") + 1], cpu="x86-64-v4")
    text = str(module)
    assert "@correlate_9x3x16_f32" in text, "nine images, three places, a vector of filters"
    assert "@correlate_3x3x3x16_f32" in text, "three images, all nine places"
