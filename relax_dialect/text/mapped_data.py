"""Bytes of large tensors in files: read, or mapped while a tool runs, which takes no memory of its own.

    with mapping():
        data = read(file, offset, size)     # a memoryview of the file
        drop(data)                          # its pages need not stay in memory

A file that is mapped must not change: a shorter one ends the process. So only tools map, which take a model
once; a module that a program holds has bytes of its own.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import BinaryIO
from weakref import WeakValueDictionary

import numpy as np

LARGE = 1 << 16
"""Fewer bytes are read: a mapping has whole pages."""

_IS_MAPPING = ContextVar("_IS_MAPPING", default=False)
_MAPS: WeakValueDictionary[tuple[int, ...], mmap.mmap] = WeakValueDictionary()
"""The mappings in use, one for each file: each keeps a file descriptor."""


@contextmanager
def mapping() -> Iterator[None]:
    """Map large data of files that are read in the context."""
    token = _IS_MAPPING.set(True)
    try:
        yield
    finally:
        _IS_MAPPING.reset(token)


def read(file: BinaryIO, offset: int, size: int) -> bytes | memoryview:
    """Return bytes of an open file, as many as there are."""
    if size < LARGE or not _IS_MAPPING.get():
        file.seek(offset)
        return file.read(size)
    state = os.fstat(file.fileno())
    key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    if (found := _MAPS.get(key)) is None:
        found = _MAPS[key] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return memoryview(found)[offset : offset + size]


def bytes_of(array: np.ndarray) -> bytes | memoryview:
    """Return the bytes of an array: those of the file if it is all of a mapped tensor, else a copy."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview) and owner.readonly and owner.nbytes == array.nbytes:
        return owner
    return array.tobytes()


def drop(data: bytes | memoryview) -> None:
    """Release the memory of mapped data; its pages are read from the file when they are used again."""
    if not isinstance(data, memoryview) or not isinstance(data.obj, mmap.mmap):
        return
    whole = data.obj
    start = _address(data) - _address(memoryview(whole))
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (start + len(data)) // mmap.PAGESIZE * mmap.PAGESIZE
    if end > first:
        whole.madvise(mmap.MADV_DONTNEED, first, end - first)


def _address(data: memoryview) -> int:
    return np.frombuffer(data, np.uint8).__array_interface__["data"][0]
