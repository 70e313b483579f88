"""Compiled models as files that stay: written once with a manifest, loaded anywhere without a compiler.

manifest = build(source, "build")            # build/program.{c,h,so,weights,json}
model = load("build/program")
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from xdsl.utils.exceptions import ParseError, VerifyException

from lowering.emit_c.source import ABI_VERSION, CSource
from lowering.runtime import calling, loading, manifest
from lowering.runtime.build_cache import BuildCache, user_cache
from lowering.runtime.c_command import CCommand
from lowering.runtime.file_digest import file_digest
from lowering.runtime.loading import CompiledModule
from lowering.runtime.shared_object import c_command, compile_c
from lowering.target import find
from lowering.toolchain.c_compiler import machine
from lowering.toolchain.whole_files import write_whole
from relax_dialect.errors import RelaxError
from relax_dialect.text.wording import nearest

SUFFIX = ".json"
KINDS = {"library": ".so", "weights": ".weights", "source": ".c", "header": ".h"}
"""The files of a model, and how their names end."""

TOGETHER = "take all files of one build together, or compile the program again"


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
    """Writes the files of a model, compiles them, and says in a manifest what they are; the library.

    `program` is the file that the model was made of.
    """
    library = compile_c(source, directory, cc=cc, extra_flags=extra_flags, link=link, cache=cache)
    command = c_command(source, directory, cc=cc, extra_flags=extra_flags, link=link)
    told = manifest.as_text(_manifest(source, command, program, user_cache() if cache else None))
    write_whole(manifest_path(source, directory), f"{told}\n".encode())
    return library


def manifest_path(source: CSource, directory: str | Path) -> Path:
    """Where the manifest of a model stands."""
    return Path(directory) / f"{source.name}{SUFFIX}"


def _manifest(
    source: CSource, command: CCommand, program: Path | None, cache: BuildCache | None
) -> dict[str, Any]:
    cpu = find(source.cpu)
    stem = command.library.with_suffix("")
    files = {kind: stem.with_suffix(suffix) for kind, suffix in KINDS.items()}
    if source.weights is None:
        del files["weights"]
    if program is not None:
        files["program"] = program
    return {
        "format": manifest.FORMAT,
        "version": manifest.VERSION,
        "name": source.name,
        "made_by": {
            **{name: version(name) for name in PROJECTS},
            "python": platform.python_version(),
            "compiler": command.version(),
        },
        "target": {
            "cpu": cpu.name,
            "architecture": cpu.architecture or machine(),
            "features": sorted(cpu.features),
            "command": replace(command, folder=Path()).words([f"{source.name}.c"]),
        },
        "abi_version": ABI_VERSION,
        "files": {kind: _stated(path, cache) for kind, path in files.items()},
        **manifest.described(source),
    }


PROJECTS = ("relax-xdsl", "xdsl")
"""This project and what it is built on, as packages."""


def version(package: str) -> str | None:
    """The version of a package; None for one that runs where it was written."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _stated(path: Path, cache: BuildCache | None) -> dict[str, Any]:
    """The entry of a file in a manifest."""
    sha256 = file_digest(path, cache)
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256}


# Loading -------------------------------------------------------------------------------------------


def load(path: str | Path) -> CompiledModule:
    """The model whose files begin with a path, as in `build/program`; a file of it will do, and a folder
    that holds one model."""
    file = find_manifest(Path(path))
    found = _read(file)
    _check_version(file, found)
    try:
        stated: Mapping[str, Any] = found["files"]
        library = file.parent / stated["library"]["file"]
        _check_architecture(library, found["target"])
        _check(file, library, stated["library"])
        weights = file.parent / stated["weights"]["file"] if "weights" in stated else None
        if weights is not None:  # the library itself compares what stands in them
            _check(file, weights, stated["weights"], whole=False)
        name, functions = found["name"], found["entry_points"]
        signatures = calling.from_text(manifest.signatures(functions))
        entries = manifest.entries(functions)
        packed = manifest.packed(found["functions_from_outside"])
        libraries = manifest.libraries(found["libraries"])
        arena = found["arena"] if found["arena"] is None else tuple(found["arena"])
    except (KeyError, TypeError, ValueError, AttributeError, ParseError, VerifyException) as error:
        raise RelaxError(
            f"{file}: expected what relax-compile has written, found a manifest that was changed "
            f"({type(error).__name__}: {str(error).splitlines()[0]}); {TOGETHER}"
        ) from None
    try:
        return loading.load(
            library, entries, weights, name=name, packed=packed, signatures=signatures,
            libraries=libraries, arena=arena,
        )  # fmt: skip
    except RelaxError as error:
        mend = (
            f"; {TOGETHER}"
            if str(error).startswith((f"{name}_load:", f"{name}_use_weights:"))
            else ""
        )
        raise RelaxError(f"{error}{mend}") from None


