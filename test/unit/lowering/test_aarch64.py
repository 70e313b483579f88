"""Operators of all kinds of loops as C for aarch64, run by an emulator: what numpy computes."""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from operators import entries
from ops.compiled import Case
from optional import AARCH64, QEMU_AARCH64, needs
from test_viewed_operators import NAMES
from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c import emit
from lowering.pipeline import lower
from lowering.support.target import find
from relax_dialect.ir.types import TensorType

CPU = "aarch64"

CASES: Mapping[str, Case] = {
    f"{entry.name}_{i}": case
    for entry in entries()
    if entry.name in NAMES
    for i, case in enumerate(entry.cases[:2])
    if all(isinstance(type, TensorType) for type in case.types)
}
"""Cases that take arrays alone."""

HEAD = r"""
#include "model.h"
#include <stdio.h>

static DLTensor tensor(const void *data, int code, int bits, int ndim, int64_t *shape)
{
    DLTensor t = {.data = (void *)data, .device = {kDLCPU, 0}, .ndim = ndim, .shape = shape};
    t.dtype.code = (uint8_t)code;
    t.dtype.bits = (uint8_t)bits;
    t.dtype.lanes = 1;
    return t;
}

static void show(DLTensor *t)
{
    size_t size = t->dtype.bits / 8;
    for (int i = 0; i < t->ndim; i++) {
        printf("%lld ", (long long)t->shape[i]);
        size *= (size_t)t->shape[i];
    }
    printf(":");
    for (size_t i = 0; i < size; i++)
        printf("%02x", ((unsigned char *)t->data)[i]);
    printf(";");
    model_release(t);
}
"""
CODES = {"i": "kDLInt", "u": "kDLUInt", "f": "kDLFloat", "b": "kDLBool"}


def statements(name: str, arguments: Sequence[Any], results: int) -> Iterator[str]:
    """The C that calls the function of a case, and prints its results on a line."""
    passed: list[str] = []
    for i, value in enumerate(arguments):
        data = ", ".join(map(str, value.tobytes())) or "0"
        yield f"static const _Alignas(64) unsigned char d{i}[] = {{{data}}};"
        yield f"int64_t s{i}[] = {{{', '.join(map(str, (*value.shape, 0)))}}};"
        form = f"{CODES[value.dtype.kind]}, {8 * value.itemsize}, {value.ndim}, s{i}"
        yield f"DLTensor a{i} = tensor(d{i}, {form});"
        passed.append(f"&a{i}")
    for i in range(results):
        yield f"DLTensor o{i} = {{0}};"
        passed.append(f"&o{i}")
    yield f"if (model_{name}({', '.join(passed)}) != 0)"
    yield '    printf("%s", model_last_error());'
    yield "else {"
    yield from (f"    show(&o{i});" for i in range(results))
    yield r'} printf("\n");'


def results_of(line: str, expected: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The arrays that a line holds."""
    parts = [part.split(":") for part in line.rstrip(";").split(";")]
    assert len(parts) == len(expected) and all(len(part) == 2 for part in parts), line
    return tuple(
        np.frombuffer(bytes.fromhex(data), wanted.dtype).reshape([int(n) for n in sizes.split()])
        for (sizes, data), wanted in zip(parts, expected)
    )


@pytest.mark.long
@needs(AARCH64)
def test_operators_agree_with_numpy(tmp_path: Path):
    """Every other case, in one file of C and one program."""
    names = list(CASES)[::2]
    module = ModuleOp([CASES[name].function(name) for name in names])
    lower(module, cpu=CPU)
    source = emit(module, "model", cpu=CPU)
    counts = {entry.name: len(entry.results) for entry in source.entries}
    calls = [
        (name, arguments, CASES[name].expected([np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]))
        for name in names
        for arguments in [list(CASES[name].arguments(CASES[name].sizes[0], zlib.crc32(name.encode())))]
    ]  # fmt: skip
    bodies = ("\n".join(statements(name, given, counts[name])) for name, given, _ in calls)
    source.write(tmp_path)
    (tmp_path / "driver.c").write_text(
        HEAD + "int main(void)\n{\n{\n" + "\n}\n{\n".join(bodies) + "\n}\nreturn 0;\n}\n"
    )
    cc = ["aarch64-linux-gnu-gcc", "-std=c11", "-O1", "-static", *find(CPU).flags]
    subprocess.run([*cc, "model.c", "driver.c", "-o", "driver", "-lm"], cwd=tmp_path, check=True)
    run = [*QEMU_AARCH64, "./driver"]
    done = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True)
    for (name, _, expected), line in zip(calls, done.stdout.splitlines(), strict=True):
        found = results_of(line, expected)
        CASES[name].compare(found if len(found) > 1 else found[0], expected, f"aarch64: {name}")
