"""The one place where tests look for what a machine may lack: compilers, MLIR, OpenBLAS, PyTorch, ...

    @needs(MLIR)                                      # a test, or `pytestmark = needs(MLIR)` for a file
    @pytest.mark.parametrize("cc", COMPILERS)         # once with each C compiler
    torch = package("torch")                          # in a test, or in a file before what needs it

What lacks it is skipped, the way to get it as the reason; `skips.py` refuses every other skip, and with
RELAX_REQUIRE_ALL=1 these too.
"""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from lowering.external.registry import find_codegen
from lowering.runtime import shared_object
from lowering.support import c_compiler
from lowering.support.c_compiler import machine
from lowering.support.target import CPUS, NATIVE, native
from relax_dialect.errors import RelaxError

REQUIRE_ALL = "RELAX_REQUIRE_ALL"
FULL = os.environ.get(REQUIRE_ALL) == "1"
"""Whether nothing may be left out: tests that are marked as shortened take their full form."""

SHIPPED_SPEED = shared_object.FLAGS["speed"]
"""The flags of whoever compiles a model, in short too."""
if not FULL:
    shared_object.FLAGS["speed"] = ("-O0", *shared_object.FLAGS["speed"][1:])
UNOPTIMISED = ("-O0",)
"""Flags for models whose values alone are looked at, where others of the same kernels are optimised, and for many that
are run for an instant."""
LIGHTLY = ("-O1",) if FULL else ()
"""Flags for models that would take the optimiser long."""

shortened = pytest.mark.shortened
"""Marks a test that does less where not all is required; `amount` and `examples` do it."""


def amount(full: int, short: int) -> int:
    """How much a test does, in full and in short."""
    return full if FULL else short


