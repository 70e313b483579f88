"""ONNX's definitions of operators: defaults, counts of inputs and outputs, types of attributes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from relax_dialect.frontends.onnx.errors import shown
from relax_dialect.frontends.onnx.node_attributes import plain


@cache
def schema_of(op_type: str, domain: str, opset: int) -> Any:
    """Return the definition of an operator, None if ONNX has none."""
    from onnx import defs  # pyright: ignore

    try:
        return defs.get_schema(op_type, opset, domain)
    except defs.SchemaError:
        return None


@cache
def schema_defaults(op_type: str, domain: str, opset: int) -> Mapping[str, Any]:
    """Return the defaults of an operator's attributes."""
    schema = schema_of(op_type, domain, opset)
    if schema is None:
        return {}
    return {
        name: plain(attribute.default_value)
        for name, attribute in schema.attributes.items()
        if attribute.default_value.name
    }


def check_form(node: Any) -> None:
    """Refuse a number of inputs or outputs, and attributes, that the operator does not have."""
    schema = schema_of(node.op_type, node.domain, node.opset)
    if schema is None:
        return
    for what, count, least, most in (
        ("inputs", len(node.inputs), schema.min_input, schema.max_input),
        ("outputs", len(node.outputs), schema.min_output, schema.max_output),
    ):
        if not least <= count <= most:
            node.fail(f"{least} to {most} {what}", str(count), "correct the model")
    for name, attribute in node.attributes.items():
        known = schema.attributes.get(name)
        if known is not None and int(known.type.value) != attribute.type:
            node.fail(
                f"an attribute {shown(name)} of type {known.type.name}",
                f"type {attribute.type}",
                "correct the model",
            )
    for name, known in schema.attributes.items():
        if known.required and name not in node.attributes:
            node.fail(f"an attribute {shown(name)}", "none", "correct the model")
