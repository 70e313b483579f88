"""Shared objects with a digest at their end: cut or damaged ones are refused before the loader maps them.

The loader trusts the headers of a file, and crashes if parts are missing. It ignores data after the parts,
so a digest there does not affect linking with the file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

MARK = b"\nrelax library sha256 "
_LENGTH = len(MARK) + 65


def seal(library: Path) -> None:
    """Append the digest of a file to it; a file that has it already is left as it is."""
    content = library.read_bytes()
    if is_whole(content):
        return
    beside = library.with_name(f".{library.name}.{os.getpid()}")
    try:
        beside.write_bytes(content + _seal(content))
        beside.chmod(library.stat().st_mode & 0o777)
        beside.replace(library)
    finally:
        beside.unlink(missing_ok=True)


def is_whole(content: bytes) -> bool:
    """Return whether a file ends with the digest of its other content."""
    return content[-_LENGTH:] == _seal(content[:-_LENGTH])


def _seal(content: bytes) -> bytes:
    return MARK + hashlib.sha256(content).hexdigest().encode("ascii") + b"\n"
