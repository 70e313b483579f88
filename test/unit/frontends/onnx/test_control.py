"""Branches, loops, scans, sequences and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx_models import check, found, helper, model, value

import lowering
from relax_dialect.frontends.onnx import OnnxError, load

node = helper.make_node
X = np.random.default_rng(2).standard_normal((3, 4)).astype(np.float32)


def graph(nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    return helper.make_graph(list(nodes), "inner", list(inputs), list(outputs))


def f32(name: str, *shape: int | str | None) -> Any:
    return value(name, np.float32, list(shape))


def branching() -> Any:
    """The branches take x from around them, and give one output each."""
    branches = {
        "then_branch": graph([node("Relu", ["x"], ["a"])], [], [f32("a", "n", 4)]),
        "else_branch": graph([node("Neg", ["x"], ["b"])], [], [f32("b", "n", 4)]),
    }
    nodes = [node("If", ["c"], ["t"], **branches), node("Add", ["t", "x"], ["y"])]
    return model(nodes, [value("c", bool, []), f32("x", "n", 4)], ["y"])


@pytest.mark.parametrize("condition", [True, False])
def test_if(condition: bool):
    check(branching(), {"c": np.array(condition), "x": X})
    (y,) = found(branching(), {"x": X}, bind={"c": condition})
    np.testing.assert_array_equal(y, (np.maximum(X, 0) if condition else -X) + X)
    assert "relax.if" not in str(load(branching(), bind={"c": condition}))


def looping() -> Any:
    """Doubles x until its sum is large; a scan output keeps the values of all turns."""
    body = graph(
        [
            node("Add", ["v", "v"], ["w"]),
            node("ReduceSum", ["w"], ["sum"], keepdims=0),
            node("Less", ["sum", "bound"], ["more"]),
            node("Mul", ["w", "x"], ["s"]),
        ],
        [value("i", np.int64, []), value("go", bool, []), f32("v", "n")],
        [value("more", bool, []), f32("w", "n"), f32("s", "n")],
    )
    inputs = [value("m", np.int64, []), f32("x", "n")]
    constants = {"bound": np.array(100, np.float32), "true": np.array(True)}
    return model(
        [node("Loop", ["m", "true", "x"], ["y", "all"], body=body)], inputs, ["y", "all"], constants
    )


@pytest.mark.parametrize("limit", [3, 50])
def test_loop(limit: int):
    check(looping(), {"m": np.array(limit), "x": np.array([1, 2.5], np.float32)})


def test_a_loop_without_turns():
    """Its scan output is as wide as if it had any, which the peer does not know."""
    x = np.array([1, 2.5], np.float32)
    y, every = found(looping(), {"m": np.array(0), "x": x})
    np.testing.assert_array_equal(y, x)
    assert every.shape == (0, 2)


def test_loop_in_c():
    compiled = lowering.compile(load(looping()), "looping", extra_flags=("-O0",))
    x = np.array([1, 2.5], np.float32)
    y, every = compiled.main(np.array(3), x)
    np.testing.assert_array_equal(y, 8 * x)
    np.testing.assert_array_equal(every, [2 * x * x, 4 * x * x, 8 * x * x])


@pytest.mark.parametrize("backward", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_scan(axis: int, backward: int):
    body = graph(
        [node("Add", ["state", "slice"], ["next"]), node("Mul", ["next", "slice"], ["out"])],
        [f32("state", None), f32("slice", None)],
        [f32("next", None), f32("out", None)],
    )
    directions = {"scan_input_directions": [backward], "scan_output_directions": [backward]}
    scan = node(
        "Scan", ["s", "x"], ["last", "all"], body=body, num_scan_inputs=1,
        scan_input_axes=[axis], scan_output_axes=[1 - axis], **directions,
    )  # fmt: skip
    tested = model([scan], [f32("s", "k"), f32("x", "n", "m")], ["last", "all"])
    state = np.zeros(4 if axis == 0 else 3, np.float32)
    check(tested, {"s": state, "x": X})


def test_sequences():
    nodes = [
        node("SplitToSequence", ["x"], ["s"], axis=1, keepdims=0),
        node("SequenceConstruct", ["x", "x"], ["two"]),
        node("SequenceInsert", ["s", "x", "last"], ["longer"]),
        node("SequenceErase", ["longer", "last"], ["shorter"]),
        node("SequenceAt", ["shorter", "first"], ["y"]),
        node("SequenceLength", ["longer"], ["n"]),
        node("ConcatFromSequence", ["two"], ["z"], axis=1, new_axis=1),
    ]
    constants = {"last": np.array(-1), "first": np.array(0)}
    check(model(nodes, [f32("x", "n", 4)], ["y", "n", "z"], constants), {"x": X})


def test_functions_of_the_model():
    """A function has attributes, inputs that may be left out, and names of its own."""
    scaled = helper.make_function(
        "own", "Scaled", ["x", "shift"], ["y"],
        [
            helper.make_node("Elu", ["x"], ["t"]),
            helper.make_node("Add", ["t", "t"], ["y"]),
        ],
        [helper.make_opsetid("", 17)], ["alpha"],
    )  # fmt: skip
    reference = helper.make_node("Elu", ["x"], ["t"]).attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "alpha", 1
    scaled.node[0].attribute.append(reference)
    nodes = [
        node("Scaled", ["x"], ["t"], domain="own", alpha=0.5),
        node("Scaled", ["t"], ["y"], domain="own"),
    ]
    tested = model(nodes, [f32("x", "n", 4)], ["y"], functions=[scaled], opsets={"own": 1})
    check(tested, {"x": X})
    scaled.node.append(helper.make_node("Scaled", ["y"], ["z"], domain="own"))
    scaled.opset_import.append(helper.make_opsetid("own", 1))
    tested = model(nodes, [f32("x", "n", 4)], ["y"], functions=[scaled], opsets={"own": 1})
    with pytest.raises(OnnxError, match="calling itself"):
        load(tested)


def test_scan_outputs_that_change_their_size():
    body = graph(
        [node("Concat", ["v", "v"], ["w"], axis=0), node("Identity", ["w"], ["s"])],
        [value("i", np.int64, []), value("go", bool, []), f32("v", None)],
        [value("go", bool, []), f32("w", None), f32("s", None)],
    )
    inputs = [value("m", np.int64, []), f32("x", "n")]
    tested = model([node("Loop", ["m", "", "x"], ["y", "all"], body=body)], inputs, ["y", "all"])
    y = found(tested, {"m": np.array(0), "x": X[0]})
    assert y[0].shape == (4,)
