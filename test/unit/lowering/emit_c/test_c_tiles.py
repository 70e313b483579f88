"""A tile of a matmul, whose 24 accumulators must stay in registers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from strict_c import STRICT, parse_module

from lowering.emit_c import emit
from lowering.runtime import loading as runtime
from lowering.runtime import shared_object

TILE = (Path(__file__).parents[3] / "filecheck/emit_c/vector_tile.mlir").read_text()
AVX512 = ("-march=x86-64-v4", "-mprefer-vector-width=512")


def loop_of(assembly: str, function: str) -> list[str]:
    """The instructions of the loop in a function: from the target of its backward jump to that."""
    body = assembly.split(f"\n{function}:")[1].split(".cfi_endproc")[0].splitlines()
    labels = {line.partition(":")[0]: i for i, line in enumerate(body) if line.startswith(".L")}
    jumps = [
        (labels[target], i)
        for i, line in enumerate(body)
        if (target := line.split()[-1] if line.split() else "") in labels and line.strip()[0] == "j"
    ]
    start, end = next((start, end) for start, end in jumps if start < end)
    return [line.strip() for line in body[start:end]]


@pytest.mark.parametrize("level", ["-O2", "-O3"])
def test_the_loop_has_its_fmas_and_leaves_the_stack_alone(cc: str, level: str, tmp_path: Path):
    emit(parse_module(TILE), "kernels").write(tmp_path)
    flags = [
        f for group in ("language", "speed") for f in shared_object.FLAGS[group] if f[:2] != "-O"
    ]
    flags = [flag for flag in flags if flag != "-march=native"]
    command = [cc, *flags, *STRICT, level, *AVX512, "-S", "kernels.c", "-o", "kernels.s"]
    subprocess.run(command, cwd=tmp_path, check=True)
    loop = loop_of((tmp_path / "kernels.s").read_text(), "tile")
    assert len([line for line in loop if line.startswith("vfmadd")]) == 24
    assert not [line for line in loop if re.search(r"%[re]?(sp|bp)\b", line)]


def test_the_tiles_are_the_matmul(cc: str):
    module = runtime.build(emit(parse_module(TILE.replace(NAMED, ENTRY)), "kernels"), cc=cc)
    rng = np.random.default_rng(0)
    w = rng.standard_normal((512, 528)).astype(np.float32)
    packed = np.ascontiguousarray(w.reshape(512, 11, 48).swapaxes(0, 1))
    for n in (0, 8, 24):
        x = rng.standard_normal((n, 512)).astype(np.float32)
        np.testing.assert_allclose(
            module.matmul(x, packed), np.maximum(x @ w, 0), rtol=1e-4, atol=1e-4
        )


NAMED, ENTRY = "relax.result}) {", "relax.result})\n    attributes {relax.entry} {"


DOT = """
func.func @dot(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %s = scf.for %i = %c0 to %n step %c16 iter_args(%sum = %zero) -> (vector<16xf32>) {
    %a = vector.load %x[%i] : memref<?xf32>, vector<16xf32>
    %root = math.sqrt %a : vector<16xf32>
    %b = vector.load %y[%i] : memref<?xf32>, vector<16xf32>
    %next = vector.fma %root, %b, %sum : vector<16xf32>
    scf.yield %next : vector<16xf32>
  }
  %all = vector.reduction <add>, %s : vector<16xf32> into f32
  memref.store %all, %out[%c0] : memref<1xf32>
  func.return
}"""


def test_what_is_joined_after_a_loop_stays_in_a_register_in_it(cc: str, tmp_path: Path):
    emit(parse_module(DOT), "kernels").write(tmp_path)
    flags = ["-std=c11", "-O3", "-ffp-contract=fast", "-fno-math-errno", *AVX512]
    command = [cc, *flags, *STRICT, "-S", "kernels.c", "-o", "kernels.s"]
    subprocess.run(command, cwd=tmp_path, check=True)
    loop = loop_of((tmp_path / "kernels.s").read_text(), "kernels_dot")
    assert any(line.startswith("vfmadd") for line in loop)
    assert any(line.startswith("vsqrtps") for line in loop)
    assert not [line for line in loop if re.search(r"%[re]?(sp|bp)\b", line)]
