"""`R.vision.all_class_non_max_suppression`: the selected rows and their number, as TVM computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import TVM, UNOPTIMISED, needs, package

import lowering
from relax_dialect.frontends.tvmscript import ScriptError, loads
from relax_dialect.interpret import run

SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(boxes: R.Tensor((2, 6, 4), "float32"), scores: R.Tensor((2, 3, 6), "float32")){result}:
        with R.dataflow():
            found = R.vision.all_class_non_max_suppression(
                boxes, scores, R.const(3, "int64"), R.const(0.4, "float32"), R.const(0.2, "float32"), {form})
            rows: R.Tensor((36, 3), "int64") = found[0]
            count: R.Tensor((1,), "int64") = found[1]
            both = (rows, count)
            R.output(both)
        return both
"""
DECLARED = ' -> R.Tuple(R.Tensor((36, 3), "int64"), R.Tensor((1,), "int64"))'


def arrays() -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    corners = np.sort(draw.uniform(0, 1, (2, 6, 2, 2)), axis=2).reshape(2, 6, 4)
    return corners.astype(np.float32), draw.uniform(0, 1, (2, 3, 6)).astype(np.float32)


@pytest.mark.parametrize("result", ["", DECLARED])
def test_rows_and_their_number(result: str):
    module = loads(SCRIPT.format(result=result, form='"onnx"'))
    rows, count = run(module, "main", *arrays())
    assert 0 < len(rows) < 36 and count.tolist() == [len(rows)]
    for found, wanted in zip(
        lowering.compile(module, "nms", extra_flags=UNOPTIMISED).main(*arrays()), (rows, count)
    ):
        np.testing.assert_array_equal(found, wanted)


@needs(TVM)
def test_tvm_selects_the_same():
    tvm = package("tvm")
    text = SCRIPT.format(result="", form='"onnx"')
    module = tvm.relax.transform.LegalizeOps()(
        tvm.script.from_source(text.replace(': R.Tensor((36, 3), "int64")', ""))
    )
    machine = tvm.relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    wanted = machine["main"](*map(tvm.runtime.tensor, arrays()))
    for found, tensor in zip(run(loads(text), "main", *arrays()), wanted, strict=True):
        np.testing.assert_array_equal(found, tensor.numpy())


def test_other_formats_are_refused():
    with pytest.raises(ScriptError, match="expected output_format='onnx', found 'tensorflow'"):
        loads(SCRIPT.format(result="", form='"tensorflow"'))
