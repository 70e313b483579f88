"""Arrays in files, by the kind of the file: .npy, .npz, .safetensors, and images.

read_arrays("x.npy")               {"": array}
read_arrays("all.safetensors")     {"x": array, "y": array}
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lowering.tools.inputs.images import read_image
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import bfloat16
from relax_dialect.text.array_archives import read_npz
from relax_dialect.text.data_files import LONGEST_HEAD
from relax_dialect.text.regular_files import open_regular

IMAGES = (
    *(".png", ".ppm", ".pgm"),
    *(".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff"),  # with Pillow
)

MAGIC = b"\x93NUMPY"
ARCHIVE_MAGIC = b"PK"


def read_arrays(path: str) -> Mapping[str, np.ndarray]:
    """Return the arrays of a file by name; the name of a single array is empty."""
    kind = Path(path).suffix.lower()
    try:
        if kind in ARCHIVES:
            return ARCHIVES[kind](path)
        return {"": read_image(path) if kind in IMAGES else _read_npy(path)}
    except OSError as error:
        raise RelaxError(
            f"{path}: expected a file of arrays, .npy, .npz, .safetensors or an image, found none: "
            f"{error.strerror}; correct the path"
        ) from None
    except MemoryError as error:
        raise RelaxError(
            f"{path}: expected an array that fits into memory, found a header that claims more: {error}; "
            "save the array again"
        ) from None


def _read_npy(path: str) -> np.ndarray:
    """Read the array in a .npy file."""
    with open_regular(path) as file:
        start = file.read(len(MAGIC))
        if start.startswith(ARCHIVE_MAGIC):
            raise RelaxError(f"{path}: expected one array, found an archive; call the file .npz")
        if start != MAGIC:
            raise RelaxError(
                f"{path}: expected a .npy file, found another kind; save with numpy.save"
            )
        file.seek(0)
        try:
            return np.load(file, allow_pickle=False)
        except (OSError, MemoryError):
            raise
        except Exception as error:  # numpy's reader of heads raises errors of any kind
            raise RelaxError(f"{path}: expected a .npy file with numbers: {error}") from None


def _read_npz(path: str) -> Mapping[str, np.ndarray]:
    """Read the arrays that numpy.savez has saved."""
    try:
        return read_npz(path)
    except ValueError as error:
        raise RelaxError(
            f"{path}: expected a .npz file with numbers: {error}; save with numpy.savez"
        ) from None


SAFETENSORS: Mapping[str, str] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "bfloat16", "BOOL": "?",
    **{f"{kind}{bits}": f"<{kind.lower()}{bits // 8}" for kind in "IU" for bits in (8, 16, 32, 64)},
}  # fmt: skip
"""The element types of the format, and numpy's."""


def read_safetensors(path: str) -> Mapping[str, np.ndarray]:
    """Read the tensors in a file: the size of the header, the header as JSON, and the bytes of all."""
    with open_regular(path) as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    try:
        if len(data) < 8 or size > min(len(data) - 8, LONGEST_HEAD):
            raise ValueError(f"its head ends after the file, which has {len(data)} bytes")
        head: dict[str, Any] = json.loads(data[8 : 8 + size])
        content = memoryview(data)[8 + size :]
        return {
            name: _tensor(name, t, content) for name, t in head.items() if name != "__metadata__"
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RelaxError(
            f"{path}: expected a whole .safetensors file, found another: {error}; save it again"
        ) from None


def write_safetensors(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays under their names; `read_arrays` reads them.

    Raises `RelaxError` for element types that the format has not, before anything is written.
    """
    kinds = {np.dtype(known): kind for kind, known in SAFETENSORS.items() if kind != "BF16"}
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


ARCHIVES: Mapping[str, Callable[[str], Mapping[str, np.ndarray]]] = {
    ".npz": _read_npz,
    ".safetensors": read_safetensors,
}
"""Files of arrays with names."""


def _tensor(name: str, told: Mapping[str, Any], content: memoryview) -> np.ndarray:
    if told["dtype"] not in SAFETENSORS:
        raise ValueError(f"'{name}' has the element type {told['dtype']}, which numpy has not")
    begin, end = told["data_offsets"]
    shape = told["shape"]
    if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
        raise ValueError(f"'{name}' has no sizes and offsets that are numbers: {told}")
    known = SAFETENSORS[told["dtype"]]
    dtype = bfloat16() if known == "bfloat16" else np.dtype(known)
    if not 0 <= begin <= end <= len(content) or end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(
            f"'{name}' of shape {shape} has the bytes {begin} to {end} of {len(content)}"
        )
    return np.frombuffer(content[begin:end], dtype).reshape(shape)
