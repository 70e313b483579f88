"""The target of programs that TVM compiles to be called a few times: LLVM optimises nothing, which takes most of the
time otherwise."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def unoptimised() -> Any:
    """TVM's target for this CPU."""
    import tvm  # pyright: ignore[reportMissingImports]

    return tvm.target.Target({"kind": "llvm", "opt-level": 0})
