"""Operators over shapes are computed while a model is imported: of them nothing is left in the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx_models import check, helper, model, value

from relax_dialect.frontends.onnx import load

node = helper.make_node
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def reshaped(*nodes: Any, constants: dict[str, Any], opset: int = 17) -> Any:
    """A model that reshapes x to `target`, which nodes make of its shape `s`."""
    chain = [node("Shape", ["x"], ["s"]), *nodes, node("Reshape", ["x", "target"], ["y"])]
    return model(chain, [value("x", np.float32, ["n", "m", 4])], ["y"], constants, opset)


def ints(*numbers: int) -> Any:
    return np.array(numbers)


CHAINS: dict[str, tuple[Sequence[Any], dict[str, Any], str]] = {
    "gather": (
        [node("Gather", ["s", "places"], ["target"])],
        {"places": ints(1, 0, 2)},
        "[m, n, 4]",
    ),
    "slices": (
        [
            node("Slice", ["s", "zero", "one"], ["first"]),
            node("Slice", ["s", "last", "end", "zero", "back"], ["backwards"]),
            node("Slice", ["backwards", "zero", "two"], ["rest"]),
            node("Concat", ["rest", "first"], ["target"], axis=0),
        ],
        {
            "zero": ints(0),
            "one": ints(1),
            "two": ints(2),
            "last": ints(-1),
            "end": ints(-9),
            "back": ints(-1),
        },
        "[4, m, n]",
    ),
    "arithmetic": (
        [
            node("Split", ["s"], ["n", "m", "four"], axis=0),
            node("Mul", ["n", "m"], ["nm"]),
            node("Mul", ["four", "nm"], ["all"]),
            node("Div", ["all", "two"], ["half"]),
            node("Sub", ["four", "two"], ["rest"]),
            node("Concat", ["half", "rest"], ["target"], axis=0),
        ],
        {"two": ints(2)},
        "[2 * m * n, 2]",
    ),
    "product": (
        [
            node("ReduceProd", ["s"], ["all"], keepdims=1),
            node("Cast", ["all"], ["target"], to=7),
        ],
        {},
        "[4 * m * n]",
    ),
    "by way of numbers": (
        [
            node("Cast", ["s"], ["f"], to=1),
            node("Mul", ["f", "scale"], ["scaled"]),
            node("Floor", ["scaled"], ["floored"]),
            node("Cast", ["floored"], ["big"], to=7),
            node("Gather", ["big", "place"], ["all"]),
            node("Concat", ["all", "rest"], ["target"], axis=0),
        ],
        {"scale": np.array([2, 2, 2], np.float32), "place": ints(0), "rest": ints(-1, 1)},
        "[2 * n, 2 * m, 1]",
    ),
    "choice": (
        [
            node("Equal", ["s", "zeros"], ["is_zero"]),
            node("Where", ["is_zero", "ones", "s"], ["kept"]),
            node(
                "ConstantOfShape", ["three"], ["filled"], value=helper.make_tensor("v", 7, [1], [1])
            ),
            node("Max", ["kept", "filled"], ["target"]),
        ],
        {"zeros": ints(-1, -1, 0), "ones": ints(1, 1, 1), "three": ints(3)},
        "[max(n, 1), max(m, 1), 4]",
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_vanish(name: str):
    nodes, constants, target = CHAINS[name]
    tested = reshaped(*nodes, constants=constants)
    lines = str(load(tested)).splitlines()
    body = [line.strip() for line in lines if line.startswith("      ")]
    assert body[0].endswith(f"relax.shape {target}")
    assert "relax.reshape" in body[1] and "relax.output" in body[2] and len(body) == 3
    check(tested, {"x": X})


def test_a_chain_that_must_be_computed():
    """A difference may be negative: it is a number of the program."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Sub", ["s", "two"], ["difference"]),
        node("Add", ["difference", "y"], ["z"]),
    ]
    inputs = [value("x", np.float32, ["n", "m"]), value("y", np.int64, [2])]
    tested = model(nodes, inputs, ["z", "difference"], {"two": np.array(2)})
    check(tested, {"x": np.zeros((1, 5), np.float32), "y": np.array([10, 20])})


def test_indices_out_of_bounds():
    tested = reshaped(node("Gather", ["s", "places"], ["target"]), constants={"places": ints(3)})
    with pytest.raises(Exception, match=r"indices within -3\.\.2, found \[3\]"):
        load(tested)


def test_constants_are_folded():
    """What is known and small is computed by ONNX's own reference."""
    nodes = [
        node("Erf", ["c"], ["e"]),
        node("MatMul", ["e", "c"], ["d"]),
        node("Add", ["x", "d"], ["y"]),
    ]
    square = np.arange(4, dtype=np.float32).reshape(2, 2)
    tested = model(nodes, [value("x", np.float32, ["n", 2, 2])], ["y"], {"c": square})
    text = str(load(tested))
    assert "relax.erf" not in text and "relax.matmul" not in text
    check(tested, {"x": X[:, :2, :2].copy()})
