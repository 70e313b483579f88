"""Bring your own code generator: kernels that a library computes in the emitted C.

    register_codegen("cblas", CblasCodegen())

A generator chooses, in a `relax.func` marked `Codegen = "cblas"`, the operators that become a kernel, and
writes the C of the kernel. `relax-run-codegen` calls it for the former, the C target for the latter. See
docs/external.md.
"""

from lowering.external.generator import (
    CKernel,
    CodeGenerator,
    CTensor,
    Offload,
    UnsupportedError,
    operators,
)
from lowering.external.registry import find_codegen, register_codegen, registered_codegens
from lowering.support.external_library import ExternalLibrary

__all__ = [
    "CKernel",
    "CTensor",
    "CodeGenerator",
    "ExternalLibrary",
    "Offload",
    "UnsupportedError",
    "find_codegen",
    "operators",
    "register_codegen",
    "registered_codegens",
]
