"""Operators between blocks of pixels and channels, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.layout import (
    OPS,
    DepthToSpaceOp,
    LayoutTransformOp,
    PixelShuffleOp,
    PixelUnshuffleOp,
    SpaceToDepthOp,
)

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, tensor
from .inputs import ranked, refused, x
from .stopping import both_stop


def channel(mode: str, c: int, y: int, x: int, b: int, channels: int) -> int:
    """The channel that holds pixel (y, x) of the blocks of channel c."""
    return (c * b + y) * b + x if mode == "CRD" else (y * b + x) * channels + c


def to_space(b: int, mode: str):
    """Pixel by pixel."""

    def meaning(x: np.ndarray) -> np.ndarray:
        *batch, deep, height, width = x.shape
        channels = deep // b**2
        result = np.zeros((*batch, channels, height * b, width * b), x.dtype)
        for c, row, column in np.ndindex(*result.shape[-3:]):
            source = channel(mode, c, row % b, column % b, b, channels)
            result[..., c, row, column] = x[..., source, row // b, column // b]
        return result

    return meaning


def to_depth(b: int, mode: str):
    """Pixel by pixel, the other way round."""

    def meaning(x: np.ndarray) -> np.ndarray:
        *batch, channels, height, width = x.shape
        result = np.zeros((*batch, channels * b * b, height // b, width // b), x.dtype)
        for c, row, column in np.ndindex(*x.shape[-3:]):
            target = channel(mode, c, row % b, column % b, b, channels)
            result[..., target, row // b, column // b] = x[..., c, row, column]
        return result

    return meaning


def case(
    op: Callable, b: int, meaning: Callable, type: TensorType, *args: Any, **more: Any
) -> Case:
    return Case(lambda x: op(x, b, *args), [type], meaning, **more)


def ragged(block: int, fill: float):
    """Row by row, block by block."""

    def meaning(x: np.ndarray) -> np.ndarray:
        count = -(-x.shape[1] // block)
        result = np.full((count, len(x), block), fill, x.dtype)
        for (row, column), element in np.ndenumerate(x):
            result[column // block, row, column % block] = element
        return result

    return meaning


WHOLE = [{"n": 2, "m": 4, "k": 6}, {"n": 1, "m": 0, "k": 2}, {"n": 0, "m": 4, "k": 0}]

CASES: dict[str, Case] = {
    "shuffle": case(PixelShuffleOp, 3, to_space(3, "CRD"), tensor("n", 18, "m", "k")),
    "shuffle_image": case(PixelShuffleOp, 2, to_space(2, "CRD"), tensor(8, "m", 3, dtype="i8")),
    "shuffle_unproved": case(
        PixelShuffleOp, 2, to_space(2, "CRD"), tensor("m", "k", "n"), sizes=WHOLE
    ),
    "unshuffle": case(
        PixelUnshuffleOp, 2, to_depth(2, "CRD"), tensor("n", 3, "m", "k"), sizes=WHOLE
    ),
    "unshuffle_static": case(
        PixelUnshuffleOp, 3, to_depth(3, "CRD"), tensor(2, 2, 6, 3, dtype="f64"), sizes=STATIC
    ),
    "to_space": case(DepthToSpaceOp, 2, to_space(2, "DCR"), tensor("n", 12, "m", "k")),
    "to_space_crd": case(DepthToSpaceOp, 2, to_space(2, "CRD"), tensor("n", 12, "m", 3), "CRD"),
    "to_depth": case(SpaceToDepthOp, 2, to_depth(2, "DCR"), tensor("n", 3, "m", "k"), sizes=WHOLE),
    "blocks": Case(
        lambda x: LayoutTransformOp(x, lambda n, c, h, w: (n, c // 8, h, w, c % 8)),
        [tensor("n", 16, "m", "k")],
        lambda x: np.stack([x[:, c::8] for c in range(8)], -1),
    ),
    "blocks_filled_up": Case(
        lambda x: LayoutTransformOp(x, lambda n, c: (c // 4, n, c % 4), -1.0),
        [tensor("n", "m")],
        ragged(4, -1),
    ),
    "unblocked": Case(
        lambda x: LayoutTransformOp(x, lambda n, o, h, i: (n, h, o * 3 + i)),
        [tensor("n", "m", 2, 3, dtype="i8")],
        lambda x: (
            np.concatenate([*np.moveaxis(x, 1, 0), x[:, 0, :, :0]], -1)
            if x.shape[1]
            else np.zeros((len(x), 2, 0), x.dtype)
        ),
    ),
    "three_merged": Case(
        lambda x: LayoutTransformOp(x, lambda n, a, m, b, c: (m, (n * 2 + b) * 12 + c * 4 + a)),
        [tensor("n", 4, "m", 2, "k")],
        lambda x: x.transpose(2, 0, 3, 4, 1).reshape(x.shape[2], -1),
        [{"n": 5, "m": 2, "k": 3}, {"n": 0, "m": 2, "k": 3}],
    ),
    "unblocked_unproved": Case(
        lambda x: LayoutTransformOp(x, lambda o, i: (o * 3 + i,)),
        [tensor("n", "m")],
        np.ravel,
        sizes=[{"n": 5, "m": 3}],
    ),
    "channels_last": Case(
        lambda x: LayoutTransformOp(x, lambda n, c, h, w: (n, h, w, c)),
        [tensor("n", "m", "k", 2, dtype="f64")],
        lambda x: np.moveaxis(x, 1, -1),
    ),
    "to_depth_one": case(SpaceToDepthOp, 1, to_depth(1, "DCR"), tensor("n", "k", "m", 3)),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("shuffle_unproved", (6, 3, 3), "expected a number of channels divisible by 4"),
        ("unshuffle", (1, 3, 4, 5), "expected a width divisible by 2"),
        ("unblocked_unproved", (5, 4), "expected dimension 1 of x to have the size 3"),
        ("to_depth", (1, 3, 5, 4), "expected a height divisible by 2"),
    ],
)
def test_sizes_that_do_not_divide(model: CompiledModule, name: str, shape: Any, message: str):
    both_stop(model, CASES, name, shape, message=message)


def test_both_directions_undo_each_other(model: CompiledModule):
    image = np.arange(2 * 18 * 4 * 5, dtype=np.float32).reshape(2, 18, 4, 5)
    back = to_depth(3, "CRD")(np.asarray(model.shuffle(image)))
    np.testing.assert_array_equal(back, image)


def test_pixel_shuffle_C1():
    refused("C1", lambda: PixelShuffleOp(x(4, "n"), 2))


def test_pixel_shuffle_C2():
    refused("C2", lambda: PixelShuffleOp(x(4, "n", "m"), 0))


def test_pixel_shuffle_C3():
    refused("C3", lambda: PixelShuffleOp(x("4 * n + 2", "n", "m"), 2))


def test_pixel_unshuffle_C1():
    refused("C1", lambda: PixelUnshuffleOp(x(4, "n"), 2))


def test_pixel_unshuffle_C2():
    refused("C2", lambda: PixelUnshuffleOp(x(4, 4, 4), -2))


def test_pixel_unshuffle_C3():
    refused("C3", lambda: PixelUnshuffleOp(x("n", 4, 3), 2))
    refused("C3", lambda: PixelUnshuffleOp(x("n", 3, 4), 2))


def test_depth_to_space_C1():
    refused("C1", lambda: DepthToSpaceOp(x(4, "n", "m"), 2))


def test_depth_to_space_C2():
    refused("C2", lambda: DepthToSpaceOp(x("n", 4, 2, 2), 0))


def test_depth_to_space_C3():
    refused("C3", lambda: DepthToSpaceOp(x("n", 6, 2, 2), 2))


def test_depth_to_space_C4():
    refused("C4", lambda: DepthToSpaceOp(x("n", 4, 2, 2), 2, "RCD"))


def test_space_to_depth_C1():
    refused("C1", lambda: SpaceToDepthOp(x(4, "n", "m"), 2))
    assert SpaceToDepthOp(ranked(), 2).result.type == ranked().type


def test_space_to_depth_C2():
    refused("C2", lambda: SpaceToDepthOp(x("n", 4, 2, 2), 0))


def test_space_to_depth_C3():
    refused("C3", lambda: SpaceToDepthOp(x("n", 4, 2, 3), 2))


def test_layout_transform_C1():
    refused("C1", lambda: LayoutTransformOp(x("n"), lambda a, b: (b, a)))


def test_layout_transform_C2():
    for wrong in (
        lambda a, b: (a, a),
        lambda a, b: (a, b // 4),
        lambda a, b: (a, b // 4, b % 8),
        lambda a, b: (a, b // 4, b % 4, b),
        lambda a, b: (a + b, b),
        lambda a, b: (a, b, b % 2),
        lambda a, b: (a, b + 1),
        lambda a, b: (a * 2 + b * 2,),
        lambda a, b: (a * -3 + b,),
    ):
        refused("C2", lambda wrong=wrong: LayoutTransformOp(x("n", "m"), wrong))
    refused("C2", lambda: LayoutTransformOp(x("n", 2, 4), lambda a, b, c: (a * 6 + b * 4 + c,)))


def test_layout_transform_C3():
    refused("C3", lambda: LayoutTransformOp(x("n", 5), lambda a, b: (a * 4 + b,)))


def test_layout_transform_C4():
    refused("C4", lambda: LayoutTransformOp(x("n", dtype="i8"), lambda a: (a // 4, a % 4), 200))
