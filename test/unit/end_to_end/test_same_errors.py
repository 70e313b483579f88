"""Run-time errors have the same words in the interpreter and in compiled C.

Sizes and indices are known only when the program runs: each row of the table is an operator on
parameters of symbolic sizes, and arguments that it has to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import lowering
from lowering.legalize.relax_legalize import legalize
from lowering.runtime.loading import CompiledModule
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.parsing import parse

Row = tuple[Sequence[TensorType | ShapeType], Callable[..., Any], Sequence[Any], str]
"""The parameters' types, the operator, the arguments (a shape stands for zeros), and what is found."""


def f(*sizes: int | str, dtype: str = "f32") -> TensorType:
    return TensorType(list(sizes), dtype)


def i(*sizes: int | str, dtype: str = "i64") -> TensorType:
    return TensorType(list(sizes), dtype)


def s(*sizes: int | str) -> ShapeType:
    return ShapeType(list(sizes))


INDEX = "expected every index to be within -size..size-1 of axis"
BROADCAST = "expected sizes to broadcast: to be equal, or one of them 1, found"
EMPTY = "expected at least one element along the axes to reduce"

ROWS: dict[str, Row] = {
    # sizes that do not broadcast
    "add": ([f("n"), f("m")], op.add, [(3,), (4,)], f"{BROADCAST} 3 and 4"),
    "less": ([f("m", "n"), f("k", "n")], op.less, [(5, 2), (4, 2)], f"{BROADCAST} 4 and 5"),
    "power_known": ([f("n"), f(4)], op.power, [(3,), (4,)], f"{BROADCAST} 3 and 4"),
    "add_product": ([f("n", "m"), f("k")], op.add, [(1, 2), (3,)], f"{BROADCAST} 2 and 3"),
    "where": (
        [f("a", dtype="i1"), f("b"), f("c")],
        op.where,
        [(1,), (3,), (4,)],
        f"{BROADCAST} 3 and 4",
    ),
    "lerp": ([f("a"), f("b"), f("c")], op.lerp, [(5,), (1,), (2,)], f"{BROADCAST} 2 and 5"),
    "broadcast_to": (
        [f("n"), s("m", "k")],
        op.broadcast_to,
        [(2,), (4, 3)],
        "found [2] for [4, 3]",
    ),
    "collapse_sum_like": (
        [f("n", "m"), f("k")],
        op.collapse_sum_like,
        [(2, 3), (2,)],
        "found [2] for [2, 3]",
    ),
    # sizes that contradict each other
    "matmul": ([f("n", "m"), f("k", "l")], op.matmul, [(3, 4), (5, 6)], "found 4 and 5"),
    "matmul_batch": (
        [f("b", 2, 3), f("c", 3, 2)],
        op.matmul,
        [(4, 2, 3), (5, 3, 2)],
        f"{BROADCAST} 4 and 5",
    ),
    "linear": ([f("n", "m"), f("k", "l")], op.linear, [(3, 4), (6, 5)], "found 4 and 5"),
    "einsum": (
        [f("n", "m"), f("k", "l")],
        lambda a, b: op.einsum([a, b], "ij,jk->ik"),
        [(3, 4), (5, 6)],
        "found 4 and 5",
    ),
    "einsum_known": (
        [f("n", "m"), f(4, "l")],
        lambda a, b: op.einsum([a, b], "ij,jk->ik"),
        [(3, 5), (4, 6)],
        "found 4 and 5",
    ),
    "einsum_batch": (
        [f("n", 2, 2), f("m", 2, 2)],
        lambda a, b: op.einsum([a, b], "...ij,...jk->...ik"),
        [(3, 2, 2), (5, 2, 2)],
        f"{BROADCAST} 3 and 5",
    ),
    "einsum_batch_known": (
        [f("n", 2, 2), f(5, 2, 2)],
        lambda a, b: op.einsum([a, b], "...ij,...jk->...ik"),
        [(3, 2, 2), (5, 2, 2)],
        f"{BROADCAST} 3 and 5",
    ),
    "quantize": (
        [f("n", 3), f("k"), f("k", dtype="i8")],
        lambda x, s, z: op.quantize(x, s, z, 0, "i8"),
        [(2, 3), (4,), (4,)],
        "found 4 for 2",
    ),
    "concat": (
        [f("n", "m"), f("k", "l")],
        lambda a, b: op.concat([a, b], 0),
        [(1, 2), (1, 3)],
        "found [2] and [3]",
    ),
    "stack": ([f("n"), f("m")], lambda a, b: op.stack([a, b]), [(1,), (3,)], "found [1] and [3]"),
    "reshape": ([f("n", 6), s("k")], op.reshape, [(2, 6), (11,)], "[2, 6] (12), found [11] (11)"),
    "squeeze": ([f("n", "m")], lambda x: op.squeeze(x, [1]), [(2, 5)], "found 5"),
    "conv2d": (
        [f("b", "c", "h", "w"), f("o", "i", "u", "v")],
        op.conv2d,
        [(1, 2, 5, 5), (1, 3, 3, 3)],
        "found 2 where it reads 3",
    ),
    "layer_norm": (
        [f("n", "m"), f("k"), f("l")],
        lambda x, gamma, beta: op.layer_norm(x, gamma, beta, axes=-1),
        [(2, 3), (4,), (3,)],
        "found [4] for [3]",
    ),
    "searchsorted": (
        [f("n", "m"), f("k", "l")],
        op.searchsorted,
        [(2, 3), (1, 3)],
        "found [2, 3] and [1, 3]",
    ),
    "reverse_sequence": (
        [f("n", "m"), i("k")],
        lambda x, lengths: op.reverse_sequence(x, lengths, 1, 0),
        [(2, 3), (4,)],
        "found 4 for 2",
    ),
    "scatter_elements_sizes": (
        [f("n"), i("k"), f("l")],
        op.scatter_elements,
        [(3,), (2,), (1,)],
        "found 2 and 1",
    ),
    "attention": (
        [f("b", "s", 2, "d"), f("b", "t", 2, "e"), f("b", "t", 2, 4)],
        op.attention,
        [(1, 2, 2, 3), (1, 2, 2, 4), (1, 2, 2, 4)],
        "4 for 3",
    ),
    # sizes that an operator cannot work on
    "conv2d_negative": (
        [f("b", 2, "h", "w"), f("o", 2, "u", "v")],
        op.conv2d,
        [(1, 2, 3, 3), (1, 2, 5, 5)],
        "along H of the result (C3), found -1",
    ),
    "max_pool2d": (
        [f("b", "c", "h", "w")],
        lambda x: op.max_pool2d(x, [4, 4]),
        [(1, 1, 2, 3)],
        "along H of the result (C3), found -1",
    ),
    "group_norm": (
        [f("b", "c", "h"), f("c"), f("c")],
        lambda x, g, b: op.group_norm(x, g, b, 2, 1, [2]),
        [(1, 3, 2), (3,), (3,)],
        "found 3",
    ),
    "pixel_shuffle": (
        [f("b", "c", "h", "w")],
        lambda x: op.pixel_shuffle(x, 2),
        [(1, 6, 2, 2)],
        "found 6",
    ),
    "pad": (
        [f("n")],
        lambda x: op.pad(x, [3, 0], "reflect"),
        [(2,)],
        "found 2",
    ),
    # reductions over nothing
    **{
        name: (
            [f("n", "m")],
            (lambda o: lambda x: o(x, axis=1))(getattr(op, name)),
            [(2, 0)],
            EMPTY,
        )
        for name in ("max", "min", "argmax", "argmin")
    },
    "max_all": ([i("n", "m")], op.max, [(0, 3)], f"{EMPTY} (C3), found 0 x 3"),
    "median": ([f("n", "m")], op.median, [(2, 0)], f"{EMPTY} (C4), found 2 x 0"),
    # indices
    "take": (
        [f("n"), i("k")],
        lambda x, j: op.take(x, j, axis=0),
        [(3,), [0, -3, 7, 9]],
        f"{INDEX} 0, found 7 for a size of 3",
    ),
    "take_negative": (
        [f(2, "n"), i("k", dtype="i32")],
        lambda x, j: op.take(x, j, axis=1),
        [(2, 3), [-4]],
        f"{INDEX} 1, found -4 for a size of 3",
    ),
    "take_unsigned": (
        [f("n"), i("k", dtype="ui64")],
        lambda x, j: op.take(x, j, axis=0),
        [(3,), [2**64 - 1]],
        f"{INDEX} 0, found 18446744073709551615 for a size of 3",
    ),
    "take_wrap": (
        [f("n"), i("k")],
        lambda x, j: op.take(x, j, axis=0, mode="wrap"),
        [(0,), [1]],
        "found none",
    ),
    "gather_elements": (
        [f("n"), i("k")],
        op.gather_elements,
        [(3,), [1, 3]],
        f"{INDEX} 0, found 3 for a size of 3",
    ),
    "gather_nd": (
        [f("n", "m"), i("k", 2)],
        op.gather_nd,
        [(3, 2), [[1, 7], [9, 1]]],
        f"{INDEX} 1, found 7 for a size of 2",
    ),
    "index_tensor": (
        [f("n", "m"), i("k"), i("l")],
        lambda x, a, b: op.index_tensor(x, [a, b]),
        [(3, 2), [0, 1], [0, 2]],
        f"{INDEX} 1, found 2 for a size of 2",
    ),
    "index_tensor_sizes": (
        [f("n", "m"), i("k"), i("l")],
        lambda x, a, b: op.index_tensor(x, [a, b]),
        [(3, 2), [0, 9], [0, 1, 0]],
        f"{BROADCAST} 2 and 3",
    ),
    "scatter_elements": (
        [f("n"), i("k"), f("k")],
        op.scatter_elements,
        [(3,), [-4], (1,)],
        f"{INDEX} 0, found -4 for a size of 3",
    ),
    "scatter_nd": (
        [f("n", "m"), i("k", 1), f("k", "m")],
        op.scatter_nd,
        [(3, 2), [[5]], (1, 2)],
        f"{INDEX} 0, found 5 for a size of 3",
    ),
    "index_put": (
        [f("n"), i("k"), f("k")],
        lambda x, j, v: op.index_put(x, [j], v),
        [(3,), [4], (1,)],
        f"{INDEX} 0, found 4 for a size of 3",
    ),
    "index_put_sizes": (
        [f("n", "m"), i("k"), i("l"), f(1)],
        lambda x, a, b, v: op.index_put(x, [a, b], v),
        [(3, 2), [0, 9], [0, 1, 0], (1,)],
        f"{BROADCAST} 2 and 3",
    ),
    "index_put_values": (
        [f("n"), i("k"), f("l")],
        lambda x, j, v: op.index_put(x, [j], v),
        [(3,), [0, 1], (3,)],
        "found [3] for [2]",
    ),
    "dynamic_strided_slice": (
        [f("n", 2), i(2), i(2), i(2)],
        op.dynamic_strided_slice,
        [(3, 2), [0, 0], [2, 2], [1, 0]],
        "expected strides other than 0 (C3), found 0",
    ),
    "dynamic_strided_slice_sizes": (
        [f("n"), i("a"), i("b"), i("c")],
        op.dynamic_strided_slice,
        [(3,), [0], [2, 1], [1]],
        "found 2 and 1",
    ),
    "slice_scatter": (
        [f("n"), f("m")],
        lambda x, src: op.slice_scatter(x, src, 0, 2),
        [(3,), (3,)],
        "found 3 and 2",
    ),
    "strided_slice_inbound": (
        [f("n")],
        lambda x: op.strided_slice(x, [0], [1], [5], assume_inbound=True),
        [(3,)],
        "found 1 and 5",
    ),
    "nll_loss": (
        [f("n", "c"), i("n")],
        op.nll_loss,
        [(2, 3), [1, 3]],
        "found 3 for 3 classes",
    ),
    "rotary_embedding": (
        [f(1, "s", 1, 4), f("r", 2), f("r", 2), i(1, "s")],
        op.rotary_embedding,
        [(1, 2, 1, 4), (5, 2), (5, 2), [[0, 6]]],
        "found 6 for 5 rows",
    ),
    "roi_align": (
        [f("n", 1, 4, 4), f("r", 5)],
        lambda x, rois: op.roi_align(x, rois, [2, 2], 1.0),
        [(2, 1, 4, 4), [[2, 0, 0, 1, 1]]],
        "found 2 for a size of 2",
    ),
}


