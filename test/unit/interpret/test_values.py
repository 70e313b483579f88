"""Programs that cannot be interpreted are refused with the mend; single ops can be evaluated."""

import sys

import numpy as np
import pytest
from effort import effort
from xdsl.dialects import test
from xdsl.dialects.builtin import Float80Type, bf16, i32

from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import evaluate
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.binary import AddOp

from .programs import parse, run_text


def test_element_types_without_numpy_equal():
    assert numpy_dtype(i32) == np.int32
    with pytest.raises(RelaxError, match="element type f80 cannot be interpreted: expected f16"):
        numpy_dtype(Float80Type())


def test_bf16_without_its_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    numpy_dtype.cache_clear()
    with pytest.raises(RelaxError, match=r"bf16 has no numpy type: .* install it"):
        numpy_dtype(bf16)


def test_ops_without_semantics():
    with pytest.raises(ExecutionError, match=r"^@main: test.op \(%x\): expected an op with sem"):
        run_text('func.func @main() {\n %x = "test.op"() : () -> index\n func.return\n}')


def test_declarations_have_no_body():
    with pytest.raises(ExecutionError, match=r"^@main: expected a function with a body"):
        run_text("func.func private @main()")


def test_evaluate_is_cheap():
    x, y = test.TestOp(result_types=[TensorType((4,), "f32")] * 2).results
    op, ones = AddOp(x, y), np.ones(4, np.float32)
    (result,) = evaluate(op, ones, ones)
    assert result.tolist() == [2] * 4
    assert effort(lambda: evaluate(op, ones, ones)) < 100


def test_evaluate_ops_with_regions():
    module = parse(
        """
        %x, %d = "test.op"() : () -> (tensor<3xf32>, tensor<3xf32>)
        %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                             iterator_types = ["parallel"]}
          ins(%x : tensor<3xf32>) outs(%d : tensor<3xf32>) {
        ^bb0(%e: f32, %o: f32):
          %v = arith.negf %e : f32
          linalg.yield %v : f32
        } -> tensor<3xf32>
        """
    )
    x = np.float32([1, 2, 3])
    (result,) = evaluate(module.body.block.last_op, x, np.zeros(3, np.float32))
    assert result.tolist() == [-1, -2, -3]
