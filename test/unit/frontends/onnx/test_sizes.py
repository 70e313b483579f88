"""Integers computed of sizes, of unknown sign too: they are sizes, and slices and pads take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from onnx_models import expected, found, helper, joined, model, value
from optional import amount, shortened

import lowering
from relax_dialect.frontends.onnx import load
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops

node = helper.make_node
F32 = np.float32

CONSTANTS = {
    "far": np.array([2**63 - 1]),
    "near": np.array([-(2**63)]),
    "zero": np.array([0]),
    "one": np.array([1]),
    "three": np.array([3]),
    "back": np.array([-1]),
}


def with_difference(nodes: Sequence[Any], constants: Mapping[str, Any] = CONSTANTS) -> Any:
    """A model on vectors of n and m elements; `d` is n - m."""
    chain = [
        node("Shape", ["x"], ["n"]),
        node("Shape", ["p"], ["m"]),
        node("Sub", ["n", "m"], ["d"]),
        *nodes,
    ]
    inputs = [value("x", F32, ["n"]), value("p", F32, ["m"])]
    return model(chain, inputs, ["y"], constants, opset=19)


INTEGERS: dict[str, Sequence[Any]] = {
    "Neg": [node("Neg", ["d"], ["v"])],
    "Abs": [node("Abs", ["d"], ["v"])],
    "Sign": [node("Sign", ["d"], ["v"])],
    "Mod": [node("Mod", ["d", "three"], ["v"])],
    "Min": [node("Min", ["d", "one", "m"], ["v"])],
    "Max": [node("Max", ["d", "three"], ["v"])],
    "Div": [node("Div", ["d", "three"], ["v"])],
    "fmod": [node("Mod", ["d", "three"], ["v"], fmod=1)],
    **{
        f"Where of {word}": [
            node(word, ["n", "m"], ["c"]),
            node("Where", ["c", *sides], ["v"]),
        ]
        for word in ("Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal")
        for sides in (["d", "three"],)
    },
    "Where of a bound": [node("Less", ["d", "zero"], ["c"]), node("Where", ["c", "m", "d"], ["v"])],
    "index from the end": [
        node("Less", ["d", "zero"], ["c"]),
        node("Add", ["d", "n"], ["e"]),
        node("Where", ["c", "e", "d"], ["v"]),
    ],
    "maximum by Where": [node("Greater", ["n", "m"], ["c"]), node("Where", ["c", "n", "m"], ["v"])],
    "minimum by Where": [node("Less", ["n", "m"], ["c"]), node("Where", ["c", "n", "m"], ["v"])],
    "equal by Where": [node("Equal", ["n", "m"], ["c"]), node("Where", ["c", "m", "n"], ["v"])],
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_sizes(name: str):
    """What is computed of sizes leaves no operator on tensors but the conversion."""
    tested = with_difference([*INTEGERS[name], node("Identity", ["v"], ["y"])])
    text = str(load(tested))
    kinds = {op.name for op in walk_ops(load(tested))} - {"relax.equal", "relax.less"}
    assert not {"relax.where", "relax.negative", "relax.abs", "relax.maximum"} & kinds, text
    for n, m in ((0, 0), (1, 0), (4, 0), (4, 2), (3, 3), (0, 4), (2, 3)):
        inputs = {"x": np.zeros(n, F32), "p": np.zeros(m, F32)}
        (ours,), (theirs,) = found(tested, inputs), expected(tested, inputs)
        assert ours.tolist() == theirs.tolist(), (n, m)


def test_sizes_of_choices_are_short():
    """Where of both compared sizes is their maximum, minimum, or one of them."""
    for name, size in (("maximum", "max(m, n)"), ("minimum", "min(m, n)"), ("equal", "n")):
        nodes = [*INTEGERS[f"{name} by Where"], node("ConstantOfShape", ["v"], ["y"])]
        assert f"-> !relax.tensor<[{size}], f32> attributes" in str(load(with_difference(nodes)))


PARTS: dict[str, Sequence[Any]] = {
    "from": [node("Slice", ["x", "d", "far"], ["y"])],
    "to": [node("Slice", ["x", "zero", "d"], ["y"])],
    "from and to": [node("Neg", ["d"], ["e"]), node("Slice", ["x", "d", "e"], ["y"])],
    "back from": [node("Slice", ["x", "d", "near", "zero", "back"], ["y"])],
    "back to": [node("Slice", ["x", "far", "d", "zero", "back"], ["y"])],
    "after": [
        node("Concat", ["zero", "d"], ["pads"], axis=0),
        node("Pad", ["p", "pads"], ["y"]),
    ],
    "both": [node("Concat", ["d", "d"], ["pads"], axis=0), node("Pad", ["x", "pads"], ["y"])],
    **{
        mode: [
            node("Concat", ["d", "zero"], ["pads"], axis=0),
            node("Pad", ["x", "pads"], ["y"], mode=mode),
        ]
        for mode in ("reflect", "edge", "wrap")
    },
}


def vectors(n: int, m: int) -> dict[str, Any]:
    return {"x": np.arange(n, dtype=F32), "p": np.arange(m, dtype=F32) + 10}


@shortened
def test_slices_and_pads_of_unknown_sign():
    """A bound counts from the end where it is negative, a pad cuts off."""
    names = [*PARTS][:: amount(1, 3)]
    models = {name: with_difference(PARTS[name]) for name in names}
    whole = joined([load(tested) for tested in models.values()])
    compiled = lowering.compile(whole, "parts", extra_flags=("-O0",))
    sizes = [*product((5, 0, 1, 2, 3), (2, 7, 0, 1, 3))][:: amount(1, 6)]
    for number, (name, tested) in enumerate(models.items()):
        for n, m in sizes:
            inputs = vectors(n, m)
            try:
                (theirs,) = expected(tested, inputs)
            except Exception:  # a pad that cuts off more than there is
                continue
            in_c = compiled[f"f{number}"](*inputs.values())
            assert in_c.tolist() == theirs.tolist(), (name, n, m)
            assert found(tested, inputs)[0].tolist() == theirs.tolist(), (name, n, m)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_the_size_of_a_pad(mode: str):
    """It is what the pads add."""
    pads = [
        node("Concat", ["n", "zero"], ["pads"], axis=0),
        node("Pad", ["p", "pads"], ["y"], mode=mode),
    ]
    assert "-> !relax.tensor<[m + n], f32> attributes" in str(load(with_difference(pads)))


def test_a_pad_to_the_size_of_a_skip_connection():
    """U-Net: what comes from below is padded to the size that was halved."""
    nodes = [
        node("MaxPool", ["x"], ["half"], kernel_shape=[2], strides=[2]),
        node("Resize", ["half", "", "scales"], ["up"], mode="nearest"),
        node("Shape", ["x"], ["wanted"]),
        node("Shape", ["up"], ["sizes"]),
        node("Sub", ["wanted", "sizes"], ["d"]),
        node("Div", ["d", "two"], ["before"]),
        node("Sub", ["d", "before"], ["after"]),
        node("Concat", ["before", "after"], ["pads"], axis=0),
        node("Pad", ["up", "pads"], ["padded"]),
        node("Concat", ["x", "padded"], ["y"], axis=1),
    ]
    constants = {"scales": np.array([1, 1, 2], F32), "two": np.array([1, 1, 2])}
    tested = model(nodes, [value("x", F32, ["b", 3, "h"])], ["y"], constants)
    assert "-> !relax.tensor<[b, 6, h], f32>" in str(load(tested))
    for size in (2, 7, 8):
        inputs = {"x": np.arange(3 * size, dtype=F32).reshape(1, 3, size)}
        np.testing.assert_array_equal(found(tested, inputs)[0], expected(tested, inputs)[0])


def test_the_last_elements_of_a_whole_axis():
    """T5: `bias[:, -t:]` of an axis of t elements is all of it, also where t is 0."""
    nodes = [
        node("Shape", ["x"], ["t"]),
        node("Neg", ["t"], ["begin"]),
        node("Slice", ["x", "begin", "far"], ["y"]),
    ]
    tested = model(nodes, [value("x", F32, ["t"])], ["y"], CONSTANTS)
    assert "-> !relax.tensor<[t], f32> attributes" in str(load(tested))
    for t in (0, 3):
        inputs = {"x": np.ones(t, F32)}
        np.testing.assert_array_equal(found(tested, inputs)[0], expected(tested, inputs)[0])


@pytest.mark.parametrize("end", [10**9, 2**31 - 1, 2**63 - 1])
def test_ends_that_exporters_write_for_a_whole_axis(end: int):
    constants = {"begin": np.array([0]), "end": np.array([end]), "axis": np.array([0])}
    nodes = [node("Slice", ["x", "begin", "end", "axis"], ["y"])]
    tested = model(nodes, [value("x", F32, ["n", 3])], ["y"], constants)
    assert "-> !relax.tensor<[n, 3], f32>" in str(load(tested))
    inputs = {"x": np.ones((2, 3), F32)}
    np.testing.assert_array_equal(found(tested, inputs)[0], inputs["x"])


def longest_size(module: Any) -> int:
    """The terms of the longest size in a program."""
    types = [value.type for op in walk_ops(module) for value in op.results]
    shapes = [type.shape or () for type in types if isinstance(type, TensorType)]
    return max((len(d.terms) for shape in shapes for d in shape if d is not None), default=0)


def residual_chain(length: int, declared: bool) -> Any:
    """Layers that add a part of `bias` whose size is not known; the model may declare the sums."""
    nodes = [
        node("ReduceMax", ["where"], ["at"], keepdims=1),
        node("Slice", ["bias", "at", "far", "one"], ["part"]),
    ]
    names = ["x", *(f"sum{i}" for i in range(length))]
    for before, after in pairwise(names):
        nodes.append(node("Add", [before, "part"], [after]))
    nodes.append(node("Identity", [names[-1]], ["y"]))
    inputs = [value("x", F32, ["b", "t", 4]), value("bias", F32, [1, "k", 4])]
    tested = model(nodes, [*inputs, value("where", np.int64, ["w"])], ["y"], CONSTANTS)
    if declared:
        tested.graph.value_info.extend(value(name, F32, ["b", "t", 4]) for name in names[1:])
    return tested


@pytest.mark.parametrize("declared", [False, True])
def test_joins_of_sizes_that_are_not_known(declared: bool):
    """A size that the model declares is a witness; without one, sizes stay short."""
    tested = residual_chain(9, declared)
    module = load(tested)
    assert longest_size(module) <= 10
    if declared:
        assert "-> !relax.tensor<[b, t, 4], f32> attributes" in str(module)
    inputs = {"x": np.ones((2, 3, 4), F32), "bias": np.ones((1, 5, 4), F32), "where": np.array([2])}
    np.testing.assert_array_equal(found(tested, inputs)[0], expected(tested, inputs)[0])
    with lowering.compile(module, "chain", extra_flags=("-O0",)) as compiled:
        np.testing.assert_array_equal(compiled.main(*inputs.values()), np.full((2, 3, 4), 10))


def test_declared_sizes_of_an_example():
    """How many elements are not zero depends on data, whatever the model declares."""
    tested = model(
        [node("NonZero", ["x"], ["a"]), node("Neg", ["a"], ["y"])], [value("x", F32, ["n"])], ["y"]
    )
    tested.graph.value_info.append(value("a", np.int64, [1, 2]))
    for x in (np.ones(2, F32), np.ones(5, F32)):
        (y,) = found(tested, {"x": x})
        assert y.shape == (1, len(x))


def test_long_sizes_get_names():
    """A concatenation of many inputs has one size, which is used again."""
    names = [f"x{i}" for i in range(12)]
    nodes = [
        node("Concat", names, ["a"], axis=0),
        node("Concat", names[::-1], ["b"], axis=0),
        node("Add", ["a", "b"], ["y"]),
    ]
    tested = model(nodes, [value(name, F32, [name]) for name in names], ["y"])
    module = load(tested)
    assert longest_size(module) <= 12 and "broadcast" not in str(module)
    inputs = {name: np.arange(i, dtype=F32) for i, name in enumerate(names)}
    np.testing.assert_array_equal(found(tested, inputs)[0], expected(tested, inputs)[0])


def test_a_vector_is_checked_to_hold_sizes_once():
    """Two values of one vector's sizes have one shape."""
    nodes = [
        node("ConstantOfShape", ["to"], ["a"]),
        node("Expand", ["x", "to"], ["b"]),
        node("Add", ["a", "a"], ["c"]),
        node("ConstantOfShape", ["to"], ["d"]),
        node("Sub", ["c", "d"], ["y"]),
    ]
    inputs = [value("x", F32, [1]), value("to", np.int64, [2])]
    text = str(load(model(nodes, inputs, ["y"])))
    assert text.count("relax.match_shape") == 1 and "broadcast(" not in text


