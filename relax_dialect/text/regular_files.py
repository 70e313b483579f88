"""Files of programs, models, manifests and arrays, and files they name: regular files only, which end.

open_regular("x.npz")                       # an open file; a pipe, a device or a folder is an error
open_inside(Path("models"), "w.bin")        # models/w.bin; None for "../w.bin", "/w.bin" and links
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Opening a pipe does not wait for a writer."""

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def open_regular(path: str | Path, flags: int = 0) -> BufferedReader:
    """Open a regular file. Raises `OSError` with the kind of file for anything else."""
    try:
        handle = os.open(path, _FLAGS | flags)
    except ValueError:  # text that is no name of a file
        raise OSError(errno.EINVAL, "the name is none of a file") from None
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind == stat.S_IFREG:
        return os.fdopen(handle, "rb")
    os.close(handle)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'no regular file')}")


def path_inside(folder: Path, name: object) -> Path | None:
    """Return the path of a file by its name in a folder; None unless it is inside of it, without links."""
    if not isinstance(name, str) or not name or os.path.isabs(name):
        return None
    root = os.path.realpath(folder)
    path = os.path.normpath(os.path.join(root, name))
    try:
        resolved = os.path.realpath(path)
    except ValueError:  # a NUL character, or another that no file system accepts
        return None
    is_inside = path.startswith(os.path.join(root, "")) and resolved == path
    return Path(path) if is_inside else None


def open_inside(folder: Path, name: object) -> BufferedReader | None:
    """Open a regular file of a folder; None unless it is inside of it, without links. Raises `OSError`."""
    path = path_inside(folder, name)
    return None if path is None else open_regular(path, os.O_NOFOLLOW)
