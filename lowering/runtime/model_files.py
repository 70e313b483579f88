"""The files that a model consists of, kept with it for `model.save` and for pickles.

The library and the source are kept in memory, the weights as an open file: a folder that is removed, or
written again by another build, does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Protocol

import numpy as np

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime import manifest
from lowering.runtime.artifact_files import SUFFIX, describe
from lowering.runtime.c_command import CCommand
from lowering.support.whole_files import copy_whole, write_whole


class ModelFiles(Protocol):
    """Writes the files of a model."""

    @property
    def image(self) -> bytes:
        """The content of the library."""
        ...

    def write(self, directory: Path) -> Path:
        """Write an artifact to a directory; return its manifest."""
        ...


class OpenFile:
    """A file that can be read as long as this object lives, even after it is removed."""

    def __init__(self, opened: BinaryIO):
        self._opened = opened
        self._lock = Lock()

    def copy_to(self, path: Path) -> None:
        """Write the content to a file."""
        with self._lock:
            self._opened.seek(0)
            copy_whole(self._opened, path)

    def __del__(self) -> None:
        self._opened.close()


@dataclass(frozen=True)
class BuiltFiles:
    """The files of a model that was compiled by this process."""

    source: CSource
    """Without its weights."""

    image: bytes
    weights: OpenFile | None
    command: CCommand
    """The command that has made the library."""

    @classmethod
    def of(cls, source: CSource, command: CCommand) -> BuiltFiles:
        """Return the files of a build, from the folder of its command."""
        library = command.library
        weights = (
            None if source.weights is None else OpenFile(library.with_suffix(".weights").open("rb"))
        )
        return cls(replace(source, weights=None), library.read_bytes(), weights, command)

    def write(self, directory: Path) -> Path:
        source, command = self.source, replace(self.command, folder=directory)
        source.write(directory)
        write_whole(command.library, self.image)
        if self.weights is not None:
            weights = command.library.with_suffix(".weights")
            self.weights.copy_to(weights)
            source = replace(source, weights=np.memmap(weights, np.uint8, "r").data)
        return describe(source, command)


@dataclass(frozen=True)
class LoadedFiles:
    """The files of an artifact that was loaded, and the manifest of these."""

    manifest: Mapping[str, Any]
    image: bytes
    others: Mapping[str, OpenFile]
    """The weights, and the source and header if they were there, by their keys in the manifest."""

    def write(self, directory: Path) -> Path:
        stated = self.manifest["files"]
        files = {k: v for k, v in stated.items() if k == "library" or k in self.others}
        write_whole(directory / files["library"]["file"], self.image)
        for kind, opened in self.others.items():
            opened.copy_to(directory / files[kind]["file"])
        path = directory / f"{self.manifest['name']}{SUFFIX}"
        write_whole(path, f"{manifest.as_text({**self.manifest, 'files': files})}\n".encode())
        return path
