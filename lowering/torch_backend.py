"""The backend of `torch.compile(model, backend="relax")`: graphs are compiled to C.

The C reads the memory of PyTorch's tensors. A graph that cannot be compiled runs in PyTorch, and a line in
the log of `lowering.torch_backend` states the reason.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.torch.torch_package import part_of_torch

LOG = logging.getLogger(__name__)


def relax(graph_module: Any, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
    """Compile a graph of TorchDynamo, its gradients too (`torch_dynamo_backends`)."""
    from relax_dialect.frontends.torch.prepare import decompositions

    common = part_of_torch("torch._dynamo.backends.common")
    backend = common.aot_autograd(fw_compiler=compiled, decompositions=dict(decompositions()))
    return backend(graph_module, example_inputs)


def compiled(graph_module: Any, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """Return the function of a graph of ATen operators; it takes a list, which it may empty."""
    make_boxed_func = part_of_torch("torch._functorch._aot_autograd.utils").make_boxed_func
    try:
        return make_boxed_func(_function(graph_module))
    except RelaxError as error:
        LOG.warning("a graph of %d nodes runs in PyTorch: %s", len(graph_module.graph.nodes), error)
        return make_boxed_func(graph_module.forward)


def _function(graph_module: Any) -> Callable[..., Any]:
    from lowering.driver import compile as compile_module
    from relax_dialect.frontends.torch.graph import load_graph

    graph = load_graph(graph_module)
    main = compile_module(graph.module, "graph").main

    def call(*arguments: Any) -> list[Any]:
        found = main(*[_input(arguments[i]) for i in graph.parameters])
        results = found if isinstance(found, tuple) else (found,)
        return [
            value if index is None else _output(results[index], value)
            for index, value in graph.outputs
        ]

    return call


def _input(argument: Any) -> Any:
    """Return a tensor without its gradient."""
    return argument.detach() if hasattr(argument, "detach") else argument


def _output(array: Any, kind: Any) -> Any:
    """Return a result as a tensor on its memory, or as a number."""
    if kind is not None:
        return kind(array)
    torch = part_of_torch()
    array = np.asarray(array)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)
