"""Whether only the caller can have written a file or folder whose content becomes code of this process."""

from __future__ import annotations

import os
import stat
import warnings
from contextlib import suppress
from pathlib import Path

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""The flags to open an entry: no link is followed, and a pipe without a writer does not block."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def is_trusted_folder(folder: Path) -> bool:
    """Return whether a folder, which may be missing, belongs to the caller alone; warns if it does not.

    A link to it must belong to the caller, too: in a folder for all users, as /tmp, others make links.
    """
    with suppress(OSError):
        own = os.lstat(folder)
        if stat.S_ISLNK(own.st_mode) and own.st_uid != os.geteuid():
            return _is_trusted(folder, own)
        return _is_trusted(folder, os.stat(folder))
    return True


def is_trusted_file(file: Path, opened: int) -> bool:
    """Return whether an open regular file belongs to the caller alone; warns if it does not."""
    state = os.fstat(opened)
    return stat.S_ISREG(state.st_mode) and _is_trusted(file, state)


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents, for the caller alone. Raises `OSError`."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def _is_trusted(path: Path, state: os.stat_result) -> bool:
    if state.st_uid != os.geteuid():
        found = f"the owner {state.st_uid}"
    elif state.st_mode & _OTHERS_WRITE:
        found = f"mode {stat.S_IMODE(state.st_mode):04o}, which lets others write"
    else:
        return True
    warnings.warn(
        f"{path}: expected the owner {os.geteuid()}, who runs this, and a mode that lets no others write, "
        f"found {found}; the cache is not used: what others write there would run as code of this process. "
        f"Name a folder of your own in $RELAX_CACHE_DIR, or correct owner and mode (chmod go-w)",
        RuntimeWarning,
        stacklevel=2,
    )
    return False
