"""Arrays in .safetensors files, read or mapped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from relax_dialect import mapped_data
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import bfloat16
from relax_dialect.text.regular_files import open_regular
from relax_dialect.text.safetensors import BYTES, header, tensors_of


def _dtype(kind: str) -> np.dtype:
    """Return numpy's element type for one of the format."""
    if kind == "BF16":
        return bfloat16()
    return np.dtype("?" if kind == "BOOL" else f"<{kind[0].lower()}{BYTES[kind]}")


def read_tensors(path: str | Path, mapped: bool = False) -> Mapping[str, np.ndarray]:
    """Return the tensors of a file by name, read-only. Raises `RelaxError` for another file.

    Mapped ones refer to the file, which must not change then.
    """
    found: dict[str, np.ndarray] = {}
    with open_regular(path) as file, mapped_data.mapping() if mapped else nullcontext():
        for name, stored in tensors_of(file, str(path)).items():
            if stored.dtype not in BYTES:
                raise RelaxError(
                    f"{path}: '{name}': expected an element type that numpy has, one of "
                    f"{', '.join(BYTES)}, found {stored.dtype}; convert it"
                )
            data = mapped_data.read(file, stored.offset, stored.size)
            found[name] = np.frombuffer(data, _dtype(stored.dtype)).reshape(stored.shape)
    return found


def write_tensors(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays under their names.

    Raises `RelaxError` for element types that the format has not, before anything is written.
    """
    kinds = {_dtype(kind): kind for kind in BYTES if kind != "BF16"}
    for name, array in arrays.items():
        if array.dtype.newbyteorder("<") not in kinds:
            raise RelaxError(
                f"{path}: '{name}': expected an element type that the format has, one of "
                f"{', '.join(map(str, kinds))}, found {array.dtype}; convert it"
            )
    ordered = {n: a.astype(a.dtype.newbyteorder("<"), copy=False) for n, a in arrays.items()}
    with Path(path).open("wb") as file:
        file.write(header((n, kinds[a.dtype], a.shape) for n, a in ordered.items()))
        for array in ordered.values():
            file.writelines(mapped_data.blocks_of(array))
