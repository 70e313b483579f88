"""Element types by PyTorch's names, and tensors as numpy's arrays of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.torch_package import part_of_torch

SPELLINGS = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "bool": "i1",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
}  # fmt: skip
"""The names of PyTorch's types, and ours."""

REASONS = {
    "complex64": "complex numbers are no element type here",
    "complex128": "complex numbers are no element type here",
}


def spelling(dtype: Any) -> str:
    """Return our spelling of a `torch.dtype`; raises `TorchError` if there is none."""
    name = str(dtype).removeprefix("torch.")
    if name not in SPELLINGS:
        reason = REASONS.get(name, "it is no element type here")
        raise TorchError(
            f"expected an element type among {', '.join(SPELLINGS)}, found {name}: {reason}; convert the "
            "tensors of the model"
        )
    return SPELLINGS[name]


def is_float(dtype: str) -> bool:
    """Returns whether a spelling is that of a floating-point type."""
    return dtype[0] in "fb"


def array_of(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the elements of a tensor in row-major order; the memory is shared if it can be."""
    if hasattr(tensor, "fake_mode"):
        raise TorchError(
            "expected a constant with its elements, found a tensor of the trace, which the function of a "
            "loop or branch has from outside; pass it as an operand"
        )
    tensor = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    if spelling(tensor.dtype) != "bf16":
        return tensor.numpy()
    import ml_dtypes

    return tensor.view(part_of_torch().int16).numpy().view(ml_dtypes.bfloat16)