def examples(count: int) -> settings:
    """So many examples of a property in full, some of them in short."""
    return settings(max_examples=count if FULL else min(count, max(4, count // 8)), deadline=None)


MISSING = "this machine has no "
"""How the reason of every skip begins."""


@dataclass(frozen=True)
class Tool:
    """Something that a machine may lack."""

    name: str
    install: str
    """The command that installs it."""
    probe: Callable[[], object]
    """Whether this machine has it."""

    @cached_property
    def found(self) -> bool:
        return bool(self.probe())

    @property
    def reason(self) -> str:
        return f"{MISSING}{self.name} ({self.install})"


LONG = Tool("time to spare", f"{REQUIRE_ALL}=1", lambda: FULL)
"""The need of tests whose shorter forms would show nothing; smaller ones stand next to them."""


def needs(*tools: Tool) -> pytest.MarkDecorator:
    """Skips a test where one of the tools is missing; looked for only when the test is run."""
    return pytest.mark.needs(*tools)


def package(name: str, extra: str = "oracle") -> Any:
    """A Python package; the test, or the file that is being imported, is skipped without it."""
    __tracebackhide__ = True  # the place of the skip is the caller's
    try:
        if name == "tvm" and importlib.util.find_spec(name):
            importlib.import_module("tvm_ffi")
            _keep_traces()
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.split(".")[0]:
            raise  # the package is there, and broken
    pytest.skip(Tool(name, f"pip install -e '.[{extra}]'", bool).reason, allow_module_level=True)


traces: list[int] = []
"""The file descriptor to which pytest writes where Python crashes; conftest.py sets it."""


def _keep_traces() -> None:
    """Restore the handlers that print where Python crashes: TVM's write to where pytest captures."""
    if traces and faulthandler.is_enabled():
        faulthandler.disable()
        faulthandler.enable(traces[0])


def command(name: str, install: str) -> Tool:
    return Tool(name, install, lambda: shutil.which(name))


def _runs(program: str, *flags: str, cc: str | None = None, emulator: tuple[str, ...] = ()) -> bool:
    """Whether a C program compiles with these flags at the end, and exits with 0, run by an emulator."""
    try:
        compiler = c_compiler.find_compiler(cc)
    except RelaxError:
        return False
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(program)
        build = [*compiler, str(file), "-o", str(file.with_suffix("")), *flags]
        if subprocess.run(build, capture_output=True, check=False).returncode != 0:
            return False
        command = [*emulator, str(file.with_suffix(""))]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0


GCC = command("gcc", "apt install gcc")
CLANG = command("clang", "apt install clang")
COMPILERS = (pytest.param("gcc", marks=needs(GCC)), pytest.param("clang", marks=needs(CLANG)))
CPP_COMPILERS = (
    pytest.param("g++", marks=needs(command("g++", "apt install g++"))),
    pytest.param("clang++", marks=needs(command("clang++", "apt install clang"))),
)

NOTHING = "int main(void) { return 0; }"

THREAD_SANITIZER = Tool(
    "gcc with ThreadSanitizer",
    "apt install gcc",
    lambda: _runs(NOTHING, "-fsanitize=thread", cc="gcc"),
)
SANITIZER_FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def sanitizers(cc: str, install: str) -> Tool:
    """AddressSanitizer and UndefinedBehaviorSanitizer with the libraries they need at run time."""
    probe = lambda: _runs(NOTHING, *SANITIZER_FLAGS, cc=cc)  # noqa: E731
    return Tool(f"sanitizers of {cc}", install, probe)


SANITIZED = (
    pytest.param("gcc", marks=needs(sanitizers("gcc", "apt install gcc"))),
    pytest.param("clang", marks=needs(sanitizers("clang", "apt install clang libclang-rt-dev"))),
)
"""The compilers that have the sanitizers."""

MLIR_NAMES = ("{0}-22", "{0}")


@cache
def mlir_tool(name: str) -> str:
    """The path of one of MLIR 22's tools; `needs(MLIR)` keeps tests from asking in vain."""
    for spelling in MLIR_NAMES:
        path = shutil.which(spelling.format(name))
        if path is not None:
            told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            if re.search(r"version 22\.", told.stdout):
                return path
    raise FileNotFoundError(f"{name} of version 22")


def _has_mlir_tool(name: str) -> bool:
    try:
        return bool(mlir_tool(name))
    except FileNotFoundError:
        return False


MLIR = Tool(
    "MLIR 22",
    "apt.llvm.org: mlir-22-tools",
    lambda: GCC.found and all(map(_has_mlir_tool, ("mlir-opt", "mlir-runner"))),
)

CBLAS = """#include <cblas.h>
int main(void)
{
    const float x = 2, w = 3;
    float y;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, &x, 1, &w, 1, 0, &y, 1);
    return y != 6;
}
"""
OPENBLAS = Tool(
    "OpenBLAS",
    "apt install libopenblas-dev",
    lambda: _runs(CBLAS, *find_codegen("tests", "cblas").library.flags()),
)

MPI_PROGRAM = """#include <mpi.h>
int main(int count, char **words)
{
    return MPI_Init(&count, &words) != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS;
}
"""
MPI = Tool(
    "MPI with mpicc and mpirun",
    "apt install mpich libmpich-dev",
    lambda: shutil.which("mpirun") and shutil.which("mpicc") and _runs(MPI_PROGRAM, cc="mpicc"),
)

TVM_PYTHON = os.environ.get("TVM_PYTHON", sys.executable)
"""The Python that has TVM: this one, or that of another environment."""


def _tvm() -> bool:
    asked = [TVM_PYTHON, "-c", "import tvm.relax"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


TVM = Tool("TVM", "pip install -e '.[oracle]', or set TVM_PYTHON to a Python that has it", _tvm)

QEMU_AARCH64 = ("qemu-aarch64",)
AARCH64 = Tool(
    "cross compiler and emulator for aarch64",
    "apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
    lambda: (
        shutil.which(*QEMU_AARCH64)
        and _runs(NOTHING, "-static", cc="aarch64-linux-gnu-gcc", emulator=QEMU_AARCH64)
    ),
)
X86_64 = Tool("x86-64 processor", "x86-64", lambda: machine() == "x86_64")
X86_64_V3, X86_64_V4 = (
    Tool(f"processor of {cpu}", cpu, lambda cpu=cpu: CPUS[cpu].features <= native().features)
    for cpu in ("x86-64-v3", "x86-64-v4")
)
EVERY_CPU = ("generic", pytest.param("x86-64-v3", marks=needs(X86_64_V3)), NATIVE)
"""The kinds of CPU whose vectors differ, as far as this machine runs them."""
OLD_X86_64 = ("qemu-x86_64", "-cpu", "Nehalem")
"""The command that runs a program on an x86-64 without AVX."""
QEMU_X86_64 = Tool(
    "emulator of x86-64",
    "apt install qemu-user",
    lambda: (
        X86_64.found
        and shutil.which(OLD_X86_64[0])
        and _runs(NOTHING, "-static", emulator=OLD_X86_64)
    ),
)
OCR = Tool(
    "Pillow or networks of rapidocr-onnxruntime",
    "make ocr",
    lambda: all(map(importlib.util.find_spec, ("PIL", "onnx", "rapidocr_onnxruntime"))),
)
"""What examples/ocr needs; the package of the networks is not imported, as it would want OpenCV."""
WIDE_FLOAT = Tool("float wider than f64", "x86", lambda: np.finfo(np.longdouble).nmant >= 60)
