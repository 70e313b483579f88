"""Reshaping, and axes in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.evaluation.shapes import axes_of
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr


@converter("Identity")
def identity(node: OnnxNode) -> Any:
    return (node.input(0),)


@converter("Reshape")
def reshape(node: OnnxNode) -> Any:
    if run_time.is_at_run_time(node, 1):
        return run_time.reshaped(node)
    wanted: Sequence[Expr | int] = node.sizes(1) if node.has(1) else list(node.attr("shape"))
    target = [symbolic.as_expr(size) for size in wanted]
    if not node.attr("allowzero", 0):
        old = node.shape(0)
        target = [old[i] if d.value == 0 and i < len(old) else d for i, d in enumerate(target)]
    return op.reshape(node.tensor(0), target)


@converter("Flatten")
def flatten(node: OnnxNode) -> Any:
    shape = node.shape(0)
    axis = node.attr("axis")
    if not -len(shape) <= axis <= len(shape):
        node.fail(f"an axis within -{len(shape)}..{len(shape)}", str(axis), "correct the model")
    axis = axis % len(shape) if axis < 0 else axis
    return op.reshape(
        node.tensor(0), [symbolic.product(shape[:axis]), symbolic.product(shape[axis:])]
    )


@converter("Transpose")
def transpose(node: OnnxNode) -> Any:
    return op.permute_dims(node.tensor(0), node.attr("perm", None))


@converter("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Any:
    if run_time.is_at_run_time(node, 1):
        return run_time.unsqueezed(node)
    axes = axes_of(node)
    if axes is None:
        node.fail("axes", "none", "correct the model")
    return op.expand_dims(node.tensor(0), axes)


@converter("Squeeze")
def squeeze(node: OnnxNode) -> Any:
    if run_time.is_at_run_time(node, 1):
        return run_time.squeezed(node)
    return op.squeeze(node.tensor(0), axes_of(node))


@converter("Expand")
def expand(node: OnnxNode) -> Any:
    """Broadcast both shapes to one another."""
    old, wanted = node.shape(0), node.sizes(1)
    rank = max(len(old), len(wanted))
    ones = (symbolic.const(1),)
    pairs = zip(ones * (rank - len(old)) + old, ones * (rank - len(wanted)) + wanted)
    return op.broadcast_to(node.tensor(0), [symbolic.broadcast(a, b) for a, b in pairs])
