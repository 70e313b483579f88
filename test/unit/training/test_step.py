"""What a step of training consists of, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import interpret, training
from relax_dialect.builder import BlockBuilder, op, var
from relax_dialect.frontends.onnx import load as load_onnx
from relax_dialect.gradient import GradientError, gradient
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.rewrites.params.lift_constants import lift_constants
from relax_dialect.training import TrainingError

WEIGHT = TensorType([2], "f64")


def squares() -> ModuleOp:
    """loss(w, x, k, params) = mean((w * x - params[0]) ** 2), and a function that gives a row."""
    bb = BlockBuilder()
    nested = tuple_type([WEIGHT, tuple_type([WEIGHT])])
    parameters = {"x": WEIGHT, "w": WEIGHT, "k": TensorType([], "i64"), "state": nested}
    with bb.function("loss", parameters) as (x, w, _, pair):
        bb.emit_func_output(bb.emit(op.mean(op.square(w * x - pair[0] * pair[1][0]))))
    with bb.function("row", {"x": WEIGHT, "w": WEIGHT}) as (x, w):
        bb.emit_func_output(bb.emit(x * w))
    with bb.function("both", {"x": WEIGHT, "w": WEIGHT, "kept": WEIGHT}) as (x, w, kept):
        mean = bb.emit(0.9 * kept + 0.1 * x)
        bb.emit_func_output([bb.emit(op.sum(x * w)), mean])
    return bb.get()


def test_parameters_may_be_tuples_and_bear_any_name() -> None:
    module = squares()
    gradient(module, "loss", ["w"])  # its name is taken
    optimizer = training.SGD(0.5, momentum=0.5)
    names = [f.sym_name.data for f in module.ops]  # pyright: ignore
    step = training.make_step(module, "loss", optimizer, parameters=["state", "w"], name="step")
    assert [f.sym_name.data for f in module.ops] == [*names, "step"]  # pyright: ignore
    a, b, w, x = np.array([1.0, 2]), np.array([0.5, 1]), np.array([2.0, 3]), np.array([1.0, -1])
    parameters = ((a.copy(), (b.copy(),)), w.copy())  # the step writes over them
    state = optimizer.init(parameters)
    moved = [a, b, w]
    for turn in range(2):
        error = w * x - a * b
        gradients = -error * b, -error * a, error * x
        ((new_a, (new_b,)), new_w), state, loss = interpret.run(
            module, step, parameters, state, x, np.array(0)
        )
        assert loss == (error**2).mean()
        moved = [(0.5 * m if turn else 0) + g for m, g in zip(moved, gradients)]
        a, b, w = (v - 0.5 * m for v, m in zip((a, b, w), moved))
        for found, expected in zip((new_a, new_b, new_w), (a, b, w)):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


LOSSES: dict[str, tuple[training.Loss, str]] = {
    "l1": (training.L1Loss("sum"), "l1_loss"),
    "mse": (training.MSELoss(), "mse_loss"),
    "cross_entropy": (training.CrossEntropyLoss(), "cross_entropy"),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_after_a_network(name: str) -> None:
    torch = package("torch")
    loss, theirs = LOSSES[name]
    bb = BlockBuilder()
    x, w = var("x", shape=["n", 4], dtype="f64"), var("w", shape=[4, 3], dtype="f64")
    with bb.function("main", [x, w]):
        with bb.dataflow():
            scores = bb.emit_output(x @ w)
        bb.emit_func_output((scores,) if name == "mse" else scores)  # importers give tuples of one
    module = bb.get()
    assert training.append_loss(module, "main", loss) == "main_loss"
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
    targets = rng.integers(0, 3, 5) if name == "cross_entropy" else rng.normal(size=(5, 3))
    expected = getattr(torch.nn.functional, theirs)(
        torch.tensor(a @ b), torch.tensor(targets), reduction=loss.reduction
    )
    found = interpret.run(module, "main_loss", a, b, targets)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def step_of(loss: str = "loss", **options: object) -> Callable[[], object]:
    given = {"parameters": ["w"], **options}
    return lambda: training.make_step(squares(), loss, training.SGD(), **given)  # pyright: ignore


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no function": (
        step_of("lose"),
        r"expected a function of the module \(@loss, @row, @both\), found @lose",
    ),
    "no parameter": (
        step_of(parameters=["v"]),
        r"@loss: parameters: expected parameters of the function, each once \('x', 'w', 'k', 'state'\), "
        "found 'v'; correct the name",
    ),
    "twice": (step_of(parameters=["w", "w"]), "found 'w' twice"),
    "none": (step_of(parameters=[]), "expected one at least, found none; name what is trained"),
    "text": (step_of(parameters="w"), r"expected a list of names, found one text; write \['w'\]"),
    "no list": (
        step_of(parameters=None),
        "@loss: parameters: expected a list of names, found None; put them into one",
    ),
    "no list of states": (
        step_of(states=3.5),
        "@loss: states: expected a list of names, found 3.5; put them into one",
    ),
    "number": (step_of(parameters=1), r"expected a list of names, found one number; write \[1\]"),
    "integers": (
        step_of(parameters=["k"]),
        "expected tensors of floats, found 'k' with !relax.tensor<.., i64>; leave it out",
    ),
    "both": (
        step_of(states=["w"]),
        "expected 'w' among the parameters or the states, found it in both; leave it out of one",
    ),
    "no float": (step_of("row"), "@row: expected a loss that is one float.*; reduce it first"),
    "a tuple": (step_of("both"), "or name the states whose new values it returns"),
    "no states": (
        step_of(states=["x"]),
        "expected a tuple of a loss that is one float, a tensor of rank 0, and the new value of each state, 1",
    ),
    "optimizer": (
        lambda: training.make_step(squares(), "loss", training.SGD, parameters=["w"]),  # pyright: ignore
        "make_step: expected an optimizer, such as training.SGD.0.1., found <class .*SGD'>; make one",
    ),
    "clipping": (step_of(clip=3), "make_step: clip: expected a function, .*, found 3; make one"),
    "no limit": (
        step_of(clip=training.clip_by_norm),
        "make_step: clip: expected a function of the builder and the gradients, found one that does not take "
        "these: too many positional arguments; correct it",
    ),
    "loss": (
        lambda: training.append_loss(squares(), "row", training.MSELoss),  # pyright: ignore
        "append_loss: expected a loss, such as training.MSELoss.., found <class .*MSELoss'>; make one",
    ),
    "name": (step_of(name="row"), "@row: expected a free name for the step"),
    "rate": (
        lambda: training.SGD(-1),
        "SGD: lr: expected a number of 0 or more, found -1; correct it",
    ),
    "truth": (
        lambda: training.SGD(0.1, momentum=True),
        "SGD: momentum: expected a number of 0 or more, found True; correct it",
    ),
    "no truth": (
        lambda: training.Adam(amsgrad=1),  # pyright: ignore
        "Adam: amsgrad: expected True or False, found 1; correct it",
    ),
    "numpy's": (
        lambda: training.SGD(np.float32(1)),  # pyright: ignore
        r"SGD: lr: .*found np.float32\(1.0\); make a number of Python of it, with item\(\)",
    ),
    "rate of two": (
        lambda: training.SGD(lambda a, b: a),  # pyright: ignore
        "SGD: lr: expected a function of the number of steps done, found one that does not take that: missing",
    ),
    "warmup": (
        lambda: training.linear_warmup(3, None),  # pyright: ignore
        "linear_warmup: then: expected a number of 0 or more, found None; correct it",
    ),
    "ignored": (
        lambda: training.CrossEntropyLoss(ignore_index=0.5),  # pyright: ignore
        "CrossEntropyLoss: ignore_index: expected a whole number, found 0.5; correct it",
    ),
    "betas": (
        lambda: training.Adam(betas=(0.9, 1.0)),
        "Adam: betas: expected a number of 0 or more and below 1, found 1.0",
    ),
    "pair": (lambda: training.AdamW(betas=0.9), "AdamW: betas: expected two numbers, found 0.9"),  # pyright: ignore
    "nesterov": (
        lambda: training.SGD(nesterov=True),
        "SGD: expected a momentum above 0 and no dampening with nesterov",
    ),
    "steps": (
        lambda: training.cosine(0.1, 0),
        "cosine: steps: expected a whole number of steps, 1 or more, found 0; correct it",
    ),
    "clip": (lambda: training.clip_by_norm(float("nan")), "clip_by_norm: limit: expected a number"),
    "reduction": (
        lambda: training.MSELoss("none"),
        "MSELoss: expected the reduction 'mean' or 'sum', found 'none'",
    ),
    "init of lists": (
        lambda: training.Adam().init(([1.0],)),
        "Adam.init: expected numpy arrays of floats, found float",
    ),
    "init of one": (
        lambda: training.Adam().init(np.zeros(2)),
        "Adam.init: expected a tuple of arrays, one for each parameter, found ndarray",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_one_clear_error(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(TrainingError, match=message):
        make()


def test_nothing_is_added_where_there_is_no_gradient() -> None:
    bb = BlockBuilder()
    with bb.function("loss", {"w": WEIGHT, "x": WEIGHT}) as (w, _):
        bb.emit_func_output(bb.emit(op.sum(op.call_pure_packed("f", [w], WEIGHT))))
    module = bb.get()
    with pytest.raises(GradientError, match="found none; register one"):
        training.make_step(module, "loss", training.SGD(), parameters=["w"])
    assert len(list(module.ops)) == 1


def test_arrays_of_another_shape_are_refused_by_the_step() -> None:
    module = squares()
    step = training.make_step(module, "loss", training.SGD(), parameters=["w"])
    wrong, x = (np.zeros(3),), np.zeros(2)
    with pytest.raises(interpret.ExecutionError, match="argument 'parameters', field 0"):
        interpret.run(module, step, wrong, training.SGD().init(wrong), x, np.array(0), (x, (x,)))


def test_arrays_that_cannot_be_written_over_are_refused_by_their_field() -> None:
    """Of the interpreter and of C in the same words, and no array is changed."""
    bb = BlockBuilder()
    w, b = var("w", shape=[2]), var("b", shape=[2])
    with bb.function("loss", [w, b]):
        bb.emit_func_output(bb.emit(op.sum(w * b)))
    module, optimizer = bb.get(), training.SGD(0.1, momentum=0.5)
    training.make_step(module, "loss", optimizer, parameters=["w", "b"])
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED).loss_step

    def interpreted(*args: Any) -> Any:
        return interpret.run(module, "loss_step", *args)

    w, b = np.ones(2, "f4"), np.ones(2, "f4")
    count, moved = optimizer.init((w, b))
    shifted = np.frombuffer(bytearray(9), np.uint8)[1:].view("f4")
    for message, args in {
        "'parameters', field 1: expected memory of its own, since it is written over, found some that "
        "argument 'state', field 1, field 0 has too; pass a copy": ((w, b), (count, (b, moved[1]))),
        "'parameters', field 0: expected a contiguous, writeable numpy array, since it is written over, "
        "found one that is not aligned; pass a copy": ((shifted, b), (count, moved)),
        "'state', field 0: expected a contiguous, writeable numpy array, since it is written over, found "
        "a scalar of type i64; make one with numpy.asarray": ((w, b), (np.int64(0), moved)),
    }.items():
        for run in (interpreted, compiled):
            with pytest.raises(interpret.ExecutionError, match=f"@loss_step: argument {message}"):
                run(*args)
    for array in (w - 1, b - 1, shifted, count, *moved):
        assert not array.any()


def test_parameters_that_are_called_alike() -> None:
    """A name keeps no number at its end: of `x_1` and `x_2` both are `x`, and are told by their places."""
    bb = BlockBuilder()
    w, a, b = (var(name, shape=[2], dtype="f64") for name in ("w", "x_1", "x_2"))
    with bb.function("loss", [w, a, b]):
        bb.emit_func_output(bb.emit(op.sum(w * a * a * b)))
    module, optimizer = bb.get(), training.SGD(0.5)
    step = training.make_step(module, "loss", optimizer, parameters=["w"])
    one = np.ones(2)
    (found,), _, loss = interpret.run(
        module, step, (one.copy(),), optimizer.init((one,)), 2 * one, 3 * one
    )
    assert loss == 24 and found.tolist() == [-5, -5]
    for wrong, told in (
        ("x", "'x'; 2 are called 'x': write its index, 1 or 2"),
        ("x_2", "'x_2'; 2 are called 'x': write its index, 1 or 2"),
        ("w_1", "'w_1'; it is called 'w'"),
        ("y", "'y'; correct the name"),
        (3, "3; write a name, or an index from 0 to 2"),
    ):
        with pytest.raises(TrainingError, match=rf"\('w'\), found {told}"):
            training.make_step(module, "loss", optimizer, parameters=[wrong], name="other")
        with pytest.raises(GradientError, match=rf"\('w'\), found {told}"):
            gradient(module, "loss", [wrong])
    step = training.make_step(module, "loss", optimizer, parameters=[2], name="other")
    (found,), *_ = interpret.run(
        module, step, (one.copy(),), optimizer.init((one,)), 2 * one, 3 * one
    )
    assert found.tolist() == [-8, -8]
    gradient(module, "loss", [2])
    _, (of_b,) = interpret.run(module, "loss_adjoint", one, 2 * one, 3 * one)
    assert of_b.tolist() == [4, 4]


@pytest.mark.slow
def test_a_step_holds_few_gradients_at_once() -> None:
    """What is kept of a gradient is, at once, so that it goes before the next is computed; the weight changes in
    place, after the last look at the old one."""
    layers, size = 3, 64
    bb = BlockBuilder()
    weights = {f"w{i}": TensorType([size, size], "f32") for i in range(layers)}
    with bb.function("loss", {"x": TensorType(["n", size], "f32"), **weights}) as (x, *ws):
        for w in ws:
            x = bb.emit(op.relu(x @ w))
        bb.emit_func_output(bb.emit(op.sum(x)))
    module = bb.get()
    training.make_step(module, "loss", training.AdamW(0.1), parameters=list(weights))
    usage = lowering.estimate_memory_usage(module, {"n": 1})
    assert usage.peak("loss_step") < 1.5 * 4 * size * size


@pytest.mark.slow
def test_norms_and_convolutions_keep_no_arrays_of_their_own() -> None:
    """The image of a norm, its cotangent and what comes of it; no copies in another order, no products. Loops that
    threads share have scratch of their own."""
    bb, shape, channels = BlockBuilder(), [4, 8, 16, 16], TensorType([8], "f32")
    kernel = TensorType([8, 8, 3, 3], "f32")
    types = {"x": TensorType(shape, "f32"), "w": kernel, "gamma": channels, "beta": channels}
    with bb.function("loss", types) as (x, w, *parameters):
        y = op.conv2d(x, w, padding=1)
        moving = op.zeros([8], "f32"), op.ones([8], "f32")
        y = op.batch_norm(y, *parameters, *moving, axis=1, training=True)[0]
        bb.emit_func_output(bb.emit(op.sum(op.square(y))))
    module = bb.get()
    gradient(module, "loss", ["w", "gamma", "beta"])
    usage = lowering.estimate_memory_usage(module, {})
    assert usage.peak("loss_adjoint") < 3.5 * 4 * np.prod(shape)


def test_parts_of_a_step_that_do_not_fit_are_refused() -> None:
    class Short(training.SGD):
        def update(self, emit, w, gradient, kept, numbers):  # pyright: ignore
            return (emit(op.sum(w)),)

    def refused(message: str, optimizer: training.Optimizer, clip: Any = None) -> None:
        with pytest.raises(TrainingError, match=message):
            training.make_step(squares(), "loss", optimizer, parameters=["w"], clip=clip)

    class Plain(training.SGD):
        def update(self, emit, w, gradient, kept, numbers):  # pyright: ignore
            return emit(w - gradient)

    class Unnamed(training.SGD):
        def numbers(self, rate, count):  # pyright: ignore
            return [rate]

    refused("Short.update: expected a tuple of a new parameter and 0 new values", Short())
    refused("Plain.update: expected a tuple of .*, found %gv.*f64>; correct it", Plain())
    refused("Unnamed.numbers: expected expressions by name, in a dict, found .%rate", Unnamed())
    refused(
        "SGD: lr: emit: expected a value, an expression.*, found None",
        training.SGD(lambda s: None),
    )
    refused(
        "clip: expected as many gradients as it gets.*found none", training.SGD(), lambda b, g: None
    )
    refused(
        "SGD: lr: expected a rate of type .*f64>, as that", training.SGD(lambda s: s.astype("f32"))
    )
    refused(
        "clip: expected as many gradients as it gets", training.SGD(), lambda builder, gradients: []
    )


def test_a_class_with_text_in_a_tuple_of_names() -> None:
    class Texts(training.SGD):
        slots = "moved"  # pyright: ignore

    with pytest.raises(
        TrainingError, match="Texts: slots: expected a tuple of names, found 'moved'"
    ):
        Texts()


def test_an_optimizer_of_ones_own_has_fields_of_any_kind_and_may_change_nothing() -> None:
    @dataclass(frozen=True)
    class Swapping(training.SGD):
        """Gives what it gets, in an order of a field's choice, or expressions."""

        how: str = "kept"

        @property
        def slots(self) -> Any:
            return ("other",)

        def update(self, emit, w, gradient, kept, numbers):  # pyright: ignore
            return {"kept": (w, kept[0]), "swapped": (kept[0], w)}.get(self.how, (w + 1.0, kept[0]))

    for how, wanted in {"kept": [1, 2], "swapped": [2, 1], "more": [2, 2]}.items():
        module, optimizer = squares(), Swapping(how=how)
        step = training.make_step(module, "loss", optimizer, parameters=["w"])
        weights, state = (np.ones(2),), (np.array(0), (np.full(2, 2.0),))
        interpret.run(module, step, weights, state, x := np.zeros(2), np.array(0), (x, (x,)))
        assert [weights[0].tolist(), state[1][0].tolist()] == [[each] * 2 for each in wanted]


