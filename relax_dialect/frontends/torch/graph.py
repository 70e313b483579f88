"""A graph of ATen operators as a function: its placeholders are the parameters, its output the results.

`torch.compile` traces such graphs; sizes are placeholders too, as `!relax.prim<s0>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import op
from relax_dialect.frontends.torch.coverage import is_number, refuse_missing
from relax_dialect.frontends.torch.fx_graphs import nodes_of
from relax_dialect.frontends.torch.sizes import Sizes
from relax_dialect.frontends.torch.torch_dtypes import spelling
from relax_dialect.frontends.torch.torch_importer import TorchImporter
from relax_dialect.ir.type_variables import defined_variables, free_variables
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.parsing import new_context
from relax_dialect.rewrites.forms.convert_to_dataflow import ConvertToDataflowPass


@dataclass(frozen=True)
class LoadedGraph:
    """A module, and how the inputs and outputs of the graph are those of @main."""

    module: ModuleOp
    parameters: Sequence[int]
    """The indices of the placeholders that are parameters: tensors, and sizes that these do not define."""
    outputs: Sequence[tuple[int | None, Any]]
    """Of each output: the index of the result, and None or a function of it; or None, and a value."""


def load_graph(
    graph_module: Any, name: str = "graph", constants: Mapping[int, Any] | None = None
) -> LoadedGraph:
    """Import a graph, with tensors for some placeholders, by index, as constants; raises `TorchError`."""
    refuse_missing(name, nodes_of(graph_module))
    importer = TorchImporter(name, Sizes({}))
    builder = importer.builder
    placeholders = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    constants = constants or {}
    types = _types(importer, placeholders, constants)
    declared = [(f"p{i}", type) for i, type in types.items()]
    with builder.function("main", declared) as values:
        for i, value in zip(types, values):
            if not is_number(placeholders[i].meta["val"]):
                importer.values[placeholders[i]] = value
        for i, tensor in constants.items():
            importer.values[placeholders[i]] = importer.constant(tensor, f"p{i}")
        nodes = importer.run(graph_module)
        results: list[Any] = []
        outputs: list[Any] = []
        for node in nodes:
            if not hasattr(node, "meta") or node.meta.get("val") is None:
                outputs.append((None, node))
                continue
            value, order = importer.tensor_of(node), memory_order(node.meta["val"])
            value = value if order is None else builder.emit(op.permute_dims(value, order))
            outputs.append((len(results), _kind(node) if order is None else _permuted(order)))
            results.append(value)
        builder.location = None
        builder.emit_func_output(results)
    module = builder.get()
    ConvertToDataflowPass().apply(new_context(), module)
    return LoadedGraph(module, list(types), outputs)


def _types(
    importer: TorchImporter, placeholders: Sequence[Any], constants: Mapping[int, Any]
) -> dict[int, Any]:
    """Return the types of the parameters; a size that the shapes of tensors determine is none."""
    found = {
        i: type
        for i, node in enumerate(placeholders)
        if i not in constants and (type := _type(importer, node)) is not None
    }
    shapes = [type for type in found.values() if isinstance(type, TensorType)]
    defined = set(defined_variables(shapes))
    return {
        i: type
        for i, type in found.items()
        if isinstance(type, TensorType) or not defined.issuperset(free_variables(type))
    }


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


def memory_order(example: Any) -> list[int] | None:
    """Return the axes of an example from the one of the largest stride on, or None if they are in order.

    Code after the graph relies on the strides that PyTorch has traced, `channels_last` for instance.
    """
    if not hasattr(example, "stride"):
        return None
    sizes, strides = ([_hint(s) for s in each] for each in (example.shape, example.stride()))
    wide = [axis for axis, size in enumerate(sizes) if size != 1]
    moved = iter(sorted(wide, key=lambda axis: (-strides[axis], axis)))
    order = [next(moved) if axis in wide else axis for axis in range(len(sizes))]
    return None if order == sorted(order) else order


def _hint(size: Any) -> int:
    """Return a size, or the one that it had in the trace; 1 if it depends on data."""
    return size if isinstance(size, int) else size.node.hint or 1


def _permuted(order: Sequence[int]) -> Any:
    """Return a function that undoes a permutation of axes in a view."""
    back = [order.index(axis) for axis in range(len(order))]
    return lambda tensor: tensor.permute(back)
