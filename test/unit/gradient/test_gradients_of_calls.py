"""What calls cost: what is kept of a function that is called, and what is computed anew."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, UnitAttr

import lowering
from lowering.pipeline import lower
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import check_gradient, gradient, jvp
from relax_dialect.interpret import run
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import verify

ROW, FLAG = TensorType(["n"], "f64"), TensorType([], "i1")
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


def executed(module: ModuleOp, name: str) -> Counter[str]:
    """How often each op is executed in a call of a function without branches and loops."""
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    found: dict[str, Counter[str]] = {}

    def of(name: str) -> Counter[str]:
        if name not in found:
            found[name] = Counter()
            for each in ops_inside(functions[name]):
                found[name][each.name] += 1
                if isinstance(each, CallOp):
                    found[name] += of(each.callee_name)
        return found[name]

    return of(name)


def test_calls_of_any_depth_are_computed_once():
    """The program that comes out grows with the program, though what is kept doubles with each level: from
    256 values on a function is a checkpoint."""
    sizes: list[int] = []
    for depth in range(1, 11):
        module = nest(depth)
        name = gradient(module, "loss")
        sizes.append(sum(1 for _ in ops_inside(module)))
        times = 1 if depth <= 8 else 2
        assert executed(module, name)["relax.tanh"] == times * 2**depth
    steps = [after - before for before, after in pairwise(sizes)]
    assert max(steps) == steps[0]


def test_a_nest_of_calls_by_dual_numbers():
    module = nest(2)
    assert check_gradient(module, "loss", X, W) < 1e-9
    name, forth = gradient(module, "loss"), jvp(module, "loss")
    verify(module)
    value, found = run(module, name, X, W)
    np.testing.assert_array_equal(value, run(module, "loss", X, W))
    np.testing.assert_allclose(run(module, forth, X, W, W, X)[1][0], found[0] @ W + found[1] @ X)


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
    for mine, expected in zip(lowering.compile(module)[name](X, W)[1], found):
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
    called = [each.callee_name for each in ops_inside(function) if isinstance(each, CallOp)]
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
