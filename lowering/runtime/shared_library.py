"""Shared objects in memory: each a private copy, taken out when the last of its functions has gone."""

from __future__ import annotations

import ctypes
import io
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any


class SharedLibrary(ctypes.CDLL):
    """A loaded file. Its functions refer to it, so it is there as long as one of them can be called; once
    it is closed, it is unloaded with the last of them."""

    unload: Callable[[], None] | None = None
    """Frees the weights, set when the library is closed."""

    def __del__(self) -> None:
        if self.unload is not None:
            self.unload()


_serial = itertools.count()


@contextmanager
def private_copy(path: Path, image: bytes | None = None) -> Iterator[str]:
    """Yield the name of a temporary, private copy to load, under a unique name: the loader takes a new file
    for an old library if it has the name, or inode, of a library that is still open."""
    stem = f"{path.stem}-{next(_serial)}-"
    with (
        path.open("rb") if image is None else io.BytesIO(image) as found,
        tempfile.NamedTemporaryFile(prefix=stem, suffix=path.suffix) as copy,
    ):
        shutil.copyfileobj(found, copy)
        copy.flush()
        yield copy.name


def give_up(library: SharedLibrary, model: str) -> None:
    """Take a library out of memory when the last of its functions has gone, the weights first."""
    handle, close = library._handle, _dlclose()
    weights = (
        ctypes.CFUNCTYPE(None)(address)
        if (address := _address(library, f"{model}_unload"))
        else None
    )

    def unload() -> None:
        if weights is not None:
            weights()
        close(handle)

    library.unload = unload
    for name in [n for n, v in vars(library).items() if isinstance(v, library._FuncPtr)]:
        delattr(library, name)  # ctypes keeps them here, and they refer to the library


def _address(library: ctypes.CDLL, name: str) -> int | None:
    """Return the address of a function of a library, without a reference to it; None if it has none."""
    function = getattr(library, name, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


@cache
def _dlclose() -> Callable[[int], Any]:
    function = ctypes.CDLL(None).dlclose
    function.argtypes = [ctypes.c_void_p]
    return function


ELF_ARCHITECTURES = {62: "x86_64", 183: "aarch64", 243: "riscv64"}


def elf_architecture(path: Path) -> str | None:
    """Return the architecture that a shared object of Linux is built for; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if len(head) < 20 or not head.startswith(b"\x7fELF"):
        return None
    return ELF_ARCHITECTURES.get(int.from_bytes(head[18:20], "little"))
