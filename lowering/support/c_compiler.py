"""The choice of the C compiler and its architecture."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from relax_dialect.errors import RelaxError

COMPILERS = ("cc", "gcc", "clang")

ARCHITECTURES: Mapping[str, str] = {"arm64": "aarch64", "AMD64": "x86_64"}
"""The names that macOS and Windows have for architectures."""


def machine() -> str:
    """Return the architecture of this machine, as Linux calls it."""
    name = platform.machine()
    return ARCHITECTURES.get(name, name)


def find_compiler(cc: str | None = None, architecture: str | None = None) -> list[str]:
    """Return the C compiler's command: the argument `cc`, else $CC, else the first one installed, else that
    of the package ziglang.

    For another architecture than that of this machine it is the cross compiler of GNU for it, or zig's.
    """
    for origin, command in (("the argument cc", cc), ("$CC", os.environ.get("CC"))):
        if command:
            try:
                words = shlex.split(command)
            except ValueError:  # a quote that is not closed
                words = []
            if not words or shutil.which(words[0]) is None:
                raise RelaxError(
                    f"C compiler: {origin} names {command!r}, which is not found; "
                    "name an installed gcc or clang"
                )
            return words
    if architecture not in (None, machine()):
        cross = f"{architecture}-linux-gnu-gcc"
        if shutil.which(cross) is not None:
            return [cross]
        if zig := _packaged_zig():
            return [*zig, "-target", f"{architecture}-linux-gnu"]
        raise RelaxError(
            f"C compiler: expected one for {architecture}, since this machine is {machine()}, found no "
            f"{cross}; install gcc-{architecture}-linux-gnu, or name another one, as in "
            f"--cc 'clang --target={architecture}-linux-gnu'"
        )
    for name in COMPILERS:
        if shutil.which(name) is not None:
            return [name]
    if zig := _packaged_zig():
        return zig
    raise RelaxError(
        f"C compiler: none of {', '.join(COMPILERS)} is found; install gcc or clang, or set CC to your "
        "compiler, or install one with Python's packages (pip install ziglang)"
    )


def _packaged_zig() -> list[str]:
    """Return the command of the C compiler in the package ziglang; nothing if it is not installed."""
    try:
        found = find_spec("ziglang")
    except (ImportError, ValueError):
        return []
    if found is None or found.origin is None:
        return []
    return [str(Path(found.origin).with_name("zig")), "cc"]