def test_a_rate_may_be_a_number() -> None:
    for rate in (lambda done: 0.5, training.linear_warmup(1, lambda done: 1, 0.5)):
        module, optimizer, zeros = squares(), training.SGD(rate), np.zeros(2)
        training.make_step(module, "loss", optimizer, parameters=["w"])
        weights = (np.ones(2),)  # which are their gradient, too
        state = optimizer.init(weights)
        interpret.run(
            module, "loss_step", weights, state, np.ones(2), np.array(0), (zeros, (zeros,))
        )
        assert weights[0].tolist() == [0.5, 0.5]


def test_an_imported_model_is_trained() -> None:
    """The weights of an ONNX model become parameters, which 40 steps by compiled C bring to what was looked for."""
    onnx = package("onnx")
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "net.weight", "net.bias"], ["y"], transB=1),
            helper.make_node("Sub", ["y", "t"], ["d"]),
            helper.make_node("Mul", ["d", "d"], ["s"]),
            helper.make_node("ReduceMean", ["s"], ["loss"], keepdims=0),
        ],
        "net",
        [helper.make_tensor_value_info(n, float32, ["n", k]) for n, k in (("x", 3), ("t", 2))],
        [helper.make_tensor_value_info("loss", float32, [])],
        [
            onnx.numpy_helper.from_array(np.zeros((2, 3), np.float32), "net.weight"),
            onnx.numpy_helper.from_array(np.zeros(2, np.float32), "net.bias"),
        ],
    )
    module = load_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))
    before = interpret.run(module.clone(), "main", x := np.eye(3, dtype="f4"), t := x[:, :2] + 1)
    weights = lift_constants(module)
    assert list(weights) == ["net_weight", "net_bias"]
    np.testing.assert_array_equal(interpret.run(module, "main", x, t, *weights.values()), before)
    optimizer = training.Adam(0.3)
    step = training.make_step(module, "main", optimizer, parameters=list(weights))
    parameters = tuple(weights.values())
    state = optimizer.init(parameters)
    with lowering.compile(module, extra_flags=UNOPTIMISED) as model:
        losses = [float(getattr(model, step)(parameters, state, x, t)[-1]) for _ in range(40)]
    np.testing.assert_allclose(losses[0], before, rtol=1e-6)
    assert losses[-1] < 1e-2 * losses[0]
