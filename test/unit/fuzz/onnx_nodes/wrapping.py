"""The node of a model in a branch, in a loop, in a scan, or with its result in a sequence."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper
from onnx_models import value

Built = tuple[Any, dict[str, Any]]
"""A model, and its inputs by name."""


def _open(names: list[str]) -> list[Any]:
    """Results whose types follow."""
    return [helper.make_empty_tensor_value_info(name) for name in names]


def _around(model: Any, nodes: list[Any], inputs: list[Any], results: list[str]) -> Any:
    """The model with other nodes and results, and with more inputs."""
    graph = model.graph
    made = helper.make_graph(
        nodes, "around", [*graph.input, *inputs], _open(results), graph.initializer
    )
    return helper.make_model(made, opset_imports=model.opset_import, ir_version=model.ir_version)


def in_branch(model: Any, given: dict[str, Any], rng: random.Random) -> Built:
    """In both branches, under a condition that is known at run time."""
    node, inner = model.graph.node[0], [result.name for result in model.graph.output]
    other = type(node).FromString(node.SerializeToString())
    others = [f"other_{name}" for name in inner]
    del other.output[:]
    other.output.extend(others)
    branches = {
        "then_branch": helper.make_graph([node], "then", [], _open(inner)),
        "else_branch": helper.make_graph([other], "else", [], _open(others)),
    }
    results = [f"r{i}" for i in range(len(inner))]
    made = helper.make_node("If", ["is_first"], results, **branches)
    model = _around(model, [made], [value("is_first", bool, [])], results)
    return model, {**given, "is_first": np.array(rng.random() < 0.5)}


def in_loop(model: Any, given: dict[str, Any], rng: random.Random) -> Built:
    """Once a turn; the results of all turns in one tensor."""
    node, inner = model.graph.node[0], [result.name for result in model.graph.output]
    body = helper.make_graph(
        [node, helper.make_node("Identity", ["go_on"], ["goes_on"])],
        "body",
        [value("turn", np.int64, []), value("go_on", bool, [])],
        _open(["goes_on", *inner]),
    )
    results = [f"r{i}" for i in range(len(inner))]
    made = helper.make_node("Loop", ["turns", ""], results, body=body)
    model = _around(model, [made], [value("turns", np.int64, [])], results)
    return model, {**given, "turns": np.array(rng.randint(1, 3))}


def in_scan(model: Any, given: dict[str, Any], rng: random.Random) -> Built | None:
    """On the parts of its first input, which is stacked."""
    graph = model.graph
    if not given or graph.node[0].input[0] != graph.input[0].name:
        return None
    first, inner = graph.input[0], [result.name for result in graph.output]
    part, name = type(first).FromString(first.SerializeToString()), first.name
    part.name = "part"
    node = type(graph.node[0]).FromString(graph.node[0].SerializeToString())
    node.input[:] = ["part" if each == name else each for each in node.input]
    body = helper.make_graph([node], "body", [part], _open(inner))
    sizes = [d.dim_param or d.dim_value for d in first.type.tensor_type.shape.dim]
    stacked = np.stack([given[name]] * rng.randint(1, 3))
    whole = value(name, stacked.dtype, ["turns", *sizes])
    results = [f"r{i}" for i in range(len(inner))]
    made = helper.make_node("Scan", [name], results, body=body, num_scan_inputs=1)
    rest = list(graph.input)[1:]
    model = _around(model, [made], [], results)
    del model.graph.input[:]
    model.graph.input.extend([whole, *rest])
    return model, {**given, name: stacked}


def in_sequence(model: Any, given: dict[str, Any], rng: random.Random) -> Built:
    """Twice in a sequence, and out of it."""
    node, name = model.graph.node[0], model.graph.output[0].name
    made = [node, helper.make_node("SequenceConstruct", [name, name], ["pair"])]
    if rng.random() < 0.5:
        made.append(helper.make_node("ConcatFromSequence", ["pair"], ["r0"], axis=0, new_axis=1))
    else:
        made.append(helper.make_node("Constant", [], ["last"], value_int=rng.randint(-2, 1)))
        made.append(helper.make_node("SequenceAt", ["pair", "last"], ["r0"]))
    return _around(model, made, [], ["r0"]), given


Wrapping = Callable[[Any, dict[str, Any], random.Random], Built | None]
WAYS: dict[str, tuple[int, Wrapping]] = {
    "If": (11, in_branch),
    "Loop": (11, in_loop),
    "Scan": (11, in_scan),
    "Sequence": (11, in_sequence),
}
"""By name: the first opset, and what makes the model."""
