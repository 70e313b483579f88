"""From an ONNX model to a module: the order and the conversion of nodes.

A node of the graph is converted by the first that applies: `evaluators.py`, if every input is known or an
array of symbolic sizes, so that nothing of it is left in the program; the converter of its operator; the
operator's body in ONNX or in the model (`functions.py`). Unsupported nodes are all listed before the first
node is converted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

from relax_dialect.builder import Expression, Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.onnx import model_functions, registry
from relax_dialect.frontends.onnx.context import Context
from relax_dialect.frontends.onnx.errors import IllTypedError, OnnxError, shown
from relax_dialect.frontends.onnx.evaluation import evaluators
from relax_dialect.frontends.onnx.evaluation.shape_arithmetic import note_comparison
from relax_dialect.frontends.onnx.imported_values import (
    Growing,
    Imported,
    Known,
    Nothing,
    SizeArray,
    Stack,
    of_exprs,
)
from relax_dialect.frontends.onnx.model.missing import Coverage
from relax_dialect.frontends.onnx.model.node_order import in_order
from relax_dialect.frontends.onnx.model.schemas import check_form
from relax_dialect.frontends.onnx.model_signature import Dims, Signature
from relax_dialect.frontends.onnx.name_scopes import GraphScope
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import new_context
from relax_dialect.prim.signature import RESULT_NAMES
from relax_dialect.rewrites.forms.convert_to_dataflow import ConvertToDataflowPass
from relax_dialect.te.emit.scalar_emitter import name_hint

ENTRY = "main"
"""The function that a graph becomes."""


class Importer:
    """Imports one model."""

    def __init__(self, model: Any, context: Context, dims: Dims, bind: Mapping[str, Any]):
        self.model, self.context = model, context
        model_functions.check_opsets(model, context.name)
        self.opsets = model_functions.opsets_of(model)
        self.functions = model_functions.of_model(model)
        self.parameters: Sequence[str] = ()
        """The inputs that are parameters of the function, by the model's names."""
        self.signature = Signature(model.graph, context, dims, bind)
        self.coverage = Coverage(context.name, self.functions, self.opsets)
        context.convert = lambda nodes, scope: self.convert(nodes, scope, self.opsets)
        context.convert_one = lambda scope, number: self.convert_one(scope, number, self.opsets)

    @property
    def name(self) -> str:
        return self.context.name

    def run(self) -> ModuleOp:
        """Import the model; returns its verified module."""
        graph = self.model.graph
        self.signature.refuse_unknown_names()
        nodes = in_order(graph, self.name)
        self.context.nodes_left = self.coverage.refuse_missing(nodes, self.model.ByteSize())
        scope = GraphScope.of(graph)
        builder = self.context.builder
        params = {}
        scope.values.update(self.signature.bound())
        self.signature.define_expressions()
        for value in graph.input:
            if value.name not in scope.values and value.name not in scope.initializers:
                params[value.name] = self.signature.type_of(value)
        self.parameters = tuple(params)
        straight = not any(self.coverage.may_have_control_flow(node) for node in nodes)
        with builder.function(ENTRY, params) as arguments:
            with builder.dataflow() if straight else nullcontext():
                for name, argument in zip(params, arguments):
                    scope.values[name] = self.context.unpacked(argument, name)
                self.convert(nodes, scope, self.opsets)
                results = [self._result(scope, output.name) for output in graph.output]
                builder.location = None
                if straight:
                    results = [
                        builder.emit_output(r, n.name) for r, n in zip(results, graph.output)
                    ]
            builder.emit_func_output(results[0] if len(results) == 1 else results)
        module = builder.get()
        (function,) = (
            op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == ENTRY
        )
        function.attributes[RESULT_NAMES] = ArrayAttr(StringAttr(n.name) for n in graph.output)
        if not straight:
            ConvertToDataflowPass().apply(new_context(), module)
        return module

    def _result(self, scope: GraphScope, name: str) -> Value:
        found = self.context.look_up(scope, name)
        if found is None:
            raise OnnxError(
                f"{self.name}: expected a node that computes the output {shown(name)}, found none; correct "
                "the model"
            )
        return self.context.placed(found)

    # Nodes ------------------------------------------------------------------------------------

    def convert(self, nodes: Sequence[Any], scope: GraphScope, opsets: Mapping[str, int]) -> None:
        """Convert nodes, in order; their outputs become values of the scope."""
        scope.nodes, scope.converted = nodes, set()
        for number in range(len(nodes)):
            if number not in scope.converted:
                self.convert_one(scope, number, opsets)

    def convert_one(self, scope: GraphScope, number: int, opsets: Mapping[str, int]) -> None:
        """Convert one of the nodes of a scope."""
        scope.converted.add(number)
        proto = scope.nodes[number]
        opset = opsets.get(registry.normal_domain(proto.domain), 1)
        node = OnnxNode(self.context, scope, proto, opset, number)
        self.context.builder.locate(proto.name or (proto.output[0] if proto.output else ""))
        try:
            found = self._converted(node)
            self._define(node, found)
        except OnnxError:
            raise
        except RelaxError as error:
            raise node.error(str(error), IllTypedError) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            expected = f"inputs and attributes as ONNX defines them for {node.op_type}"
            raise node.error(
                f"expected {expected} of opset {node.opset}, found {node.form()}; correct the model",
                IllTypedError,
            ) from error

    def _converted(self, node: OnnxNode) -> Any:
        domain = registry.normal_domain(node.domain)
        own = self.functions.get((domain, node.op_type))
        if own is not None:
            return self._inlined(node, own, model_functions.opsets_of(own))
        check_form(node)
        if domain == "":
            found = evaluators.evaluated(node)
            if found is not None:
                return found
        convert = registry.find(domain, node.op_type, node.opset)
        found = NotImplemented if convert is None else convert(node)
        if found is not NotImplemented:
            return found
        body = model_functions.body_of(node)
        if body is None:
            node.unsupported("inputs of other kinds")
        opsets = {**self.opsets, domain: node.opset, **model_functions.opsets_of(body)}
        return self._inlined(node, body, opsets)

    def _inlined(self, node: OnnxNode, body: Any, opsets: Mapping[str, int]) -> Any:
        """Return the outputs of a function, whose body is inlined at its call."""
        scope = GraphScope()
        inputs = [*node.inputs, *[None] * len(body.input)]
        scope.values = {n: v for n, v in zip(body.input, inputs) if v is not None}
        scope.results = frozenset(body.output)
        scope.left_out = frozenset(n for n, v in zip(body.input, inputs) if v is None)
        nodes = model_functions.nodes_of(body, node)
        around, self.opsets = self.opsets, dict(opsets)
        self.convert(nodes, scope, opsets)
        self.opsets = around
        pairs = list(zip(node.outputs, body.output))
        found = [self.context.look_up(scope, inner) if outer else None for outer, inner in pairs]
        if any(outer and value is None for (outer, _), value in zip(pairs, found)):
            node.fail(
                "a function whose body computes its outputs",
                "one that does not",
                "correct the model",
            )
        return tuple(found)

    def _define(self, node: OnnxNode, found: Any) -> None:
        """Bind the outputs of a node to their values."""
        names = node.outputs
        several = isinstance(found, tuple)
        values = found if several else (found,)
        if len(names) > 1 and len(values) == 1 and isinstance(found, Expression):
            emitted = self.context.builder.emit(found)
            values = emitted if isinstance(emitted, tuple) else (emitted,)
        for name, value in zip(names, values):
            if name and value is not None:
                imported = node.scope.values[name] = self._imported(value, name, node.scope)
                if isinstance(imported, Value):
                    note_comparison(node, imported)
        for name in names[len(values) :]:
            if name:
                node.unsupported(f"the output {shown(name)}")

    def _imported(self, value: Any, name: str, scope: GraphScope) -> Imported:
        """Convert the result of a converter to a value of the graph with a name."""
        if isinstance(value, Known | SizeArray):
            return value if value.name else type(value)(value.array, *_dtype(value), name=name)
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            return of_exprs(array, name=name) if array.dtype == object else Known(array, name)
        if isinstance(value, list | tuple):
            return tuple(value)
        if isinstance(value, Stack | Growing | Nothing):
            return value
        if isinstance(value, Value):
            if value.value.name_hint in (None, "lv", "gv"):
                value.value.name_hint = name_hint(name)
            return self.context.unpacked(value, name, scope)
        return self.context.unpacked(self.context.builder.emit(value, name), name, scope)


def _dtype(value: Known | SizeArray) -> tuple[Any, ...]:
    return (value.dtype,) if isinstance(value, SizeArray) else ()
