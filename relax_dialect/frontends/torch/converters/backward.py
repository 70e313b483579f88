"""Backward passes that PyTorch has as operators: our adjoint of the operator itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.converters.convolution import FORWARD, TRANSPOSED
from relax_dialect.frontends.torch.converters.pooling import window
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode
from relax_dialect.gradient.registry import Applied, rule_of


def pulled_back(node: TorchNode, forward: Any, gradient: Value) -> Sequence[Any]:
    """Return the cotangents of the operands of an operator, which is emitted for its types alone."""
    result = node.emit(forward)
    operation: Any = result.value.owner
    rule = rule_of(type(operation))
    assert rule is not None
    inputs = [Value(operand) for operand in operation.operands]
    found = rule(Applied(operation, inputs, [result], node.importer.builder), gradient)
    return found if isinstance(found, tuple) else (found,)


@converter("convolution_backward")
def convolution_backward(node: TorchNode) -> Any:
    spatial, gradient = node.rank("weight") - 2, node.tensor("grad_output")
    padding = node.ints("padding", spatial)
    options: dict[str, Any] = {
        "strides": node.ints("stride", spatial),
        "padding": [*padding, *padding],
        "dilation": node.ints("dilation", spatial),
        "groups": int(node.number("groups")),
    }
    if node.arg("transposed"):
        options["output_padding"] = node.ints("output_padding", spatial)
    make = (TRANSPOSED if node.arg("transposed") else FORWARD)[spatial - 1]
    forward = make(node.tensor("input"), node.tensor("weight"), **options)
    of_x, of_weight = pulled_back(node, forward, gradient)
    of_bias = op.sum(gradient, [0, *range(2, spatial + 2)])
    pairs = zip((of_x, of_weight, of_bias), node.arg("output_mask"))
    return [found if wanted else None for found, wanted in pairs]


@converter("avg_pool2d_backward")
def avg_pool_backward(node: TorchNode) -> Any:
    if node.arg("divisor_override") is not None or node.rank("self") != 4:
        node.unsupported("divisor_override, or an image without a batch")
    counted = bool(node.arg("count_include_pad"))
    forward = op.avg_pool2d(node.tensor("self"), count_include_pad=counted, **window(node, 2))
    return pulled_back(node, forward, node.tensor("grad_output"))[0]


@converter("_adaptive_avg_pool2d_backward")
def adaptive_avg_pool_backward(node: TorchNode) -> Any:
    size = [s.value for s in node.shape("grad_output")[-2:] if s.value is not None]
    if len(size) < 2 or node.rank("self") != 4:
        node.unsupported("symbolic output sizes, or an image without a batch")
    forward = op.adaptive_avg_pool2d(node.tensor("self"), size)
    return pulled_back(node, forward, node.tensor("grad_output"))[0]


@converter("silu_backward")
def silu_backward(node: TorchNode) -> Any:
    x, one = node.tensor("self"), const(1.0, node.out_dtype)
    y = node.emit(op.sigmoid(x))
    slope = op.multiply(y, op.add(one, op.multiply(x, op.subtract(one, y))))
    return op.multiply(node.tensor("grad_output"), slope)
