"""Operators that make, join, move and choose elements against PyTorch, interpreted and as C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import package

from lowering.runtime import CompiledModule
from relax_dialect.ops.create import EyeOp, TrilOp, TriuOp
from relax_dialect.ops.joining import ConcatOp, MeshgridOp, SplitOp, StackOp
from relax_dialect.ops.layout import PixelShuffleOp, PixelUnshuffleOp
from relax_dialect.ops.manipulate import ExpandDimsOp, SqueezeOp
from relax_dialect.ops.moving import FlipOp, PadOp, RepeatOp, RollOp, TileOp
from relax_dialect.ops.ranges import ArangeOp, HammingWindowOp, LinspaceOp, OneHotOp
from relax_dialect.ops.ternary import ClipOp, LerpOp, MaskedFillOp, WhereOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, over, shape, special, tensor

torch = package("torch")


def peer(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of PyTorch as one of numpy arrays."""

    def meaning(*arguments: Any) -> Any:
        tensors = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
        found = function(*tensors)
        if isinstance(found, tuple | list):
            return tuple(np.asarray(part) for part in found)
        return np.asarray(found)

    return meaning


def pad(width: list[int], mode: str, last_first: list[int]) -> Case:
    """PyTorch names the last axis first, and wants a batch and channels."""

    def torch_pad(x: Any) -> Any:
        value = {"value": 2.0} if mode == "constant" else {}
        return torch.nn.functional.pad(x[None, None], last_first, mode, **value)[0, 0]

    sizes = [{"n": 4, "m": 5}, {"n": 3, "m": 3}]
    return Case(lambda x: PadOp(x, width, mode, 2), [tensor("n", "m")], peer(torch_pad), sizes)


SQUARE = tensor("n", "m")
FUNCTIONAL = torch.nn.functional
SOME = [{"n": 5, "m": 3, "k": 2, "b": 4}, {"n": 1, "m": 7, "k": 3, "b": 1}]

CASES: dict[str, Case] = {
    "concat": Case(
        lambda *t: ConcatOp(t, -1),
        [SQUARE, tensor("n", "k")],
        peer(lambda *t: torch.cat(t, -1)),
    ),
    "stack": Case(lambda *t: StackOp(t, 1), [SQUARE, SQUARE], peer(lambda *t: torch.stack(t, 1))),
    "split": Case(
        lambda x: SplitOp(x, [1, 4], 1), [SQUARE], peer(lambda x: torch.tensor_split(x, [1, 4], 1))
    ),
    "chunk": Case(
        lambda x: SplitOp(x, 3), [tensor(8, 2)], peer(lambda x: torch.chunk(x, 3)), STATIC
    ),
    "meshgrid": Case(
        lambda *t: MeshgridOp(t, "xy"),
        [tensor("n"), tensor("m")],
        peer(lambda *t: torch.meshgrid(*t, indexing="xy")),
    ),
    "expand_dims": Case(
        lambda x: ExpandDimsOp(x, -2), [SQUARE], peer(lambda x: torch.unsqueeze(x, -2))
    ),
    "squeeze": Case(
        lambda x: SqueezeOp(x, -2), [tensor("n", 1, "m")], peer(lambda x: torch.squeeze(x, -2))
    ),
    "tile": Case(
        lambda x: TileOp(x, [2, 1, 3]), [SQUARE], peer(lambda x: torch.tile(x, (2, 1, 3)))
    ),
    "repeat": Case(
        lambda x: RepeatOp(x, 3, 1), [SQUARE], peer(lambda x: torch.repeat_interleave(x, 3, 1))
    ),
    "flip": Case(lambda x: FlipOp(x, -1), [SQUARE], peer(lambda x: torch.flip(x, [-1]))),
    "roll": Case(
        lambda x: RollOp(x, [2, -5], [1, 0]),
        [SQUARE],
        peer(lambda x: torch.roll(x, [2, -5], [1, 0])),
    ),
    "roll_flat": Case(lambda x: RollOp(x, 4), [SQUARE], peer(lambda x: torch.roll(x, 4))),
    "pad_constant": pad([1, 0, 2, 3], "constant", [2, 3, 1, 0]),
    "pad_reflect": pad([1, 2, 2, 0], "reflect", [2, 0, 1, 2]),
    "pad_replicate": pad([4, 0, 0, 1], "replicate", [0, 1, 4, 0]),
    "pad_circular": pad([3, 2, 0, 3], "circular", [0, 3, 3, 2]),
    "pixel_shuffle": Case(
        lambda x: PixelShuffleOp(x, 2),
        [tensor("b", 8, "n", "m")],
        peer(lambda x: torch.pixel_shuffle(x, 2)),
        SOME,
    ),
    "pixel_unshuffle": Case(
        lambda x: PixelUnshuffleOp(x, 3),
        [tensor("b", 2, 6, 9)],
        peer(lambda x: torch.pixel_unshuffle(x, 3)),
        SOME,
    ),
    "eye": Case(lambda _: EyeOp("n", "m"), [shape("n", "m")], peer(lambda s: torch.eye(*s))),
    "tril": Case(lambda x: TrilOp(x, -1), [SQUARE], peer(lambda x: torch.tril(x, -1))),
    "triu": Case(lambda x: TriuOp(x, 1), [tensor("b", "n", "m")], peer(lambda x: torch.triu(x, 1))),
    "one_hot": Case(
        lambda x: OneHotOp(x, 1, 0, 100),
        [tensor("n", "m", dtype="i64")],
        peer(lambda x: FUNCTIONAL.one_hot(x, 100)),
        values=np.abs,
    ),
    "arange": Case(
        lambda _: ArangeOp(1, "n", 2),
        [shape("n")],
        peer(lambda s: torch.arange(1, s[0], 2)),
        SOME,
    ),
    "arange_floats": Case(
        lambda _: ArangeOp(0.5, 3.0, 0.3),
        [shape("n")],
        peer(lambda s: torch.arange(0.5, 3.0, 0.3)),
        SOME,
    ),
    "linspace": Case(
        lambda _: LinspaceOp(-1.5, 3.0, "n"),
        [shape("n")],
        peer(lambda s: torch.linspace(-1.5, 3.0, s[0])),
    ),
    "hamming": Case(
        lambda _: HammingWindowOp("n"), [shape("n")], peer(lambda s: torch.hamming_window(s[0]))
    ),
    "hamming_symmetric": Case(
        lambda _: HammingWindowOp("n", False, 0.5, 0.4, "f64"),
        [shape("n")],
        peer(lambda s: torch.hamming_window(s[0], False, 0.5, 0.4, dtype=torch.float64)),
    ),
    "where": Case(WhereOp, [tensor("n", 1, dtype="i1"), tensor("m"), SQUARE], peer(torch.where)),
    "clip": Case(
        lambda x: ClipOp(x, -0.5, 1),
        [SQUARE],
        peer(lambda x: torch.clamp(x, -0.5, 1)),
        values=special,
    ),
    "masked_fill": Case(
        lambda x, m: MaskedFillOp(x, m, -1e9),
        [SQUARE, tensor("m", dtype="i1")],
        peer(lambda x, m: x.masked_fill(m, -1e9)),
    ),
    "lerp": Case(LerpOp, [SQUARE, SQUARE, SQUARE], peer(torch.lerp)),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


@over(CASES)
def test_agrees_with_pytorch(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)
