"""Whole models: what becomes of names, sizes and constants, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import check, expected, found, helper, model, onnx, value
from xdsl.printer import Printer

import lowering
from relax_dialect import RelaxError
from relax_dialect.frontends.onnx import OnnxError, load
from relax_dialect.frontends.onnx.model.large_data import read_without_data
from relax_dialect.parsing import parse

node = helper.make_node
RANDOM = np.random.default_rng(0)


def noise(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


NEWEST = onnx.defs.onnx_opset_version()
X = noise(3, 3, 8, 8)


def cnn() -> Any:
    """A convolution, what follows one, and the chain of operators that exporters write for a reshape."""
    return model(
        [
            node("Conv", ["x", "w1", "b1"], ["conv"], pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
            node("BatchNormalization", ["conv", "scale", "shift", "mean", "var"], ["norm"]),
            node("Relu", ["norm"], ["relu"]),
            node("MaxPool", ["relu"], ["pool"], kernel_shape=[2, 2], strides=[2, 2]),
            node("Shape", ["pool"], ["sizes"]),
            node("Gather", ["sizes", "zero"], ["batch"]),
            node("Unsqueeze", ["batch", "axes"], ["batch_1d"]),
            node("Concat", ["batch_1d", "rest"], ["target"], axis=0),
            node("Reshape", ["pool", "target"], ["flat"]),
            node("Gemm", ["flat", "w2", "b2"], ["logits"], transB=1),
            node("Softmax", ["logits"], ["y"]),
        ],
        [value("x", np.float32, ["batch-size", 3, 8, 8])],
        ["y"],
        {
            "w1": noise(4, 3, 3, 3),
            "b1": noise(4),
            "scale": noise(4),
            "shift": noise(4),
            "mean": noise(4),
            "var": np.abs(noise(4)),
            "w2": noise(5, 64) / 16,
            "b2": noise(5),
            "zero": np.array(0),
            "axes": np.array([0]),
            "rest": np.array([-1]),
        },
    )


CNN = cnn()


def test_a_convolutional_network():
    check(CNN, {"x": X})


def test_names_and_sizes_stay():
    text = str(load(CNN))
    assert "%x: !relax.tensor<[batch_size, 3, 8, 8], f32>" in text
    assert "%relu = relax.relu %norm" in text
    assert "relax.shape [batch_size, 64]" in text
    assert "shape_of" not in text and "concat" not in text
    assert text == str(load(CNN))


def test_compiled():
    module = load(CNN)
    compiled = lowering.compile(module, "cnn")
    for n in (1, 3):
        theirs = expected(CNN, {"x": X[:n]})[0]
        np.testing.assert_allclose(compiled.main(X[:n]), theirs, 1e-4, 1e-5)


def test_a_perceptron():
    nodes = [
        node("MatMul", ["x", "w1"], ["h"]),
        node("Add", ["h", "b1"], ["a"]),
        node("Relu", ["a"], ["r"]),
        node("Gemm", ["r", "w2", "b2"], ["y"], alpha=0.5, beta=2.0),
    ]
    weights = {"w1": noise(4, 6), "b1": noise(6), "w2": noise(6, 2), "b2": noise(1, 2)}
    mlp = model(nodes, [value("x", np.float32, ["n", 4])], ["y", "r"], weights)
    check(mlp, {"x": noise(5, 4)})
    text = str(load(mlp, dims={"n": 7}))
    assert "%x: !relax.tensor<[7, 4], f32>" in text


def test_an_input_is_bound():
    mlp = model(
        [node("Reshape", ["x", "shape"], ["y"])],
        [value("x", np.float32, ["n", 6]), value("shape", np.int64, [2])],
        ["y"],
    )
    (y,) = found(mlp, {"x": noise(4, 6)}, bind={"shape": np.array([-1, 3])})
    assert y.shape == (8, 3)
    x = noise(4, 6)
    (y,) = found(mlp, {"x": x, "shape": np.array([8, 3])})
    np.testing.assert_array_equal(y, x.reshape(8, 3))


def test_what_is_bound_fits_the_input():
    """The shape that is declared; a size with a name is then the same for all inputs."""
    nodes = [node("Add", ["x", "b"], ["y"])]
    inputs = [value("x", np.float32, ["n", 4]), value("b", np.float32, ["n", 4])]
    added = model(nodes, inputs, ["y"])
    assert "!relax.tensor<[3, 4], f32>) ->" in str(load(added, bind={"b": noise(3, 4)}))
    for shape, dims in (((3, 5), {}), ((4,), {}), ((3, 4), {"n": 2})):
        with pytest.raises(OnnxError, match=r"'b': bind: expected an array of shape \[[n2], 4\]"):
            load(added, bind={"b": noise(*shape)}, dims=dims)
    for array in (np.array("text"), [[1], [2, 3]], {"a": 1}, 1e300):
        with pytest.raises(OnnxError, match="input 'b': bind: expected an array"):
            load(added, bind={"b": array})


def test_names_that_are_no_identifiers():
    """Equal names stay equal, different ones different, whatever stands in them; ? is no name."""
    names = ["a b", "a.b", "1", "min", 'q"\n', "a b", "?", "?"]
    inputs = [value(f"x{i}", np.float32, [name]) for i, name in enumerate(names)]
    nodes = [node("Concat", [v.name for v in inputs], ["y"], axis=0)]
    text = str(load(model(nodes, inputs, ["y"])))
    shapes = ["[a_b]", "[a_b_1]", "[n_1]", "[n_min]", "[q__]", "[a_b]", "[x6_0]", "[x7_0]"]
    for place, shape in enumerate(shapes):
        assert f"!relax.tensor<{shape}, f32>" in text, place
    assert "!relax.tensor<[2 * a_b + a_b_1 + n_1 + n_min + q__ + x6_0 + x7_0], f32>" in text


def test_large_data_stays_in_the_file(tmp_path: Path):
    """Of initializers, constants and branches alike; what is read is what the model says without a file."""
    path, weights = tmp_path / "m.onnx", [noise(256, 256) for _ in range(3)]
    large = helper.make_node("Constant", [], ["w2"], value=onnx.numpy_helper.from_array(weights[1]))
    branch = helper.make_graph(
        [node("MatMul", ["h", "w3"], ["a"])],
        "then",
        [],
        [value("a", np.float32, ["n", 256])],
        [onnx.numpy_helper.from_array(weights[2], "w3")],
    )
    other = helper.make_graph(
        [node("Relu", ["h"], ["b"])], "else", [], [value("b", np.float32, ["n", 256])]
    )
    nodes = [
        node("MatMul", ["x", "w1"], ["g"]),
        large,
        node("MatMul", ["g", "w2"], ["h"]),
        node("If", ["c"], ["y"], then_branch=branch, else_branch=other),
    ]
    inputs = [value("x", np.float32, ["n", 256]), value("c", np.bool_, [])]
    whole = model(nodes, inputs, ["y"], {"w1": weights[0]})
    onnx.save_model(whole, str(path))
    left = read_without_data(path)
    assert left is not None and left.ByteSize() < 2000
    assert str(load(path)) == str(load(whole, name=path.name))

    content = path.read_bytes()
    for size in (len(content) - 1, len(content) // 2, 1 << 16):
        path.write_bytes(content[:size])
        assert "a file that cannot be parsed" in refusal(path)


def test_locations_can_be_read_back():
    """Whatever stands in the name of a node, the program with its locations can be read."""
    text = StringIO()
    nodes = [node("Relu", ["x"], ["y"], name='é日"\n\0')]
    Printer(text, print_debuginfo=True).print_op(load(relu_of(nodes=nodes)))
    assert "loc(" in text.getvalue()
    parse(text.getvalue())


def test_external_data(tmp_path: Path):
    """Data in files next to the model is read; nothing else is."""
    path = tmp_path / "m.onnx"
    x = noise(2, 4)
    mlp = model(
        [node("MatMul", ["x", "w"], ["y"])],
        [value("x", np.float32, ["n", 4])],
        ["y"],
        {"w": noise(4, 300)},
    )
    theirs = expected(mlp, {"x": x})[0]
    onnx.save_model(mlp, str(path), save_as_external_data=True, location="w.bin", size_threshold=0)
    (y,) = found(path, {"x": x})
    np.testing.assert_allclose(y, theirs, 1e-5, 1e-5)

    def refused(words: str, **entries: str) -> None:
        changed = onnx.load_model(str(path), load_external_data=False)
        for entry in changed.graph.initializer[0].external_data:
            entry.value = entries.get(entry.key, entry.value)
        other = tmp_path / "n.onnx"
        other.write_bytes(changed.SerializeToString())
        with pytest.raises(OnnxError, match=words):
            load(other)

    (tmp_path / "sub").mkdir()
    (tmp_path / "link.bin").symlink_to("/etc/passwd")
    (tmp_path / "sub" / "inner").symlink_to(tmp_path)
    for outside in ("/etc/passwd", "../w.bin", "link.bin", "sub/inner/w.bin", "w.bin\0", ""):
        refused("inside of the model's folder", location=outside)
    refused("a file 'none.bin'", location="none.bin")
    refused("expected 4800 bytes", length="4804")
    refused("expected 4800 bytes", offset="1000000")
    refused("expected offset and length as numbers", offset="x")
    with pytest.raises(OnnxError, match="read from a file"):
        load(onnx.load_model(str(path), load_external_data=False))


# What is refused -----------------------------------------------------------------------------------


def relu_of(**changes: Any) -> Any:
    given: dict[str, Any] = {"inputs": [value("x", np.float32, ["n"])], "outputs": ["y"]} | changes
    return model(given.pop("nodes", [node("Relu", ["x"], ["y"], name="act")]), **given)


def refusal(broken: Any, **options: Any) -> str:
    with pytest.raises(RelaxError) as caught:
        load(broken, **options)
    return str(caught.value)


def test_missing_operators_are_listed_at_once():
    nodes = [node("Foo", ["x"], ["a"], name="first"), node("Bar", ["a"], ["b"])]
    nodes += [node("Foo", ["b"], ["y"])]
    message = refusal(relu_of(nodes=nodes))
    assert "Foo (2 nodes: 'first', number 2)" in message and "Bar (1 nodes: number 1)" in message


def test_a_name_that_nothing_defines():
    nodes = [node("Relu", ["nowhere"], ["y"], name="act")]
    assert "node 'act' (Relu, number 0): expected the value 'nowhere'" in refusal(
        relu_of(nodes=nodes)
    )
    assert "computes the output 'z'" in refusal(relu_of(outputs=["z"]))


def test_a_circle():
    nodes = [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]
    assert "without circles" in refusal(relu_of(nodes=nodes))


def test_a_value_that_is_defined_twice():
    nodes = [node("Relu", ["x"], ["y"]), node("Relu", ["x"], ["y"])]
    assert "'y' twice" in refusal(relu_of(nodes=nodes))
    broken = relu_of()
    broken.graph.input.append(broken.graph.input[0])
    assert "input 'x': expected every value to be defined once" in refusal(broken)


def test_nodes_in_another_order():
    nodes = [node("Relu", ["a"], ["y"]), node("Neg", ["x"], ["a"])]
    text = str(load(relu_of(nodes=[nodes[0], node("Softsign", ["x"], ["a"])])))
    assert text.index("relax.softsign") < text.index("relax.relu")


def test_codes_of_element_types():
    broken = relu_of()
    broken.graph.input[0].type.tensor_type.elem_type = 99
    assert "input 'x': expected the code of an element type" in refusal(broken)
    broken.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.STRING
    assert "found STRING" in refusal(broken)
    broken = relu_of(nodes=[node("Add", ["x", "c"], ["y"])], constants={"c": noise(1)})
    broken.graph.initializer[0].data_type = 99
    assert "tensor 'c': expected the code of an element type" in refusal(broken)


def test_sizes_that_lie():
    broken = relu_of(nodes=[node("Add", ["x", "c"], ["y"])], constants={"c": noise(4)})
    broken.graph.initializer[0].dims[0] = 10**15
    assert "tensor 'c': expected 4000000000000000 bytes" in refusal(broken)
    broken.graph.initializer[0].dims[0] = -1
    assert "sizes of at least 0" in refusal(broken)
    broken.graph.initializer[0].dims[:] = [1 << 62, 1 << 62, 0]
    assert "2**63 elements, found '[4611686018427387904, 4611" in refusal(broken)
    broken.graph.initializer[0].dims[:] = [4, *[1] * 64]
    assert "at most 64 sizes" in refusal(broken)
    broken.graph.initializer[0].ClearField("raw_data")
    broken.graph.initializer[0].dims[:] = [10**15]
    assert "elements for the sizes" in refusal(broken)
    inputs = [value("x", np.float32, ["n"]), value("r", np.int64, [2**31 - 1])]
    many = relu_of(nodes=[node("Tile", ["x", "r"], ["y"])], inputs=inputs)
    assert "at most 128 elements of input 1 ('r'), which counts axes" in refusal(many)


def test_versions_that_there_are_not():
    for version in (0, -3, 99, 1 << 40):
        broken = relu_of()
        broken.opset_import[0].version = version
        assert f"expected one version of the domain '' within 1..{NEWEST}" in refusal(broken)
    broken = relu_of()
    broken.opset_import.add().version = 13
    assert "found [17, 13]" in refusal(broken)
    del broken.opset_import[:]
    assert "node 'act' (Relu, number 0): expected a version of the domain ''" in refusal(broken)


def test_models_that_unfold_without_end():
    """Functions that call one another, calls that double at each level, graphs deep inside of graphs."""

    def calling(calls: Sequence[Sequence[str]]) -> Any:
        functions = []
        for number, names in enumerate(calls):
            steps = [*(f"t{i}" for i in range(len(names) - 1)), "y"]
            body = [node(n, [x], [y], domain="own") for n, x, y in zip(names, ["x", *steps], steps)]
            body = body or [node("Relu", ["x"], ["y"])]
            opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
            functions.append(helper.make_function("own", f"F{number}", ["x"], ["y"], body, opsets))
        last = [node(f"F{len(calls) - 1}", ["x"], ["y"], domain="own")]
        return relu_of(nodes=last, functions=functions, opsets={"own": 1})

    assert "expected functions that end" in refusal(calling([["F1"], ["F0"]]))
    assert "inside of one another" in refusal(calling([[], *([f"F{i}"] for i in range(99))]))
    doubling = [[], *([f"F{i}", f"F{i}"] for i in range(39))]
    assert "expected at most 2664 nodes" in refusal(calling(doubling))
    model = relu_of()
    graph = model.graph
    for _ in range(10_000):
        graph = graph.node.add(op_type="If").attribute.add(name="then_branch", type=5).g
    assert "inside of one another" in refusal(model)


def test_wrong_counts_and_attributes():
    nodes = [node("Relu", ["x", "x"], ["y"], name="act")]
    assert "node 'act' (Relu, number 0): expected 1 to 1 inputs, found 2" in refusal(
        relu_of(nodes=nodes)
    )
    nodes = [node("Softmax", ["x"], ["y"], axis=0.5)]
    assert "an attribute 'axis' of type INT" in refusal(relu_of(nodes=nodes))
    nodes = [node("Softmax", ["x"], ["y"], axis=7)]
    assert "(Softmax, number 0): " in refusal(relu_of(nodes=nodes))


def test_files_that_are_no_models(tmp_path: Path):
    whole = CNN.SerializeToString()
    for length in (0, 1, 7, 100, len(whole) // 2, len(whole) - 1):
        path = tmp_path / "cut.onnx"
        path.write_bytes(whole[:length])
        assert "cut.onnx" in refusal(path)
    assert "readable file" in refusal(tmp_path / "none.onnx")
    assert "expected the path of a model" in refusal(17)


def test_options_that_name_nothing():
    assert "dims: expected the name of a size ('n')" in refusal(relu_of(), dims={"m": 3})
    assert "dims: expected the name of a size or an input" in refusal(relu_of(), dims={"m": [3]})
    assert "bind: expected the name of an input" in refusal(relu_of(), bind={"m": 3})


def test_inputs_that_are_no_tensors():
    broken = relu_of()
    rows = helper.make_sequence_type_proto(broken.graph.input[0].type)
    broken.graph.input[0].type.CopyFrom(helper.make_sequence_type_proto(rows))
    assert "input 'x': expected a tensor, or" in refusal(broken)


def test_damaged_files(tmp_path: Path):
    """Whatever stands in a file, it is a module or a refusal."""
    random = np.random.default_rng(3)
    whole = CNN.SerializeToString()
    path = tmp_path / "damaged.onnx"
    refused = 0
    for _ in range(200):
        data = bytearray(whole)
        for place in random.integers(-300, 600, 3):
            data[place] = random.integers(256)
        path.write_bytes(data)
        try:
            load(path)
        except OnnxError:
            refused += 1
    assert refused > 100


def test_names_that_are_no_text(tmp_path: Path):
    path = tmp_path / "odd.onnx"
    path.write_bytes(relu_of().SerializeToString().replace(b"act", b"\xff\xfe\xfd"))
    assert "expected names as UTF-8 text" in refusal(path)
