"""Whether OpenBLAS is installed, which the tests of the code generator `cblas` need."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from lowering.external.registry import find_codegen
from lowering.runtime import find_compiler

PROGRAM = """#include <cblas.h>
int main(void)
{
    const float x = 2, w = 3;
    float y;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, &x, 1, &w, 1, 0, &y, 1);
    return y != 6;
}
"""


@cache
def have_openblas() -> bool:
    """Whether a program with it compiles; RELAX_REQUIRE_MLIR=1 makes its absence an error."""
    flags = find_codegen("test", "cblas").library.flags()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.c"
        program.write_text(PROGRAM)
        command = [*find_compiler(), str(program), "-o", str(program.with_suffix("")), *flags]
        built = subprocess.run(command, capture_output=True, check=False).returncode == 0
        found = built and subprocess.run([program.with_suffix("")], check=False).returncode == 0
    if not found and os.environ.get("RELAX_REQUIRE_MLIR") == "1":
        raise RuntimeError("RELAX_REQUIRE_MLIR=1, but not found: OpenBLAS (libopenblas-dev)")
    return found


requires_openblas = pytest.mark.skipif(not have_openblas(), reason="OpenBLAS is not installed")
