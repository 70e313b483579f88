"""Branches, loops, scans, sequences and functions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_models import check, expected, found, helper, joined, model, onnx, value

import lowering
from relax_dialect import interpret
from relax_dialect.errors import ExecutionError
from relax_dialect.frontends.onnx import OnnxError, load
from relax_dialect.parsing import parse

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


def squeezing(swapped: bool) -> Any:
    """What exporters write where a size may be 1: the branches differ in rank, the user needs rank 2."""
    squeezed = graph([node("Squeeze", ["x", "zero"], ["a"])], [], [f32("a")])
    kept = graph([node("Identity", ["x"], ["b"])], [], [f32("b")])
    for branch in (squeezed, kept):
        branch.output[0].type.tensor_type.ClearField("shape")
    branches = dict(zip(("then_branch", "else_branch")[:: -1 if swapped else 1], (squeezed, kept)))
    nodes = [
        node("Shape", ["x"], ["sizes"]),
        node("Gather", ["sizes", "first"], ["size"]),
        node("Equal", ["size", "one"], ["is_one"]),
        *([node("Not", ["is_one"], ["c"])] if swapped else [node("Identity", ["is_one"], ["c"])]),
        node("If", ["c"], ["t"], name="squeeze", **branches),
        node("Constant", [], ["alone"], value_float=1.0),
        node("Mul", ["t", "alone"], ["u"]),
        node("Transpose", ["u"], ["y"], perm=[1, 0]),
    ]
    constants = {"zero": np.array([0]), "first": np.array(0), "one": np.array(1)}
    return model(nodes, [f32("x", "k", "n", "m")], ["y"], constants)


@pytest.mark.parametrize("swapped", [False, True])
def test_branches_of_different_ranks(swapped: bool):
    """The rank that the users need is checked at run time."""
    check(squeezing(swapped), {"x": X[None]})
    name = "then_branch" if swapped else "else_branch"
    with pytest.raises(ExecutionError, match=rf"'squeeze'.*rank 2 .* the {name} taken"):
        found(squeezing(swapped), {"x": np.stack([X, X])})


def of_two_ranks(*after: Any, outputs: Sequence[str], weights: Any = ()) -> Any:
    """`u` has rank 2 if the last size of x is 1, else 3, and no node says which it needs."""
    squeezed = graph([node("Squeeze", ["x", "last"], ["a"])], [], [f32("a")])
    kept = graph([node("Identity", ["x"], ["b"])], [], [f32("b")])
    for branch in (squeezed, kept):
        branch.output[0].type.tensor_type.ClearField("shape")
    nodes = [
        node("Shape", ["x"], ["sizes"]),
        node("Gather", ["sizes", "at"], ["size"]),
        node("Equal", ["size", "one"], ["c"]),
        node("If", ["c"], ["u"], then_branch=squeezed, else_branch=kept),
        *after,
    ]
    constants = {"last": np.array([-1]), "at": np.array(-1), "one": np.array(1), **dict(weights)}
    return model(nodes, [f32("x", "b", 4, "t")], outputs, constants)


def back_to_rank_three() -> Sequence[Any]:
    """An `If` on the rank of `u`, as torch.jit writes `if x.dim() == 3`, and nodes before and after it."""
    same = graph([node("Identity", ["w"], ["p"])], [], [f32("p")])
    wider = graph([node("Unsqueeze", ["w", "last"], ["q"])], [], [f32("q")])
    for branch in (same, wider):
        branch.output[0].type.tensor_type.ClearField("shape")
    return [
        node("Relu", ["x"], ["alone"]),
        node("ReduceMax", ["alone"], ["factor"], keepdims=0),
        node("Mul", ["u", "factor"], ["w"]),
        node("Shape", ["w"], ["shape"]),
        node("Size", ["shape"], ["rank"]),
        node("Equal", ["rank", "three"], ["is_three"]),
        node("If", ["is_three"], ["v"], then_branch=same, else_branch=wider),
        node("Transpose", ["v"], ["y"], perm=[1, 0, 2]),
        node("Add", ["y", "factor"], ["z"]),
    ]


@pytest.mark.parametrize("size", [1, 5])
def test_nodes_after_branches_of_two_ranks(size: int):
    """They are converted in both branches up to the first position of one rank, no further."""
    tested = of_two_ranks(
        *back_to_rank_three(), outputs=["y", "z", "alone"], weights={"three": np.array(3)}.items()
    )
    check(tested, {"x": np.random.default_rng(size).random((2, 4, size), np.float32)})
    text = str(load(tested))
    assert text.count("relax.if") == 1 and text.count("relax.multiply") == 2
    assert text.count("relax.permute_dims") == text.count("relax.relu") == 1
    assert "relax.if" not in str(load(tested, dims={"t": size}))


def test_scalars_of_two_ranks():
    """Used as a number it has one rank at once; other values of the branch leave it too."""
    tested = of_two_ranks(
        node("ReduceSum", ["u"], ["y"], keepdims=0),
        node("Size", ["u"], ["n"]),
        outputs=["y", "n"],
    )
    for size in (1, 3):
        check(tested, {"x": np.ones((2, 4, size), np.float32)})
    module = load(tested)
    with lowering.compile(module, "ranks", extra_flags=("-O0",)) as compiled:
        y, n = compiled.main(np.ones((2, 4, 3), np.float32))
    assert (y, n) == (24, 24)


def test_results_of_two_ranks(tmp_path: Path):
    """A call determines the rank; `--dim` leaves one branch. From a file, interpreted and compiled."""
    tested = of_two_ranks(node("Neg", ["u"], ["y"]), outputs=["u", "y"])
    onnx.save(tested, path := tmp_path / "ranks.onnx")
    sizes = (1, 3, 0)
    modules = [load(path), *(load(path, dims={"t": size}) for size in sizes)]
    assert ["relax.if" in str(module) for module in modules] == [True, False, False, False]
    with lowering.compile(joined(modules), "ranks", extra_flags=("-O0",)) as compiled:
        for number, size in enumerate(sizes, 1):
            x = np.random.default_rng(size).random((2, 4, size), np.float32)
            check(tested, {"x": x})
            right = expected(tested, {"x": x})
            assert right[0].ndim == (2 if size == 1 else 3)
            for function in (compiled.f0, compiled[f"f{number}"]):
                for ours, theirs in zip(function(x), right, strict=True):
                    np.testing.assert_array_equal(ours, theirs, strict=True)


def test_nodes_that_fit_one_branch():
    """The other one stops the program, though several nodes lie between."""
    tested = of_two_ranks(
        node("Relu", ["u"], ["v"]),
        node("Shape", ["v"], ["s"]),
        node("Transpose", ["v"], ["y"], perm=[1, 0]),
        outputs=["y", "s"],
    )
    check(tested, {"x": np.ones((2, 4, 1), np.float32)})
    with pytest.raises(ExecutionError, match=r"the else_branch taken.*, or pass inputs that take"):
        found(tested, {"x": np.ones((2, 4, 3), np.float32)})


@pytest.mark.parametrize("swapped", [False, True])
def test_a_branch_that_fits_no_types(swapped: bool):
    """It is refused where it is taken."""
    right = graph([node("Transpose", ["x"], ["b"])], [], [f32("b", 4, "n")])
    wrong = graph([node("MatMul", ["x", "w"], ["a"], name="bad")], [], [f32("a", "n", 3)])
    branches = dict(zip(("then_branch", "else_branch")[:: -1 if swapped else 1], (wrong, right)))
    nodes = [node("If", ["c"], ["y"], **branches)]
    inputs = [value("c", bool, []), f32("x", "n", 4)]
    tensors = {"w": np.ones((3, 3), np.float32)}
    tested = model(nodes, inputs, ["y"], tensors)
    (y,) = found(tested, {"c": np.array(swapped), "x": X})
    np.testing.assert_array_equal(y, X.T)
    with pytest.raises(ExecutionError, match=r"'bad'.*found 4 and 3.*, or pass inputs that take"):
        found(tested, {"c": np.array(not swapped), "x": X})
    with pytest.raises(OnnxError, match=r"'bad'.*found 4 and 3"):
        load(tested, bind={"c": not swapped})
    wrong.node[0].name = 'é"{}%s\n\0'
    branches = dict(zip(("then_branch", "else_branch"), (wrong, right)))
    tested = model([node("If", ["c"], ["y"], **branches)], inputs, ["y"], tensors)
    parse(str(load(tested)))


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


def test_loops_in_loops():
    """Each body is converted but for a few times more than the one around it."""

    def body(depth: int) -> Any:
        names = [f"{name}{depth}" for name in ("i", "go", "v", "w", "s", "t")]
        i, go, v, w, s, t = names
        inner = [node("Loop", ["two", "", v], [w, t], body=body(depth - 1))] if depth else []
        inner += [node("ReduceSum", [t], [s], keepdims=0)] if depth else [node("Add", [v, v], [w])]
        inner += [] if depth else [node("Identity", [w], [s])]
        inputs = [value(i, np.int64, []), value(go, bool, []), f32(v, None)]
        return graph(inner, inputs, [value(go, bool, []), f32(w, None), f32(s)])

    def nested(depth: int) -> Any:
        inner = body(depth)
        for output in inner.output[2:]:
            output.type.tensor_type.ClearField("shape")
        loop = node("Loop", ["two", "", "x"], ["y", "all"], body=inner)
        return model([loop], [f32("x", "n")], ["y", "all"], {"two": np.array(2)})

    check(nested(2), {"x": X[0]})
    assert str(load(nested(8))).count("relax.while") == 9


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


def test_scan_of_batches():
    body = graph(
        [node("Add", ["state", "slice"], ["next"]), node("Mul", ["next", "slice"], ["out"])],
        [f32("state", 2), f32("slice", 2)],
        [f32("next", 2), f32("out", 2)],
    )
    scan = node("Scan", ["", "s", "x"], ["last", "all"], body=body, num_scan_inputs=1)
    inputs = [f32("s", "b", 2), f32("x", "b", "n", 2)]
    x, state = X.reshape(2, 3, 2), X[:2, :2]
    last, every = found(model([scan], inputs, ["last", "all"], opset=8), {"s": state, "x": x})
    sums = state[:, None] + np.cumsum(x, 1)
    np.testing.assert_allclose(last, sums[:, -1], 1e-5)
    np.testing.assert_allclose(every, sums * x, 1e-5)


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


def sequence(name: str) -> Any:
    return helper.make_tensor_sequence_value_info(name, 1, None)


@pytest.mark.parametrize(("new", "axis"), [(1, 0), (1, -1), (0, 0), (0, 1)])
def test_what_the_turns_of_a_loop_append(new: int, axis: int):
    """As PyTorch exports a list to which a loop appends: a scan output, joined along any axis."""
    body = graph(
        [node("Add", ["v", "x"], ["w"]), node("SequenceInsert", ["s", "w"], ["t"])],
        [value("i", np.int64, []), value("go", bool, []), f32("v", "n", 4), sequence("s")],
        [value("go", bool, []), f32("w", "n", 4), sequence("t")],
    )
    nodes = [
        node("SequenceEmpty", [], ["none"]),
        node("Loop", ["m", "", "x", "none"], ["y", "all"], body=body),
        node("ConcatFromSequence", ["all"], ["z"], axis=axis, new_axis=new),
        node("SequenceLength", ["all"], ["n"]),
        node("SequenceAt", ["all", "place"], ["one"]),
    ]
    inputs = [value("m", np.int64, []), value("place", np.int64, []), f32("x", "n", 4)]
    tested = model(nodes, inputs, ["y", "z", "n", "one"])
    check(tested, {"m": np.array(3), "place": np.array(-2), "x": X})


def test_sequences_of_unknown_length_are_named():
    split = node("SplitToSequence", ["x"], ["s"], keepdims=0)
    erased = node("SequenceErase", ["s"], ["t"], name="shorter")
    with pytest.raises(
        OnnxError, match=r"'shorter'.*a sequence of unknown length, input 0 \('s'\)"
    ):
        load(model([split, erased], [f32("x", "n", 4)], ["t"]))
    with pytest.raises(OnnxError, match="leave a graph, found a sequence of unknown length"):
        load(model([split], [f32("x", "n", 4)], ["s"]))


def test_sequences_as_inputs_and_outputs():
    body = graph([node("Mul", ["e", "x"], ["d"])], [f32("e", "n"), f32("x", 1)], [f32("d", "n")])
    mapped = node("SequenceMap", ["s", "x"], ["t"], body=body)
    tested = model([mapped], [sequence("s"), f32("x", 1)], ["t"])
    two = np.array([2], np.float32)
    (found_,) = [
        interpret.run(load(tested, dims={"s": [["n"], [3]]}), "main", (X[0], X[1, :3]), two)
    ]
    np.testing.assert_array_equal(found_[0], 2 * X[0])
    np.testing.assert_array_equal(found_[1], 2 * X[1, :3])
    bound = interpret.run(load(tested, bind={"s": [X[0]]}), "main", two)
    np.testing.assert_array_equal(bound[0], 2 * X[0])
    with pytest.raises(OnnxError, match="input 's': expected a sequence of known length"):
        load(tested)
    with pytest.raises(OnnxError, match="input 's': bind: expected a list of arrays, found int"):
        load(tested, bind={"s": 3})


def test_optionals():
    """Whether there is something in an optional is known when the model is imported."""
    branches = {
        "then_branch": graph([node("OptionalGetElement", ["o"], ["a"])], [], [f32("a", "n")]),
        "else_branch": graph([node("Neg", ["x"], ["b"])], [], [f32("b", "n")]),
    }
    nodes = [node("OptionalHasElement", ["o"], ["c"]), node("If", ["c"], ["y"], **branches)]
    x = f32("x", "n")
    inputs = [helper.make_value_info("o", helper.make_optional_type_proto(x.type)), x]
    tested = model(nodes, inputs, ["y"], opset=18)
    y = interpret.run(load(tested), "main", X[0], X[1])
    np.testing.assert_array_equal(y, X[0])
    y = interpret.run(load(tested, bind={"o": None}), "main", X[1])
    np.testing.assert_array_equal(y, -X[1])


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
