"""Artifacts as they are written: the files of a compiled model, and their manifest."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from lowering.emit_c.model_interface import described, interface
from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime import manifest, shared_object
from lowering.runtime.build_cache import BuildCache, user_cache
from lowering.runtime.c_command import CCommand
from lowering.runtime.file_digest import file_digest
from lowering.runtime.sealed_library import seal
from lowering.support.whole_files import write_whole

SUFFIX = ".json"
KINDS = {"library": ".so", "weights": ".weights", "source": ".c", "header": ".h"}
"""The files of a model, and how their names end."""


def build(
    source: CSource,
    directory: str | Path,
    *,
    cc: str | None = None,
    extra_flags: Sequence[str] = (),
    link: Sequence[str | Path] = (),
    cache: bool = True,
    program: Path | None = None,
) -> Path:
    """Write the files of a model, compile them, and describe them in a manifest; return the library.

    `program` is the source file of the model.
    """
    options = {"cc": cc, "extra_flags": extra_flags, "link": link}
    library = shared_object.compile_c(source, directory, **options, cache=cache)
    command = shared_object.c_command(source, directory, **options)
    describe(source, command, cache=cache, program=program)
    return library


def describe(
    source: CSource, command: CCommand, *, cache: bool = True, program: Path | None = None
) -> Path:
    """Seal the library that a command has made, and write the manifest of the files beside it; return the
    manifest."""
    seal(command.library)
    told = manifest.as_text(_manifest(source, command, program, user_cache() if cache else None))
    path = manifest_path(source, command.folder)
    write_whole(path, f"{told}\n".encode())
    return path


def manifest_path(source: CSource, directory: str | Path) -> Path:
    """Return the path of the manifest of a model."""
    return Path(directory) / f"{source.name}{SUFFIX}"


def _manifest(
    source: CSource, command: CCommand, program: Path | None, cache: BuildCache | None
) -> dict[str, Any]:
    stem = command.library.with_suffix("")
    files = {kind: stem.with_suffix(suffix) for kind, suffix in KINDS.items()}
    if source.weights is None:
        del files["weights"]
    if program is not None:
        files["program"] = program
    told = described(source)
    entries = {kind: _stated(path, cache) for kind, path in files.items()}
    if (checksum := told.pop("weights")) is not None:
        entries["weights"]["checksum"] = checksum
    command_words = replace(command, folder=Path()).words([f"{source.name}.c"])
    return {
        "format": manifest.FORMAT,
        "version": manifest.VERSION,
        "name": told.pop("name"),
        "made_by": {
            **{name: version(name) for name in PROJECTS},
            "python": platform.python_version(),
            "compiler": command.version(),
        },
        "target": {**told.pop("target"), "command": command_words},
        "abi_version": told.pop("abi_version"),
        "interface": interface(described(source)),
        "files": entries,
        **told,
        "declarations": manifest.declarations(source),
    }


PROJECTS = ("relax-xdsl", "xdsl")
"""This project and its foundation, as packages."""


def version(package: str) -> str | None:
    """Return the version of a package; None if it runs from its source."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _stated(path: Path, cache: BuildCache | None) -> dict[str, Any]:
    """Return the entry of a file in a manifest."""
    sha256 = file_digest(path, cache)
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256}
