"""The SHA-256 of a file, remembered by the state of the file: large ones are read once.

    file_digest(path, user_cache())

A digest is cached for a file by its inode, size and times, and only if the file had been unmodified for a
while when it was read: a later write then changes the time, however coarse the clock is.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from lowering.runtime.build_cache import BuildCache, digest
from relax_dialect.text.regular_files import open_regular

LARGE = 1 << 20
"""The least number of bytes of a file whose digest is worth an entry."""

RESTED = 2.0
"""Seconds since the last change of a file whose digest may be remembered."""

_PART = "sha256"


def file_digest(path: str | Path, cache: BuildCache | None = None) -> str:
    """Return the SHA-256 of the content of a file, as hexadecimal digits. Raises `OSError`."""
    with open_regular(path) as file:
        state = _state(file.fileno())
        if os.fstat(file.fileno()).st_size < LARGE:
            cache = None
        key = digest("content of a file", os.path.realpath(path), *map(str, state))
        if cache is not None and (kept := cache.get(key)) is not None and _PART in kept:
            return bytes(kept[_PART]).decode("ascii")
        read = time.time()
        found = hashlib.file_digest(file, "sha256").hexdigest()
        has_rested = read - max(state[-2:]) / 1e9 > RESTED and _state(file.fileno()) == state
    if cache is not None and has_rested:
        cache.put(key, {_PART: found.encode("ascii")})
    return found


def _state(file: int) -> tuple[int, ...]:
    """Return the properties that change when an open file is written or replaced."""
    told = os.fstat(file)
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns
