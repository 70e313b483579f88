"""Files that are either whole or absent: written beside their final path, then renamed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from relax_dialect.errors import RelaxError
from relax_dialect.mapped_data import Bytes


def beside(path: Path) -> Path:
    """Return the name under which this process writes a file before it is whole."""
    return path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")


def write_whole(path: Path, content: Bytes | Iterable[Bytes]) -> None:
    """Write a file, in parts or at once; a process that is killed meanwhile leaves the old one."""
    parts = (content,) if isinstance(content, bytes | memoryview) else content
    with _unfinished(path) as unfinished, unfinished.open("wb") as file:
        file.writelines(parts)


def copy_whole(opened: BinaryIO, path: Path) -> None:
    """Write the rest of an open file to another one, as `write_whole` does."""
    with _unfinished(path) as unfinished, unfinished.open("wb") as copy:
        shutil.copyfileobj(opened, copy)


@contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """Yield the file to write, which has its final name if no error occurs."""
    unfinished = beside(path)
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def check_target(target: Path, kind: str, name: str, *, is_made: bool = True) -> None:
    """Refuse, before the work, a directory or file that cannot be written to; with `is_made` missing
    directories are made."""
    if (wrong := _obstacle(target, kind, is_made)) is not None:
        raise unwritable(target, kind, name, wrong.strerror)


def unwritable(target: Path | str, kind: str, name: str, cause: str | None) -> RelaxError:
    """Return the error of a directory or file, which `name` introduces, that cannot be written to."""
    return RelaxError(
        f"{name} {target}: expected a {kind} that can be written to, found none: {cause}; name another one"
    )


def _obstacle(target: Path, kind: str, is_made: bool) -> OSError | None:
    """Return the error that writing to a target meets, if it can be foreseen."""
    folder = target if kind == "directory" else target.parent
    while is_made and not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    try:
        if kind == "file" and target.exists():
            if target.is_file() or target.is_dir():  # opening a pipe would wait for its reader
                os.close(os.open(target, os.O_WRONLY))
        else:
            TemporaryFile(dir=folder).close()
    except OSError as error:
        return error
    return None
