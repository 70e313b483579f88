"""Arrays in files, by the kind of the file: .npy, .npz, .safetensors, and images.

read_arrays("x.npy")               {"": array}
read_arrays("all.safetensors")     {"x": array, "y": array}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lowering.tools.inputs.images import read_image
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.tensor_files import read_tensors
from relax_dialect.text.array_archives import read_npz
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


ARCHIVES: Mapping[str, Callable[[str], Mapping[str, np.ndarray]]] = {
    ".npz": _read_npz,
    ".safetensors": read_tensors,
}
"""Files of arrays with names."""