FUSED: dict[str, Row] = {
    "fused": (
        [f(4, "n"), f("m", "n")],
        lambda x, y: op.relu(op.where(op.greater(x, y), x, y)),
        [(4, 0), (3, 0)],
        f"{BROADCAST} 3 and 4",
    ),
    "fused_sum": (
        [f("n"), f("m"), f("k")],
        lambda x, y, z: op.exp(op.add(op.relu(op.add(x, y)), z)),
        [(2,), (1,), (3,)],
        f"{BROADCAST} 2 and 3",
    ),
    "fused_max": (
        [f("n", "m")],
        lambda x: op.relu(op.negative(op.max(op.exp(x), axis=1))),
        [(2, 0)],
        f"{EMPTY} (C3), found 0;",
    ),
}
"""Several operators, which become one prim func."""

ROWS |= FUSED


def program(name: str, bb: BlockBuilder) -> None:
    types, operator, _, _ = ROWS[name]
    with bb.function(name, {f"x{n}": type for n, type in enumerate(types)}) as params:
        given = params if isinstance(params, tuple | list) else (params,)
        bb.emit_func_output(bb.emit(operator(*given)))


def arguments(name: str) -> list[Any]:
    types, _, values, _ = ROWS[name]
    return [_argument(type, value) for type, value in zip(types, values, strict=True)]