def find_manifest(path: Path) -> Path:
    """The manifest that a path means."""
    if path.is_dir():
        found = [file for file in sorted(path.glob(f"*{SUFFIX}")) if _is_manifest(file)]
        if len(found) == 1:
            return found[0]
        names = ", ".join(str(file.with_suffix("")) for file in found) or "none"
        raise RelaxError(
            f"{path}: expected a folder that holds one model, found {names}; name the model, as in "
            f"{path / 'program'}"
        )
    file = path.with_suffix(SUFFIX) if path.suffix in (*KINDS.values(), SUFFIX) else path
    file = file if file.suffix == SUFFIX else file.with_name(f"{file.name}{SUFFIX}")
    if not file.is_file():
        there = [p.stem for p in file.parent.glob(f"*{SUFFIX}") if _is_manifest(p)]
        meant = nearest(file.stem, there)
        guess = f"is {file.with_name(meant)} meant? " if meant else ""
        raise RelaxError(
            f"{path}: expected {file}, the manifest that relax-compile writes with a library, found none; "
            f"{guess}{TOGETHER}"
        )
    return file


def _is_manifest(file: Path) -> bool:
    try:
        return _read(file) is not None
    except RelaxError:
        return False


def _read(file: Path) -> Mapping[str, Any]:
    """The content of a manifest."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RelaxError(
            f"{file}: expected the manifest of a model, found no text: {error}; {TOGETHER}"
        ) from None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RelaxError(
            f"{file}: expected the manifest of a model, found JSON that ends early or is damaged: {error}; "
            f"{TOGETHER}"
        ) from None
    if not isinstance(found, dict) or found.get("format") != manifest.FORMAT:
        raise RelaxError(
            f"{file}: expected the manifest of a model, found other JSON; name what relax-compile has "
            "written"
        )
    return found


def _check_version(file: Path, found: Mapping[str, Any]) -> None:
    """Refuse what a later release may mean otherwise."""
    for what, ours in (("version", manifest.VERSION), ("abi_version", ABI_VERSION)):
        theirs = found.get(what)
        if theirs != ours:
            by = found.get("made_by")
            release = f" of relax-xdsl {by.get('relax-xdsl')}" if isinstance(by, dict) else ""
            raise RelaxError(
                f"{file}: expected {what} {ours}, found {theirs!r}{release}; load it with that release, or "
                "compile the program with this one"
            )


def _check_architecture(library: Path, target: Mapping[str, Any]) -> None:
    if target["architecture"] != machine():
        raise RelaxError(
            f"{library}: expected code for this machine, {machine()}, found code for "
            f"{target['architecture']} (--cpu {target['cpu']}); load it there, or compile the program here"
        )


def _check(file: Path, path: Path, stated: Mapping[str, Any], *, whole: bool = True) -> None:
    """Refuse a file that is not the one that a manifest was written with."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if whole and size == stated["bytes"] else b""
    except OSError as error:
        raise RelaxError(
            f"{file}: expected {path.name} in the same folder, found none that can be read: "
            f"{error.strerror}; {TOGETHER}"
        ) from None
    if size != stated["bytes"]:
        raise RelaxError(
            f"{path}: expected {stated['bytes']} bytes, as {file.name} says, found {size}: a file of "
            f"another build, or not all of it; {TOGETHER}"
        )
    if whole and (digest := hashlib.sha256(data).hexdigest()) != stated["sha256"]:
        raise RelaxError(
            f"{path}: expected the file of sha256 {stated['sha256'][:16]}..., as {file.name} says, found "
            f"{digest[:16]}...: a file of another build, or a damaged one; {TOGETHER}"
        )
