"""The code generator `cblas`: matrix products by OpenBLAS, or another library with `cblas.h`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lowering.external.gemm import Gemm
from lowering.external.generator import (
    CKernel,
    CodeGenerator,
    Offload,
    UnsupportedError,
    operators,
)
from lowering.external.products import product_offload
from lowering.support.external_library import ExternalLibrary
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp

TAKEN = (
    r"cblas_[sdczixb]\w*|(openblas|goto|lapack)_\w+|(Cblas|CBLAS|OPENBLAS)\w*|blasint|bfloat16"
    r"|BLASU?LONG|xdouble|FLOATRET|complex|imaginary|conj[fl]?|c(real|imag|arg|proj)[fl]?"
    r"|c(abs|acosh?|asinh?|atanh?|cosh?|sinh?|tanh?|exp|log|log10|pow|sqrt)[fl]?"
)
"""The identifiers of cblas.h, and of the complex.h which OpenBLAS's includes."""


class CblasCodegen(CodeGenerator):
    """Products of f32 and f64 by `cblas_sgemm` and `cblas_dgemm`, of one row by `cblas_sgemv`."""

    library = ExternalLibrary(
        "cblas",
        includes=("cblas.h", "limits.h", "string.h"),
        libraries=("openblas",),
        reserved=TAKEN,
        environment={"OPENBLAS_NUM_THREADS": "1"},
        install="OpenBLAS with its header cblas.h (Debian and Ubuntu: libopenblas-dev)",
    )

    def offloads(self, function: FuncOp) -> Sequence[Offload]:
        """One kernel for each `relax.matmul` and `relax.linear`, with its bias and relu."""
        found: list[Offload] = []
        reason = UnsupportedError("expected a relax.matmul or relax.linear, found none")
        for op in operators(function):
            if isinstance(op, MatmulOp | LinearOp):
                try:
                    found.append(product_offload(op))
                except UnsupportedError as error:
                    reason = error
        if not found:
            raise reason
        return found

    def c_body(self, kernel: CKernel) -> Iterator[str]:
        """Yield the gemm, or a loop of them, between the bias and the activation."""
        yield from Gemm(kernel).lines()
