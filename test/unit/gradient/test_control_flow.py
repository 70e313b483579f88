"""Gradients through branches, loops, calls, recursion and tuples, of any order, against numpy and differences."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from fuzz import derivatives
from optional import UNOPTIMISED, amount, shortened

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import GradientError, check_gradient, gradient, jvp, registry, vjp
from relax_dialect.gradient.through_loops import loops, recording
from relax_dialect.interpret import jvp as interpret_jvp
from relax_dialect.interpret import run
from relax_dialect.ir.types import OBJECT, FuncType, ShapeType, TensorType, tuple_type
from relax_dialect.ops.binary import MultiplyOp
from relax_dialect.ops.calls import CallPackedOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.effects import PrintOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import parse, verify

ROW, NUMBER, COUNT, FLAG = (
    TensorType(["n"], "f64"),
    TensorType([], "f64"),
    TensorType([], "i64"),
    TensorType([], "i1"),
)
X, W = np.array([0.3, 0.4, 0.5]), np.array([1.1, 0.9, 0.7])


def looping() -> BlockBuilder:
    """k turns, each with a branch and what is outside: y, z = tanh(y * w) + z, or y * x, and y."""
    b = BlockBuilder()
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):

        def turn(i: Any, y: Any, z: Any) -> Any:
            even = b.emit(op.floor_mod(i, 2) == 0)
            new = b.if_(even, lambda: b.emit(op.tanh(y * w) + z), lambda: b.emit(y * x))
            return i + 1, new, y

        _, y, _ = b.while_(lambda i, *_: i < k, turn, b.emit(k - k), x, w)
        b.emit_func_output(b.emit(op.sum(y)))
    return b


def recursive() -> BlockBuilder:
    """f(k, x) = x if k = 0 else sin(f(k - 1, x * w))."""
    b = BlockBuilder()
    with b.function("f", {"k": COUNT, "x": ROW, "w": ROW}, ret_type=ROW, private=True) as (k, x, w):
        b.emit_func_output(
            b.if_(k == 0, lambda: x, lambda: b.emit(op.sin(b.call("f", k - 1, x * w, w))))
        )
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):
        b.emit_func_output(b.emit(op.sum(b.call("f", k, x, w))))
    return b


def nested() -> BlockBuilder:
    """A loop in a loop, whose inner state begins with the outer one and gives the next."""
    b = BlockBuilder()
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):
        zero = b.emit(k - k)

        def outer(i: Any, y: Any) -> Any:
            z = b.while_(lambda z: op.sum(z) < 9.0, lambda z: [b.emit(z * (w + 1.0))], y)[0]
            z = b.emit(op.sin(z) + x)
            z = b.while_(lambda z: op.sum(z) < 9.0, lambda z: [b.emit(z * w + x)], z)[0]
            return i + 1, z

        _, y = b.while_(lambda i, y: i < k, outer, zero, x)
        b.emit_func_output(b.emit(op.sum(y)))
    return b


def collecting() -> BlockBuilder:
    """A loop that puts a row after what it collects in each turn, and one that puts rows on both sides."""
    b, rows = BlockBuilder(), TensorType([None, "n"], "f64")
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):

        def turn(i: Any, y: Any, after: Any, both: Any) -> Any:
            y = b.emit(op.tanh(y * w + x))
            named = b.match_cast(after, TensorType(["m", "n"], "f64"))
            row = b.emit(op.expand_dims(y, [0]))
            after = b.emit(op.concat([named, row], axis=0))
            pair = op.stack([y, op.cos(y)], axis=0)
            return i + 1, y, after, b.emit(op.concat([pair, both, row], axis=0))

        first = b.emit(op.expand_dims(x * w, [0]))
        empty = b.emit(op.zeros([0, "n"], "f64"))
        state = b.emit(k - k), x, first, empty
        types = [COUNT, ROW, rows, rows]
        _, _, after, both = b.while_(lambda i, *_: i < k, turn, *state, types=types)
        b.emit_func_output(b.emit(op.sum(op.square(after)) + op.sum(op.sin(op.cumsum(both, 0)))))
    return b


def collecting_inside() -> BlockBuilder:
    """A loop in a loop, which goes on collecting; its state is a tuple, and a closure makes the rows."""
    b, rows = BlockBuilder(), TensorType([None, "n"], "f64")
    pair = tuple_type([ROW, rows])
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):
        step = b.closure({"y": ROW}, lambda y: b.emit(op.tanh(y * w + x)))

        def inner(j: Any, p: Any) -> Any:
            y = b.call(step, b.emit(p[0]))
            return j + 1, b.emit((y, b.emit(op.concat([p[1], op.expand_dims(y, [0])], axis=0))))

        def outer(i: Any, p: Any) -> Any:
            zero = b.emit(np.array(0))
            q = b.while_(lambda j, _: j < 2, inner, zero, p, types=[COUNT, pair])[1]
            return i + 1, b.emit((b.emit(op.sin(q[0])), b.emit(q[1])))

        start = b.emit((x, b.emit(op.expand_dims(w, [0]))))
        _, p = b.while_(lambda i, _: i < k, outer, b.emit(k - k), start, types=[COUNT, pair])
        b.emit_func_output(b.emit(op.sum(op.square(p[1])) + op.sum(p[0])))
    return b


def changing() -> BlockBuilder:
    """A loop that reads what it collects, and appends to it in two turns of three."""
    b, rows = BlockBuilder(), TensorType([None, "n"], "f64")
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):

        def turn(i: Any, found: Any) -> Any:
            before = b.emit(op.take(found, i // 2, axis=0))
            row = b.emit(op.expand_dims(op.sin(before * w) + op.sum(found, axis=[0]), [0]))
            longer = b.match_cast(op.concat([row, found], axis=0), rows)
            return i + 1, b.if_(b.emit(i % 3 < 2), lambda: longer, lambda: found)

        start = b.emit(k - k), b.emit(op.expand_dims(x, [0]))
        _, found = b.while_(lambda i, _: i < k, turn, *start, types=[COUNT, rows])
        b.emit_func_output(b.emit(op.sum(op.square(found))))
    return b


def checkpointed() -> BlockBuilder:
    """A part whose size is found inside, and one in a loop, both computed once more on the way back."""
    b = BlockBuilder()
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):
        with b.checkpoint():
            joined = b.emit(op.concat([x, b.emit(op.sin(w))], axis=0))
            named = b.match_cast(joined, TensorType(["m"], "f64"))
            part = b.emit_output(b.emit(op.tanh(named) * named))
            number = b.emit_output(b.emit(op.sum(w * x)))
        start = b.emit(op.square(part) * number)

        def turn(i: Any, y: Any) -> Any:
            with b.checkpoint():
                found = b.emit_output(b.emit(op.cos(y) * number))
            return i + 1, b.emit(found + start)

        _, y = b.while_(lambda i, y: i < k, turn, b.emit(k - k), start)
        b.emit_func_output(b.emit(op.sum(y)))
    return b


def differences(module: Any, name: str, *arrays: Any) -> list[np.ndarray]:
    """The gradients of a function of one number by its last two parameters."""
    found = []
    for place in (1, 2):
        slopes = []
        for way in np.eye(arrays[place].size):
            values = []
            for step in (1e-6, -1e-6):
                moved = list(arrays)
                moved[place] = arrays[place] + step * way
                values.append(run(module, name, *moved))
            slopes.append((values[0] - values[1]) / 2e-6)
        found.append(np.array(slopes))
    return found


@pytest.mark.slow
@shortened
@pytest.mark.parametrize(
    "program", [looping, recursive, nested, collecting, changing, checkpointed]
)
def test_interpreted_and_compiled(program: Any, monkeypatch: pytest.MonkeyPatch):
    """What collects takes longest to compile, so it is compiled in full alone."""
    for module in (loops, recording):
        monkeypatch.setattr(module, "SEGMENT", 3)  # turns: none, one segment, two
    module = program().get()
    name = gradient(module, "loss")
    verify(module)
    is_compiled = amount(1, program not in (collecting, changing))
    compiled = (
        lowering.compile(module, extra_flags=UNOPTIMISED)[name]
        if is_compiled
        else partial(run, module, name)
    )
    for turns in (0, 1, 4):
        given = np.array(turns), X, W
        value, found = run(module, name, *given)
        np.testing.assert_array_equal(value, run(module, "loss", *given))
        for mine, expected in zip(found, differences(module, "loss", *given)):
            np.testing.assert_allclose(mine, expected, rtol=1e-6, atol=1e-8)
        for mine, expected in zip(compiled(*given)[1], found):
            np.testing.assert_allclose(mine, expected, rtol=1e-12)


def test_a_tape_that_nothing_reads_is_not_written():
    """y = y * w + x: the way back reads y of every turn, and not the number of the turn."""
    b = BlockBuilder()
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):
        _, y = b.while_(
            lambda i, y: i < k, lambda i, y: (i + 1, b.emit(y * w + x)), b.emit(k - k), x
        )
        b.emit_func_output(b.emit(op.sum(y)))
    module = b.get()
    gradient(module, "loss")
    verify(module)
    _, forth, turns, segments, again, two_back, back = (
        [str(r.type) for r in o.results] for o in module.walk() if isinstance(o, WhileOp)
    )
    row, rows, number = str(ROW), "!relax.tensor<[?, n], f64>", str(COUNT)
    assert forth == [
        number,
        row,
        number,
        str(FLAG),
        rows,
    ]  # the turns, whether there are more, a tape
    assert turns == forth[:-1]
    assert (
        segments == two_back == back == [number, row, row, row]
    )  # the turns left, the gradients of y, x and w
    assert again == [row, number, rows]  # y alone is computed anew


def test_of_a_checkpoint_the_inputs_alone_are_kept():
    """What is inside is computed by functions of the gradient; the block itself stays in the program."""
    builder = checkpointed()
    text = str(builder.get()).rstrip("}\n")
    module = builder.get()
    back = gradient(module, "loss")
    assert str(module).startswith(text)
    assert text.count("relax.binding_block attributes {checkpoint} {") == 2
    (function,) = (f for f in module.ops if isinstance(f, FuncOp) and f.sym_name.data == back)
    names = [inner.name for inner in function.walk()]
    assert names.count("relax.call") == 2 + 2 + 1  # forward, back, and the turns of a segment anew
    assert not {"relax.sin", "relax.tanh", "relax.cos"} & {*names}
    jvp(module, "loss")
    verify(module)


def test_a_checkpoint_tells_the_sizes_that_are_found_in_it():
    module = parse("""
