"""Operators that make, join, move and choose elements against ONNX Runtime."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.create import EyeLikeOp, TrilOp, TriuOp
from relax_dialect.ops.joining import ConcatOp, SplitOp
from relax_dialect.ops.layout import DepthToSpaceOp, SpaceToDepthOp
from relax_dialect.ops.manipulate import ExpandDimsOp, SqueezeOp
from relax_dialect.ops.moving import PadOp, ReverseSequenceOp, TileOp
from relax_dialect.ops.ranges import ArangeOp, HammingWindowOp, OneHotOp
from relax_dialect.ops.ternary import ClipOp, WhereOp

from .onnx_peer import onnx_runtime
from .peers import agree

package("onnx")
package("onnxruntime")

RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


peer = partial(onnx_runtime, opset=19)
"""What ONNX Runtime gives for a model of one node."""


X = floats(2, 12, 4, 6)
M = floats(5, 7)

NODES: dict[str, tuple[Any, list[np.ndarray], Any]] = {
    "depth_to_space_dcr": (
        lambda x: DepthToSpaceOp(x, 2),
        [X],
        lambda: peer("DepthToSpace", [X], blocksize=2),
    ),
    "depth_to_space_crd": (
        lambda x: DepthToSpaceOp(x, 2, "CRD"),
        [X],
        lambda: peer("DepthToSpace", [X], blocksize=2, mode="CRD"),
    ),
    "space_to_depth": (
        lambda x: SpaceToDepthOp(x, 2),
        [X],
        lambda: peer("SpaceToDepth", [X], blocksize=2),
    ),
    "reverse_sequence": (
        ReverseSequenceOp,
        [M, ints(1, 7, 3, 0, 2)],
        lambda: peer("ReverseSequence", [M, ints(1, 7, 3, 0, 2)], time_axis=1, batch_axis=0),
    ),
    "one_hot": (
        lambda x: OneHotOp(x, 2.0, -1.0, 4, 1),
        [np.array([[3, 0, 9], [1, 2, 0]])],
        lambda: peer(
            "OneHot",
            [np.array([[3, 0, 9], [1, 2, 0]]), ints(4), np.array([-1, 2], np.float32)],
            axis=1,
        ),
    ),
    "tile": (lambda x: TileOp(x, [3, 2]), [M], lambda: peer("Tile", [M, ints(3, 2)])),
    "pad_constant": (
        lambda x: PadOp(x, [1, 0, 2, 3], "constant", 1.5),
        [M],
        lambda: peer("Pad", [M, ints(1, 2, 0, 3), np.array(1.5, np.float32)]),
    ),
    **{
        f"pad_{ours}": (
            lambda x, ours=ours: PadOp(x, [4, 1, 0, 6], ours),
            [M],
            lambda theirs=theirs: peer("Pad", [M, ints(4, 0, 1, 6)], mode=theirs),
        )
        for ours, theirs in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap"))
    },
    "eye_like": (
        lambda x: EyeLikeOp(x, -2, "f32"),
        [M],
        lambda: peer("EyeLike", [M], k=-2, dtype=1),
    ),
    "tril": (lambda x: TrilOp(x, 1), [X], lambda: peer("Trilu", [X, np.array(1)], upper=0)),
    "triu": (lambda x: TriuOp(x, -2), [X], lambda: peer("Trilu", [X, np.array(-2)], upper=1)),
    "concat": (
        lambda *t: ConcatOp(t, 1),
        [M, M[:, :2], M[:, :0]],
        lambda: peer("Concat", [M, M[:, :2], M[:, :0]], axis=1),
    ),
    "split": (
        lambda x: SplitOp(x, 3, -1),
        [M],
        lambda: peer("Split", [M], 3, axis=-1, num_outputs=3),
    ),
    "unsqueeze": (
        lambda x: ExpandDimsOp(x, [0, -1]),
        [M],
        lambda: peer("Unsqueeze", [M, ints(0, -1)]),
    ),
    "squeeze": (
        lambda x: SqueezeOp(x, [0, -1]),
        [M[None, ..., None]],
        lambda: peer("Squeeze", [M[None, ..., None], ints(0, -1)]),
    ),
    "where": (
        WhereOp,
        [M > 0, M, floats(7)],
        None,
    ),
    "clip": (
        lambda x: ClipOp(x, -3, 20),
        [np.arange(-50, 50, 7).astype(np.int8)],
        lambda: peer(
            "Clip", [np.arange(-50, 50, 7).astype(np.int8), np.array(-3, "b"), np.array(20, "b")]
        ),
    ),
    "range": (
        lambda: ArangeOp(7, -6, -4),
        [],
        lambda: peer("Range", [np.array(7), np.array(-6), np.array(-4)]),
    ),
    "hamming": (
        lambda: HammingWindowOp(9, True, 25 / 46, 21 / 46),
        [],
        lambda: peer("HammingWindow", [np.array(9)], periodic=1),
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_agrees_with_onnx_runtime(name: str):
    operator, arrays, expected = NODES[name]
    wanted = peer("Where", arrays) if expected is None else expected()
    agree(operator, arrays, wanted, compiled=name in ("reverse_sequence", "pad_circular", "split"))
