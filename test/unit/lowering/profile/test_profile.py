"""The times of kernels: what is counted, and what the tool prints."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import func

import lowering
import relax_dialect
from lowering.profile import profile
from lowering.profile.kernel_costs import flops
from lowering.profile.machine_limits import machine_limits
from lowering.support.target import NATIVE
from lowering.tools import relax_profile

pytestmark = pytest.mark.usefixtures("unoptimised")

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %a = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.cumsum %a {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.add %b, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %d : !relax.tensor<[n, 4], f32>
}
"""
X, W = np.ones((3, 8), np.float32), np.ones((8, 4), np.float32)

LOOP = """
relax.func @main(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[n], f32> {
  %zero = arith.constant 0 : index
  %y, %i = relax.while (%v = %x, %j = %zero) : (!relax.tensor<[n], f32>, index) -> (!relax.tensor<[n], f32>, index) {
    %more = arith.cmpi slt, %j, %k : index
    relax.yield %more : i1
  } do {
    %one = arith.constant 1 : index
    %next = arith.addi %j, %one : index
    %w = relax.tanh %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %w, %next : !relax.tensor<[n], f32>, index
  }
  relax.return %y : !relax.tensor<[n], f32>
}
"""


@pytest.fixture(scope="module")
def found():
    return profile(relax_dialect.parse(PROGRAM, "net.mlir"), [X, W], opt_level=0, seconds=0.01)


@pytest.mark.slow
def test_kernels_are_in_the_order_of_the_program(found):
    assert [(k.name, k.source) for k in found.kernels] == [
        ("matmul", "net.mlir:3:8"),
        ("cumsum", "net.mlir:4:8"),
        ("matmul_add", "net.mlir:5:8"),
    ]
    assert all(k.calls == 1 and k.seconds > 0 for k in found.kernels)
    assert sum(k.seconds for k in found.kernels) <= found.profiled_seconds


@pytest.mark.slow
def test_operations_and_bytes_are_those_of_the_sizes(found):
    matmul, _, fused = found.kernels
    assert (matmul.flops, matmul.bytes) == (2 * 3 * 8 * 4, 4 * (3 * 8 + 8 * 4 + 3 * 4))
    assert (fused.flops, fused.bytes) == (matmul.flops + 3 * 4, matmul.bytes + 4 * 3 * 4)


@pytest.mark.slow
def test_the_text_has_every_kernel_and_the_rest(found):
    text = str(found)
    assert text.startswith("@main: ") and "(between kernels)" in text
    assert text.count("matmul") == 2 and "net.mlir:5:8" in text


@pytest.mark.slow
def test_json_has_the_same(found):
    read = json.loads(found.json())
    assert [k["kernel"] for k in read["kernels"]] == [k.name for k in found.kernels]
    assert read["limits"]["flops"] > 1e9 and read["limits"]["bandwidth"] > 1e8


@pytest.mark.slow
def test_a_kernel_in_a_loop_is_counted_by_turn():
    (kernel,) = profile(
        relax_dialect.parse(LOOP), [np.ones(5, np.float32), 7], seconds=0.01
    ).kernels
    assert kernel.calls == 7


@pytest.mark.slow
def test_a_program_without_kernels_has_a_profile():
    text = "relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {\n  relax.return %x : !relax.tensor<[n], f32>\n}"
    assert profile(relax_dialect.parse(text), [np.ones(3, np.float32)], seconds=0.01).kernels == []


def test_operations_of_unknown_sizes_are_unknown():
    module = lowering.lower(relax_dialect.parse(PROGRAM), ["relax-legalize"])
    kernels = [op for op in module.ops if isinstance(op, func.FuncOp)]
    assert [flops(op, [None] * len(op.body.block.args)) for op in kernels] == [None] * len(kernels)


def test_limits_are_measured_once():
    assert machine_limits(NATIVE) is machine_limits(NATIVE)


@pytest.mark.slow
def test_the_tool_prints_and_saves(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "net.mlir"
    file.write_text(PROGRAM)
    assert relax_profile.main([str(file), "--random", "n=3"]) == 0
    assert "net.mlir:4:8" in capsys.readouterr().out
    assert relax_profile.main([str(file), "--random", "n=3", "-o", str(tmp_path / "p.json")]) == 0
    assert json.loads((tmp_path / "p.json").read_text())["function"] == "main"


def test_the_tool_refuses_what_it_cannot_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "net.mlir"
    file.write_text(PROGRAM)
    assert relax_profile.main([str(file)]) == 1
    assert "argument 'x': expected an array" in capsys.readouterr().err
    assert relax_profile.main([str(file), "--random", "n=3", "--entry", "f"]) == 1
    assert "entry @f: expected a function of the program" in capsys.readouterr().err
    file.write_text("func.func @main(%x: memref<3xf32>) {\n  func.return\n}")
    assert relax_profile.main([str(file), "--random", "--entry", "main"]) == 1
    assert "expected a relax.func, found a func.func" in capsys.readouterr().err
