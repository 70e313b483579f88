"""Arrays with names in .npz files, read within bounds: `numpy.savez` writes them, and anyone else may."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from relax_dialect.text.regular_files import open_regular

LARGE = 1 << 28
"""The bytes that members may have in all, however small the file is."""

RATIO = 100
"""Beyond that, how many times the bytes of the file: weights shrink to half, zeros to a thousandth."""


def read_npz(path: str | Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a .npz file. Raises `OSError`, or `ValueError` for a file of another format."""
    with open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        try:
            found = np.load(file, allow_pickle=False)
            if isinstance(found, np.ndarray):
                raise ValueError("it is one array without a name, saved by numpy.save")
            with found as archive:
                _check_size(archive.zip, size)
                return {name: _array(archive, name) for name in archive.files}
        except (OSError, ValueError, MemoryError) as error:
            raise ValueError(str(error)) from None
        except Exception as error:  # of zipfile, its codecs and numpy's reader of heads: any
            raise ValueError(f"{type(error).__name__}: {error}") from None


def _check_size(archive: zipfile.ZipFile, size: int) -> None:
    claimed = sum(member.file_size for member in archive.infolist())
    if claimed > max(LARGE, RATIO * size):
        raise ValueError(
            f"its members claim {claimed} bytes, more than {RATIO} times the {size} of the file"
        )


def _array(archive: Any, name: str) -> np.ndarray[Any, Any]:
    found = archive[name]
    if not isinstance(found, np.ndarray):
        raise ValueError(f"its member {name!r} is no array")
    return found
