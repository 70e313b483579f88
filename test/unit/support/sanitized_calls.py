"""Calls of many functions of one C module in one process under sanitizers; a crash names its function.

Arguments lie in memory of just their size. Results come back as bytes.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from optional import sanitizers

from lowering.emit_c import CSource

HEAD = r"""
#include "model.h"
#include <stdio.h>
#include <stdlib.h>

static DLTensor take(int code, int bits, int ndim, int64_t *shape)
{
    size_t bytes = (size_t)bits / 8;
    for (int i = 0; i < ndim; i++)
        bytes *= (size_t)shape[i];
    DLTensor t = {.data = malloc(bytes), .device = {kDLCPU, 0}, .ndim = ndim, .shape = shape};
    t.dtype.code = (uint8_t)code;
    t.dtype.bits = (uint8_t)bits;
    t.dtype.lanes = 1;
    if (fread(t.data, 1, bytes, stdin) != bytes)
        exit(2);
    return t;
}

static void show(DLTensor *t)
{
    int64_t ndim = t->ndim, bytes = t->dtype.bits / 8;
    fwrite(&ndim, sizeof ndim, 1, stdout);
    fwrite(t->shape, sizeof *t->shape, (size_t)ndim, stdout);
    for (int64_t i = 0; i < ndim; i++)
        bytes *= t->shape[i];
    fwrite(t->data, 1, (size_t)bytes, stdout);
    model_release(t);
}

static void begin(const char *name)
{
    fprintf(stderr, "@%s\n", name);
}

static void end(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s\n", model_last_error());
    exit(1);
}
"""

CODES = {"f": 2, "i": 0, "u": 1}

Calls = Mapping[str, tuple[Sequence[np.ndarray], Sequence[np.ndarray]]]
"""The arguments of functions, and arrays of the shapes and types of their results."""


class CallError(Exception):
    """A function that crashes, refuses its arguments or returns another shape, and a report."""

    def __init__(self, function: str, report: str):
        super().__init__(report)
        self.function = function


@cache
def compiler() -> str:
    """The one that is faster, which is clang."""
    return "clang" if sanitizers("clang", "").found else "gcc"


def call_sanitized(
    source: CSource, calls: Calls, flags: Sequence[str]
) -> dict[str, Sequence[np.ndarray]]:
    """The results of each function. Raises `CallError` for the first that is at fault."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source.write(folder)
        (folder / "driver.c").write_text(driver_of(calls))
        build = [compiler(), "-std=c11", "-w", *flags, "-fno-sanitize-recover=all"]
        subprocess.run(
            [*build, "model.c", "driver.c", "-o", "driver", "-lm"], cwd=folder, check=True
        )
        data = b"".join(a.tobytes() for arguments, _ in calls.values() for a in arguments)
        done = subprocess.run(
            ["./driver"], cwd=folder, input=data, capture_output=True, check=False
        )
    report = done.stderr.decode(errors="replace")
    if done.returncode:
        *_, last = report.removeprefix("@").split("\n@")
        function, _, why = last.partition("\n")
        raise CallError(function, f"code {done.returncode}: {why[:4000]}")
    return read_results(done.stdout, calls)


def read_results(printed: bytes, calls: Calls) -> dict[str, Sequence[np.ndarray]]:
    """Return the results that the program has printed."""
    reader = _Reader(printed)
    return {name: [reader.array(name, e) for e in results] for name, (_, results) in calls.items()}


def driver_of(calls: Calls) -> str:
    """Return the C program that makes the calls."""
    blocks = ("\n".join(_statements(name, *call)) for name, call in calls.items())
    body = "\n}\n{\n".join(blocks)
    return f"{HEAD}\nint main(void)\n{{\n{{\n{body}\n}}\nreturn 0;\n}}\n"


def _statements(
    name: str, arguments: Sequence[np.ndarray], results: Sequence[np.ndarray]
) -> Iterator[str]:
    yield f'begin("{name}");'
    for i, a in enumerate(arguments):
        yield f"int64_t s{i}[] = {{{', '.join(map(str, a.shape)) or '0'}}};"
        kind = f"{CODES[a.dtype.kind]}, {8 * a.itemsize}, {a.ndim}"
        yield f"DLTensor a{i} = take({kind}, s{i});"
    passed = [f"&a{i}" for i in range(len(arguments))] + [f"&o{i}" for i in range(len(results))]
    yield from (f"DLTensor o{i} = {{0}};" for i in range(len(results)))
    yield f"end(model_{name}({', '.join(passed)}));"
    yield from (f"show(&o{i});" for i in range(len(results)))
    yield from (f"free(a{i}.data);" for i in range(len(arguments)))


class _Reader:
    """Reads what `show` has written."""

    def __init__(self, data: bytes):
        self.data, self.position = data, 0

    def array(self, function: str, like: np.ndarray) -> np.ndarray:
        (rank,) = self._take(1, np.int64)
        shape = tuple(map(int, self._take(int(rank), np.int64)))
        if shape != like.shape:
            raise CallError(function, f"returns shape {shape} instead of {like.shape}")
        return self._take(like.size, like.dtype).reshape(shape)

    def _take(self, count: int, dtype: np.dtype | type) -> np.ndarray:
        found = np.frombuffer(self.data, dtype, count, self.position)
        self.position += found.nbytes
        return found
