"""Errors for tensor expressions staged in a wrong way, or with a type left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect import te
from relax_dialect.builder import BlockBuilder, op, te_tensor
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.parsing import parse


def twice(X: te.Tensor) -> te.Tensor:
    return te.compute(X.shape, lambda i, j: X(i, j) * 2)


def same(X: te.Tensor) -> list[te.Tensor]:
    return [y := twice(X), y]


def reduced(body: Callable[[te.Tensor, Any, Any], Any]) -> Callable[[te.Tensor], te.Tensor]:
    return lambda X: te.compute(X.shape, lambda i, j: body(X, i, j))


Build = Callable[[BlockBuilder, Any, Any], Any]

RESULT = r"^emit_te: expected a te\.Tensor or a list of them as the result, found "
AXIS = r"^te\.sum: expected an axis, found none; pass axis=te\.reduce_axis\(\(0, extent\)\)"
NUMBER = r"^te_tensor: expected a value of the program, found {}.*; emit it first"

ERRORS: dict[str, tuple[Build, str]] = {
    "te_tensor of a number": (lambda bb, x, s: te_tensor(3), NUMBER.format("3")),  # pyright: ignore
    "te_tensor of sizes": (lambda bb, x, s: te_tensor(x.shape), NUMBER.format(r"\(Expr")),
    "te_tensor of a shape": (
        lambda bb, x, s: te_tensor(s),
        r"^te_tensor: expected a tensor, found %s of type !relax\.shape<\[k\]>; use its sizes",
    ),
    "an input as result": (
        lambda bb, x, s: bb.emit_te(lambda X: X, x),
        r"^emit_te: expected computed tensors as the result, found the input 'x'; use the value itself",
    ),
    "an input among the results": (
        lambda bb, x, s: bb.emit_te(lambda X: [twice(X), X], x),
        r"found the input 'x'",
    ),
    "one result twice": (lambda bb, x, s: bb.emit_te(same, x), r"found 'compute' twice; return it"),
    "a dict": (lambda bb, x, s: bb.emit_te(lambda X: {"a": twice(X)}, x), RESULT + "dict;"),
    "a nested list": (
        lambda bb, x, s: bb.emit_te(lambda X: [[twice(X)]], x),
        RESULT + "a list of list; .* several in one flat list",
    ),
    "nothing": (lambda bb, x, s: bb.emit_te(lambda X: [], x), RESULT + "a list of nothing"),
    "too few indices": (
        lambda bb, x, s: bb.emit_te(reduced(lambda X, i, j: X(i)), x),
        r"takes 2 indices, found 1; write x\[i, j\]",
    ),
    "no axis": (lambda bb, x, s: bb.emit_te(reduced(lambda X, i, j: te.sum(X[i, j])), x), AXIS),
    "axis of None": (
        lambda bb, x, s: bb.emit_te(reduced(lambda X, i, j: te.sum(X[i, j], axis=None)), x),
        AXIS,
    ),
    "axis of a number": (
        lambda bb, x, s: bb.emit_te(reduced(lambda X, i, j: te.sum(X[i, j], axis=1)), x),
        r"^te\.sum: axis= takes axes made by te\.reduce_axis\(\(0, extent\)\), found 1",
    ),
    "no axis of a scan": (
        lambda bb, x, s: bb.emit_te(reduced(lambda X, i, j: te.scan(te.sum, X[i, j])), x),
        r"^te\.scan of te\.sum: axis= takes an index of the te\.compute",
    ),
    "full without a type": (
        lambda bb, x, s: bb.emit(op.full([2], 7)),
        r'^relax\.full: expected an element type with the number 7, .* state it as dtype="float32"',
    ),
    "a zero point out of range": (
        lambda bb, x, s: bb.emit(op.quantize(x, 0.1, 300)),
        r"expected a number of element type i8, found 300",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refuses(what: str):
    build, message = ERRORS[what]
    bb = BlockBuilder()
    params = {"x": TensorType(["n", 4], "f32"), "s": ShapeType(["k"])}
    with bb.function("main", params) as (x, s):
        with pytest.raises(RelaxError, match=message):
            build(bb, x, s)
        bb.emit_func_output(x)


def test_a_te_tensor_stays_itself():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        X = te_tensor(x)
        assert te_tensor(X) is X
        bb.emit_func_output(x)


def test_numbers_with_operands_of_other_types():
    """A zero point is of the type that is quantized to, a scale a float, what fills is of the dtype."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n", 4], "f32")}) as (x,):
        q = bb.emit(op.quantize(x, 0.5, 3, out_dtype="uint8"))
        r = bb.emit(op.requantize(q, 0.5, 3, 1.0, -2))
        back = op.dequantize(r, 1.0, -2) + op.full(["n", 4], 7.5, "float32")
        bb.emit_func_output([q, r, bb.emit(back), bb.emit(op.full([2], True, "bool"))])
    module = bb.get()
    values = np.float32([[1, -0.6, 3, 300]])
    q = np.uint8(np.clip(np.rint(values / 0.5) + 3, 0, 255))
    r = np.int8(np.clip(np.rint((q.astype("i4") - 3) * 0.5) - 2, -128, 127))
    expected = [q, r, (r + 2).astype("f4") + np.float32(7.5), np.array([True, True])]
    for found in (
        run(module, "main", values),
        lowering.compile(module, extra_flags=UNOPTIMISED).main(values),
    ):
        for value, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(value, wanted, strict=True)


def test_attributes_print_in_one_order():
    """A module that was built prints as it does after parsing."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n", 8], "f32")}) as (x,):
        order = bb.emit(op.argsort(x, axis=0, dtype="int64"))
        best, _ = bb.emit(op.topk(x, 3, ret_type="both"))
        part = bb.emit(op.strided_slice(x, axes=[1], begin=[0], end=[6], strides=[2]))
        bb.emit_func_output(
            [
                order,
                best,
                bb.emit(op.slice_scatter(x, part, 0, 6, 2, 1)),
            ]
        )
    text = str(bb.get())
    assert str(parse(text)) == text
