"""Functions: those of the model, and ONNX's own bodies of composite operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.imported_values import Known, SizeArray, tensor_type
from relax_dialect.frontends.onnx.model.schemas import schema_of
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import normal_domain

MAX_DEPTH = 64
"""The deepest nesting of calls of functions."""

MOST_VERSIONS = 1 << 20
"""The newest version that a domain may have that is not ONNX's own."""

Functions = Mapping[tuple[str, str], Any]


def of_model(model: Any) -> Functions:
    """Return the functions of a model, by domain and name."""
    return {(normal_domain(f.domain), f.name): f for f in model.functions}


def opsets_of(holder: Any) -> dict[str, int]:
    """Return the versions of the domains that a model, or the body of a function, requires."""
    return {normal_domain(o.domain): o.version for o in holder.opset_import}


def check_opsets(model: Any, name: str) -> None:
    """Refuse versions that the package onnx does not know, in a model and its functions."""
    from onnx import defs  # pyright: ignore

    newest = defs.onnx_opset_version()
    for holder in (model, *model.functions):
        versions = defaultdict[str, list[int]](list)
        for opset in holder.opset_import:  # some tools write the same version twice
            versions[normal_domain(opset.domain)].append(opset.version)
        for opset in holder.opset_import:
            domain = normal_domain(opset.domain)
            is_own = domain == ""
            most = newest if is_own else MOST_VERSIONS
            if not 1 <= opset.version <= most or len({*versions[domain]}) > 1:
                raise OnnxError(
                    f"{name}: expected one version of the domain {shown(opset.domain)} within 1..{most}, "
                    f"found {versions[domain]}; "
                    + (
                        "convert the model, or install a newer onnx"
                        if is_own
                        else "correct the model"
                    )
                )


def has_body(schema: Any) -> bool:
    """Returns whether ONNX has a body for an operator."""
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def body_of(node: OnnxNode) -> Any:
    """Return ONNX's body of a node's operator, or None."""
    schema = schema_of(node.op_type, node.domain, node.opset)
    if schema is None:
        return None
    if schema.has_function:
        versions = [v for v in schema.function_opset_versions if v <= node.opset]
        if not versions:
            return None
        return _parsed(schema.get_function_with_opset_version(max(versions)))
    if not schema.has_context_dependent_function:
        return None
    types = [_type(node, place).SerializeToString() for place in range(len(node.inputs))]
    versions = [v for v in schema.context_dependent_function_opset_versions if v <= node.opset]
    version = max(versions, default=schema.since_version)
    return _parsed(
        schema.get_context_dependent_function_with_opset_version(
            version, node.proto.SerializeToString(), types
        )
    )


def _parsed(data: bytes) -> Any:
    from onnx import FunctionProto  # pyright: ignore

    return FunctionProto.FromString(data) if data else None


def _type(node: OnnxNode, place: int) -> Any:
    """Return the ONNX type of an input, as far as a body depends on it."""
    from onnx import TypeProto, helper  # pyright: ignore

    found = node.inputs[place]
    if found is None:
        return TypeProto()
    code = helper.np_dtype_to_tensor_dtype(np.dtype(node.dtype(place)))
    if isinstance(found, Known | SizeArray):
        return helper.make_tensor_type_proto(code, list(found.array.shape))
    type = tensor_type(node.tensor(place))
    shape = None if type is None or type.shape is None else type.shape
    sizes = None if shape is None else [None if d is None else d.value for d in shape]
    return helper.make_tensor_type_proto(code, sizes)


def nodes_of(function: Any, node: OnnxNode) -> Sequence[Any]:
    """Return the nodes of a body, with the call's attributes in place of the body's references."""
    made = node.context.bodies.get(id(node.proto))
    if (
        made is None or made[1] is not function
    ):  # ONNX's own bodies depend on the types of the inputs
        made = node.proto, function, list(_nodes_of(function, node))
        node.context.bodies[id(node.proto)] = made
    return made[2]


def _nodes_of(function: Any, node: OnnxNode) -> Iterable[Any]:
    given = dict(node.attributes)
    for attribute in function.attribute_proto:
        given.setdefault(attribute.name, attribute)
    schema = schema_of(node.op_type, node.domain, node.opset)
    if schema is not None:
        for name, attribute in schema.attributes.items():
            if attribute.default_value.name:
                given.setdefault(name, attribute.default_value)
    for number, inner in enumerate(function.node):
        yield _bound(inner, given, f"{node.proto.name or node.op_type}/{inner.name or number}")


def _bound(node: Any, given: Mapping[str, Any], name: str) -> Any:
    """Bind the attributes of a body's node; references to attributes that the call omits are removed."""
    from onnx import NodeProto  # pyright: ignore

    copy = NodeProto()
    copy.CopyFrom(node)
    copy.name = name
    _bind(copy, given)
    return copy


def _bind(node: Any, given: Mapping[str, Any]) -> None:
    kept = []
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            meant = given.get(attribute.ref_attr_name)
            if meant is None:
                continue
            own = attribute.name
            attribute.CopyFrom(meant)
            attribute.name = own
        for graph in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            for inner in graph.node:
                _bind(inner, given)
        kept.append(type(attribute).FromString(attribute.SerializeToString()))
    del node.attribute[:]
    node.attribute.extend(kept)