relax.func @loss(%x: !relax.tensor<[?], f64>) -> !relax.tensor<[], f64> {
  %y = relax.binding_block attributes {checkpoint} {
    %n = relax.match_cast %x : !relax.tensor<[?], f64> -> !relax.tensor<[n], f64>
    %s = relax.sum %n : (!relax.tensor<[n], f64>) -> !relax.tensor<[], f64>
    relax.output %s : !relax.tensor<[], f64>
  }
  %size = relax.shape [n]
  %ones = relax.ones %size {dtype = f64} : (!relax.shape<[n]>) -> !relax.tensor<[n], f64>
  %all = relax.sum %ones : (!relax.tensor<[n], f64>) -> !relax.tensor<[], f64>
  %product = relax.multiply %y, %all : (!relax.tensor<[], f64>, !relax.tensor<[], f64>) -> !relax.tensor<[], f64>
  relax.return %product : !relax.tensor<[], f64>
}""")
    with pytest.raises(
        GradientError,
        match=r"@loss: relax.binding_block \(%y\): .*define the sizes.* size n, which relax.shape",
    ):
        gradient(module, "loss")


@pytest.mark.slow
@shortened
def test_random_programs():
    """`test/unit/fuzz` tries thousands."""
    rng = random.Random(0)
    tried = [derivatives.case(rng, compiled=0) for _ in range(amount(6, 3))]
    assert sum(tried) > len(tried) // 2


def test_products_with_the_jacobian_and_its_transpose_agree():
    module = recursive().get()
    back, forth = vjp(module, "f", ["x", "w"]), jvp(module, "f", ["x", "w"])
    verify(module)
    random = np.random.default_rng(0)
    seed, *tangents = (random.standard_normal(3) for _ in range(3))
    given = np.array(3), X, W
    _, (of_x, of_w) = run(module, back, *given, seed)
    _, (moved,) = run(module, forth, *given, *tangents)
    np.testing.assert_allclose(seed @ moved, of_x @ tangents[0] + of_w @ tangents[1])


@pytest.mark.slow
@pytest.mark.parametrize("program", [recursive, collecting, collecting_inside, changing])
def test_a_gradient_of_a_gradient(program: Any, monkeypatch: pytest.MonkeyPatch):
    for module in (loops, recording):
        monkeypatch.setattr(module, "SEGMENT", 2)
    module = program().get()
    first = gradient(module, "loss", ["x"])
    builder = BlockBuilder(module)
    with builder.function("norm", {"k": COUNT, "x": ROW, "w": ROW}) as values:
        found = builder.call(first, *values)
        builder.emit_func_output(builder.emit(op.sum(op.square(found[1][0]))))
    second = gradient(builder.get(), "norm")
    verify(module)
    given, way = (np.array(3), X, W), np.array([0.4, -0.9, 0.6])
    _, (of_x, of_w) = run(module, second, *given)
    _, slope = interpret_jvp(module, "norm", given, [None, way, W])
    np.testing.assert_allclose(of_x @ way + of_w @ W, slope, rtol=1e-8)


@pytest.mark.slow
def test_derivatives_of_a_power_by_a_loop():
    """x ** k for up to 3 turns, which are no more: k * (k - 1) * ... * x ** (k - order)."""
    b = BlockBuilder()
    with b.function("f0", {"k": COUNT, "x": NUMBER}) as (k, x):
        limit = b.emit(np.array(3))
        _, y = b.while_(
            lambda i, _: op.logical_and(i < k, i < limit),
            lambda i, y: (i + 1, b.emit(y * x)),
            b.emit(np.array(0)),
            b.emit(np.array(1.0)),
        )
        b.emit_func_output(y)
    module = b.get()
    for order in range(1, 4):
        name = gradient(module, f"f{order - 1}", ["x"])
        b = BlockBuilder(module)
        with b.function(f"f{order}", {"k": COUNT, "x": NUMBER}) as values:
            b.emit_func_output(b.call(name, *values)[1][0])
    expected = {1: [1, 0, 0], 2: [6, 2, 0], 3: [27, 18, 6]}
    for turns, slopes in expected.items():
        found = [run(module, f"f{order}", np.array(turns), np.array(3.0)) for order in (1, 2, 3)]
        np.testing.assert_allclose(found, slopes)


def test_a_state_two_of_whose_sizes_change_is_told():
    b, square = BlockBuilder(), TensorType([None, None], "f64")
    with b.function("loss", {"k": COUNT, "x": TensorType(["n", "n"], "f64")}) as (k, x):

        def turn(i: Any, y: Any) -> Any:
            return i + 1, b.match_cast(op.pad(op.sin(y), [0, 1, 0, 1]), square)

        _, y = b.while_(lambda i, _: i < k, turn, b.emit(k - k), x, types=[COUNT, square])
        b.emit_func_output(b.emit(op.sum(y)))
    told = (
        r"@loss: relax.while .*of whose sizes one at most changes.*found .*\[\?, \?\].*match_cast"
    )
    with pytest.raises(GradientError, match=told):
        gradient(b.get(), "loss")


def test_tuples_are_differentiated_field_by_field():
    b = BlockBuilder()
    pair = tuple_type([ROW, tuple_type([COUNT, NUMBER])])
    with b.function("loss", {"p": pair, "q": ROW}) as (p, _q):
        b.emit_func_output(b.emit(op.sum(op.square(p[0]) * p[1][1])))
    module = b.get()
    name = gradient(module, "loss")
    _, (of_p, of_q) = run(module, name, (X, (np.array(3), np.array(2.0))), W)
    np.testing.assert_allclose(of_p[0], 4 * X)
    np.testing.assert_allclose(of_p[1][0], np.sum(X * X))
    np.testing.assert_array_equal(of_q, np.zeros(3))


def test_the_loss_may_be_one_of_several_results():
    b = BlockBuilder()
    with b.function("step", {"x": ROW}) as (x,):
        b.emit_func_output([b.emit(op.exp(x)), b.emit(op.sum(op.square(x)))])
    module = b.get()
    (passed, loss), (found,) = run(module, gradient(module, "step", target_index=1), X)
    np.testing.assert_array_equal(passed, np.exp(X))
    np.testing.assert_allclose(loss, np.sum(X * X))
    np.testing.assert_allclose(found, 2 * X)


@pytest.mark.slow
def test_both_ways_to_name_sizes():
    """In a loop that collects rows, where what is named is not kept, and after it."""

    def ops(by_shape: bool) -> list[str]:
        b, rows = BlockBuilder(), TensorType([None, "n"], "f64")
        with b.function("loss", {"k": COUNT, "x": ROW}) as (k, x):

            def named(value: Any, size: str) -> Any:
                type = TensorType([size, "n"], "f64")
                return b.match_shape(value, [size, "n"]) if by_shape else b.match_cast(value, type)

            def turn(i: Any, y: Any, found: Any) -> Any:
                row = b.emit(op.expand_dims(op.sin(y), [0]))
                found = b.emit(op.concat([named(found, "m"), row], axis=0))
                return i + 1, b.emit(op.tanh(y)), found

            state = b.emit(k - k), x, b.emit(op.zeros([0, "n"], "f64"))
            _, _, found = b.while_(lambda i, *_: i < k, turn, *state, types=[COUNT, ROW, rows])
            b.emit_func_output(b.emit(op.sum(op.exp(named(found, "r")))))
        module = b.get()
        assert check_gradient(module, "loss", np.array(3), X) < 1e-9
        gradient(module, "loss")
        return [each.name for each in module.walk()]

    by_cast = ops(False)
    assert [name.replace("match_shape", "match_cast") for name in ops(True)] == by_cast


def test_effects_stay_once(capsys: pytest.CaptureFixture[str]):
    b = BlockBuilder()
    with b.function("loss", {"x": ROW, "c": FLAG}) as (x, c):

        def told() -> Any:
            b.emit(op.print(format="here"))
            return b.emit(op.sum(op.exp(x)))

        b.emit_func_output(b.if_(c, told, lambda: b.emit(op.sum(x))))
    module = b.get()
    run(module, gradient(module, "loss"), X, np.array(True))
    assert capsys.readouterr().out == "here\n"


def test_effects_of_loops_stay_once(capsys: pytest.CaptureFixture[str]):
    """In the condition and in the body, in their order; calls of unknown effect are not repeated."""
    b = BlockBuilder()
    with b.function("loss", {"x": ROW, "k": COUNT}) as (x, k):

        def test(i: Any, _y: Any) -> Any:
            b.emit(PrintOp(i.value, format="{}?"))
            return i < k

        def turn(i: Any, y: Any) -> Any:
            b.emit(PrintOp(i.value, format="{}"))
            return i + 1, b.emit(op.exp(y))

        b.emit_func_output(b.emit(op.sum(b.while_(test, turn, b.emit(k - k), x)[1])))
    module = b.get()
    run(module, gradient(module, "loss"), X, np.array(2))
    assert capsys.readouterr().out.split() == ["0?", "0", "1?", "1", "2?"]


def test_effects_of_calls_stay_once(capsys: pytest.CaptureFixture[str]):
    """The value of the call is needed on the way back: it comes from a copy of `@f` that does not print."""
    b = BlockBuilder()
    with b.function("f", {"x": ROW}, private=True) as (x,):
        b.emit(op.print(format="here"))
        b.emit_func_output(b.emit(op.exp(x)))
    with b.function("loss", {"x": ROW, "c": FLAG}) as (x, c):
        b.emit_func_output(
            b.if_(c, lambda: b.emit(op.sum(op.square(b.call("f", x)))), lambda: b.emit(op.sum(x)))
        )
    module = b.get()
    _, (found,) = run(module, gradient(module, "loss"), X, np.array(True))
    np.testing.assert_allclose(found, 2 * np.exp(2 * X))
    assert capsys.readouterr().out == "here\n"


def test_unknown_effects_are_not_repeated():
    row = "!relax.tensor<[3], f64>"
    module = parse(f"""
