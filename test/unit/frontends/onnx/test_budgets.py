"""Small models that ask for much: each is imported, or refused, within a second and 200 MB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fuzz.cases import limited_memory, time_limit
from optional import package

from relax_dialect.frontends.onnx import OnnxError, load

onnx = package("onnx", "onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402 # pyright: ignore

MANY = 100_000_000
SECONDS = 1
MEGABYTES = 200


def model(
    nodes: list[Any], constants: dict[str, Any], shape: Any = (4,), dtype: int = TensorProto.FLOAT
) -> Any:
    """A model of an input x, whose last node yields y."""
    arrays = [numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()]
    x, y = (
        helper.make_tensor_value_info(n, t, s) for n, t, s in (("x", dtype, shape), ("y", 1, None))
    )
    graph = helper.make_graph(nodes, "g", [x], [y], arrays)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def one(op_type: str, *constants: Any, **attributes: Any) -> Any:
    """A node on constants alone."""
    given = {f"c{i}": c for i, c in enumerate(constants)}
    return model([helper.make_node(op_type, list(given), ["y"], **attributes)], given)


def on_x(op_type: str, shape: Any, *constants: Any, **attributes: Any) -> Any:
    """A node on the input and constants."""
    given = {f"c{i}": c for i, c in enumerate(constants)}
    return model([helper.make_node(op_type, ["x", *given], ["y"], **attributes)], given, shape)


def filled(name: str, count: int) -> Any:
    """A node that yields a vector of as many elements as are computed when a model is imported."""
    return helper.make_node("ConstantOfShape", [f"n{count}"], [name])


def of_two(op_type: str, left: int, right: int, **attributes: Any) -> Any:
    """A node on a column and a row, or vectors, that are known."""
    nodes = [
        *(filled("a", left), filled("b", right)),
        helper.make_node("Reshape", ["a", "column"], ["c"]),
        helper.make_node("Reshape", ["b", "row"], ["r"]),
        helper.make_node(op_type, ["c", "r"], ["y"], **attributes),
    ]
    sizes = {f"n{left}": np.array([left]), f"n{right}": np.array([right])}
    return model(nodes, {**sizes, "column": np.array([-1, 1]), "row": np.array([1, -1])})


def sequence_loop(turns: int) -> Any:
    values = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
    ]
    sequence = helper.make_tensor_sequence_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["more"]), helper.make_node("SequenceInsert", ["s", "x"], ["t"]),
         helper.make_node("SequenceInsert", ["t", "x"], ["u"])],
        "body", [*values, sequence("s", 1, None)], [helper.make_tensor_value_info("more", TensorProto.BOOL, []), sequence("u", 1, None)],
    )  # fmt: skip
    nodes = [
        helper.make_node("SequenceEmpty", [], ["e"]),
        helper.make_node("Loop", ["n", "on", "e"], ["s"], body=body),
        helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0),
    ]
    return model(nodes, {"n": np.array(turns), "on": np.array(True)})


def nested_branches(depth: int) -> Any:
    """Branches inside of both branches share one graph only in the file: two at each level are written."""
    graph = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["y0"])],
        "g0",
        [],
        [helper.make_tensor_value_info("y0", 1, None)],
    )
    for level in range(1, depth):
        other = helper.make_graph(
            [helper.make_node("Abs", ["x"], [f"o{level}"])],
            "o",
            [],
            [helper.make_tensor_value_info(f"o{level}", 1, None)],
        )
        node = helper.make_node("If", ["c"], [f"y{level}"], then_branch=graph, else_branch=other)
        graph = helper.make_graph(
            [node], f"g{level}", [], [helper.make_tensor_value_info(f"y{level}", 1, None)]
        )
    last = helper.make_node(
        "If", ["c"], ["y"], then_branch=graph, else_branch=graph if depth < 6 else other
    )
    asked = [
        helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0),
        helper.make_node("Cast", ["m"], ["c"], to=TensorProto.BOOL),
    ]
    return model([*asked, last], {})


def models() -> Iterator[tuple[str, onnx.ModelProto]]:
    n = np.array([MANY])
    f = np.ones(1, np.float32)
    yield "ConstantOfShape", one("ConstantOfShape", n)
    yield "Range", one("Range", np.array(0), np.array(MANY), np.array(1))
    yield (
        "Range of all integers",
        one("Range", np.array(-(2**63)), np.array(2**63 - 1), np.array(1)),
    )
    yield "Range of floats", one("Range", np.float32(0), np.float32(1e38), np.float32(1))
    yield "Range without end", one("Range", np.float32(0), np.float32(np.inf), np.float32(1))
    yield "Tile", one("Tile", f, n)
    yield "Expand", one("Expand", f, n)
    yield "Expand of a size", model([
        helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Expand", ["s", "n"], ["e"]),
        helper.make_node("Cast", ["e"], ["y"], to=1),
    ], {"n": np.array([60_000])}, ["n"])  # fmt: skip
    yield "Pad", one("Pad", f, np.array([0, MANY]))
    yield "OneHot", one("OneHot", np.array([1]), np.array(MANY), np.array([0.0, 1.0], np.float32))
    yield (
        "Resize",
        one(
            "Resize",
            f.reshape(1, 1, 1),
            np.zeros(0, np.float32),
            np.array([1, 1, MANY], np.float32),
        ),
    )
    yield (
        "Resize slowly",
        one(
            "Resize",
            f.reshape(1, 1, 1),
            np.zeros(0, np.float32),
            np.array([1, 1, 60_000], np.float32),
            mode="cubic",
        ),
    )
    yield (
        "ConvTranspose",
        one(
            "ConvTranspose",
            np.ones((1, 1, 2), np.float32),
            np.ones((1, 1, 2), np.float32),
            strides=[MANY],
        ),
    )
    yield (
        "MaxPool",
        one(
            "MaxPool",
            np.ones((1, 1, 9), np.float32),
            kernel_shape=[2],
            pads=[1, 1],
            strides=[1],
            dilations=[1],
        ),
    )
    yield (
        "a wide pool",
        one(
            "AveragePool",
            np.ones((1, 1, 9), np.float32),
            kernel_shape=[MANY],
            pads=[MANY, MANY],
            count_include_pad=1,
        ),
    )
    yield "CenterCropPad", one("CenterCropPad", f, n)
    yield (
        "Col2Im",
        one(
            "Col2Im",
            np.ones((1, 1, 1), np.float32),
            np.array([30_000, 30_000]),
            np.array([1, 1]),
            strides=[30_000, 30_000],
        ),
    )
    yield "a window", one("HannWindow", np.array(MANY))
    yield (
        "mel",
        one(
            "MelWeightMatrix",
            np.array(40_000),
            np.array(80_000),
            np.array(8192),
            np.float32(0),
            np.float32(4000),
        ),
    )
    yield "RandomNormal", model([helper.make_node("RandomNormal", [], ["y"], shape=[MANY])], {})
    yield "EyeLike", model([filled("a", 60_000), helper.make_node("Reshape", ["a", "s"], ["b"]), helper.make_node("EyeLike", ["b"], ["y"])],
                           {"n60000": np.array([60_000]), "s": np.array([60_000, 1])})  # fmt: skip
    yield "a sum of a column and a row", of_two("Add", 60_000, 60_000)
    yield "an outer product", of_two("MatMul", 60_000, 60_000)
    yield "Einsum", of_two("Einsum", 60_000, 60_000, equation="ab,cd->")
    yield (
        "Concat",
        model(
            [filled("a", 60_000), helper.make_node("Concat", ["a"] * 900, ["y"], axis=0)],
            {"n60000": np.array([60_000])},
        ),
    )
    yield "NonMaxSuppression", model([
        filled("a", 60_000), helper.make_node("Reshape", ["a", "s"], ["b"]), helper.make_node("Reshape", ["c", "t"], ["d"]),
        filled("c", 15_000), helper.make_node("NonMaxSuppression", ["b", "d", "k"], ["i"]),
        helper.make_node("Cast", ["i"], ["y"], to=1),
    ], {"n60000": np.array([60_000]), "n15000": np.array([15_000]), "s": np.array([1, -1, 4]), "t": np.array([1, 1, -1]), "k": np.array([15_000])})  # fmt: skip
    yield "DFT of a prime", on_x("DFT", [1, 99_991, 1], axis=1)
    yield "DFT", on_x("DFT", [1, MANY, 1], axis=1)
    yield "DFT of one side", on_x("DFT", [1, 99_991, 1], axis=1, onesided=1)
    yield "a split", model([helper.make_node("SplitToSequence", ["x", "one"], ["s"], axis=0), helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)],
                           {"one": np.array(1)}, [MANY])  # fmt: skip
    yield "Split", on_x("Split", [MANY], num_outputs=MANY)
    yield "DepthToSpace", on_x("DepthToSpace", [1, MANY * MANY, 1, 1], blocksize=MANY)
    yield "a loop of sequences", sequence_loop(MANY)
    yield "a shorter one", sequence_loop(20_000)
    for depth in (5, 12, 24):
        yield f"branches {depth}", nested_branches(depth)


MODELS = dict(models())


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_takes_little(name: str):
    data = MODELS[name].SerializeToString()
    assert len(data) < 10_000
    with limited_memory(MEGABYTES), time_limit(SECONDS):
        try:
            load(onnx.ModelProto.FromString(data))
        except OnnxError as error:
            assert len(str(error)) < 1000


def test_what_stays_an_op():
    for name in (
        "ConstantOfShape",
        "Range",
        "Tile",
        "Expand",
        "Pad",
        "RandomNormal",
        "DFT of a prime",
    ):
        text = str(load(MODELS[name]))
        assert len(text) < 10_000, name
