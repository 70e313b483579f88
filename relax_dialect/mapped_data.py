"""Bytes of large constants, which are mapped from files: the system reads and drops their pages.

    with mapping():
        data = read(file, offset, size)     # a memoryview of the file
    data = stored(array)                    # a memoryview of an unnamed temporary file
    drop(data)                              # its pages need not stay in memory

A file that is mapped must not change: a shorter one ends the process. So only tools map files of users,
which take a model once; a module that a program holds refers to temporary files, which nobody else opens.
These are in $TMPDIR, else /var/tmp, since /tmp may be memory.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock
from typing import Any, BinaryIO, TypeAlias
from weakref import WeakValueDictionary, ref

import numpy as np

LARGE = 1 << 16
"""Fewer bytes are in memory: a mapping has whole pages."""

SEGMENT = 1 << 28
"""The bytes of a temporary file, unless one constant has more; it is deleted with the last use of any."""

BLOCK = 1 << 22
"""The bytes that are copied at once."""

Bytes: TypeAlias = bytes | memoryview

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


def read(file: BinaryIO, offset: int, size: int) -> Bytes:
    """Return bytes of an open file, as many as there are."""
    if size >= LARGE and _IS_MAPPING.get():
        return memoryview(_map_of(file))[offset : offset + size]

    def blocks() -> Iterator[bytes]:
        file.seek(offset)
        for start in range(0, size, BLOCK):
            yield file.read(min(BLOCK, size - start))

    return _kept(size, blocks)


def _map_of(file: BinaryIO) -> mmap.mmap:
    state = os.fstat(file.fileno())
    key = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    if (found := _MAPS.get(key)) is None:
        found = _MAPS[key] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return found


def stored(array: np.ndarray[Any, Any]) -> Bytes:
    """Return a copy of the bytes of an array, in row-major order."""
    return _kept(array.nbytes, lambda: blocks_of(array))


def bytes_of(array: np.ndarray[Any, Any]) -> Bytes:
    """Return the bytes of an array, in row-major order: those that it is a view of, if they cannot change
    and it has all of them, or else a copy."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    is_read = isinstance(owner.obj if isinstance(owner, memoryview) else owner, bytes | mmap.mmap)
    if is_read and memoryview(owner).nbytes == array.nbytes and array.flags.c_contiguous:
        return owner
    return stored(array)


def blocks_of(array: np.ndarray[Any, Any]) -> Iterator[memoryview]:
    """Yield the bytes of an array, copied in parts if they are not in order."""
    if array.flags.c_contiguous or array.nbytes <= BLOCK:
        yield memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))  # pyright: ignore
        return
    rows = BLOCK * len(array) // array.nbytes
    for start in range(0, len(array), max(rows, 1)):
        yield from blocks_of(array[start : start + rows] if rows else array[start])


def drop(data: Bytes | np.ndarray[Any, Any]) -> None:
    """Release the memory of mapped data; its pages are read from the file when they are used again."""
    owner: Any = data
    while isinstance(owner, memoryview | np.ndarray):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    if not isinstance(owner, mmap.mmap):
        return
    start = _address(data) - _address(owner)
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    size = data.nbytes if isinstance(data, np.ndarray) else memoryview(data).nbytes
    end = (start + size) // mmap.PAGESIZE * mmap.PAGESIZE
    if end > first:
        owner.madvise(mmap.MADV_DONTNEED, first, end - first)


def _address(data: Any) -> int:
    array = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
    return array.__array_interface__["data"][0]


# Temporary files -------------------------------------------------------------------------------


class _Segment:
    """A temporary file that constants are appended to, and closed with the last use of its mapping."""

    def __init__(self, file: Any, content: mmap.mmap):
        self.file, self.used = file, 0
        self.content = ref(content, lambda _: file.close())

    def append(self, size: int, blocks: Iterable[Any]) -> memoryview | None:
        """Write bytes from the start of a page on; None if the file is closed or has too few left."""
        content, start = self.content(), self.used
        if content is None or start + size > len(content):
            return None
        end = start
        for block in blocks:
            rest = memoryview(block)
            while rest.nbytes:
                written = os.pwrite(self.file.fileno(), rest, end)
                rest, end = rest[written:], end + written
        self.used = -(-end // mmap.PAGESIZE) * mmap.PAGESIZE
        return memoryview(content)[start:end]


_LOCK = Lock()
_OPEN: list[_Segment] = []
"""The file that is appended to. A child of this process has another one."""

os.register_at_fork(after_in_child=_OPEN.clear)


def _kept(size: int, blocks: Callable[[], Iterable[Any]]) -> Bytes:
    """Return the bytes of all blocks: in memory if they are few, or no file has room for them."""
    if size >= LARGE:
        with _LOCK, suppress(OSError):
            return _appended(size, blocks)
    return b"".join(blocks())


def _appended(size: int, blocks: Callable[[], Iterable[Any]]) -> memoryview:
    """Store bytes in a file. Raises `OSError`."""
    found = _OPEN[0].append(size, blocks()) if _OPEN else None
    if found is None:
        file = tempfile.TemporaryFile(  # noqa: SIM115
            dir=_folder(), prefix="relax-", buffering=0
        )
        file.truncate(max(size, SEGMENT))
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        _OPEN[:] = [_Segment(file, content)]
        found = _OPEN[0].append(size, blocks())
    assert found is not None
    return found


def _folder() -> str | None:
    """Return the folder of temporary files; None for Python's choice."""
    usual = "/var/tmp"
    return usual if "TMPDIR" not in os.environ and os.access(usual, os.W_OK) else None
