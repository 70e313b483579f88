"""Elements repeated, reversed and moved; padding."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode
from relax_dialect.symbolic import Expr


@converter("repeat", "tile")
def repeat(node: TorchNode) -> Any:
    """Repeat a tensor along its axes, by an axis of repetitions before each: counts may be symbolic."""
    rank = len(node.result.shape)
    shape = [symbolic.const(1)] * (rank - node.rank(0)) + node.shape(0)
    counts = [symbolic.const(1)] * (rank - len(node.arg(1))) + node.sizes(1)
    known = [count.value for count in counts if count.value is not None]
    if len(known) == len(counts):
        return op.tile(op.reshape(node.tensor(0), shape), known)
    apart = [size for s in shape for size in (symbolic.const(1), s)]
    wide = [size for pair in zip(counts, shape) for size in pair]
    return op.reshape(op.broadcast_to(op.reshape(node.tensor(0), apart), wide), node.out_shape)


@converter("repeat_interleave.self_int")
def repeat_interleave(node: TorchNode) -> Any:
    dim = node.arg("dim")
    axis = None if dim is None else node.axis("dim")
    return op.repeat(node.tensor(0), int(node.number("repeats")), axis)


@converter("flip")
def flip(node: TorchNode) -> Any:
    found = node.tensor(0)
    for axis in node.axes("dims") or []:
        found = node.emit(op.flip(found, axis))
    return found


@converter("roll")
def roll(node: TorchNode) -> Any:
    shifts, axes = node.ints("shifts"), node.axes("dims")
    if axes is None:
        flat = op.roll(op.reshape(node.tensor(0), [symbolic.product(node.shape(0))]), shifts[0], 0)
        return op.reshape(flat, node.out_shape)
    return op.roll(node.tensor(0), shifts, axes)


def pad_widths(node: TorchNode) -> list[tuple[Expr, Expr]]:
    """Return the sizes added before and after each axis, which PyTorch lists from the last axis on."""
    rank, given = node.rank(0), node.sizes(1)
    pairs = [(symbolic.const(0), symbolic.const(0))] * rank
    for i in range(len(given) // 2):
        pairs[rank - 1 - i] = given[2 * i], given[2 * i + 1]
    return pairs


def padded(node: TorchNode, mode: str, value: Any = None) -> Any:
    """Pad a tensor; what is added less than 0 is cut off."""
    found, pairs, shape = node.tensor(0), pad_widths(node), node.shape(0)
    cut = [
        (
            i,
            symbolic.const(0) if (b := low.value) is None or b > 0 else -low,
            size + high if (high.value or 0) < 0 else size,
        )
        for i, ((low, high), size) in enumerate(zip(pairs, shape))
        if (low.value or 0) < 0 or (high.value or 0) < 0
    ]
    for axis, begin, end in cut:
        found = node.emit(op.strided_slice(found, [axis], [begin], [end]))
    widths: list[Any] = [
        max(w.value, 0) if w.value is not None else w for pair in pairs for w in pair
    ]
    if any(isinstance(width, Expr) for width in widths):
        return _joined(node, found, widths, mode, value)
    return op.pad(found, widths, mode, value) if any(widths) else found


def _joined(node: TorchNode, found: Any, widths: list[Any], mode: str, value: Any) -> Any:
    """Pad by sizes that are symbolic: constants are joined to the tensor."""
    if mode != "constant":
        node.unsupported(f"symbolic sizes of padding in mode {mode}")
    dtype = node.out_dtype
    for axis in range(node.rank(0)):
        parts = [found]
        for at, width in ((0, widths[2 * axis]), (len(parts) + 1, widths[2 * axis + 1])):
            if isinstance(width, int) and not width:
                continue
            shape = list(found.shape)
            shape[axis] = symbolic.as_expr(width)
            parts.insert(at, node.full(shape, value, dtype))
        found = parts[0] if len(parts) == 1 else node.emit(op.concat(parts, axis))
    return found


@converter("constant_pad_nd")
def constant_pad(node: TorchNode) -> Any:
    value = node.number("value")
    return padded(node, "constant", float(value) if node.is_float else int(value))


@converter("pad")
def pad(node: TorchNode) -> Any:
    mode = {
        "constant": "constant",
        "reflect": "reflect",
        "replicate": "replicate",
        "circular": "circular",
    }
    value = node.arg("value") or 0
    return padded(node, mode[node.arg("mode")], float(value) if node.is_float else int(value))


@converter("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(node: TorchNode) -> Any:
    return padded(node, "reflect")


@converter("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(node: TorchNode) -> Any:
    return padded(node, "replicate")


@converter("unfold")
def unfold(node: TorchNode) -> Any:
    """Windows along an axis: the axis is gathered by the table of their indices."""
    axis, size, step = node.axis("dimension"), int(node.number("size")), int(node.number("step"))
    count, rank = node.out_shape[axis], node.rank(0)
    first = op.multiply(op.arange(0, count, 1, dtype="i64"), const(step, "i64"))
    inner = op.arange(0, size, 1, dtype="i64")
    table = op.add(op.expand_dims(first, [1]), op.expand_dims(inner, [0]))
    order = [i for i in range(rank + 1) if i != axis + 1] + [axis + 1]
    return op.permute_dims(op.take(node.tensor(0), table, axis), order)
