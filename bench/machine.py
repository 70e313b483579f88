"""The machine: its name, and the bounds that kernels are compared with."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime import loading as runtime
from lowering.support import c_compiler
from lowering.support.target import INTRINSICS, NATIVE, Cpu, find

TURNS = 100_000
"""Of the loops of multiply-adds and of products of bytes: some 0.2 ms."""

Probe = tuple[Callable[[], object], float]
"""An action, and its work in one call: operations, or bytes read and written."""


@cache
def _library(cpu: str = NATIVE) -> ctypes.CDLL:
    """Load `machine.c`, built as kernels are."""
    text = Path(__file__).with_name("machine.c").read_text().replace("@DOT4@", _dot4(find(cpu)))
    with tempfile.TemporaryDirectory(prefix="relax-bench-") as folder:
        path = runtime.compile_c(CSource("machine", text, "", None, (), cpu=cpu), folder)
        library = ctypes.CDLL(str(path))
    library.multiply_adds.restype = ctypes.c_double
    library.multiply_adds.argtypes = [ctypes.c_long]
    library.byte_products.restype = ctypes.c_double
    library.byte_products.argtypes = [ctypes.c_long]
    library.copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    return library


def _dot4(cpu: Cpu) -> str:
    """Return the instruction of a CPU for four products of bytes at once, as kernels choose it."""
    lines: list[str] = []
    for instruction in INTRINSICS["dot4_u8i8"].instructions:
        if instruction.vector_bytes == cpu.vector_bytes:
            lines += [f"#{'elif' if lines else 'if'} {instruction.condition}", *instruction.lines]
    return "\n".join([*lines, "#endif"] if lines else [])


def multiply_adds(cpu: str = NATIVE) -> Probe:
    """Probe independent fused multiply-adds: the core's peak, with the vectors of a CPU."""
    library = _library(cpu)
    return lambda: library.multiply_adds(TURNS), library.multiply_adds(TURNS)


def byte_products(cpu: str = NATIVE) -> Probe:
    """Probe independent sums of products of bytes: the core's peak in 8-bit integers."""
    library = _library(cpu)
    return lambda: library.byte_products(TURNS), library.byte_products(TURNS)


PEAKS: Mapping[str, Callable[[str], Probe]] = {"GF/s": multiply_adds, "Gop/s": byte_products}
"""The peaks that bound a work, by the unit of its operations."""


def copying(size: float) -> Probe:
    """Probe a `memcpy` that reads and writes `size` bytes together."""
    half = max(1, int(size) // 2)
    source, target = np.ones(half, np.uint8), np.zeros(half, np.uint8)
    copy = _library().copy

    def run() -> None:
        copy(target.ctypes.data, source.ctypes.data, half)

    return run, 2.0 * half


def processor() -> str:
    """Return the name of the processor, as the system reports it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def compiler() -> str:
    """Return the first line of the C compiler's version."""
    command = c_compiler.find_compiler()
    told = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return told.stdout.partition("\n")[0] or " ".join(command)


PACKAGES = {
    "ONNX Runtime": "onnxruntime",
    "PyTorch": "torch",
    "TVM": "apache-tvm",
    "IREE": "iree-base-compiler",
}
"""The peers' names and those of their packages."""


def description() -> Iterator[tuple[str, str]]:
    """Yield the machine, the compiler, and the peers."""
    yield "processor", processor()
    yield "cores", f"one of {os.cpu_count()}"
    yield "vectors", f"{_library().lanes()} x f32"
    if hasattr(os, "getloadavg"):
        yield "load at the start", f"{os.getloadavg()[0]:.1f}"
    yield "C compiler", compiler()
    yield "Python", platform.python_version()
    yield "numpy", np.__version__
    for name, package in PACKAGES.items():
        try:
            yield name, version(package)
        except PackageNotFoundError:
            continue
