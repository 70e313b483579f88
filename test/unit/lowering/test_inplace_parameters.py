"""Results that entry points write over their arguments: the same values, no copies where none is needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional import FULL, shortened
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import ExecutionError
from relax_dialect.ir.in_place import IN_PLACE, in_place, in_place_attribute
from relax_dialect.ir.types import TensorType
from relax_dialect.rewrites.params.bind_params import bind_params

SQUARE = TensorType(["n", "n"], "f32")
Body = Callable[[BlockBuilder, Any, Any, Any], list[Any]]


def momentum(bb: BlockBuilder, w: Any, v: Any, g: Any) -> list[Any]:
    moved = bb.emit(0.5 * v + g)
    return [bb.emit(w - moved), moved, g]


def looping(bb: BlockBuilder, w: Any, v: Any, g: Any) -> list[Any]:
    start = bb.emit(op.astype(op.sum(w) * 0.0, "i64"))
    _, y = bb.while_(lambda i, y: i < 3, lambda i, y: (i + 1, bb.emit(y * 2.0 + w)), start, v)
    return [y, bb.emit(g + 1.0), w]


def branching(bb: BlockBuilder, w: Any, v: Any, g: Any) -> list[Any]:
    chosen = bb.if_(bb.emit(op.sum(v) > 0.0), lambda: bb.emit(w * 2.0), lambda: bb.emit(w @ v))
    return [chosen, bb.emit(v + g), bb.emit(g * 2.0)]


def shared(bb: BlockBuilder, w: Any, v: Any, g: Any) -> list[Any]:
    total = bb.emit(w + v)
    return [total, total, total]


def reshaped(bb: BlockBuilder, w: Any, v: Any, g: Any) -> list[Any]:
    flat = bb.emit(op.reshape(w, ["n * n"]) * 2.0)
    return [bb.emit(op.reshape(flat, ["n", "n"])), bb.emit(op.permute_dims(v)), v]


CASES: dict[str, tuple[Body, tuple[int, int, int], int]] = {
    # the function, what each result is written over, how many copies are left
    "momentum": (momentum, (0, 1, -1), 1),  # a result that is an argument is copied
    "product": (lambda bb, w, v, g: [bb.emit(w @ v), bb.emit(v * 2.0), g], (0, 1, 2), 1),
    "looping": (looping, (1, 2, -1), 3),
    "branching": (branching, (0, 1, 2), 1),
    "shared": (shared, (0, 1, -1), 2),
    "reshaped": (reshaped, (0, 1, -1), 2),
    "swapped": (lambda bb, w, v, g: [v, g, w], (0, 1, 2), 4),
}


COUNTED = ("momentum", "shared", "swapped") if not FULL else tuple(CASES)


@cache
def program() -> ModuleOp:
    """Each case as a function, and one that calls the first and gives its own arguments too."""
    bb = BlockBuilder()
    for name, (body, indices, _) in CASES.items():
        attributes = {IN_PLACE: in_place_attribute(indices)}
        with bb.function(name, {"w": SQUARE, "v": SQUARE, "g": SQUARE}, attributes) as values:
            bb.emit_func_output(body(bb, *values))
    with bb.function("calling", {"w": SQUARE, "v": SQUARE, "g": SQUARE}) as values:
        bb.emit_func_output([bb.call("momentum", *values), *values])
    return bb.get()


@cache
def compiled() -> CompiledModule:
    return lowering.compile(program().clone())


def arrays(n: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.normal(size=(n, n)).astype("f4") for _ in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_results_are_written_over_arguments(name: str) -> None:
    plain = program().clone()
    for function in plain.ops:
        function.attributes.pop(IN_PLACE, None)
    for n in (3, 1, 0):
        expected = interpret.run(plain, name, *arrays(n))
        for run in (lambda *a: interpret.run(program(), name, *a), compiled()[name]):
            given = arrays(n)
            results = run(*given)
            for result, value, index in zip(results, expected, CASES[name][1], strict=True):
                np.testing.assert_allclose(result, value, rtol=1e-5)
                if index >= 0:
                    assert result is given[index]
            for index, (after, before) in enumerate(zip(given, arrays(n))):
                if index not in CASES[name][1]:
                    np.testing.assert_array_equal(after, before)


@shortened
def test_only_what_somebody_reads_is_copied() -> None:
    few = program().clone()
    for function in list(few.ops):
        if function.get_attr_or_prop("sym_name").data not in COUNTED:  # pyright: ignore
            function.detach()
    lowered = lowering.lower(few)
    copies = {
        f.sym_name.data: sum(isinstance(each, memref.CopyOp) for each in f.walk())
        for f in lowered.ops
        if isinstance(f, FuncOp) and f.sym_name.data in COUNTED
    }
    assert copies == {name: CASES[name][2] for name in COUNTED}


@pytest.mark.slow
def test_values_never_change_inside_the_module() -> None:
    for run in (lambda *a: interpret.run(program(), "calling", *a), compiled()["calling"]):
        given = arrays()
        (w, v, _), *own = run(*given)
        moved = 0.5 * given[1] + given[2]
        np.testing.assert_allclose(v, moved, rtol=1e-6)
        np.testing.assert_allclose(w, given[0] - moved, rtol=1e-5)
        for array, before, after in zip(arrays(), own, given):
            np.testing.assert_array_equal(before, array)
            np.testing.assert_array_equal(after, array)


@pytest.mark.slow
@pytest.mark.parametrize("is_compiled", [False, True])
def test_arguments_that_cannot_be_written_over_are_refused(is_compiled: bool) -> None:
    def run(*args: Any, **named: Any) -> Any:
        if is_compiled:
            return compiled()["momentum"](*args, **named)
        return interpret.run(program(), "momentum", *args, **named)

    w, v, g = arrays()
    with pytest.raises(
        ExecutionError, match=r"argument 'w': expected memory of its own.* 'g' has too"
    ):
        run(w, v, w)
    with pytest.raises(
        ExecutionError, match=r"argument 'w': expected memory of its own.* 'v' has too"
    ):
        run(w, w, g)
    read_only = w.copy()
    read_only.flags.writeable = False
    shifted = np.frombuffer(bytearray(w.nbytes + 1), np.uint8)[1:].view(w.dtype).reshape(w.shape)
    for wrong, found in {
        "one that is read-only; pass a copy": read_only,
        "one that is not contiguous; pass a copy": np.repeat(w, 2, axis=-1)[..., ::2],
        "one that is not aligned; pass a copy": shifted,
    }.items():
        expected = (
            "argument 'w': expected a contiguous, writeable numpy array, since it is written over"
        )
        with pytest.raises(ExecutionError, match=f"@momentum: {expected}, found {wrong}"):
            run(found, v, g)
    with pytest.raises(
        ExecutionError, match="out, field 1: expected None for a result that is written"
    ):
        run(w, v, g, out=(None, w, None))
    place = np.empty_like(g)
    assert run(w, v, g, out=(None, None, place))[2] is place
    np.testing.assert_array_equal(place, g)


def test_bound_parameters_are_written_over_no_more() -> None:
    module = program().clone()
    bind_params(module, {"v": arrays()[1]}, "product")
    (product,) = (f for f in module.ops if f.get_attr_or_prop("sym_name").data == "product")  # pyright: ignore
    assert list(in_place(product)) == [0, -1, 1]
    w, v, g = arrays()
    results = interpret.run(module, "product", w, g)
    np.testing.assert_allclose(w, arrays()[0] @ v, rtol=1e-5)
    np.testing.assert_array_equal(results[1], v * 2)
    assert results[2] is g
