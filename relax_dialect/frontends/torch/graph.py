"""A graph of ATen operators as a function: its placeholders are the parameters, its output the results.

`torch.compile` traces such graphs; sizes are placeholders too, as `!relax.prim<s0>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.frontends.torch.coverage import is_number, refuse_missing
from relax_dialect.frontends.torch.fx_graphs import nodes_of
from relax_dialect.frontends.torch.sizes import Sizes
from relax_dialect.frontends.torch.torch_dtypes import spelling
from relax_dialect.frontends.torch.torch_importer import TorchImporter
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.parsing import new_context
from relax_dialect.rewrites.forms.convert_to_dataflow import ConvertToDataflowPass


@dataclass(frozen=True)
class LoadedGraph:
    """A module, and how the inputs and outputs of the graph are those of @main."""

    module: ModuleOp
    parameters: Sequence[int]
    """The indices of the placeholders that are parameters: all tensors, and sizes that are not numbers."""
    outputs: Sequence[Any]
    """Of each output: the index of the result, or None, and the value of an output that is no tensor."""


def load_graph(graph_module: Any, name: str = "graph") -> LoadedGraph:
    """Import a graph; raises `TorchError`."""
    refuse_missing(name, nodes_of(graph_module))
    importer = TorchImporter(name, Sizes({}))
    builder = importer.builder
    placeholders = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    types = [_type(importer, node) for node in placeholders]
    used = [i for i, type in enumerate(types) if type is not None]
    declared = [(f"p{i}", types[i]) for i in used]
    with builder.function("main", declared) as values:
        for i, value in zip(used, values):
            if not is_number(placeholders[i].meta["val"]):
                importer.values[placeholders[i]] = value
        nodes = importer.run(graph_module)
        results: list[Any] = []
        outputs: list[Any] = []
        for node in nodes:
            is_value = hasattr(node, "meta") and node.meta.get("val") is not None
            outputs.append((len(results), _kind(node)) if is_value else (None, node))
            if is_value:
                results.append(importer.tensor_of(node))
        builder.location = None
        builder.emit_func_output(results)
    module = builder.get()
    ConvertToDataflowPass().apply(new_context(), module)
    return LoadedGraph(module, used, outputs)


def _type(importer: TorchImporter, node: Any) -> Any:
    """Return the type of a placeholder; None if it is no parameter."""
    example = node.meta.get("val")
    if hasattr(example, "shape"):
        return TensorType([importer.size_of(d) for d in example.shape], spelling(example.dtype))
    if type(example).__name__ == "SymInt":
        return PrimType(importer.size_of(example))
    return None


def _kind(node: Any) -> Any:
    """Return Python's type of an output that is a number, or None for a tensor."""
    example = node.meta["val"]
    kinds = {"SymInt": int, "SymFloat": float, "SymBool": bool}
    return kinds.get(type(example).__name__) or (type(example) if is_number(example) else None)
