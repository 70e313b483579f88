"""Nodes of ONNX's own operators that are a part of a fused one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.imported_values import Imported, Known, SizeArray
from relax_dialect.frontends.onnx.model.schemas import schema_defaults
from relax_dialect.frontends.onnx.node import MISSING, OnnxNode
from relax_dialect.frontends.onnx.registry import find

OPSET = 17
"""The opset of ONNX's own operators that fused ones consist of."""


class Delegate(OnnxNode):
    """A node of one of ONNX's own operators, which is a part of another node."""

    def __init__(
        self,
        node: OnnxNode,
        op_type: str,
        inputs: tuple[Imported | None, ...],
        given: Mapping[str, Any],
    ):
        self.context, self.scope, self.proto = node.context, node.scope, node.proto
        self.index, self.outputs = node.index, node.outputs[:1]
        self.op_type, self.domain, self.opset = op_type, "", OPSET
        self.inputs, self.given = inputs, given

    def attr(self, name: str, default: Any = MISSING) -> Any:
        """Return an attribute, else the default, else that of the operator's definition."""
        if self.given.get(name) is not None:
            return self.given[name]
        if default is not MISSING:
            return default
        return schema_defaults(self.op_type, "", OPSET).get(name)


def delegated(node: OnnxNode, op_type: str, *inputs: Any, **given: Any) -> Value:
    """Convert one of ONNX's own operators on inputs, with the node's attributes or others."""
    own = {a.name: node.attr(a.name) for a in node.proto.attribute}
    values = tuple(v if v is None or _is_imported(v) else node.emit(v) for v in inputs)
    convert = find("", op_type, OPSET)
    assert convert is not None
    return node.emit(convert(Delegate(node, op_type, values, {**own, **given})))


def _is_imported(value: Any) -> bool:
    return isinstance(value, Known | SizeArray | Value)


def given_inputs(node: OnnxNode, *places: int) -> tuple[Imported | None, ...]:
    """Return inputs of a node as they are, None for an omitted one."""
    return tuple(node.inputs[i] if node.has(i) else None for i in places)


def channels_first(node: OnnxNode, x: Any) -> Value:
    """Move the channels of images from the last axis to the second."""
    rank = len(node.shape_of(node.emit(x)))
    return node.emit(op.permute_dims(x, [0, rank - 1, *range(1, rank - 1)]))


def channels_last(node: OnnxNode, x: Any) -> Value:
    """Move the channels of images from the second axis to the last."""
    rank = len(node.shape_of(node.emit(x)))
    return node.emit(op.permute_dims(x, [0, *range(2, rank), 1]))
