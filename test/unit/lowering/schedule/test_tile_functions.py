"""Every function of a tile that strategies make, in the assembly of gcc and clang: its innermost loop has the
multiply-adds and the loads of the program, and no vector of it is on the stack."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import COMPILERS, LONG, SHIPPED_SPEED, needs
from xdsl.dialects import func, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering import lower
from lowering.emit_c import CSource, emit
from lowering.pipeline import PASSES, optimizations
from lowering.support.target import find
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType


def kernels() -> ModuleOp:
    """Kernels that ask for every kind of tile: products of some and of any number of columns, f64, the left operand
    by columns, and convolutions of constant filters over one to three axes, one of them in steps."""
    builder = BlockBuilder()

    def kernel(name: str, value: Callable[..., Any], *shapes: list[int | str], dtype: str = "f32"):
        types = {f"x{i}": TensorType(shape, dtype) for i, shape in enumerate(shapes)}
        with builder.function(name, types) as values:
            builder.emit_func_output(builder.emit(value(*values)))

    for columns in ("n", 12, 32, 64):
        kernel(f"by_{columns}", op.matmul, ["m", "k"], ["k", columns])
    kernel("double", op.matmul, ["m", "k"], ["k", "n"], dtype="f64")
    kernel("turned", lambda a, b: op.einsum([a, b], "km,kn->mn"), ["k", "m"], ["k", "n"])
    for apply, axes, step in (
        (op.conv1d, 1, 1),
        (op.conv2d, 2, 1),
        (op.conv3d, 3, 1),
        (op.conv2d, 2, 2),
    ):
        filters, steps = const(np.ones((64, 4, *[3] * axes), np.float32)), [step] * axes
        convolve = partial(apply, strides=steps, padding=[1] * axes)
        image = ["n", 4, *(f"s{d}" for d in range(axes))]
        kernel(f"convolve_{axes}_{step}", lambda x, w=filters, f=convolve: f(x, w), image)
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return module


def innermost(function: func.FuncOp) -> Iterator[scf.ForOp]:
    """The loops around vectors that have no loop in them."""
    for loop in function.walk():
        if isinstance(loop, scf.ForOp):
            ops = list(loop.body.walk())
            if not any(isinstance(o, scf.ForOp) for o in ops) and any(
                isinstance(o, vector.FMAOp) for o in ops
            ):
                yield loop


LOADS = (vector.LoadOp, memref.LoadOp)


@cache
def tiles(cpu: str) -> tuple[dict[str, tuple[int, int]], CSource]:
    """The functions of tiles for a CPU with the multiply-adds and the loads of their largest innermost loop; their
    C."""
    found: dict[str, func.FuncOp] = {}
    names = [*optimizations(), *PASSES]
    start = names.index("relax-schedule") + 1
    for function in lower(kernels(), names[:start], cpu=cpu).ops:
        if isinstance(function, func.FuncOp) and list(innermost(function)):
            found[function.sym_name.data] = kept = function.clone()
            kept.properties.pop("sym_visibility")  # so that its C is emitted
    counts = {
        name: max(
            (count_of(loop, vector.FMAOp), count_of(loop, *LOADS)) for loop in innermost(function)
        )
        for name, function in found.items()
    }
    module = lower(ModuleOp([*found.values()]), names[start:], cpu=cpu)
    return counts, emit(module, "tiles", cpu=cpu)


def count_of(loop: scf.ForOp, *kinds: type[Operation]) -> int:
    """How many ops of some kinds a loop has."""
    return sum(isinstance(op, kinds) for op in loop.walk())


def loops_of(assembly: str, function: str) -> Iterator[list[str]]:
    """The innermost loops of a function: from the target of a jump back to the jump, with no other in it."""
    body = assembly.split(f"\ntiles_{function}:")[1].split(".cfi_endproc")[0].splitlines()
    labels = {line.partition(":")[0]: i for i, line in enumerate(body) if line.startswith(".L")}
    spans = [
        (labels[target], i)
        for i, line in enumerate(body)
        if (target := line.split()[-1] if line.split() else "") in labels and line.strip()[0] == "j"
    ]
    spans = [(start, end) for start, end in spans if start < end]
    for start, end in spans:
        if not any(start <= s and e <= end and (s, e) != (start, end) for s, e in spans):
            yield [line.strip() for line in body[start:end]]


@needs(LONG)
@pytest.mark.parametrize("cc", COMPILERS)
@pytest.mark.parametrize("cpu", ["x86-64-v3", "x86-64-v4"])
def test_sums_stay_in_registers(cc: str, cpu: str, tmp_path: Path):
    """The addresses of 12 rows alone may be on the stack: each takes a register, and so do the frame, its pointer, the
    other operand, its stride, and the end of the loop. A vector of the right operand is loaded once for all rows.

    With several accumulators for each sum, each iteration in a row has addresses of its own: clang reloads one for
    every four multiplications, which wait for each other without these accumulators."""
    counts, source = tiles(cpu)
    registers = find(cpu).registers
    unrolled = {
        name for name in counts if re.search(r"_\d+x3x\d", name)
    }  # three taps of a window for the same sums
    assert max(counts[name][0] for name in counts.keys() - unrolled) == registers - 4
    assert all(counts[name][0] <= 3 * (registers - 4) for name in unrolled)
    source.write(tmp_path)
    command = [cc, "-std=c11", *SHIPPED_SPEED, *find(cpu).flags, "-S", "tiles.c", "-o", "tiles.s"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assembly = (tmp_path / "tiles.s").read_text()
    for name, (count, loads) in counts.items():
        loops = [loop for loop in loops_of(assembly, name) if fmas(loop)]
        assert loops, name
        is_split = (
            min(map(fmas, loops)) < count
        )  # the remainder, of few iterations, has one accumulator for each sum
        for loop in loops:
            on_stack = [line for line in loop if re.search(r"%[re]?sp\b", line)]
            in_memory = [line for line in loop if re.search(r"\(.*%[xyz]mm", line)]
            assert is_part(fmas(loop), count), (name, fmas(loop), count)
            assert len(in_memory) * count <= loads * fmas(loop), (name, loop)
            assert not [line for line in on_stack if re.search(r"%[xyz]mm", line)], (name, loop)
            most = max(fmas(loop) // (4 if is_split else 10), rows(name) + 6 - 16)
            assert len(on_stack) <= most or fmas(loop) < count, (name, on_stack)


def is_part(found: int, count: int) -> bool:
    """Whether a loop has all multiply-adds of some iterations, or those of the rest of a loop that several
    accumulators unroll."""
    return found % count == 0 or (found < count and count % found == 0)


def rows(tile: str) -> int:
    """The height of a tile: 6 of contract_6x16_f32 and of contract_up_to_6x16_f32."""
    found = re.search(r"_(\d+)x", tile)
    assert found, tile
    return int(found[1])


@pytest.mark.slow
def test_equal_functions_stand_once():
    """Whatever the values of a kernel are called: two layers of other sizes and names, static and not."""
    builder = BlockBuilder()
    sizes = ("n", "m", 64, 128, "k")
    weights = {f"w{i}": TensorType(pair, "f32") for i, pair in enumerate(pairwise(sizes[1:]))}
    with builder.function("main", {"x": TensorType(sizes[:2], "f32"), **weights}) as (x, *ws):
        for w in ws:
            x = builder.emit(op.relu(builder.emit(op.matmul(x, w))))
        builder.emit_func_output(x)
    names = [*optimizations(), *PASSES]
    module = lower(builder.get(), names[: names.index("relax-schedule") + 1])
    found: dict[str, str] = {}
    for function in module.ops:
        if isinstance(function, func.FuncOp) and "relax.noinline" in function.attributes:
            name, text = function.sym_name.data, str(function)
            assert found.setdefault(text.replace(f"@{name}(", "@f("), name) == name
    assert len(found) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["contract_3x16_f32", "add_to_totals"])
def test_functions_of_tiles_take_no_name_of_the_program(name: str):
    builder = BlockBuilder()
    types = {"a": TensorType(["m", "k"], "f32"), "b": TensorType(["k", "n"], "f32")}
    with builder.function(name, types) as (a, b):
        builder.emit_func_output(builder.emit(op.matmul(a, b)))
    module = lower(builder.get(), cpu="x86-64-v3")
    assert isinstance(module, ModuleOp)
    names = [f.sym_name.data for f in module.ops if isinstance(f, func.FuncOp)]
    assert name in names and f"{name}_2" in names
    assert len(names) == len(set(names))


def fmas(loop: list[str]) -> int:
    return sum(line.startswith("vfmadd") for line in loop)
