"""The results of earlier builds, kept in files by the content that they were made of.

    cache = user_cache()
    parts = cache.get(key)                     # {"library": memoryview of its bytes}, or None
    cache.put(key, {"library": data})

A key is a digest of everything that the result depends on (`digest`), so an entry is never out of date.
The folder is $RELAX_CACHE_DIR, else $XDG_CACHE_HOME/relax-xdsl, else ~/.cache/relax-xdsl; it holds at most
$RELAX_CACHE_LIMIT megabytes, of which 0 switches the cache off.

An entry is one file: a line of JSON with the key and the size and checksum of each part, then the parts.
It is written under another name and renamed, so that threads and processes see whole entries or none. One
that is damaged or not ours is no entry, and is written anew. A folder that is read-only is no error.

Entries become code of this process: a folder or an entry that belongs to another user, or that others may
write, is not used, with a warning (`file_trust.py`).
"""

from __future__ import annotations

import json
import mmap
import os
import re
import stat
import tempfile
import time
import warnings
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from lowering.emit_c.syntax.weights_file import Content, Pieces
from relax_dialect.errors import RelaxError

FOLDER = "RELAX_CACHE_DIR"
"""The environment variable that names the folder."""

LIMIT = "RELAX_CACHE_LIMIT"
"""The environment variable that bounds its size, in megabytes."""

DEFAULT_MEGABYTES = 1024

FORMAT = "relax-xdsl build cache 2"

SUFFIX = ".built"

_ENTRY = re.compile(rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}")
_ABANDONED = 3600.0
"""Seconds after which a file that was never renamed counts as abandoned by its writer."""


def digest(*parts: str | bytes) -> str:
    """Return a key of some texts and bytes; where one ends and the next begins counts."""
    found = blake2b(digest_size=32)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


@dataclass(frozen=True)
class BuildCache:
    """A folder of entries, at most `limit` bytes of them."""

    folder: Path
    limit: int

    def get(self, key: str) -> dict[str, memoryview] | None:
        """Return the parts of an entry; None if there is none, or no whole one."""
        file = self._file(key)
        data = self._content(file) if is_trusted_folder(self.folder) else None
        parts = None if data is None else _unpacked(key, data)
        if parts is not None:
            with suppress(OSError):
                os.utime(file)  # used last
        return parts

    def put(self, key: str, parts: Mapping[str, Content]) -> None:
        """Store the parts of an entry, and evict the least recently used entries beyond the limit."""
        if (size := sum(map(len, parts.values()))) > self.limit:
            return
        content = {name: Pieces.of(data) for name, data in parts.items()}
        head = {name: [len(data), _check(data)] for name, data in content.items()}
        line = json.dumps({"format": FORMAT, "key": key, "parts": head}).encode() + b"\n"
        if len(line) + size > self.limit:
            return
        with suppress(OSError):
            make_private(self.folder)
            if not is_trusted_folder(self.folder):
                return
            handle, name = tempfile.mkstemp(prefix=".", suffix=SUFFIX, dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(line)
                    for data in content.values():
                        file.writelines(data.blocks())
                os.replace(name, self._file(key))
            finally:
                Path(name).unlink(missing_ok=True)
            self._trim()

    def _content(self, file: Path) -> mmap.mmap | None:
        """Return the content of an entry; None if there is none, or it belongs to another user."""
        try:
            opened = os.open(file, READ)
        except OSError:
            return None
        try:
            if not is_trusted_file(file, opened):
                return None
            return mmap.mmap(opened, 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # an empty file cannot be mapped
            return None
        finally:
            os.close(opened)

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def _trim(self) -> None:
        """Remove the entries used longest ago beyond the limit; other files are not ours to remove."""
        found: list[tuple[float, int, Path]] = []
        for file in os.scandir(self.folder):
            with suppress(OSError):  # another process removes files too
                state = file.stat(follow_symlinks=False)
                if _ENTRY.fullmatch(file.name):
                    found.append((state.st_mtime, state.st_size, Path(file.path)))
                elif (
                    file.name.startswith(".")
                    and file.name.endswith(SUFFIX)
                    and time.time() - state.st_mtime > _ABANDONED
                ):
                    os.unlink(file.path)
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit:
                return
            with suppress(OSError):
                path.unlink()
            total -= size


def _check(data: Pieces) -> int:
    """Return the checksum of a part."""
    found = 0
    for piece in data.blocks():
        found = zlib.crc32(piece, found)
    return found


def _unpacked(key: str, data: mmap.mmap) -> dict[str, memoryview] | None:
    """Return the parts that a file holds, if it is a whole entry of this key."""
    line = data.readline()
    rest = memoryview(data)[len(line) :]
    try:
        head = json.loads(line)
        if head["format"] != FORMAT or head["key"] != key:
            return None
        parts: dict[str, memoryview] = {}
        at = 0
        for name, (size, check) in head["parts"].items():
            parts[name] = rest[at : at + size]
            at += size
            if _check(Pieces.of(parts[name])) != check:
                return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return parts if at == len(rest) else None


def user_cache() -> BuildCache | None:
    """Return the cache of the current user; None if it is switched off, or has no folder."""
    if (limit := _limit()) == 0 or (folder := _folder()) is None:
        return None
    return BuildCache(folder, limit)


def _folder() -> Path | None:
    if given := os.environ.get(FOLDER):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the standard wants others to be ignored
        return Path(base) / "relax-xdsl"
    try:
        return Path.home() / ".cache" / "relax-xdsl"
    except RuntimeError:
        return None


def _limit() -> int:
    """Return the limit in bytes."""
    text = os.environ.get(LIMIT) or str(DEFAULT_MEGABYTES)
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise RelaxError(
            f"${LIMIT}: expected a number of megabytes, 0 to switch the cache off, found {text!r}; "
            "correct it"
        )
    return int(text) << 20


# Trust: files and folders that only the caller can have written ---------------------------------


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
