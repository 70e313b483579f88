"""From an ONNX model to a module: the order of nodes, and what becomes of each.

A node of the graph is taken by the first that can do it: `shapes.py`, where every input is known or an
array of symbolic sizes, so that nothing of it is left in the program; the converter of its operator; the
body that ONNX or the model gives its operator (`functions.py`). Nodes that nobody can take are all listed
before the first one is converted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from relax_dialect.builder import Expression, Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.onnx import functions, registry, shapes
from relax_dialect.frontends.onnx.context import Context
from relax_dialect.frontends.onnx.dtypes import numpy_of
from relax_dialect.frontends.onnx.errors import OnnxError, shown
from relax_dialect.frontends.onnx.node import Node, schema_of
from relax_dialect.frontends.onnx.order import describe, graphs_of, in_order
from relax_dialect.frontends.onnx.scopes import Scope
from relax_dialect.frontends.onnx.values import Imported, Known, Sizes, of_exprs
from relax_dialect.ir.types import TensorType, as_dtype
from relax_dialect.parsing import new_context
from relax_dialect.rewrites.convert_to_dataflow import ConvertToDataflowPass
from relax_dialect.symbolic import Expr
from relax_dialect.te.emitter import name_hint

ENTRY = "main"
"""The function that a graph becomes."""

Dims = Mapping[str, "int | Sequence[int | str | None]"]


class Importer:
    """Imports one model."""

    def __init__(self, model: Any, context: Context, dims: Dims, bind: Mapping[str, Any]):
        self.model, self.context, self.dims, self.bind = model, context, dims, bind
        self.opsets = {registry.normal_domain(o.domain): o.version for o in model.opset_import}
        self.functions = functions.of_model(model)
        self.parameters: Sequence[str] = ()
        """The inputs that are parameters of the function, by the names that the model gives them."""
        context.convert_graph = lambda graph, scope: self.convert(graph.node, scope, self.opsets)

    @property
    def name(self) -> str:
        return self.context.name

    def run(self) -> ModuleOp:
        """The module of the model, verified."""
        graph = self.model.graph
        self._refuse_unknown_names()
        nodes = in_order(graph, self.name)
        self._refuse_missing(nodes)
        scope = Scope()
        scope.initializers = {tensor.name: tensor for tensor in graph.initializer}
        builder = self.context.builder
        params = {}
        for value in graph.input:
            if value.name in self.bind:
                scope.values[value.name] = Known(self._bound(value), value.name)
            elif value.name not in scope.initializers:
                params[value.name] = self._type_of(value)
        self.parameters = tuple(params)
        straight = not any(self._may_have_control_flow(node) for node in nodes)
        with builder.function(ENTRY, params) as arguments:
            scope.values.update(zip(params, arguments))
            with builder.dataflow() if straight else nullcontext():
                self.convert(nodes, scope, self.opsets)
                results = [self._result(scope, output.name) for output in graph.output]
                builder.location = None
                if straight:
                    results = [
                        builder.emit_output(r, n.name) for r, n in zip(results, graph.output)
                    ]
            builder.emit_func_output(results[0] if len(results) == 1 else results)
        module = builder.get()
        if not straight:
            ConvertToDataflowPass().apply(new_context(), module)
        return module

    # Inputs and outputs -----------------------------------------------------------------------

    def _refuse_unknown_names(self) -> None:
        graph = self.model.graph
        if not graph.output:
            raise OnnxError(
                f"{self.name}: expected a graph with outputs, found none; correct the model"
            )
        inputs = {value.name: value for value in graph.input}
        sizes = {
            d.dim_param for v in graph.input for d in v.type.tensor_type.shape.dim if d.dim_param
        }
        for name in self.bind:
            if name not in inputs:
                known = ", ".join(map(shown, inputs)) or "there is none"
                raise OnnxError(
                    f"{self.name}: bind: expected the name of an input ({known}), found {shown(name)}"
                )
        for name, given in self.dims.items():
            is_size = isinstance(given, int)  # else the shape of an input
            if name not in sizes and (is_size or name not in inputs):
                names = sorted(sizes) if is_size else [*sorted(sizes), *inputs]
                raise OnnxError(
                    f"{self.name}: dims: expected the name of a size{'' if is_size else ' or an input'} "
                    f"({', '.join(map(shown, names)) or 'there is none'}), found {shown(name)}"
                )

    def _type_of(self, value: Any) -> Attribute:
        """The type of an input."""
        what = f"{self.name}: input {shown(value.name)}"
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            raise OnnxError(
                f"{what}: expected a tensor, found {(kind or 'no type').removesuffix('_type')}; export the "
                "model with tensors as inputs"
            )
        tensor = value.type.tensor_type
        try:
            dtype = as_dtype(numpy_of(tensor.elem_type))
        except OnnxError as error:
            raise OnnxError(f"{what}: {error}") from None
        given = self.dims.get(value.name)
        if given is not None and not isinstance(given, int):
            return TensorType(
                [self._given_size(d, value.name, i) for i, d in enumerate(given)], dtype
            )
        if not tensor.HasField("shape"):
            return TensorType(None, dtype)
        sizes = [self._size(d, value.name, i) for i, d in enumerate(tensor.shape.dim)]
        return TensorType(sizes, dtype)

    def _size(self, dim: Any, name: str, axis: int) -> Expr | int:
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
            return dim.dim_value
        given = self.dims.get(dim.dim_param) if dim.dim_param else None
        if isinstance(given, int):
            return given
        if dim.dim_param:
            return self.context.size_names.of(dim.dim_param)
        return self.context.size_names.fresh(f"{name}_{axis}")

    def _given_size(self, size: int | str | None, name: str, axis: int) -> Expr | int:
        if isinstance(size, int):
            return size
        names = self.context.size_names
        return names.fresh(f"{name}_{axis}") if size is None else names.of(size)

    def _bound(self, value: Any) -> np.ndarray[Any, Any]:
        """The array that an input is bound to, of the input's element type."""
        dtype = numpy_of(value.type.tensor_type.elem_type)
        array = np.asarray(self.bind[value.name])
        if array.dtype != dtype:
            with np.errstate(all="ignore"):
                changed = array.astype(dtype)
            is_rounded = array.dtype.kind == changed.dtype.kind == "f" and np.array_equal(
                np.isfinite(changed), np.isfinite(array)
            )
            if not is_rounded and not np.array_equal(changed, array):
                raise OnnxError(
                    f"{self.name}: bind: expected an array of {dtype} for the input {shown(value.name)}, "
                    f"found one of {array.dtype}; convert it"
                )
            array = changed
        return array

    def _result(self, scope: Scope, name: str) -> Value:
        found = self.context.look_up(scope, name)
        if found is None:
            raise OnnxError(
                f"{self.name}: expected a node that gives the output {shown(name)}, found none; correct "
                "the model"
            )
        return self.context.placed(found)

    # Nodes ------------------------------------------------------------------------------------

    def _may_have_control_flow(self, node: Any) -> bool:
        """Whether a node, or the body that stands for it, may branch."""
        if any(True for _ in graphs_of(node)):
            return True
        domain = registry.normal_domain(node.domain)
        body = self.functions.get((domain, node.op_type))
        if body is not None:
            return any(map(self._may_have_control_flow, body.node))
        opset = self.opsets.get(domain, 1)
        return not self._is_converted(node, domain, opset)

    def _refuse_missing(self, nodes: Iterable[Any]) -> None:
        """Refuse a model with nodes that nobody can take, all of them at once."""
        missing: dict[str, list[str]] = {}
        self._collect_missing(nodes, self.opsets, missing, 0)
        if missing:
            lines = [
                f"{op} ({len(names)} nodes: {', '.join(names[:5])}{', ...' if len(names) > 5 else ''})"
                for op, names in sorted(missing.items())
            ]
            raise OnnxError(
                f"{self.name}: expected operators that we have, found {len(missing)} that we have not: "
                f"{'; '.join(lines)}; export the model without them, or add converters"
            )

    def _collect_missing(
        self,
        nodes: Iterable[Any],
        opsets: Mapping[str, int],
        missing: dict[str, list[str]],
        depth: int,
    ) -> None:
        for number, node in enumerate(nodes):
            domain = registry.normal_domain(node.domain)
            opset = opsets.get(domain)
            if opset is None and (domain, node.op_type) not in self.functions:
                raise OnnxError(
                    f"{self.name}: {describe(node, number)}: expected a version of the domain "
                    f"{shown(domain)} in opset_import, found none; correct the model"
                )
            for graph in graphs_of(node):
                self._collect_missing(graph.node, opsets, missing, depth)
            if self._is_known(node, domain, opset or 1):
                continue
            body = self.functions.get((domain, node.op_type))
            if body is None:
                name = f"{domain}.{node.op_type}" if domain else node.op_type
                what = shown(node.name) if node.name else f"number {number}"
                missing.setdefault(name, []).append(what)
            elif depth > functions.MAX_DEPTH:
                raise OnnxError(
                    f"{self.name}: expected functions that end, found {shown(node.op_type)} calling "
                    "itself; correct the model"
                )
            else:
                inner = functions.opsets_of(body)
                self._collect_missing(body.node, inner, missing, depth + 1)

    def _is_known(self, node: Any, domain: str, opset: int) -> bool:
        if (domain, node.op_type) in self.functions:
            return False
        if self._is_converted(node, domain, opset):
            return True
        return functions.has_body(schema_of(node.op_type, domain, opset))

    def _is_converted(self, node: Any, domain: str, opset: int) -> bool:
        has_evaluator = domain == "" and node.op_type in shapes.EVALUATORS
        return has_evaluator or registry.find(domain, node.op_type, opset) is not None

    def convert(self, nodes: Iterable[Any], scope: Scope, opsets: Mapping[str, int]) -> None:
        """Convert nodes, in order; their outputs become values of the scope."""
        for number, proto in enumerate(nodes):
            opset = opsets.get(registry.normal_domain(proto.domain), 1)
            node = Node(self.context, scope, proto, opset, number)
            self.context.builder.locate(proto.name or (proto.output[0] if proto.output else ""))
            try:
                found = self._converted(node)
                self._define(node, found)
            except OnnxError:
                raise
            except RelaxError as error:
                raise node.error(str(error)) from None
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                text = f"{type(error).__name__}: {str(error)[:200]}"
                raise node.error(
                    f"expected a node that its converter can read, found one that stops it ({text}); "
                    "correct the model"
                ) from error

    def _converted(self, node: Node) -> Any:
        domain = registry.normal_domain(node.domain)
        own = self.functions.get((domain, node.op_type))
        if own is not None:
            return self._inlined(node, own, functions.opsets_of(own))
        _check_arity(node)
        if domain == "":
            found = shapes.evaluated(node)
            if found is not None:
                return found
        convert = registry.find(domain, node.op_type, node.opset)
        found = NotImplemented if convert is None else convert(node)
        if found is not NotImplemented:
            return found
        body = functions.body_of(node)
        if body is None:
            node.unsupported("inputs of other kinds")
        opsets = {**self.opsets, domain: node.opset, **functions.opsets_of(body)}
        return self._inlined(node, body, opsets)

    def _inlined(self, node: Node, body: Any, opsets: Mapping[str, int]) -> Any:
        """The outputs of a function whose body stands in the place of its call."""
        scope = Scope()
        inputs = [*node.inputs, *[None] * len(body.input)]
        scope.values = {n: v for n, v in zip(body.input, inputs) if v is not None}
        scope.left_out = frozenset(n for n, v in zip(body.input, inputs) if v is None)
        nodes = functions.nodes_of(body, node)
        around, self.opsets = self.opsets, dict(opsets)
        self.convert(nodes, scope, opsets)
        self.opsets = around
        pairs = list(zip(node.outputs, body.output))
        found = [self.context.look_up(scope, inner) if outer else None for outer, inner in pairs]
        if any(outer and value is None for (outer, _), value in zip(pairs, found)):
            node.fail(
                "a function whose body gives its outputs", "one that does not", "correct the model"
            )
        return tuple(found)

    def _define(self, node: Node, found: Any) -> None:
        """Give the outputs of a node their values."""
        names = node.outputs
        several = isinstance(found, tuple)
        values = found if several else (found,)
        if len(names) > 1 and len(values) == 1 and isinstance(found, Expression):
            emitted = self.context.builder.emit(found)
            values = emitted if isinstance(emitted, tuple) else (emitted,)
        for name, value in zip(names, values):
            if name and value is not None:
                node.scope.values[name] = self._imported(value, name)
        for name in names[len(values) :]:
            if name:
                node.unsupported(f"the output {shown(name)}")

    def _imported(self, value: Any, name: str) -> Imported:
        """What a converter returned, as a value of the graph with a name."""
        if isinstance(value, Known | Sizes):
            return value if value.name else type(value)(value.array, *_dtype(value), name=name)
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            return of_exprs(array, name=name) if array.dtype == object else Known(array, name)
        if isinstance(value, list):
            return tuple(value)
        if isinstance(value, Value):
            if value.value.name_hint in (None, "lv", "gv"):
                value.value.name_hint = name_hint(name)
            return self.context.with_known_sizes(value, name)
        return self.context.with_known_sizes(self.context.builder.emit(value, name), name)


def _dtype(value: Known | Sizes) -> tuple[Any, ...]:
    return (value.dtype,) if isinstance(value, Sizes) else ()


def _check_arity(node: Node) -> None:
    """Refuse a number of inputs or outputs, and attributes, that the operator does not have."""
    schema = schema_of(node.op_type, node.domain, node.opset)
    if schema is None:
        return
    count = len(node.inputs)
    if not schema.min_input <= count <= schema.max_input:
        node.fail(
            f"{schema.min_input} to {schema.max_input} inputs", str(count), "correct the model"
        )
    count = len(node.outputs)
    if not schema.min_output <= count <= schema.max_output:
        node.fail(
            f"{schema.min_output} to {schema.max_output} outputs", str(count), "correct the model"
        )
    for name, attribute in node.attributes.items():
        known = schema.attributes.get(name)
        if known is not None and int(known.type.value) != attribute.type:
            node.fail(
                f"an attribute {shown(name)} of type {known.type.name}",
                f"type {attribute.type}", "correct the model",
            )  # fmt: skip
    for name, known in schema.attributes.items():
        if known.required and name not in node.attributes:
            node.fail(f"an attribute {shown(name)}", "none", "correct the model")
