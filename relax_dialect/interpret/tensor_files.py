"""Arrays in .safetensors files, read or mapped.

The format: https://huggingface.co/docs/safetensors: eight bytes for the size of the header, the header as
JSON with the element type, sizes and offsets of every tensor, and the bytes of all tensors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from relax_dialect import mapped_data
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import bfloat16
from relax_dialect.text.data_files import LONGEST_HEAD
from relax_dialect.text.regular_files import open_regular

DTYPES: Mapping[str, str] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "bfloat16", "BOOL": "?",
    **{f"{kind}{bits}": f"<{kind.lower()}{bits // 8}" for kind in "IU" for bits in (8, 16, 32, 64)},
}  # fmt: skip
"""The element types of the format, and numpy's."""


def read_tensors(path: str | Path, mapped: bool = False) -> Mapping[str, np.ndarray]:
    """Return the tensors of a file by name, read-only. Raises `RelaxError` for another file.

    Mapped ones take memory where their elements are used; the file must not change then.
    """
    with open_regular(path) as file:
        head = file.read(8)
        size = int.from_bytes(head, "little")
        try:
            length = file.seek(0, 2)
            if len(head) < 8 or size > min(length - 8, LONGEST_HEAD):
                raise ValueError(f"its head ends after the file, which has {length} bytes")
            file.seek(8)
            told: dict[str, Any] = json.loads(file.read(size))
            with mapped_data.mapping() if mapped else nullcontext():
                data = memoryview(mapped_data.read(file, 8 + size, length - 8 - size))
            return {
                name: _tensor(name, t, data) for name, t in told.items() if name != "__metadata__"
            }
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RelaxError(
                f"{path}: expected a whole .safetensors file, found another: {error}; save it again"
            ) from None


def _tensor(name: str, told: Mapping[str, Any], content: memoryview) -> np.ndarray:
    if told["dtype"] not in DTYPES:
        raise ValueError(f"'{name}' has the element type {told['dtype']}, which numpy has not")
    begin, end = told["data_offsets"]
    shape = told["shape"]
    if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
        raise ValueError(f"'{name}' has no sizes and offsets that are numbers: {told}")
    known = DTYPES[told["dtype"]]
    dtype = bfloat16() if known == "bfloat16" else np.dtype(known)
    if not 0 <= begin <= end <= len(content) or end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(
            f"'{name}' of shape {shape} has the bytes {begin} to {end} of {len(content)}"
        )
    return np.frombuffer(content[begin:end], dtype).reshape(shape)


def write_tensors(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays under their names.

    Raises `RelaxError` for element types that the format has not, before anything is written.
    """
    kinds = {np.dtype(known): kind for kind, known in DTYPES.items() if kind != "BF16"}
    told: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():
        end = at + array.nbytes
        kind = kinds.get(array.dtype.newbyteorder("<"))
        if kind is None:
            raise RelaxError(
                f"{path}: '{name}': expected an element type that the format has, one of "
                f"{', '.join(map(str, kinds))}, found {array.dtype}; convert it"
            )
        told[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, end]}
        at = end
    head = json.dumps(told).encode()
    head += b" " * (-len(head) % 8)
    with Path(path).open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for array in arrays.values():
            file.write(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
