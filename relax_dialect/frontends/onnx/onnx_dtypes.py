"""ONNX's codes of element types, numpy's types and ours."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from relax_dialect.frontends.onnx.errors import OnnxError
from relax_dialect.ir.storage import MLIR_NAMES

OURS = frozenset(
    {"bool", "float16", "float32", "float64", "bfloat16"}
    | {f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)}
    | set(MLIR_NAMES)
)
"""Numpy's names of the element types that our tensors have."""


@cache
def code_names() -> dict[int, str]:
    """Return the names of ONNX's codes: `FLOAT`, `INT64`."""
    from onnx import TensorProto  # pyright: ignore

    return {code: name for name, code in TensorProto.DataType.items()}


@cache
def numpy_of(code: int) -> np.dtype[Any]:
    """Return numpy's type of a code; raises `OnnxError` if there is none, or if we have no such tensors."""
    from onnx import helper  # pyright: ignore

    name = code_names().get(code)
    if name is None or name == "UNDEFINED":
        raise OnnxError(
            f"expected the code of an element type (1 for FLOAT, 7 for INT64, ...), found {code}; "
            "correct the model"
        )
    found = np.dtype(helper.tensor_dtype_to_np_dtype(code))
    if found.name not in OURS or name == "STRING":
        raise OnnxError(
            f"expected an element type among {', '.join(sorted(OURS))}, found {name}; convert the model"
        )
    return found
