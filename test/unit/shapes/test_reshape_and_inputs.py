"""`reshape(x, [-1, 2])`, and inputs whose sizes are expressions: inferred, interpreted, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.manipulate import reshape, resolved_sizes
from relax_dialect.parsing import parse


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["n"], [-1, 2], "n floordiv 2, 2"),
        (["2 * m"], [-1, 2], "m, 2"),
        (["n", "m"], [-1, "m"], "n, m"),
        (["n", "m"], ["n", 2, -1], "n, 2, m floordiv 2"),
        (["4 * n", "m"], ["2 * m", -1], "2 * m, 2 * n"),
        (["n + 1", "m"], ["m", -1], "m, n + 1"),
        (["2 * n + 2 * m"], [2, -1], "2, m + n"),
        (["n"], ["m", -1], "m, n floordiv m"),
        (["n", "m"], [-1], "m * n"),
        ([6, 2], [-1, 4], "3, 4"),
        ([0, "n"], [-1, 3], "0, 3"),
        (["n"], ["m", 2], "m, 2"),
    ],
)
def test_minus_one_is_what_is_left(old: list[Any], new: list[Any], expected: str):
    assert ", ".join(map(str, resolved_sizes(TensorType(old, "f32"), new))) == expected


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (["n"], [-1, -1], "-1 at most once, found \\[-1, -1\\]"),
        (["n"], [-2], "sizes of at least 0"),
        (["?"], [-1, 2], "expected a tensor of known shape to find -1 in \\[-1, 2\\]"),
        (None, [-1], "expected a tensor of known shape"),
        (["n"], [0, -1], "expected sizes other than 0 where one is -1"),
        ([5], [-1, 2], "expected a shape of as many elements as \\[5\\], which is 5"),
        (["2 * n + 1"], [-1, 2], "as many elements as"),
    ],
)
def test_minus_one_that_cannot_be_found(old: Any, new: list[Any], message: str):
    (x,) = Block(arg_types=[TensorType(old, "f32")]).args
    with pytest.raises(RelaxError, match=f"relax.reshape.*: .*{message}"):
        reshape(x, new)


def test_the_shape_is_an_op_to_be_placed():
    (x,) = Block(arg_types=[TensorType(["n"], "f32")]).args
    op = reshape(x, [-1, 2])
    assert isinstance(op.shape.owner, ShapeOp)
    assert op.result.type == TensorType(["n floordiv 2", 2], "f32")


def built() -> ModuleOp:
    bb = BlockBuilder()
    with bb.function("main", [("x", TensorType(["n"], "f32"))]) as (x,):
        with bb.dataflow():
            y = bb.emit(op.reshape(op.tanh(x) + x, [-1, 2]))
            z = bb.emit_output(op.reshape(y, [2, -1]))
        bb.emit_func_output(z)
    return bb.get()


@pytest.mark.parametrize("n", range(7))
def test_divisibility_is_checked_at_run_time(n: int):
    module = built()
    assert "!relax.tensor<[2, n floordiv 2], f32>" in str(module)
    x = np.arange(n, dtype=np.float32)
    for call in (
        lambda x: run(module, "main", x),
        lowering.compile(module, extra_flags=UNOPTIMISED).main,
    ):
        if n % 2:
            with pytest.raises(RelaxError, match="reshape"):
                call(x)
        else:
            found = call(x)
            np.testing.assert_allclose(found, (np.tanh(x) + x).reshape(2, -1), rtol=1e-5)


INPUTS = """
relax.func @shape_parameter(%x: !relax.tensor<[2 * (m floordiv 2)], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[2 * (m floordiv 2)], f32> {
  %y = relax.add %x, %x : (!relax.tensor<[2 * (m floordiv 2)], f32>, !relax.tensor<[2 * (m floordiv 2)], f32>) -> !relax.tensor<[2 * (m floordiv 2)], f32>
  relax.return %y : !relax.tensor<[2 * (m floordiv 2)], f32>
}
relax.func @other_input(%x: !relax.tensor<[2 * (m floordiv 2)], f32>, %o: !relax.tensor<[m], f32>) -> !relax.tensor<[m floordiv 2, 2], f32> {
  %s = relax.shape [m floordiv 2, 2]
  %y = relax.reshape %x, %s : (!relax.tensor<[2 * (m floordiv 2)], f32>, !relax.shape<[m floordiv 2, 2]>) -> !relax.tensor<[m floordiv 2, 2], f32>
  relax.return %y : !relax.tensor<[m floordiv 2, 2], f32>
}
relax.func @brackets(%x: !relax.tensor<[2 * (m floordiv 2)], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[2 * (m floordiv 2)], f32> {
  %y = relax.call_tir @negate(%x)[m] : (!relax.tensor<[2 * (m floordiv 2)], f32>) -> !relax.tensor<[2 * (m floordiv 2)], f32>
  relax.return %y : !relax.tensor<[2 * (m floordiv 2)], f32>
}
func.func private @negate(%x: tensor<?xf32> {relax.dims = ["2 * (k floordiv 2)"]}, %k: index {relax.symbol = "k"}) -> (tensor<?xf32> {relax.dims = ["2 * (k floordiv 2)"]}) {
  %c2 = arith.constant 2 : index
  %half = arith.floordivsi %k, %c2 : index
  %size = arith.muli %half, %c2 : index
  %e = tensor.empty(%size) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
"""

MEANING = {
    "shape_parameter": lambda x: x + x,
    "other_input": lambda x: x.reshape(-1, 2),
    "brackets": lambda x: -x,
}


@pytest.fixture(scope="module")
def inputs() -> ModuleOp:
    return parse(INPUTS)


@pytest.fixture(scope="module")
def model():
    return lowering.compile(parse(INPUTS), extra_flags=UNOPTIMISED)


@pytest.mark.parametrize("name", MEANING)
@pytest.mark.parametrize("m", range(7))
def test_inputs_of_computed_sizes(inputs: ModuleOp, model, name: str, m: int):
    """Every size but `2 * (m floordiv 2)` is refused."""
    other = np.zeros(m, np.float32)
    given = other if name == "other_input" else (m,)
    for size in range(8):
        x = np.arange(size, dtype=np.float32) + 1
        calls = (lambda x: run(inputs, name, x, given), lambda x: model[name](x, given))
        for call in calls:
            if size == m // 2 * 2:
                np.testing.assert_array_equal(call(x), MEANING[name](x))
            else:
                with pytest.raises(RelaxError, match=r"2 \* \(m floordiv 2\)"):
                    call(x)
