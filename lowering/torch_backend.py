"""The backend of `torch.compile(model, backend="relax")`: graphs are compiled to C.

The C reads the memory of PyTorch's tensors. A graph that cannot be compiled runs in PyTorch, and a line in
the log of `lowering.torch_backend` states the reason.

Weights of graphs without gradients are constants, which are packed ahead. A call compares the version
counters and addresses of the tensors; once a weight has changed, weights are arguments.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.torch.torch_package import part_of_torch

LOG = logging.getLogger(__name__)

Call = Callable[[Sequence[Any]], Any]
"""A function of the list of the arguments."""


def relax(graph_module: Any, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
    """Compile a graph of TorchDynamo, its gradients too (`torch_dynamo_backends`)."""
    from relax_dialect.frontends.torch.prepare import decompositions

    weights = _weights(graph_module, example_inputs)
    common = part_of_torch("torch._dynamo.backends.common")
    backend = common.aot_autograd(
        fw_compiler=compiled,
        inference_compiler=lambda graph, _: _boxed(graph, lambda: _Frozen(graph, weights)),
        decompositions=dict(decompositions()),
    )
    return backend(graph_module, example_inputs)


def compiled(graph_module: Any, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """Return the function of a graph of ATen operators; it takes a list, which it may empty."""
    return _boxed(graph_module, lambda: _function(graph_module))


def _boxed(graph_module: Any, make: Callable[[], Call]) -> Callable[..., Any]:
    """Return a function of a list, or PyTorch's own if the graph cannot be compiled."""
    try:
        call: Any = make()
    except RelaxError as error:
        call = _in_pytorch(graph_module, error)

    def boxed(arguments: list[Any]) -> Any:
        return call(arguments)

    boxed._boxed_call = True  # pyright: ignore[reportFunctionMemberAccess]
    return boxed


def _in_pytorch(graph_module: Any, error: RelaxError) -> Call:
    LOG.warning("a graph of %d nodes runs in PyTorch: %s", len(graph_module.graph.nodes), error)
    return lambda arguments: graph_module.forward(*arguments)


def _function(graph_module: Any, constants: Mapping[int, Any] | None = None) -> Call:
    """Compile a graph; the tensors of some placeholders, by index, are constants."""
    from lowering.driver import compile as compile_module
    from lowering.torch_calls import caller
    from relax_dialect.frontends.torch.graph import load_graph

    graph = load_graph(graph_module, constants=constants)
    main = caller(compile_module(graph.module, "graph").main)
    parameters, outputs = list(graph.parameters), list(graph.outputs)
    is_plain = [index for index, _ in outputs] == [*range(len(outputs))] and not any(
        kind for _, kind in outputs
    )

    def call(arguments: Sequence[Any]) -> Sequence[Any]:
        results = main([arguments[i] for i in parameters])
        if is_plain:
            return results
        return [
            value if index is None else results[index] if value is None else value(results[index])
            for index, value in outputs
        ]

    return call


# Weights ----------------------------------------------------------------------------------------


def _weights(graph_module: Any, example_inputs: Sequence[Any]) -> set[int]:
    """Return the identities of the inputs that are parameters or buffers of modules."""
    nodes = [n for n in graph_module.graph.nodes if n.op == "placeholder"]
    return {
        id(value)
        for node, value in zip(nodes, example_inputs)
        if "_dynamo_static_input_type" in (node.meta.get("tensor_dict") or {})
    }


def _changed_inputs() -> set[int]:
    """Return the indices of the inputs that the graph in compilation writes to."""
    context = part_of_torch("torch._guards").TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    infos = metadata.input_info if metadata is not None else ()
    return {i for i, info in enumerate(infos) if info.mutates_data or info.mutates_metadata}


class _Frozen:
    """A graph whose weights are constants while they are unchanged; its first call compiles it."""

    def __init__(self, graph_module: Any, weights: set[int]):
        from relax_dialect.frontends.torch.coverage import refuse_missing
        from relax_dialect.frontends.torch.fx_graphs import nodes_of

        refuse_missing("graph", nodes_of(graph_module))
        self.graph_module, self.weights, self.changed = graph_module, weights, _changed_inputs()
        self.lock = Lock()
        self.call: Call = self._first

    def __call__(self, arguments: Sequence[Any]) -> Any:
        return self.call(arguments)

    def _first(self, arguments: Sequence[Any]) -> Any:
        """Compile the graph with the weights of the first call."""
        found = {
            i: value
            for i, value in enumerate(arguments)
            if id(value) in self.weights and i not in self.changed and not value.is_inference()
        }
        with self.lock:
            if self.call == self._first:
                self.call = self._guarded(self._made(found), found) if found else self._made(None)
        return self.call(arguments)

    def _made(self, constants: Mapping[int, Any] | None) -> Call:
        try:
            return _function(self.graph_module, constants)
        except RelaxError as error:
            return _in_pytorch(self.graph_module, error)

    def _guarded(self, call: Call, constants: Mapping[int, Any]) -> Call:
        """Return a call that checks that the constants are still the arguments."""
        expected = [(i, t, t._version, t.data_ptr()) for i, t in constants.items()]

        def guarded(arguments: Sequence[Any]) -> Any:
            for i, tensor, version, address in expected:
                found = arguments[i]
                if found is not tensor or tensor._version != version:
                    return self._thawed(guarded, arguments)
                if tensor.data_ptr() != address:
                    return self._thawed(guarded, arguments)
            return call(arguments)

        return guarded

    def _thawed(self, guarded: Call, arguments: Sequence[Any]) -> Any:
        """Compile the graph with weights as arguments, since one has changed."""
        with self.lock:
            if self.call is guarded:
                LOG.info("a weight has changed: weights are arguments from now on")
                self.call = self._made(None)
        return self.call(arguments)
