"""What calls cost: what is kept of a function that is called, and what is computed anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, amount, shortened
from xdsl.dialects.builtin import ModuleOp, UnitAttr

import lowering
from lowering.pipeline import lower
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import check_gradient, checkpoint, gradient, jvp
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import verify

ROW, FLAG = TensorType(["n"], "f64"), TensorType([], "i1")
COUNT, NUMBER = TensorType([], "i64"), TensorType([], "f64")
PAIR = tuple_type([ROW, NUMBER])
X, W = np.array([0.3, 0.4, 0.5]), np.array([1.1, 0.9, 0.7])
BOTH = {"x": ROW, "w": ROW}


def nest(depth: int) -> ModuleOp:
    """tanh(x * w) by a function, which another one calls twice, and so on."""
    b = BlockBuilder()
    with b.function("f0", BOTH, private=True) as (x, w):
        b.emit_func_output(b.emit(op.tanh(x * w)))
    for level in range(depth):
        with b.function(f"f{level + 1}", BOTH, private=True) as (x, w):
            b.emit_func_output(b.call(f"f{level}", b.call(f"f{level}", x, w), w))
    with b.function("loss", BOTH) as (x, w):
        b.emit_func_output(b.emit(op.sum(b.call(f"f{depth}", x, w))))
    return b.get()


STEPS = {"k": COUNT, "x": ROW, "w": ROW}


def linear(*names: str) -> ModuleOp:
    """Functions that call each other in turn, k times in all: the arguments and what is made of the result
    change. They print."""
    b = BlockBuilder()
    for own, other in zip(names, (*names[1:], names[0])):
        with b.function(own, STEPS, ret_type=PAIR, private=True) as (k, x, w):

            def again(
                other: str = other,
                k: Any = k,
                x: Any = x,
                w: Any = w,
                first: bool = own == names[0],
            ) -> Any:
                b.emit(op.print(format="turn"))
                found = b.call(other, k - 1, x * w, w, result_type=PAIR)
                row = op.sin(found[0]) if first else op.cos(found[0] * x)
                return b.emit((b.emit(row * found[1]), b.emit(found[1] + op.sum(x))))

            def stop(x: Any = x, w: Any = w) -> Any:
                return b.emit((x, b.emit(op.sum(w))))

            b.emit_func_output(
                b.if_(
                    k > 0,
                    lambda x=x, f=again, g=stop: b.if_(op.less(op.sum(x), 100.0), f, g),
                    stop,
                )
            )
    with b.function("loss", STEPS) as (k, x, w):
        found = b.call(names[0], k, x, w)
        b.emit_func_output(b.emit(op.sum(found[0]) * found[1]))
    return b.get()


def shrinking() -> ModuleOp:
    """The sum of the squares of what is left: sizes change with each call."""
    b = BlockBuilder()
    with b.function("f", {"x": ROW}, ret_type=NUMBER, private=True) as (x,):

        def again() -> Any:
            rest = b.call("f", op.strided_slice(x, [0], [1], [1 << 40], [1]))
            return b.emit(op.sin(rest) + op.sum(op.square(x)))

        b.emit_func_output(b.if_(op.greater(op.size(x), 0), again, lambda: b.emit(op.sum(x))))
    with b.function("loss", STEPS) as (_, x, w):
        b.emit_func_output(b.call("f", x * w))
    return b.get()


def twice() -> ModuleOp:
    """Two calls at each level."""
    b = BlockBuilder()
    with b.function("f", STEPS, ret_type=ROW, private=True) as (k, x, w):

        def again() -> Any:
            return b.emit(op.sin(b.call("f", k - 1, x * w, w) + b.call("f", k - 1, x - w, w)))

        b.emit_func_output(b.if_(k <= 0, lambda: x, again))
    with b.function("loss", STEPS) as (k, x, w):
        b.emit_func_output(b.emit(op.sum(b.call("f", k, x, w))))
    return b.get()


@pytest.mark.slow
@shortened
def test_linear_recursion(capsys: pytest.CaptureFixture[str]):
    """Four loops go back: down, up, and back twice."""
    module = linear("f")
    name = gradient(module, "loss")
    verify(module)
    assert sum(isinstance(each, WhileOp) for each in walk_ops(module)) == 4
    assert check_gradient(module, "loss", np.array(2), X, W) < 1e-9
    k = 2
    capsys.readouterr()
    _, found = run(module, name, np.array(k), X, W)
    assert capsys.readouterr().out == "turn\n" * k
    if amount(1, 0):
        _, (moved,) = run(module, jvp(module, "loss"), np.array(k), X, W, W, X)
        np.testing.assert_allclose(moved, found[0] @ W + found[1] @ X)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "count"), [(partial(linear, "f", "g"), 4), (shrinking, 0), (twice, 0)]
)
def test_other_recursion(make: Callable[[], ModuleOp], count: int):
    """Functions that call each other in turn become one; what cannot be rows is computed anew."""
    module = make()
    gradient(module, "loss")
    assert sum(isinstance(each, WhileOp) for each in walk_ops(module)) == count
    assert check_gradient(module, "loss", np.array(3), X, W) < 1e-9


def executed(module: ModuleOp, name: str) -> Counter[str]:
    """How often each op is executed in a call of a function without branches and loops."""
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    found: dict[str, Counter[str]] = {}

    def of(name: str) -> Counter[str]:
        if name not in found:
            found[name] = Counter()
            for each in walk_ops(functions[name]):
                found[name][each.name] += 1
                if isinstance(each, CallOp):
                    found[name] += of(each.callee_name)
        return found[name]

    return of(name)


@pytest.mark.slow
def test_calls_of_any_depth_are_computed_once():
    """The program that comes out grows with the program, though what is kept doubles with each level: from
    256 values on a function is a checkpoint."""
    sizes: list[int] = []
    for depth in (1, 2, 3, 4, 9):
        module = nest(depth)
        name = gradient(module, "loss")
        sizes.append(sum(1 for _ in walk_ops(module)))
        times = 1 if depth <= 8 else 2
        assert executed(module, name)["relax.tanh"] == times * 2**depth
    steps = [after - before for before, after in pairwise(sizes)]
    assert steps[0] == steps[1] == steps[2] and steps[3] <= 5 * steps[0]


def test_a_nest_of_calls_by_dual_numbers():
    module = nest(2)
    assert check_gradient(module, "loss", X, W) < 1e-9
    name, forth = gradient(module, "loss"), jvp(module, "loss")
    verify(module)
    value, found = run(module, name, X, W)
    np.testing.assert_array_equal(value, run(module, "loss", X, W))
    np.testing.assert_allclose(run(module, forth, X, W, W, X)[1][0], found[0] @ W + found[1] @ X)


@pytest.mark.slow
def test_sizes_that_are_found_in_a_function_are_kept():
    """What is kept has sizes that the caller cannot name, and some that no kept value tells."""
    b = BlockBuilder()
    with b.function("f", BOTH, private=True) as (x, w):
        joined = b.emit(op.concat([x, b.emit(op.sin(w)), w], axis=0))
        named = b.match_cast(joined, TensorType(["m"], "f64"))
        mean = b.emit(op.mean(op.tanh(named) * op.flip(named, 0)))
        b.emit_func_output([b.emit(mean * op.reshape(x, [1, -1])), b.emit(op.astype(x, "i64"))])
    with b.function("g", {"x": TensorType([None], "f64"), "w": ROW}, private=True) as (x, w):
        b.emit_func_output(b.emit(b.call("f", x, w)[0] * op.sum(x)))
    with b.function("loss", BOTH) as (x, w):
        b.emit_func_output(b.emit(op.sum(op.cos(b.call("g", b.emit(x * w), w)))))
    module = b.get()
    assert check_gradient(module, "loss", X, W) < 1e-9
    name = gradient(module, "loss")
    verify(module)
    found = run(module, name, X, W)[1]
    for mine, expected in zip(
        lowering.compile(module, extra_flags=UNOPTIMISED)[name](X, W)[1], found
    ):
        np.testing.assert_allclose(mine, expected, rtol=1e-12)


def test_what_nothing_uses_is_not_kept():
    """Only the value of the second call has a part in the loss, and no gradient goes through it."""
    b = BlockBuilder()
    with b.function("f", BOTH, private=True) as (x, w):
        b.emit_func_output(b.emit(op.tanh(op.exp(x) * op.sin(w))))
    with b.function("loss", BOTH) as (x, w):
        part = b.emit(op.astype(b.call("f", x, w), "i64"))
        b.emit_func_output([b.emit(op.sum(b.call("f", w, x))), part])
    module = b.get()
    name = gradient(module, "loss")
    (function,) = (f for f in module.ops if isinstance(f, FuncOp) and f.sym_name.data == name)
    called = [each.callee_name for each in walk_ops(function) if isinstance(each, CallOp)]
    assert sorted(called) == ["f", "f_forward", "f_pullback"]


def test_effects_of_what_keeps_values_stay_once(capsys: pytest.CaptureFixture[str]):
    """In a branch the way back calls a copy without them."""
    b = BlockBuilder()
    with b.function("f", {"x": ROW}, private=True) as (x,):
        b.emit(op.print(format="here"))
        b.emit_func_output(b.emit(op.exp(op.sin(x))))
    with b.function("loss", {"x": ROW, "c": FLAG}) as (x, c):
        y = b.call("f", x)
        b.emit_func_output(b.emit(op.sum(b.if_(c, lambda: b.call("f", y), lambda: y))))
    module = b.get()
    name = gradient(module, "loss")
    for flag, count in ((False, 1), (True, 2)):
        run(module, name, X, np.array(flag))
        assert capsys.readouterr().out == "here\n" * count


def test_what_a_function_emits_may_be_a_checkpoint():
    b = BlockBuilder()
    with b.function("loss", BOTH) as (x, w):
        y, z = checkpoint(b, lambda x: (op.tanh(op.exp(x)), op.sin(x)), b.emit(x * w))
        b.emit_func_output(b.emit(op.sum(checkpoint(b, op.exp, y * z))))
    module = b.get()
    name = gradient(module, "loss")
    assert executed(module, name)["relax.exp"] == 2 + 2
    assert check_gradient(module, "loss", X, W) < 1e-9


def test_a_function_may_be_a_checkpoint():
    """Of it the arguments alone are kept, also where calls are inlined."""
    b = BlockBuilder()
    with b.function("f", BOTH, {"checkpoint": UnitAttr()}, private=True) as (x, w):
        b.emit_func_output(b.emit(op.tanh(op.exp(x) * w)))
    with b.function("loss", BOTH) as (x, w):
        b.emit_func_output(b.emit(op.sum(b.call("f", b.call("f", x, w), w))))
    module = b.get()
    name = gradient(module, "loss")
    for _ in range(2):
        assert executed(module, name)["relax.exp"] == 2 * 2
        lower(module, ["relax-inline-private-functions"])
    assert check_gradient(module, "loss", X, W) < 1e-9
