"""Works by IREE, read from ONNX by its importer, compiled for this processor, run on one thread."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from iree import runtime  # pyright: ignore[reportMissingImports]
from iree.compiler import tools  # pyright: ignore[reportMissingImports]

from bench.languages import Run
from bench.languages.onnx_graph import GRAPH, model
from bench.work import Work

IMPORTER = (sys.executable, "-m", "iree.compiler.tools.import_onnx")


def compiled(work: Work) -> bytes:
    """Compile ONNX to IREE's bytecode with machine code in it."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "work.onnx", Path(folder) / "work.mlir"
        onnx.save(model(work), source)
        subprocess.run([*IMPORTER, str(source), "-o", str(program)], check=True)
        return tools.compile_file(
            str(program),
            input_type="onnx",
            target_backends=["llvm-cpu"],
            extra_args=["--iree-llvmcpu-target-cpu=host"],
        )


def prepare(work: Work, arrays: Sequence[np.ndarray]) -> Run:
    config = runtime.Config("local-sync")  # one thread, the caller's
    bytecode = runtime.VmModule.copy_buffer(config.vm_instance, compiled(work))
    function = runtime.load_vm_module(bytecode, config)[GRAPH]
    return partial(function, *(runtime.asdevicearray(config.device, array) for array in arrays))
