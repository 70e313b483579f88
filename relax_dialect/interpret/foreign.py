"""Tensors of other libraries as numpy sees them: of PyTorch, JAX and all libraries with DLPack. Their
memory is viewed, not copied, so it must be the CPU's.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from relax_dialect.errors import ExecutionError
from relax_dialect.interpret.runtime_values import bfloat16
from relax_dialect.ir.storage import mask_error

READABLE = {1, 3, 11, 13}
"""DLPack's numbers for memory that the CPU reads: its own, and that which it shares with a GPU."""

DEVICES = {2: "cuda", 4: "opencl", 7: "vulkan", 8: "metal", 10: "rocm", 14: "oneapi", 15: "webgpu"}


def is_foreign(value: Any) -> bool:
    """Return whether a value has memory of its own that numpy can look at, and is no plain array: a matrix
    of numpy multiplies otherwise, and a masked array has elements that do not count."""
    return type(value) is not np.ndarray and any(
        hasattr(value, name) for name in ("__array__", "__dlpack__")
    )


def from_python(value: Any, where: str = "a value from Python") -> Any:
    """Return a value of a Python function as ours: numpy's scalars are arrays without dimensions, tensors
    of other libraries are seen by numpy, in tuples too."""
    if isinstance(value, tuple):
        return tuple(from_python(each, where) for each in value)
    return to_numpy(value, where) if is_foreign(value) else value


def to_numpy(value: Any, where: str) -> np.ndarray:
    """Return the memory of a tensor as an array; errors begin with `where`."""
    if isinstance(value, np.ndarray | np.generic):
        if wrong := mask_error(value):
            raise ExecutionError(f"{where}: {wrong}")
        return np.asarray(value)
    _check_device(value, where)
    if getattr(value, "requires_grad", False) is True:
        warnings.warn(
            f"{where}: needs gradients, which are not computed here: it is detached; pass x.detach() to "
            "say that this is meant",
            stacklevel=2,
        )
        value = value.detach()
    try:
        if (
            str(getattr(value, "dtype", "")) == "torch.bfloat16"
        ):  # which torch does not hand to numpy
            return np.asarray(value.view(sys.modules["torch"].int16)).view(bfloat16())
        return np.asarray(value) if hasattr(value, "__array__") else np.from_dlpack(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ExecutionError(
            f"{where}: expected a tensor that numpy can look at, found a {type(value).__name__} that "
            f"it cannot: {why}; make an array of it"
        ) from None


def _check_device(value: Any, where: str) -> None:
    """Refuse memory of another device, which numpy would copy silently or not at all."""
    ask = getattr(value, "__dlpack_device__", None)
    if ask is None:
        return
    try:
        kind, number = ask()
    except Exception:  # of a library of others, which has its own errors for odd devices
        kind, number = None, 0
    if kind is None or int(kind) in READABLE:
        if str(getattr(value, "device", "")) != "meta":
            return
        name, mend = "meta, without memory", "initialise it first"
    else:
        mend = "copy it there first, by x.cpu() in PyTorch, by jax.device_get(x) in JAX"
        name = f"{DEVICES.get(int(kind), f'device type {int(kind)}')}:{number}"
    raise ExecutionError(f"{where}: expected a tensor on the CPU, found one on {name}; {mend}")
