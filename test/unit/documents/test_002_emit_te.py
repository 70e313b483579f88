"""Document 002, EmitTE Staging Integration: its code, goals, dynamic case and further ideas on both levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from levels import Levels, same

import lowering
from lowering import topi
from relax_dialect import BlockBuilder, interpret, te
from relax_dialect.builder import te_tensor, var
from relax_dialect.builder.open_regions import BuildError
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.parsing import parse, verify
from relax_dialect.structural import assert_structural_equal, structural_equal, structural_hash

ELEMENT_WISE = """
from tvm.script import tir as T

@T.prim_func
def tir_element_wise(a: T.handle, b: T.handle) -> None:
    A = T.match_buffer(a, (128, 128))
    B = T.match_buffer(b, (128, 128))
    with T.block([128, 128]) as [i, j]:
        B[i, j] = A[i, j] * 2.0
"""


def test_a_prim_func_of_tensor_expressions_is_that_of_tir():
    """The first assertion of the document: names are not compared."""
    A = te.placeholder((128, 128), name="A")
    B = te.compute((128, 128), lambda x, y: A[x, y] * 2, name="B")
    made = te.create_prim_func([A, B])
    (read,) = tvmscript.loads(ELEMENT_WISE).ops
    assert_structural_equal(made, read)
    assert structural_hash(made) == structural_hash(read)
    (other,) = tvmscript.loads(ELEMENT_WISE.replace("2.0", "3.0")).ops
    assert not structural_equal(made, other)


def test_key_goals():
    """A value as a tensor, a compute that is emitted, and a function on tensors."""
    builder, (n, m) = BlockBuilder(), (te.var("n"), te.var("m"))
    x = var("x", shape=[n, m])
    with builder.function("main", [x]):
        a = builder.emit(x + 1)
        A = te_tensor(a)
        b = builder.emit(te.compute((n, m), lambda i, j: A[i, j] * 2, name="B"))

        def te_func(X: te.Tensor, Y: te.Tensor) -> te.Tensor:
            return te.compute((n, m), lambda i, j: X[i, j] + Y[i, j])

        builder.emit_func_output(builder.emit_te(te_func, b, a))
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = (given + 1) * 2 + given + 1
    assert np.array_equal(interpret.run(builder.module, "main", given), expected)


def test_values_are_read_as_tensors():
    """`a[i, j]` of a value, in its place and beside tensors; a value that is read twice is one input."""
    builder, (n, m) = BlockBuilder(), (te.var("n"), te.var("m"))
    x = var("x", shape=[n, m])
    with builder.function("main", [x]):
        a = builder.emit(x + 1)
        b = builder.emit(te.compute((m, n), lambda j, i: a[i, j] * a[i, 0] + x[i, j]))
        builder.emit_func_output(b)
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = ((given + 1) * (given + 1)[:, :1] + given).T
    assert np.array_equal(interpret.run(builder.module, "main", given), expected)
    (call,) = [op for op in builder.module.walk() if op.name == "relax.call_tir"]
    assert len(call.operands) == 2


def test_what_cannot_be_read_as_a_tensor():
    builder = BlockBuilder()
    x, y = var("x", shape=["n"]), var("y", shape=[None])
    with builder.function("main", [x, y]):
        with pytest.raises(BuildError, match="emit it first"):
            te.compute(("n",), lambda i: (x + 1)[i])
        with pytest.raises(BuildError, match="known shape"):
            te.compute(("n",), lambda i: y[i])
        with pytest.raises(RelaxError, match="takes 1 indices, found 2"):
            te.compute(("n",), lambda i: x[i, i])
        builder.emit_func_output(x)


def test_dynamic_shape_case():
    """`2 * floordiv(m, 2)` in a shape: m is an input of the prim func, which `call_tir_dyn` passes."""
    builder, (n, m) = BlockBuilder(), (te.var("n"), te.var("m"))
    x, sizes = var("x", shape=[n, 2 * te.floordiv(m, 2)]), var("sizes", ShapeType([m]))
    with builder.function("main", [x, sizes]):
        A = te_tensor(x)
        B = builder.emit(te.compute([n, 2 * te.floordiv(m, 2)], lambda i, j: A[i, j] + 1, name="B"))
        (name,) = [op.sym_name.data for op in builder.module.ops if op.name == "func.func"]
        C = builder.call_tir_dyn([n, 2 * te.floordiv(m, 2)], name, [B], sizes)
        with pytest.raises(BuildError, match=r"call_tir_dyn: expected the result's shape"):
            builder.call_tir_dyn([n, m], name, [B], [m])
        builder.emit_func_output(C)
    given = np.arange(8, dtype=np.float32).reshape(2, 4)
    assert np.array_equal(interpret.run(builder.module, "main", given, (5,)), given + 2)
    with lowering.compile(builder.module, "dynamic", extra_flags=["-O0"]) as compiled:
        assert np.array_equal(compiled.main(given, (5,)), given + 2)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (lambda n, m: te.floordiv(m, 2), "m floordiv 2"),
        (lambda n, m: te.floormod(m, n), "m mod n"),
        (lambda n, m: te.min(n, m), "min(m, n)"),
        (lambda n, m: te.max(n, 3), "max(n, 3)"),
        (lambda n, m: te.maximum(3, n), "max(n, 3)"),
        (lambda n, m: te.minimum(n, m), "min(m, n)"),
    ],
)
def test_functions_of_sizes_are_sizes(size, text: str):
    assert str(size(te.var("n"), te.var("m"))) == text


def test_functions_of_elements_and_sizes_are_elements():
    """Reductions and elements are as before; an index and a size give an index."""
    n = te.var("n")
    A, k = te.placeholder((n, 4), name="A"), te.reduce_axis((0, 4), name="k")
    assert te.compute((n,), lambda i: te.max(A[i, k], axis=k)).ndim == 1
    assert te.compute((n,), lambda i: A[te.minimum(i, n), 0]).ndim == 1
    with pytest.raises(RelaxError, match=r"found .*; te\.maximum takes two values"):
        te.compute((n,), lambda i: te.max(A[i, 0], n))


# Both levels, and other sizes ----------------------------------------------------------------------------


def both(builder: BlockBuilder, *calls: tuple[Any, ...]) -> list[Any]:
    """What `@main` gives for each call, interpreted and as C."""
    verify(builder.module, "test")
    expected = [interpret.run(builder.module, "main", *args) for args in calls]
    with lowering.compile(builder.module, "staged", cpu="generic", extra_flags=["-O0"]) as compiled:
        for args, value in zip(calls, expected):
            same(compiled.main(*args), value)
    return expected


def test_the_document_from_top_to_bottom():
    """`x + 1`, a compute on it, a function of tensors on both, and sizes 0 and 1."""
    bb = BlockBuilder()
    n, m = te.var("n"), te.var("m")
    x = var("x", shape=[n, m])
    with bb.function("main", [x]):
        a = bb.emit(x + 1)
        A = te_tensor(a)
        assert isinstance(A, te.Tensor) and A.shape == (n, m)
        b = bb.emit(te.compute((n, m), lambda x, y: A[x, y] * 2, name="B"))

        def te_func(X: te.Tensor, Y: te.Tensor) -> te.Tensor:
            return te.compute((n, m), lambda i, j: X[i, j] + Y[i, j])

        c = bb.emit_te(te_func, x, a)
        d = bb.emit_te(te_func, b, c)
        bb.emit_func_output(d)
    names = [f.sym_name.data for f in bb.module.ops]
    assert names == ["main", "B", "te_func"]  # the second call shares the prim func
    shapes = [(2, 3), (0, 3), (1, 1), (3, 0), (33, 65)]
    arrays = [np.arange(r * c, dtype=np.float32).reshape(r, c) for r, c in shapes]
    for array, found in zip(arrays, both(bb, *((array,) for array in arrays))):
        np.testing.assert_allclose(found, (array + 1) * 2 + array + array + 1)


def test_static_sizes_of_the_document():
    """The sketch's `te.compute((128, 128), ...)`: shapes that do not fit are refused, others run."""

    def te_func(X: te.Tensor, Y: te.Tensor) -> te.Tensor:
        return te.compute((128, 128), lambda x, y: X[x, y] + Y[x, y])

    bb = BlockBuilder()
    x, y = var("x", shape=[128, 128]), var("y", shape=[64, 128])
    with bb.function("main", [x, y]):
        with pytest.raises(RelaxError, match="0 to 127 of dimension 0, whose size is 64"):
            bb.emit_te(te_func, x, y)
        bb.emit_func_output(bb.emit_te(te_func, x, x))
    array = np.arange(128 * 128, dtype=np.float32).reshape(128, 128)
    (found,) = both(bb, (array, array[:64]))
    np.testing.assert_array_equal(found, array + array)


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_the_dynamic_case(size: int, dynamic: Any):
    """`[n, 2 * floordiv(m, 2)]`: m is passed beside the tensors, whatever it is."""
    builder, compiled = dynamic
    array = np.ones((3, 2 * (size // 2)), np.float32)
    for run in (lambda *args: interpret.run(builder.module, "main", *args), compiled.main):
        np.testing.assert_array_equal(run(array, (size,)), array + 1)
        with pytest.raises(RelaxError, match="m floordiv 2"):
            run(np.ones((3, 2 * (size // 2) + 1), np.float32), (size,))


@pytest.fixture(scope="module")
def dynamic() -> Any:
    builder, (n, m) = BlockBuilder(), (te.var("n"), te.var("m"))
    shape = [n, 2 * te.floordiv(m, 2)]
    x, sizes = var("x", shape=shape), var("sizes", ShapeType([m]))
    with builder.function("main", [x, sizes]):
        A = te_tensor(x)
        B = builder.emit(te.compute(shape, lambda i, j: A[i, j] + 1, name="ewise_fun"))
        builder.emit_func_output(B)
    text = str(builder.module)
    assert "relax.call_tir @ewise_fun(%x)[m]" in text and 'relax.symbol = "m"' in text
    with lowering.compile(builder.module, "dynamic", cpu="generic", extra_flags=["-O0"]) as found:
        yield builder, found


def test_unbound_variables_are_inferred():
    """Those that stand bare in no tensor, in order, are inputs after the tensors."""
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, 2 * m), name="A")
    B = te.compute((n, 2 * m), lambda i, j: A[i, j] + 1)
    function = te.create_prim_func([A, B], name="f")
    kinds = [dict(each.data).get("relax.symbol") for each in function.arg_attrs or ()]
    assert [str(kind) for kind in kinds] == ["None", '"m"']


def test_an_unknown_shape_needs_a_match():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["?", 4], "f32")}) as (x,):
        with pytest.raises(BuildError, match="match_shape"):
            te_tensor(x)
        named = bb.match_shape(x, ["n", 4])
        bb.emit_func_output(bb.emit(te.compute(("n", 4), lambda i, j: named[i, j] * 3)))
    arrays = [np.ones((rows, 4), np.float32) for rows in (0, 1, 3)]
    for array, found in zip(arrays, both(bb, *((array,) for array in arrays))):
        np.testing.assert_array_equal(found, array * 3)


@pytest.mark.slow
def test_libraries_of_te_functions():
    """D1: topi's functions are staged as they are, alone and composed."""
    bb = BlockBuilder()
    with bb.function(
        "main", {"x": TensorType(["n", 4], "f32"), "w": TensorType([4, "k"], "f32")}
    ) as (x, w):
        y = bb.emit_te(topi.matmul, x, w)
        z = bb.emit_te(lambda Y: topi.softmax(topi.relu(Y), axis=1), y)
        bb.emit_func_output(z)
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((3, 4), np.float32), rng.standard_normal((4, 5), np.float32)
    (found,) = both(bb, (x, w))
    e = np.exp(np.maximum(x @ w, 0))
    np.testing.assert_allclose(found, e / e.sum(1, keepdims=True), rtol=1e-5)


# The further ideas: compute as a macro of the text, values as tensors ---------------------------------------

MACRO = """
relax.func @main(%x: M, %y: M) -> M {
  %a = relax.dataflow {
    %B = relax.compute (%i, %j) in [n, m] (%A = %x) : (M) -> M {
      %0 = relax.element %A[%i, %j] : M
      %two = arith.constant 2.0 : f32
      %1 = arith.mulf %0, %two : f32
      relax.yield %1 : f32
    }
    %C = relax.compute (%i2, %j2) in [n, m] (%P = %B, %Q = %y) : (M, M) -> M {
      %0 = relax.element %P[%i2, %j2] : M
      %1 = relax.element %Q[%i2, %j2] : M
      %2 = arith.addf %0, %1 : f32
      relax.yield %2 : f32
    }
    relax.output %C : M
  }
  relax.return %a : M
}
"""


def test_compute_as_a_macro_of_the_text():
    """It expands to the prim funcs that the builder makes, and is written and read as it is."""
    levels = Levels(MACRO)
    for shape in ((2, 3), (0, 2), (1, 1), (20, 40)):
        x, y = (
            np.arange(np.prod(shape), dtype=np.float32).reshape(shape),
            np.ones(shape, np.float32),
        )
        np.testing.assert_array_equal(levels("main", x, y), x * 2 + y)
    assert str(parse(str(levels.module))) == str(levels.module)
    expanded = levels.module.clone()
    lowering.lower(expanded, ["relax-expand-compute"])
    _, first, second = expanded.ops
    n, m = te.var("n"), te.var("m")
    A, B = te.placeholder((n, m), name="A"), te.placeholder((n, m), name="B")
    made = te.create_prim_func([A, te.compute((n, m), lambda i, j: A[i, j] * 2)])
    assert_structural_equal(first, made)
    summed = te.create_prim_func([A, B, te.compute((n, m), lambda i, j: A[i, j] + B[i, j])])
    assert_structural_equal(second, summed)


def test_the_prim_func_of_tir_is_called():
    """The document's TIR function, embedded directly by `call_tir`."""
    module = tvmscript.loads(
        ELEMENT_WISE
        + """
from tvm.script import relax as R

@R.function
def main(x: R.Tensor((128, 128), "float32")):
    y = R.call_tir(tir_element_wise, (x,), out_sinfo=R.Tensor((128, 128), "float32"))
    return y
"""
    )
    array = np.arange(128 * 128, dtype=np.float32).reshape(128, 128)
    np.testing.assert_array_equal(interpret.run(module, "main", array), array * 2)


VARIANTS = """
relax.func @conv1d(%x: V, %w: K) -> !relax.tensor<[n - k + 1], f32> {
  %y = relax.compute (%i) in [n - k + 1] (%a = %x, %b = %w) : (V, K) -> !relax.tensor<[n - k + 1], f32> {
    %s = relax.index_sum (%j) in [k] {
      %ij = arith.addi %i, %j : index
      %0 = relax.element %a[%ij] : V
      %1 = relax.element %b[%j] : K
      %2 = arith.mulf %0, %1 : f32
      relax.yield %2 : f32
    }
    relax.yield %s : f32
  }
  relax.return %y : !relax.tensor<[n - k + 1], f32>
}
relax.func @gather(%x: V, %w: !relax.tensor<[k], i64>) -> K {
  %y = relax.compute (%i) in [k] (%a = %x, %b = %w) : (V, !relax.tensor<[k], i64>) -> K {
    %0 = relax.element %b[%i] : !relax.tensor<[k], i64>
    %1 = arith.index_cast %0 : i64 to index
    %2 = relax.element %a[%1] : V
    relax.yield %2 : f32
  }
  relax.return %y : K
}
relax.func @repeated(%x: U) -> U {
  %m = relax.match_shape %x [p] : (U) -> !relax.tensor<[p], f32>
  %y = relax.compute (%i) in [2 * p] (%a = %m) : (!relax.tensor<[p], f32>) -> !relax.tensor<[2 * p], f32> {
    %two = arith.constant 2 : index
    %h = arith.divui %i, %two : index
    %e = relax.element %a[%h] : !relax.tensor<[p], f32>
    relax.yield %e : f32
  }
  relax.return %y : !relax.tensor<[2 * p], f32>
}
relax.func @decided(%x: V) -> !relax.tensor<[2], i1> {
  %y = relax.compute (%i) in [2] (%a = %x) : (V) -> !relax.tensor<[2], i1> {
    %z = arith.constant 3.0 : f32
    %p = relax.index_any (%k) in [n] {
      %0 = relax.element %a[%k] : V
      %1 = arith.cmpf ogt, %0, %z : f32
      relax.yield %1 : i1
    }
    %q = relax.index_all (%k) in [n] {
      %0 = relax.element %a[%k] : V
      %1 = arith.cmpf ogt, %0, %z : f32
      relax.yield %1 : i1
    }
    %one = arith.constant 1 : index
    %c = arith.cmpi eq, %i, %one : index
    %r = arith.select %c, %q, %p : i1
    relax.yield %r : i1
  }
  relax.return %y : !relax.tensor<[2], i1>
}
relax.func @doubled(%x: V, %c: B) -> V {
  %r = relax.if %c : (B) -> V {
    %p = relax.compute (%i) in [n] (%a = %x) : (V) -> V {
      %e = relax.element %a[%i] : V
      %d = arith.addf %e, %e : f32
      relax.yield %d : f32
    }
    relax.yield %p : V
  } else {
    %g = relax.graph {
      %f = relax.closure (%z: V) -> V {
        %q = relax.compute (%i) in [n] (%a = %z) : (V) -> V {
          %e = relax.element %a[%i] : V
          %n = arith.negf %e : f32
          relax.yield %n : f32
        }
        relax.return %q : V
      }
      %h = relax.call_closure %f, %x : (!relax.func<(V) -> V>, V) -> V
      relax.output %h : V
    }
    relax.yield %g : V
  }
  relax.return %r : V
}
"""


@pytest.mark.slow
def test_variants_of_the_macro():
    """Shifted indices, indices that are data, sizes of a match, conditions; in branches, graphs and closures."""
    levels = Levels(VARIANTS, K="!relax.tensor<[k], f32>")
    x, w = np.arange(10, dtype=np.float32), np.float32([1, 2, 3])
    np.testing.assert_array_equal(levels("conv1d", x, w), np.correlate(x, w, "valid"))
    assert levels("gather", x, np.int64([9, 0, 0, 4])).tolist() == [9, 0, 0, 4]
    assert "expected every index to be within 0..size-1" in levels.fails(
        "gather", x, np.int64([10])
    )
    for size, decided in ((0, [False, True]), (1, [False, False]), (10, [True, False])):
        part = x[:size]
        np.testing.assert_array_equal(levels("repeated", part), np.repeat(part, 2))
        assert levels("decided", part).tolist() == decided
        np.testing.assert_array_equal(levels("doubled", part, np.array(True)), part * 2)
        np.testing.assert_array_equal(levels("doubled", part, np.array(False)), -part)
