"""relax-fuse-elementwise: what becomes one prim func, and that the meaning stays.

`test_executions_agree.py` compares the meaning of random programs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import effort
from xdsl.dialects import cf, func
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder
from relax_dialect.builder import op as ops
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import load, parse, verify

FOLDER = Path(__file__).parents[2] / "filecheck" / "lowering" / "fuse_elementwise"
LEGALIZED = ["relax-legalize"]
FUSED = [*LEGALIZED, "relax-fuse-elementwise"]

SIZES = [{"n": 7, "m": 5}, {"n": 1, "m": 1}, {"n": 0, "m": 3}, {"n": 3, "m": 0}]


def arguments(function: FuncOp, sizes: dict[str, int]) -> list[np.ndarray]:
    random = np.random.default_rng(1)
    shapes: list[Any] = [a.type for a in function.body.block.args]
    return [
        random.uniform(0.5, 1, [d.evaluate(sizes) for d in t.shape]).astype(numpy_dtype(t.dtype))
        for t in shapes
        if isinstance(t, TensorType)
    ]


def callees(module: ModuleOp, function: str = "main") -> list[str]:
    """The prim funcs that a function calls, in order."""
    (found,) = [op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == function]
    return [op.callee_name for op in found.walk() if isinstance(op, CallTirOp)]


def generics(module: ModuleOp, name: str) -> int:
    """The stages of a prim func."""
    (found,) = [op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name]
    return sum(isinstance(op, GenericOp) for op in found.walk())


# The meaning stays -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file", ["chain", "diamond", "matmul_epilogue", "reduction_epilogue", "must_not_fire"]
)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_meaning_stays(file: str, sizes: dict[str, int]):
    """Every program of the FileCheck tests, before the pass and after it."""
    program = load(FOLDER / f"{file}.mlir")
    before = lowering.lower(program.clone(), LEGALIZED, verify_each=True)
    after = lowering.lower(program.clone(), FUSED, verify_each=True)
    for function in [op for op in program.ops if isinstance(op, FuncOp)]:
        name, inputs = function.sym_name.data, arguments(function, sizes)
        with np.errstate(all="ignore"):
            compare(interpret.run(after, name, *inputs), interpret.run(before, name, *inputs))


def compare(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for f, e in zip(found, expected, strict=True):
            compare(f, e)
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


# What is fused -----------------------------------------------------------------------------------

VECTOR = "!relax.tensor<[n], f32>"


def chain(length: int) -> ModuleOp:
    """A dataflow block of so many relax.exp, one after the other."""
    ops = "\n".join(f"%{i + 1} = relax.exp %{i} : ({VECTOR}) -> {VECTOR}" for i in range(1, length))
    return parse(f"""relax.func @main(%x: {VECTOR}) -> {VECTOR} {{
      %y = relax.dataflow {{
        %1 = relax.exp %x : ({VECTOR}) -> {VECTOR}
        {ops}
        relax.output %{length} : {VECTOR}
      }}
      relax.return %y : {VECTOR}
    }}""")


def test_a_group_becomes_one_generic():
    module = lowering.lower(chain(3), FUSED)
    assert callees(module) == ["exp_exp_exp"]
    assert generics(module, "exp_exp_exp") == 1


def test_prim_funcs_that_nothing_calls_any_more_are_erased():
    module = lowering.lower(chain(3), FUSED)
    assert [op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)] == ["exp_exp_exp"]


def test_an_epilogue_stays_a_stage_of_its_own():
    module = lowering.lower(load(FOLDER / "matmul_epilogue.mlir"), FUSED)
    assert callees(module) == ["matmul_add_relu"]
    assert generics(module, "matmul_add_relu") == 2


def test_equal_groups_share_one_prim_func():
    text = str(chain(2))
    function = text.split("builtin.module {")[1].rsplit("}", 1)[0]
    module = lowering.lower(parse(function + function.replace("@main", "@other")), FUSED)
    assert callees(module) == callees(module, "other") == ["exp_exp"]


def test_long_chains_are_cut_and_named_in_short():
    module = lowering.lower(chain(130), FUSED)
    assert callees(module) == ["exp_exp", "exp_exp_exp_and_61_more", "exp_exp_exp_and_61_more"]


def test_fusing_again_changes_nothing():
    module = lowering.lower(load(FOLDER / "must_not_fire.mlir"), FUSED)
    before = str(module)
    verify(lowering.lower(module, ["relax-fuse-elementwise"]))
    assert str(module) == before


def test_a_program_without_calls_is_left_as_it_is():
    text = f"relax.func @main(%x: {VECTOR}) -> {VECTOR} {{\n  relax.return %x : {VECTOR}\n}}"
    module = parse(text)
    before = str(module)
    assert str(lowering.lower(module, ["relax-fuse-elementwise"])) == before


@pytest.mark.long
def test_cost_is_linear_in_the_length():
    def work(length: int) -> int:
        module = lowering.lower(chain(length), LEGALIZED)
        return effort(lambda: lowering.lower(module, ["relax-fuse-elementwise"]))

    assert work(800) < 5 * work(200)


def test_checks_speak_of_the_sizes_of_their_function():
    """One prim func of `take` serves both functions; where it is fused, its message is that of the caller."""

    def function(name: str, size: str) -> str:
        row, number = f"!relax.tensor<[{size}], f64>", "!relax.tensor<[], f64>"
        return f"""
relax.func @{name}(%x: {row}, %i: !relax.tensor<[], i64>, %c: {number}) -> {number} {{
  %y = relax.take %x, %i {{axis = 0 : i64}} : ({row}, !relax.tensor<[], i64>) -> {number}
  %z = relax.subtract %y, %c : ({number}, {number}) -> {number}
  relax.return %z : {number}
}}"""

    module = lowering.lower(parse(function("f", "n") + function("g", "m")), FUSED)
    checks = [op for op in module.walk() if isinstance(op, cf.AssertOp)]
    assert sorted(c.msg.data.rpartition("size of ")[2] for c in checks) == ["{m}", "{n}"]


def test_checks_of_one_place_fuse():
    """Where a message would tell the rows apart, by lines of a text, each has a call of its own."""
    b, row, at = BlockBuilder(), TensorType(["n", 4], "f32"), TensorType([], "i64")
    with b.function("main", {"x": row, "i": at, "j": at}) as (x, i, j):
        rows = [b.emit(ops.take(x, index, axis=0)) for index in (i, j)]
        b.emit_func_output(b.emit(rows[0] + rows[1]))
    read = parse(str(b.get()))
    assert len(callees(lowering.lower(b.get(), FUSED))) == 1
    assert len(callees(lowering.lower(read, FUSED))) == 2
