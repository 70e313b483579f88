"""The design document on staging tensor expressions: its code, as it stands there where Python allows."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from relax_dialect import BlockBuilder, interpret, te
from relax_dialect.builder import te_tensor, var
from relax_dialect.builder.open_regions import BuildError
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.types import ShapeType
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
    with pytest.raises(RelaxError, match="axis= takes axes"):
        te.compute((n,), lambda i: te.max(A[i, 0], n))
