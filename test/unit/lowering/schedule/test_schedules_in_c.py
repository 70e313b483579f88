"""Scheduled C called by a program in C: under the sanitizers, and for each CPU that can run here.

Every array is allocated at its very size, so that AddressSanitizer sees one element too many. The numbers
are eighths: sums of products are exact, in whatever order and with whatever instructions.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from called_from_c import parsed
from optional import AARCH64, CLANG, LONG, QEMU_AARCH64, SANITIZED, X86_64_V3, X86_64_V4, needs
from sanitizers import STRICT, run_sanitized
from tiny_tiles import use_tiny_tiles

import lowering
from lowering.emit_c.syntax.c_source import CSource
from lowering.support.target import find

from .test_contract import CASES, KNOWN, program

Call = tuple[str, dict[str, int]]
"""A case, and the sizes that its letters have."""

HEAD = r"""
#include "model.h"
#include <stdio.h>
#include <stdlib.h>

static DLTensor tensor(int bits, int ndim, int64_t *shape)
{
    int64_t count = 1;
    for (int i = 0; i < ndim; i++)
        count *= shape[i];
    DLTensor t = {.data = malloc(count * bits / 8), .device = {kDLCPU, 0}, .ndim = ndim, .shape = shape};
    t.dtype.code = kDLFloat;
    t.dtype.bits = bits;
    t.dtype.lanes = 1;
    for (int64_t i = 0; i < count; i++) {
        const double value = ((i * 37 + 11) % 23 - 11) / 8.0;
        if (bits == 32)
            ((float *)t.data)[i] = (float)value;
        else
            ((double *)t.data)[i] = value;
    }
    return t;
}

static int show(DLTensor *t, int status)
{
    if (status != 0) {
        fprintf(stderr, "%s\n", model_last_error());
        return 1;
    }
    int64_t count = 1;
    for (int i = 0; i < t->ndim; i++) {
        printf("%s%lld", i == 0 ? "" : "x", (long long)t->shape[i]);
        count *= t->shape[i];
    }
    printf(":");
    for (int64_t i = 0; i < count; i++)
        printf(" %.17g", t->dtype.bits == 32 ? ((float *)t->data)[i] : ((double *)t->data)[i]);
    printf("\n");
    model_release(t);
    return 0;
}

int main(void)
{
    int failed = 0;
"""


def driver(calls: Sequence[Call]) -> str:
    """C that makes the calls and prints what they give."""

    def lines() -> Iterator[str]:
        for name, sizes in calls:
            case = CASES[name]
            bits = {"f32": 32, "f64": 64}[case.dtype]
            shapes = case.sizes(sizes)
            yield "{"
            for i, shape in enumerate(shapes):
                yield f"int64_t s{i}[] = {{{', '.join(map(str, shape))}}};"
                yield f"DLTensor a{i} = tensor({bits}, {len(shape)}, s{i}), *const p{i} = &a{i};"
            passed = ", ".join([*(f"p{i}" for i in range(len(shapes))), "&out"])
            yield f"DLTensor out = {{0}};\nfailed |= show(&out, model_{name}({passed}));"
            yield from (f"free(a{i}.data);" for i in range(len(shapes)))
            yield "}"
        yield "return failed;\n}\n"

    return HEAD + "\n".join(lines())


def filled_array(shape: Sequence[int], dtype: str) -> np.ndarray:
    """The numbers that the driver fills an array with."""
    places = np.arange(np.prod(shape, dtype=int))
    type = {"f32": np.float32, "f64": np.float64}[dtype]
    return (((places * 37 + 11) % 23 - 11) / 8).astype(type).reshape(shape)


def check(printed: str, calls: Sequence[Call]) -> None:
    """The driver must print numpy's results."""
    for (name, sizes), line in zip(calls, printed.splitlines(), strict=True):
        case = CASES[name]
        expected = case.numpy(*(filled_array(shape, case.dtype) for shape in case.sizes(sizes)))
        (found,) = parsed(line)
        assert found.shape == expected.shape, (name, sizes)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=f"{name} {sizes}")


def calls_of(extents: dict[str, Sequence[int]], names: Sequence[str] = tuple(CASES)) -> list[Call]:
    """Cases with some sizes: those of a letter in turn, out of step with those of the others."""
    found: list[Call] = []
    for name in names:
        case = CASES[name]
        letters = [letter for letter in dict.fromkeys("".join(case.shapes)) if letter not in KNOWN]
        for turn in range(4):
            sizes = {
                letter: extents[letter][(turn * (1 + i)) % len(extents[letter])]
                for i, letter in enumerate(letters)
            }
            if "F" not in "".join(case.shapes) or all(sizes.values()):
                found.append((name, sizes))
    return found


@pytest.fixture(scope="module")
def tiny_source() -> CSource:
    """All cases in tiny tiles."""
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        return lowering.to_c(program({}), "model")


@needs(LONG)
@pytest.mark.parametrize("cc", SANITIZED[-1:])
def test_nothing_is_reported(cc: str, tmp_path: Path, tiny_source: CSource):
    """By clang, which takes half of gcc's time; whole programs run under the sanitizers of both."""
    calls = calls_of(
        {"b": (2, 1, 0), "m": (9, 5, 4, 0), "n": (9, 17, 7, 8), "k": (5, 1, 0), "h": (2, 1)}
    )
    tiny_source.write(tmp_path)
    check(run_sanitized(cc, tmp_path, driver(calls), ["-O0"]), calls)


CPUS = (
    pytest.param(0, "generic", "gcc", (), id="generic"),
    pytest.param(1, "x86-64-v3", "gcc", (), id="x86-64-v3", marks=needs(X86_64_V3)),
    pytest.param(2, "x86-64-v4", "clang", (), id="x86-64-v4", marks=needs(CLANG, X86_64_V4)),
    pytest.param(
        3, "aarch64", "aarch64-linux-gnu-gcc", QEMU_AARCH64, id="aarch64", marks=needs(AARCH64)
    ),
)


@needs(LONG)
@pytest.mark.parametrize(("number", "cpu", "cc", "emulator"), CPUS)
def test_tiles_of_each_cpu(number: int, cpu: str, cc: str, emulator: Sequence[str], tmp_path: Path):
    """Sizes around the tiles of each; a quarter of the cases for each, and the plain product for all."""
    names = ["plain", *(name for name in [*CASES][number::4] if name != "plain")]
    sizes = {"b": (2, 1), "m": (17, 1, 9, 4), "n": (49, 24, 13, 48), "k": (5, 1), "h": (2, 1)}
    calls = calls_of(sizes, names)
    lowering.to_c(program({}, names), "model", cpu=cpu).write(tmp_path)
    (tmp_path / "driver.c").write_text(driver(calls))
    static = ["-static"] if emulator else []
    files = ["model.c", "driver.c", "-o", "driver", "-lm"]
    command = [cc, *STRICT, "-O1", *find(cpu).flags, *static, *files]
    subprocess.run(command, cwd=tmp_path, check=True)
    run = subprocess.run([*emulator, "./driver"], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    check(run.stdout, calls)