relax.func @loss(%x: {row}, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f64> {{
  %z = relax.if %c : (!relax.tensor<[], i1>) -> {row} {{
    %y = relax.call_packed "drawn"() : () -> {row}
    %p = relax.multiply %x, %y : ({row}, {row}) -> {row}
    relax.yield %p : {row}
  }} else {{
    relax.yield %x : {row}
  }}
  %s = relax.sum %z : ({row}) -> !relax.tensor<[], f64>
  relax.return %s : !relax.tensor<[], f64>
}}""")
    with pytest.raises(GradientError, match=r"@loss: relax.call_packed \(%y\): .*without effects"):
        gradient(module, "loss")


def test_a_function_may_declare_less_than_it_gives():
    b = BlockBuilder()
    with b.function("f", {"x": ROW}, ret_type=OBJECT) as (x,):
        b.emit_func_output(b.emit(op.exp(x)))
    module = b.get()
    names = jvp(module, "f"), vjp(module, "f")
    verify(module)
    for name in names:
        value, (found,) = run(module, name, X, W)
        np.testing.assert_array_equal(value, np.exp(X))
        np.testing.assert_allclose(found, W * np.exp(X))


def test_a_function_may_know_less_of_its_arguments_than_its_caller():
    b = BlockBuilder()
    with b.function("f", {"x": TensorType([None], "f64")}, private=True) as (x,):
        b.emit_func_output(b.emit(op.exp(x)))
    with b.function("loss", {"x": ROW}) as (x,):
        b.emit_func_output(b.emit(op.sum(b.call("f", x))))
    module = b.get()
    name = gradient(module, "loss")
    verify(module)
    np.testing.assert_allclose(run(module, name, X)[1][0], np.exp(X))


def test_what_cannot_be_differentiated_is_told():
    b = BlockBuilder()
    with b.function("loss", {"x": ROW, "i": TensorType(["n"], "i64")}) as (x, _):
        boxes, one = op.expand_dims(x, [0, 1]), np.zeros((1, 1), np.int32)
        kept = op.non_max_suppression(boxes, one[0], one, return_indices=False)
        b.emit_func_output(b.emit(op.sum(kept)))
    with b.function("packed", {"x": ROW}) as (x,):
        b.emit_func_output(b.emit(op.sum(b.emit(CallPackedOp("f", [x.value], ROW)))))
    with b.function("row", {"x": ROW}) as (x,):
        b.emit_func_output(b.emit(op.exp(x)))
    with b.function("untyped", {"x": ROW}) as (x,):
        y = b.emit(op.exp(b.match_cast(x, TensorType(["n"]))))
        b.emit_func_output(b.emit(op.sum(b.match_cast(y, ROW))))
    maps = {"x": TensorType([1, 2, 3], "f64"), "size": ShapeType([None, None])}
    with b.function("grid", maps) as (x, size):
        b.emit_func_output(b.emit(op.sum(op.affine_grid(x, size))))
    module = b.get()
    text = str(module)
    for name, wrt, message in (
        (
            "loss",
            None,
            "relax.non_max_suppression.*expected an operator with an adjoint.*none .its boxes.*; register",
        ),
        ("packed", None, "relax.call_packed.*expected an operator with an adjoint.*; register one"),
        ("loss", ["y"], "expected parameters to differentiate by \\('x', 'i'\\), found 'y'"),
        ("loss", "x", "wrt: expected a list of parameters, found one text; write \\['x'\\]"),
        ("loss", 0, "wrt: expected a list of parameters, found one number; write \\[0\\]"),
        (
            "loss",
            ["x", 0],
            "@loss: expected each parameter to differentiate by once, found 0 twice",
        ),
        ("loss", [True], "expected parameters to differentiate by .*, found True; write a name"),
        ("loss", ["i"], "expected a parameter of floats to differentiate by, found 'i'"),
        ("row", None, "expected a result that is one float.*found .*reduce it first"),
        (
            "untyped",
            None,
            r"@untyped: relax.match_cast.*expected tensors of known element types between.*<\[n\]>; state it",
        ),
        (
            "grid",
            None,
            "@grid: relax.affine_grid.*expected known sizes of the grid to differentiate it.*match_shape",
        ),
        (
            "none",
            None,
            "expected a function of the module .@loss, @packed, @row, @untyped, @grid., found none",
        ),
    ):
        with pytest.raises(GradientError, match=message):
            gradient(module, name, wrt)
        assert str(module) == text
    for index in ("0", None, 0.0, True):
        with pytest.raises(GradientError, match="@loss: target_index: expected a number, found"):
            gradient(module, "loss", target_index=index)  # pyright: ignore[reportArgumentType]
    with pytest.raises(RelaxError, match="expected a module, found"):
        gradient("loss", "loss")  # pyright: ignore[reportArgumentType]


def test_cotangents_of_other_types_are_told(monkeypatch: pytest.MonkeyPatch):
    """Those that an adjoint gives, and those that a caller of the product gives."""
    b = BlockBuilder()
    with b.function("f", {"x": ROW, "w": NUMBER}) as (x, w):
        b.emit_func_output(b.emit(op.sum(b.emit(x * w, "y"))))
    module = b.get()
    text = str(module)
    registry.load_rules()
    found = "expected from its adjoint a gradient of operand 0 of type .*, or one that sums to it, found"
    for wrong, told in (
        (lambda of, gy: (op.astype(gy, "i64"), gy), rf"{found} .*i64>; correct it"),
        (lambda of, gy: (op.sum(gy), gy), rf"{found} .*tensor<\[\], f64>; correct it"),
        (lambda of, gy: (op.concat([gy, np.ones(1)], axis=0), gy), rf"{found} .*1.*; correct it"),
        (lambda of, gy: ((gy, gy), gy), rf"{found} tuple.*; correct it"),
        (
            lambda of, gy: gy,
            "expected a gradient for each of its 2 operands, found 1; pass None",
        ),
    ):
        monkeypatch.setitem(registry.RULES, MultiplyOp, wrong)
        with pytest.raises(RelaxError, match=rf"@f: relax.multiply \(%y\): {told}"):
            gradient(module, "f")
        assert str(module) == text
    monkeypatch.undo()
    vjp(module, "f")
    with pytest.raises(RelaxError, match="@f_vjp: argument 'g0'"):
        run(module, "f_vjp", X, np.array(2.0), X)


def test_what_a_closure_captures_has_its_gradient():
    """Also what is handed to another function; the module keeps its closures."""
    b = BlockBuilder()
    on_numbers = FuncType([NUMBER], NUMBER)
    with b.function("twice", {"f": on_numbers, "y": NUMBER}, private=True) as (f, y):
        b.emit_func_output(b.call(f, b.call(f, y)))
    with b.function("loss", {"x": ROW}) as (x,):
        scaled = b.closure({"y": NUMBER}, lambda y: b.emit(op.sum(x) * y))
        b.emit_func_output(b.call("twice", scaled, b.emit(op.sum(x))))
    module = b.get()
    text = str(module).rstrip("}\n")
    name = gradient(module, "loss")
    assert str(module).startswith(text)
    verify(module)
    _, (found,) = run(module, name, X)
    np.testing.assert_allclose(found, np.full(3, 3 * X.sum() ** 2))


@pytest.mark.slow
def test_closures_of_branches_capture_what_has_sizes_of_its_own():
    """A loop and a recursion call one of two, whose captured row has no known size where it is called:
    y = x * w, or sin(x) * s, k times."""
    b, on_rows = BlockBuilder(), FuncType([ROW], ROW)
    parameters = {"f": on_rows, "k": COUNT, "x": ROW}
    with b.function("turns", parameters, private=True) as (f, k, x):
        _, y = b.while_(lambda i, _: i < k, lambda i, y: (i + 1, b.call(f, y)), b.emit(k - k), x)
        b.emit_func_output(y)
    with b.function("calls", parameters, ret_type=ROW, private=True) as (f, k, x):
        b.emit_func_output(
            b.if_(k <= 0, lambda: x, lambda: b.call(f, b.call("calls", f, k - 1, x)))
        )
    with b.function("loss", {"k": COUNT, "x": ROW, "w": ROW, "s": NUMBER}) as (k, x, w, s):
        f = b.if_(
            b.emit(k > 1),
            lambda: b.closure({"y": ROW}, lambda y: b.emit(y * w)),
            lambda: b.closure({"y": ROW}, lambda y: b.emit(op.sin(y) * s)),
        )
        by_calls, by_turns = (b.call(name, f, k, x) for name in ("calls", "turns"))
        b.emit_func_output(b.emit(op.sum(by_calls * by_turns)))
    module = b.get()
    forth = jvp(module, "loss", ["w"])
    verify(module)
    value, (moved,) = run(module, forth, np.array(2), X, W, np.array(0.5), X)
    np.testing.assert_allclose(value, np.sum(X**2 * W**4))
    np.testing.assert_allclose(moved, np.sum(4 * X**3 * W**3))


def test_function_values_from_outside_are_refused():
    b = BlockBuilder()
    with b.function("loss", {"x": NUMBER, "f": FuncType([NUMBER], NUMBER)}) as (x, f):
        b.emit_func_output(b.call(f, x))
    with pytest.raises(GradientError, match=r"@loss: relax.call_closure.*expected an operator"):
        gradient(b.get(), "loss")
