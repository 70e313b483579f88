"""Adjoints of conversions of the element type: the cotangent is converted back by the transform."""

from __future__ import annotations

from typing import Any

from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import datatype as ops


@adjoint(ops.AstypeOp)
def astype(of: Applied[ops.AstypeOp], gy: Any) -> Any:
    return gy