def _argument(type: TensorType | ShapeType, value: Any) -> Any:
    if isinstance(type, ShapeType):
        return value
    assert type.dtype is not None
    dtype = numpy_dtype(type.dtype)
    return np.zeros(value, dtype) if isinstance(value, tuple) else np.array(value, dtype)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    """The C of all rows, compiled once."""
    bb = BlockBuilder()
    for name in ROWS:
        program(name, bb)
    return lowering.compile(bb.get(), extra_flags=("-O0", "-Wall", "-Wextra", "-Werror"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_interpreter_and_c_say_the_same(name: str, model: CompiledModule):
    bb = BlockBuilder()
    program(name, bb)
    with pytest.raises(RelaxError) as interpreted:
        run(bb.get(), name, *arguments(name))
    with pytest.raises(RelaxError) as compiled:
        model[name](*arguments(name))
    said = str(interpreted.value)
    assert str(compiled.value) == said
    assert ROWS[name][-1] in said
    assert said.startswith(f"@{name}: relax.")


# What goes wrong between the operators -------------------------------------------------------------

MODULE = """
func.func private @twice(%A: tensor<?xf32> {relax.dims = ["n"]}, %B: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %A : tensor<?xf32>
}
relax.func private @square(%p: !relax.tensor<[a, a], f32>) -> !relax.tensor<[a], f32> {
  %r = relax.sum %p {axis = array<i64: 0>} : (!relax.tensor<[a, a], f32>) -> !relax.tensor<[a], f32>
  relax.return %r : !relax.tensor<[a], f32>
}
relax.func private @pair(%p: tuple<!relax.tensor<[a], f32>, !relax.tensor<[2 * a], f32>>)
    -> !relax.tensor<[a], f32> {
  %r = relax.tuple_get_item %p {index = 0}
    : (tuple<!relax.tensor<[a], f32>, !relax.tensor<[2 * a], f32>>) -> !relax.tensor<[a], f32>
  relax.return %r : !relax.tensor<[a], f32>
}
relax.func @cast(%x: !relax.tensor<[?, ?], f32>) -> !relax.tensor<[?, ?], f32> {
  %y = relax.match_cast %x : !relax.tensor<[?, ?], f32> -> !relax.tensor<[n, 2 * n], f32>
  relax.return %y : !relax.tensor<[n, 2 * n], f32>
}
relax.func @cast_to_constant(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[4], f32> {
  %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[4], f32>
  relax.return %y : !relax.tensor<[4], f32>
}
relax.func @matched(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, n], f32> {
  %y = relax.match_shape %x [n, n] : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, n], f32>
  relax.return %y : !relax.tensor<[n, n], f32>
}
relax.func @called(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @square(%x) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @called_with_tuple(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>)
    -> !relax.tensor<[n], f32> {
  %t = relax.tuple %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>)
    -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
  %r = relax.call @pair(%t) : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>)
    -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
relax.func @prim(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.call_tir @twice(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>)
    -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
relax.func @nested(%x: !relax.tensor<[n], f32>, %i: !relax.tensor<[k], i64>) -> !relax.tensor<[k], f32> {
  %r = relax.call @inner(%x, %i) : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>)
    -> !relax.tensor<[k], f32>
  relax.return %r : !relax.tensor<[k], f32>
}
relax.func private @inner(%x: !relax.tensor<[n], f32>, %i: !relax.tensor<[k], i64>)
    -> !relax.tensor<[k], f32> {
  %found = relax.take %x, %i {axis = 0 : i64}
    : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[k], f32>
  relax.return %found : !relax.tensor<[k], f32>
}
relax.func @negative(%x: !relax.tensor<[n], f32>) -> !relax.shape<[n - 5]> {
  %s = relax.shape [n - 5]
  relax.return %s : !relax.shape<[n - 5]>
}
relax.func @negative_element(%x: !relax.tensor<[2], i64>) -> !relax.shape<[?, ?]> {
  %s = relax.tensor_to_shape %x : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  relax.return %s : !relax.shape<[?, ?]>
}
"""


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


CALLS: dict[str, tuple[Sequence[np.ndarray], str]] = {
    "cast": (
        [zeros(2, 5)],
        "@cast: relax.match_cast (%y): expected size 2 * n = 4 in dimension 1, found 5",
    ),
    "cast_to_constant": (
        [zeros(3)],
        "@cast_to_constant: relax.match_cast (%y): expected size 4 in dimension 0, found 3",
    ),
    "matched": (
        [zeros(2, 3)],
        "@matched: relax.match_shape (%y): expected size n = 2 in dimension 1, found 3",
    ),
    "called": (
        [zeros(2, 3)],
        "@square: argument 'p': expected size a = 2 in dimension 1, found 3",
    ),
    "called_with_tuple": (
        [zeros(2), zeros(3)],
        "@pair: argument 'p', field 1: expected size 2 * a = 4 in dimension 0, found 3",
    ),
    "prim": (
        [zeros(2), zeros(3)],
        "@twice: argument 'B': expected size n = 2 in dimension 0, found 3",
    ),
    "nested": (
        [zeros(3), np.array([3])],
        f"@inner: relax.take (%found): {INDEX} 0, found 3 for a size of 3",
    ),
    "negative": ([zeros(4)], "@negative: relax.shape (%s): expected sizes of at least 0, found -1"),
    "negative_element": (
        [np.array([1, -2])],
        "@negative_element: relax.tensor_to_shape (%s): expected sizes of at least 0, found -2",
    ),
}


@pytest.fixture(scope="module")
def calls() -> CompiledModule:
    return lowering.compile(parse(MODULE), extra_flags=["-O0"])


@pytest.mark.parametrize("name", CALLS)
def test_sizes_that_are_checked_between_operators(name: str, calls: CompiledModule):
    arguments, message = CALLS[name]
    for attempt in (lambda: run(parse(MODULE), name, *arguments), lambda: calls[name](*arguments)):
        with pytest.raises(RelaxError) as error:
            attempt()
        assert str(error.value) == message


ENTRY = """relax.func @main(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[2 * n], i8>)
    -> !relax.tensor<[n, 4], f32> {
  relax.return %x : !relax.tensor<[n, 4], f32>
}"""
SMALL, LARGE = "expected 2 dimensions, [n, 4], found", "expected 1 dimensions, [2 * n], found"
WRONG_ARGUMENTS = {
    "constant": ((3, 5), (6,), "x", "expected size 4 in dimension 1, found 5"),
    "symbolic": ((3, 4), (7,), "y", "expected size 2 * n = 6 in dimension 0, found 7"),
    "no axis": ((3,), (6,), "x", f"{SMALL} 1, [3]"),
    "one axis more": ((3, 4), (6, 1, 0), "y", f"{LARGE} 3, [6, 1, 0]"),
    "no axes": ((3, 4), (), "y", f"{LARGE} 0, []"),
}


@pytest.fixture(scope="module")
def entry() -> CompiledModule:
    return lowering.compile(parse(ENTRY), extra_flags=["-O0"])


def _both_say(entry: CompiledModule, arrays: list[np.ndarray], message: str) -> None:
    for attempt in (lambda: run(parse(ENTRY), "main", *arrays), lambda: entry.main(*arrays)):
        with pytest.raises(RelaxError) as error:
            attempt()
        assert str(error.value) == f"@main: argument {message}"


@pytest.mark.parametrize("case", WRONG_ARGUMENTS)
def test_arguments_of_other_sizes(case: str, entry: CompiledModule):
    x, y, name, message = WRONG_ARGUMENTS[case]
    _both_say(entry, [np.zeros(x, "f4"), np.zeros(y, "i1")], f"'{name}': {message}")


@pytest.mark.parametrize(
    ("dtype", "found"),
    [("f8", "f64"), ("f2", "f16"), ("i4", "i32"), ("u1", "ui8"), ("?", "i1"), ("u8", "ui64")],
)
def test_arguments_of_other_element_types(dtype: str, found: str, entry: CompiledModule):
    for position, name, expected in ((0, "x", "f32"), (1, "y", "i8")):
        arrays = [np.zeros((3, 4), "f4"), np.zeros(6, "i1")]
        arrays[position] = arrays[position].astype(dtype)
        text = f"expected element type {expected}, found {found}; convert the array with astype"
        _both_say(entry, arrays, f"'{name}': {text}")


@pytest.mark.parametrize("name", ["take", "matmul", "conv2d_negative", "index_put_sizes"])
def test_legalized_programs_say_it_too(name: str):
    """The checks of the prim funcs, interpreted, name the op that they stand for."""
    bb = BlockBuilder()
    program(name, bb)
    module = bb.get()
    said: list[str] = []
    for _ in range(2):
        with pytest.raises(RelaxError) as error:
            run(module, name, *arguments(name))
        said.append(str(error.value))
        legalize(module)
    assert said[0] == said[1]