WINDOWS = {
    "Conv": {},
    "MaxPool": {"kernel_shape": [3, 2]},
    "AveragePool": {"kernel_shape": [3, 2]},
    "AveragePool of all": {"kernel_shape": [3, 2], "count_include_pad": 1},
    "LpPool": {"kernel_shape": [3, 2]},
}


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("name", WINDOWS)
def test_auto_pad_of_sizes_that_are_not_known(name: str, mode: str):
    """Images of any size: the result has the size divided by the strides, rounded up."""
    weights = {"w": np.random.default_rng(1).random((4, 2, 3, 2), F32)} if name == "Conv" else {}
    for strides in ([2, 3 if weights else 2], [1, 2]):
        window = node(
            name.split()[0], ["x", *weights], ["y"], auto_pad=mode, strides=strides, **WINDOWS[name]
        )
        tested = model([window], [value("x", F32, ["n", 2, "h", "w"])], ["y"], weights, opset=18)
        signature = str(load(tested)).split("-> ", 1)[1].split("\n", 1)[0]
        height = "(h + 1) floordiv 2" if strides[0] == 2 else "h"
        assert f", {height}, " in signature, signature
        for shape in ((1, 2, 3, 4), (2, 2, 6, 7), (1, 2, 5, 9)):
            inputs = {"x": np.random.default_rng(0).random(shape, F32) - 0.5}
            ours, theirs = found(tested, inputs)[0], expected(tested, inputs)[0]
            np.testing.assert_allclose(ours, theirs, 1e-5, 1e-6)


def test_auto_pad_of_integers():
    """Around quantized images stands their zero point."""
    constants = {
        "w": np.arange(-4, 8, dtype=np.int8).reshape(2, 1, 3, 2),
        "z": np.array(3, np.uint8),
    }
    nodes = [node("ConvInteger", ["x", "w", "z"], ["y"], auto_pad="SAME_UPPER", strides=[2, 2])]
    tested = model(nodes, [value("x", np.uint8, ["n", 1, "h", "w"])], ["y"], constants)
    inputs = {"x": np.random.default_rng(0).integers(0, 9, (2, 1, 5, 6), np.uint8)}
    np.testing.assert_array_equal(found(tested, inputs)[0], expected(tested, inputs)[0])
