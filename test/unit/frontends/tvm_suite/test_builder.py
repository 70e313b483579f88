"""The block builder, as TVM's own suite groups it: one construction by either library's builder gives one module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from optional import TVM, needs, package

from relax_dialect import assert_structural_equal, te
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.parsing import verify


@dataclass
class Library:
    """What a construction asks of a library."""

    builder: Any
    op: Any
    te: Any
    tensor: Callable[..., Any]
    shape: Callable[..., Any]
    function: Callable[..., Any]
    """Opens a function of a name and types by the names of its parameters; gives context and parameters."""


def _ours() -> Library:
    builder = BlockBuilder()
    return Library(
        builder,
        op,
        te,
        lambda *sizes: TensorType(sizes, "f32"),
        lambda *sizes: ShapeType(sizes),
        lambda name, types, **flags: builder.function(name, types, **flags),
    )


def _theirs() -> Library:
    tvm, relax = package("tvm"), package("tvm.relax")
    builder, known = relax.BlockBuilder(), dict[str, Any]()

    def size(of: Any) -> Any:
        if isinstance(of, str):
            return known.setdefault(of, tvm.tirx.Var(of, "int64"))
        return of

    class Function:
        def __init__(self, name: str, types: dict[str, Any], private: bool = False):
            self.params = [relax.Var(word, type) for word, type in types.items()]
            self.context = builder.function(name, self.params, private=private)

        def __enter__(self) -> Any:
            self.context.__enter__()
            return self.params

        def __exit__(self, *error: Any) -> Any:
            return self.context.__exit__(*error)

    return Library(
        builder,
        relax.op,
        tvm.te,
        lambda *sizes: relax.TensorType([size(s) for s in sizes], "float32"),
        lambda *sizes: relax.ShapeType([size(s) for s in sizes]),
        Function,
    )


def a_block(lib: Library) -> None:
    with lib.function("main", {"x": lib.tensor("n", 4), "y": lib.tensor(4)}) as (x, y):
        with lib.builder.dataflow():
            a = lib.builder.emit(lib.op.add(x, y))
            b = lib.builder.emit_output(lib.op.nn.relu(a))
        lib.builder.emit_func_output(b)


def several_blocks(lib: Library) -> None:
    with lib.function("main", {"x": lib.tensor(3)}) as (x,):
        with lib.builder.dataflow():
            a = lib.builder.emit_output(lib.op.exp(x))
        b = lib.builder.emit(lib.op.sin(a))
        with lib.builder.dataflow():
            c = lib.builder.emit(lib.op.cos(b))
            d = lib.builder.emit_output(lib.op.add(c, b))
        lib.builder.emit_func_output(d)


def several_functions(lib: Library) -> None:
    with lib.function("first", {"x": lib.tensor(3)}) as (x,):
        lib.builder.emit_func_output(lib.builder.emit(lib.op.exp(x)))
    with lib.function("second", {"x": lib.tensor("m", 3)}) as (x,):
        lib.builder.emit_func_output(lib.builder.emit(lib.op.sum(x, 1)))


def a_tuple(lib: Library) -> None:
    with lib.function("main", {"x": lib.tensor(3), "y": lib.tensor("n")}) as (x, y):
        a = lib.builder.emit(lib.op.exp(x))
        lib.builder.emit_func_output((a, (y, x)))


def matches(lib: Library) -> None:
    with lib.function("main", {"x": lib.tensor("n", "m")}) as (x,):
        a = lib.builder.emit(lib.op.exp(x))
        b = lib.builder.match_cast(a, lib.tensor("k", 4))
        lib.builder.emit_func_output(b)


def shapes(lib: Library) -> None:
    with lib.function("main", {"x": lib.tensor("n", 4), "s": lib.shape("m", 2)}) as (x, s):
        lib.builder.emit_func_output((lib.builder.emit(lib.op.sum(x)), s))


def a_tensor_expression(lib: Library) -> None:
    def twice(a: Any) -> Any:
        return lib.te.compute(a.shape, lambda i, j: a[i, j] * 2.0, name="twice")

    with lib.function("main", {"x": lib.tensor("n", 4)}) as (x,):
        a = lib.builder.emit_te(twice, x)
        b = lib.builder.emit_te(twice, a)
        lib.builder.emit_func_output(b)


def two_tensor_expressions_of_a_name(lib: Library) -> None:
    def scaled(a: Any, by: float) -> Any:
        return lib.te.compute(a.shape, lambda i: a[i] * by, name="scaled")

    with lib.function("main", {"x": lib.tensor(8)}) as (x,):
        a = lib.builder.emit_te(scaled, x, 2.0, primfunc_name_hint="times")
        b = lib.builder.emit_te(scaled, a, 3.0, primfunc_name_hint="times")
        lib.builder.emit_func_output(b)


def a_reduction_and_its_operand(lib: Library) -> None:
    def total(a: Any, b: Any) -> Any:
        k = lib.te.reduce_axis((0, a.shape[1]), name="k")
        return lib.te.compute(
            (a.shape[0],), lambda i: lib.te.sum(a[i, k] * b[k], axis=k), name="total"
        )

    with lib.function("main", {"x": lib.tensor("n", 4), "y": lib.tensor(4)}) as (x, y):
        lib.builder.emit_func_output(lib.builder.emit_te(total, x, y))


CONSTRUCTIONS = [
    a_block,
    several_blocks,
    several_functions,
    a_tuple,
    matches,
    shapes,
    a_tensor_expression,
    two_tensor_expressions_of_a_name,
    a_reduction_and_its_operand,
]


@pytest.mark.parametrize("build", CONSTRUCTIONS)
@needs(TVM)
def test_both_builders(build: Callable[[Library], None]):
    ours, theirs = _ours(), _theirs()
    build(ours)
    build(theirs)
    module = ours.builder.get()
    verify(module)
    assert_structural_equal(
        tvmscript.loads(tvmscript.dump(module)), tvmscript.from_tvm(theirs.builder.get())
    )
