"""Elements repeated, moved and added at the edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.windows import with_edges
from relax_dialect.symbolic import Expr

MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}


@converter("Pad")
def pad_by_attributes(node: OnnxNode) -> Any:
    pads = list(node.attr("pads", None) or node.attr("paddings", []))
    return _padded(node, list(map(symbolic.const, pads)), node.attr("value", 0.0), None)


@converter("Pad", since=11)
def pad_by_inputs(node: OnnxNode) -> Any:
    if any(run_time.is_at_run_time(node, place) for place in (1, 3)):
        value = np.zeros((), node.dtype(0)) if not node.has(2) else op.reshape(node.tensor(2), [])
        return run_time.padded(node, _mode(node), value)
    rank, given = node.rank(0), node.sizes(1)
    axes = node.ints(3, range(rank))
    if len(given) != 2 * len(axes):
        node.fail(f"{2 * len(axes)} pads", str(len(given)), "correct the model")
    pads = [symbolic.const(0)] * (2 * rank)
    for place, axis in enumerate(node.checked_axis(a, rank) for a in axes):
        pads[axis], pads[axis + rank] = given[place], given[place + len(axes)]
    known = node.known(2)
    if known is not None or not node.has(2):
        return _padded(node, pads, 0 if known is None else known.item(), None)
    return _padded(node, pads, 0, op.reshape(node.tensor(2), []))


def _mode(node: OnnxNode) -> str:
    """Return the name of the mode in our operator."""
    mode = MODES.get(node.attr("mode"))
    if mode is None:
        expected, found = f"a mode among {', '.join(MODES)}", f"mode {node.attr('mode')!r}"
        node.fail(expected, found, "correct the model")
    return mode


def _padded(node: OnnxNode, pads: Sequence[Expr], value: Any, computed: Any) -> Any:
    """Pad by pads before all axes and then after all; negative ones crop."""
    rank, mode = node.rank(0), _mode(node)
    if len(pads) != 2 * rank:
        node.fail(f"{2 * rank} pads", str(len(pads)), "correct the model")
    x: Any = node.tensor(0)
    widths = [pad.value for pad in pads]
    if computed is None and None not in widths:
        known = [w for w in widths if w is not None]
        x = _cut(x, known)
        flat = [max(0, known[i + side * rank]) for i in range(rank) for side in (0, 1)]
        if not any(flat):
            return x
        if mode == "constant" and node.dtype(0).kind == "f":
            return op.pad(x, flat, mode, float(value))
        return op.pad(x, flat, mode, value if mode == "constant" and value else None)
    fill = np.array(value, node.dtype(0)) if computed is None else computed
    if mode != "constant":
        sizes = [n + pads[d] + pads[d + rank] for d, n in enumerate(node.shape(0))]
        return node.with_sizes(run_time.padded(node, mode, fill), sizes)
    return with_edges(node, x, node.shape(0), pads, fill)


def _cut(x: Any, pads: Sequence[int]) -> Any:
    """Crop by the negative pads."""
    rank = len(pads) // 2
    axes = [i for i in range(rank) if pads[i] < 0 or pads[i + rank] < 0]
    if not axes:
        return x
    begins = [max(0, -pads[i]) for i in axes]
    ends = [pads[i + rank] if pads[i + rank] < 0 else None for i in axes]
    return op.strided_slice(x, axes, begins, ends)


@converter("Tile")
def tile(node: OnnxNode) -> Any:
    """Convert a `Tile`; a symbolic number of repetitions is broadcast to, along a new axis."""
    repeats = node.sizes(1)
    known = [r.value for r in repeats if r.value is not None]
    if len(known) == len(repeats):
        return op.tile(node.tensor(0), known)
    shape = node.shape(0)
    split = [size for d in shape for size in (1, d)]
    full = [size for r, d in zip(repeats, shape) for size in (r, d)]
    repeated = op.broadcast_to(op.reshape(node.tensor(0), split), full)
    return op.reshape(repeated, [r * d for r, d in zip(repeats, shape)])


@converter("ReverseSequence")
def reverse_sequence(node: OnnxNode) -> Any:
    axes = node.attr("time_axis"), node.attr("batch_axis")
    return op.reverse_sequence(node.tensor(0), node.tensor(1), *axes)
