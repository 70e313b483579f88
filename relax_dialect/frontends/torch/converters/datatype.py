"""Conversions of element types, and copies, which values need not."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("_to_copy", "to", "type_as", "convert_element_type")
def convert(node: TorchNode) -> Any:
    return node.tensor(0, node.out_dtype)


@converter(
    "alias", "clone", "contiguous", "detach", "detach_", "lift_fresh_copy", "lift_fresh", "dropout",
    "dropout_",
    "feature_dropout", "positive", "requires_grad_", "view_as_real_copy", "resolve_conj", "resolve_neg",
    "alpha_dropout", "_conj", "conj",
)  # fmt: skip
def same(node: TorchNode) -> Any:
    if node.arg("train") and node.arg("p"):
        node.unsupported("random numbers", "export the model in eval mode")
    return node.tensor(0)


@converter("copy")
def copy(node: TorchNode) -> Any:
    return op.broadcast_to(node.tensor("src", node.out_dtype), node.out_shape)


@converter("native_dropout")
def native_dropout(node: TorchNode) -> Any:
    if node.arg("train") is not False and node.arg("p"):
        node.unsupported("random numbers", "export the model in eval mode")
    return [node.tensor(0), op.ones(node.shape(0), "i1")]


@converter(
    "_assert_scalar", "_assert_tensor_metadata", "_assert_async", "sym_constrain_range",
    "sym_constrain_range_for_size", "_functional_assert_async", "_functional_assert_scalar",
)  # fmt: skip
def assertion(node: TorchNode) -> Any:
    return node.importer.check(node)
