"""Passes of xDSL run between ours, on static and symbolic programs; docs/from-mlir.md lists them.

numpy, xDSL's interpreter of RISC-V instructions and LLVM say what the values are.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from mlir_oracle import lower_and_load
from optional import LIGHTLY, MLIR, needs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.riscv import riscv_code
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations
from xdsl.interpreters.utils.ptr import RawPtr
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl_pipelines import (
    ASSEMBLY,
    LIMITS,
    LLVM,
    PIPELINES,
    RISCV,
    after,
    arguments,
    kernel,
    program,
)

import lowering
from lowering.emit_c import emit
from lowering.runtime import loading
from relax_dialect import interpret
from relax_dialect.errors import InternalError, RelaxError
from relax_dialect.parsing import new_context

PAGE = (Path(__file__).parents[3] / "docs" / "from-mlir.md").read_text()
NAMES = ("sum", "product", "softmax", "concat", "take", "narrow")
ROWS = [(stage, passes) for stage, rows in PIPELINES.items() for passes in rows]


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


NUMPY = {
    "add": np.add,
    "relu": lambda x: np.maximum(x, 0),
    "sum": lambda x: x.sum(axis=1, dtype=x.dtype),
    "transpose": np.transpose,
    "product": np.matmul,
    "softmax": _softmax,
    "concat": lambda x, y: np.concatenate([x, y]),
    "take": lambda x, i: x[i],
    "narrow": np.add,
}


@cache
def _lowered(stage: str, is_static: bool, names: tuple[str, ...]) -> ModuleOp:
    return lowering.lower(program(names, is_static), after(stage)[0])


@pytest.mark.parametrize("is_static", [True, False], ids=["static", "symbolic"])
@pytest.mark.parametrize(("stage", "passes"), ROWS)
def test_a_pass_keeps_the_values(stage: str, passes: str, is_static: bool):
    """Of the programs one half is static, the other symbolic; in the next row it is the other way round."""
    names = NAMES[(ROWS.index((stage, passes)) + is_static) % 2 :: 2]
    module = _lowered(stage, is_static, names).clone()
    lowering.lower(module, passes.split(","), verify_each=True)
    for name in names:
        given = arguments()[name]
        found = interpret.run(module, name, *given)
        np.testing.assert_allclose(found, NUMPY[name](*given), rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("is_static", [True, False], ids=["static", "symbolic"])
def test_all_of_them_on_the_way_to_c(is_static: bool):
    """Each level with all of its passes: our own take what they leave."""
    module = program(NAMES, is_static)
    done = 0
    for stage, rows in PIPELINES.items():
        ours = after(stage)[0]
        lowering.lower(module, ours[done:], verify_each=True)
        done = len(ours)
        for passes in rows:
            if "unroll" in passes:
                continue  # so that there is not too much to compile
            lowering.lower(module, passes.split(","))
            if "convert-scf-to-cf" in passes and stage != "the end":
                lowering.lower(module, ["relax-convert-cf-to-scf"])
    model = loading.build(emit(module, "model"), extra_flags=LIGHTLY)
    for name in NAMES:
        given = arguments()[name]
        np.testing.assert_allclose(model[name](*given), NUMPY[name](*given), rtol=1e-5, atol=1e-5)


KERNELS = ("add", "relu", "sum", "transpose", "product")
WIDE = [(name, "f64", np.float64) for name in KERNELS]
WHOLE = [(name, "i32", np.int32) for name in KERNELS if name != "relu"]  # arith.maxsi is a limit


@pytest.mark.parametrize(("name", "dtype", "scalar"), [*WIDE, *WHOLE])
def test_static_loops_as_riscv(name: str, dtype: str, scalar: type[np.generic]):
    module, symbol = kernel(name, dtype=dtype)
    lowering.lower(module, RISCV, verify_each=True)
    given = arguments(scalar)[name]
    expected = NUMPY[name](*given)
    buffers = [RawPtr(bytearray(array.tobytes())) for array in (*given, np.zeros_like(expected))]
    interpreter = Interpreter(module, index_bitwidth=32)
    register_implementations(interpreter, new_context())
    interpreter.call_op(symbol, tuple(buffers))
    found = np.frombuffer(bytes(buffers[-1].memory), expected.dtype).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_static_loops_as_assembly(name: str):
    module, symbol = kernel(name)
    lowering.lower(module, [*RISCV, *ASSEMBLY])
    text = riscv_code(module)
    assert re.search(rf"^{symbol}:$", text, re.M)
    assert re.search(r"^    ret$", text, re.M)
    assert "flw" in text and "fsw" in text


@needs(MLIR)
@pytest.mark.parametrize("name", KERNELS)
def test_static_loops_as_llvm(name: str):
    module, symbol = kernel(name)
    lowering.lower(module, LLVM, verify_each=True)
    assert not [op.name for op in module.walk() if op.name.startswith("memref.")]
    given = arguments()[name]
    expected = NUMPY[name](*given)
    found = np.zeros(expected.shape, expected.dtype)
    function = getattr(lower_and_load(module).library, symbol)
    function(*(ctypes.c_void_p(array.ctypes.data) for array in (*given, found)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Unable to remove cast")
@pytest.mark.parametrize(("passes", "name", "is_static", "message", "what"), LIMITS)
def test_limits_of_xdsl(
    passes: tuple[str, ...], name: str, is_static: bool, message: str, what: str
):
    """A limit that is gone is to be taken off the page."""
    if passes == ("convert-linalg-to-memref-stream",):
        module = lowering.lower(program([name], is_static), after("prim funcs on memrefs")[0])
    else:
        module, _ = kernel(name, is_static)
    errors = (RelaxError, InternalError, DiagnosticException, VerifyException)
    with pytest.raises(errors, match=re.escape(message)):
        lowering.lower(module, passes, verify_each=True)


def test_the_page_has_every_row():
    page = " ".join(PAGE.split())
    for stage, rows in PIPELINES.items():
        assert f"* {stage}: " + ", ".join(f"`{passes}`" for passes in rows) in page
    for *_, what in LIMITS:
        assert what in page, what
    for pipeline in (LLVM, RISCV, ASSEMBLY):
        assert ",".join(pipeline) in page
