"""Sums of four products of bytes: the same bits with each machine's instruction, and with none."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from mlir_oracle import check_accepted
from optional import AARCH64, COMPILERS, MLIR, QEMU_AARCH64, X86_64, needs
from strict_c import STRICT, parse_module
from test_c_tiles import loop_of
from xdsl.dialects.builtin import ModuleOp

from lowering import lower
from lowering.emit_c import emit
from lowering.pipeline import PASSES
from lowering.runtime import shared_object
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.memrefs.vector_intrinsics import function_of
from lowering.support.target import find, native
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

LANES = {"generic": 4, "x86-64-v3": 8, "x86-64-v4": 16}

CALLER = """
func.func @all_{lanes}(%n: index, %sums: memref<?xi32>, %a: memref<?xi32>, %b: memref<?xi32>) {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {lanes} : index
  scf.for %i = %c0 to %n step %step {{
    %s = vector.load %sums[%i] : memref<?xi32>, vector<{lanes}xi32>
    %x = vector.load %a[%i] : memref<?xi32>, vector<{lanes}xi32>
    %y = vector.load %b[%i] : memref<?xi32>, vector<{lanes}xi32>
    %z = func.call @{kind}_x{lanes}(%s, %x, %y)
      : (vector<{lanes}xi32>, vector<{lanes}xi32>, vector<{lanes}xi32>) -> vector<{lanes}xi32>
    vector.store %z, %sums[%i] : memref<?xi32>, vector<{lanes}xi32>
  }}
  func.return
}}"""

MAIN = """
#include "kernels.h"
#include <stdio.h>
#include <string.h>
enum { N = 1 << 16 };
static int32_t sums[N], a[N], b[N];
int main(void) {
    static const unsigned char ends[] = {0, 1, 127, 128, 129, 255};
    unsigned random = 1;
    unsigned char *bytes[] = {(unsigned char *)a, (unsigned char *)b};
    for (int i = 0; i < 8 * N; ++i) {
        random = random * 1664525u + 1013904223u;
        bytes[i & 1][i / 2] = random & 1 << 20 ? ends[(random >> 21) % 6] : random >> 24;
        if (!(i & 1)) bytes[0][i / 2] &= MOST;
    }
    for (int i = 0; i < N; ++i) sums[i] = i % 3 ? i : i % 2 ? 2147483647 : -2147483647 - 1;
    static int32_t before[N];
    memcpy(before, sums, sizeof sums);
    void (*const kernels[])(int64_t, int32_t *restrict, int64_t, const int32_t *restrict, int64_t,
                            const int32_t *restrict, int64_t) = {KERNELS};
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; ++k) {
        memcpy(sums, before, sizeof sums);
        kernels[k](N, sums, N, a, N, b, N);
        for (int i = 0; i < N; ++i) {
            unsigned expected = before[i];
            for (int j = 0; j < 4; ++j)
                expected += (unsigned)(bytes[0][4 * i + j] * (int)((signed char *)b)[4 * i + j]);
            if ((unsigned)sums[i] != expected) {
                printf("kernel %d, %d: %d\\n", (int)k, i, sums[i]);
                return 1;
            }
        }
    }
    return 0;
}
"""


MOST = {"dot4_u8i8": 255, "dot4_u7i8": 127}
"""The greatest unsigned factor of each operation."""


def dots(*lanes: int, kind: str = "dot4_u8i8") -> ModuleOp:
    """The functions of so many lanes, and one that calls each."""
    functions = TileFunctions(module := ModuleOp([]))
    for number in lanes:
        function_of(functions, kind, number)
    callers = "".join(CALLER.format(lanes=number, kind=kind) for number in lanes)
    return parse_module(f"{str(module).rstrip().removesuffix('}')}{callers}\n}}")


def run(
    folder: Path,
    lanes: Sequence[int],
    cc: str,
    flags: Sequence[str],
    emulator: Sequence[str] = (),
    kind: str = "dot4_u8i8",
) -> None:
    emit(dots(*lanes, kind=kind), "kernels").write(folder)
    kernels = ", ".join(f"kernels_all_{number}" for number in lanes)
    main = MAIN.replace("KERNELS", kernels).replace("MOST", str(MOST[kind]))
    (folder / "main.c").write_text(main)
    static = ["-static"] if emulator else []
    shared = [f for f in shared_object.FLAGS["language"] if f not in ("-shared", "-fPIC")]
    command = [cc, *shared, *STRICT, "-O2", *flags, *static, "kernels.c", "main.c", "-o", "run"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run([*emulator, "./run"], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


FLAGS = (
    (),
    ("-march=x86-64-v3",),
    ("-march=x86-64-v4",),
    ("-march=native",),
    ("-fsanitize=undefined", "-fno-sanitize-recover"),
)


@needs(X86_64)
@pytest.mark.parametrize("flags", FLAGS, ids=str)
@pytest.mark.parametrize("cc", COMPILERS)
@pytest.mark.parametrize("kind", MOST)
def test_the_same_bits_everywhere(kind: str, cc: str, flags: Sequence[str], tmp_path: Path):
    named = [flag.partition("=")[2] for flag in flags if flag.startswith("-march=x86-64")]
    if all(find(cpu).features <= native().features for cpu in named):
        run(tmp_path, [*LANES.values()], cc, flags, kind=kind)


@needs(AARCH64)
@pytest.mark.parametrize("flags", [(), ("-march=armv8.2-a+i8mm",)], ids=str)
def test_aarch64(flags: Sequence[str], tmp_path: Path):
    run(tmp_path, [4], "aarch64-linux-gnu-gcc", flags, (*QEMU_AARCH64, "-cpu", "max"))


@needs(MLIR)
def test_mlir_accepts_what_stands_for_an_instruction():
    check_accepted(dots(16))


@pytest.mark.parametrize("cc", COMPILERS)
def test_a_tile_has_its_instructions_and_leaves_the_stack_alone(cc: str, tmp_path: Path):
    builder, name = BlockBuilder(), "contract_8x48_ui8_i8"
    types = {"x": TensorType([8, 64], "ui8"), "w": TensorType([64, 48], "i8")}
    with builder.function("main", types) as (x, w):
        builder.emit_func_output(builder.emit(op.matmul(x, w, out_dtype="i32")))
    names = [*PASSES]
    module = builder.get()
    assert isinstance(module, ModuleOp)
    lower(module, names[: names.index("relax-schedule")])
    lower(module, ["relax-schedule{cpu=x86-64-v4}"])
    for other in [each for each in module.ops if "dot4" not in str(each)]:
        other.detach()
    for function in module.ops:
        if function.properties["sym_name"].data == name:  # pyright: ignore
            del function.properties["sym_visibility"]
    emit(parse_module(str(module)), "kernels").write(tmp_path)
    flags = [*shared_object.FLAGS["language"], "-O2", "-march=x86-64-v4", "-mavx512vnni"]
    command = [cc, *flags, *STRICT, "-mprefer-vector-width=512", "-S", "kernels.c", "-o", "tile.s"]
    subprocess.run(command, cwd=tmp_path, check=True)
    loop = loop_of((tmp_path / "tile.s").read_text(), f"kernels_{name}")
    assert len([line for line in loop if line.startswith("vpdpbusd")]) == 24
    assert not [line for line in loop if re.search(r"%[re]?(sp|bp)\b", line)]


def test_what_is_no_such_operation():
    module = parse_module(str(dots(4)).replace('"dot4_u8i8"', '"dot5"'))
    with pytest.raises(
        RelaxError, match=r'relax\.intrinsic = "dot5": expected one of dot4_u8i8, dot4_u7i8;'
    ):
        emit(module, "kernels")


WRONG = """
func.func private @dot(%a: vector<4xi32>) -> vector<4xi32> attributes {relax.intrinsic = "dot4_u8i8"} {
  func.return %a : vector<4xi32>
}
func.func @all(%x: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %a = vector.load %x[%c0] : memref<4xi32>, vector<4xi32>
  %b = func.call @dot(%a) : (vector<4xi32>) -> vector<4xi32>
  vector.store %b, %x[%c0] : memref<4xi32>, vector<4xi32>
  func.return
}"""


def test_an_operation_of_other_operands():
    with pytest.raises(RelaxError, match="expected 3 operands and a result of one type of vectors"):
        emit(parse_module(WRONG), "kernels")
