"""Compiled models as files that stay: written once with a manifest, loaded anywhere without a compiler.

manifest = build(source, "build")            # build/program.{c,h,so,weights,json}
model = load("build/program")
"""

from __future__ import annotations

import copyreg
import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from xdsl.utils.exceptions import ParseError, VerifyException

from lowering.emit_c.model_interface import MARK, interface
from lowering.emit_c.syntax.c_source import ABI_VERSION
from lowering.runtime import calling, loading, manifest
from lowering.runtime.artifact_files import KINDS, SUFFIX
from lowering.runtime.loading import CompiledModule
from lowering.runtime.model_files import LoadedFiles, OpenFile
from lowering.runtime.sealed_library import is_whole
from lowering.support.c_compiler import machine
from relax_dialect.errors import RelaxError
from relax_dialect.text.regular_files import open_inside, open_regular
from relax_dialect.text.wording import nearest

LONGEST = 1 << 26
"""The most bytes of a manifest that are read, some thousand times those of large models."""

_DAMAGE = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
    ParseError,
    VerifyException,
)
"""The errors of reading a file that has not the form of a manifest."""

TOGETHER = "take all files of one build together, or compile the program again"


def _contents(model: CompiledModule) -> dict[str, bytes]:
    """Return the files of a model by name."""
    with TemporaryDirectory(prefix="relax-") as folder:
        model.kept_files("pickle").write(Path(folder))
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def restored(files: Mapping[str, bytes]) -> CompiledModule:
    """Return the model of the files in a pickle."""
    with TemporaryDirectory(prefix="relax-") as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        return load(folder)


copyreg.pickle(CompiledModule, lambda model: (restored, (_contents(model),)))


# Loading -------------------------------------------------------------------------------------------


def load(path: str | Path) -> CompiledModule:
    """Return the model whose files begin with a path, as in `build/program`; a file of it will do, and a
    folder that holds one model."""
    file = find_manifest(Path(path))
    found = _read(file)
    _check_version(file, found)
    try:
        _check_architecture(file, found["target"])
        _check_interface(file, found)
        stated: Mapping[str, Any] = found["files"]
        library, image = _library(file, stated["library"], found["interface"])
        weights = _weights(file, stated["weights"]) if "weights" in stated else None
        files = LoadedFiles(found, image, _others(file, stated))
        name, functions = found["name"], found["entry_points"]
        signatures = calling.from_text(manifest.signatures(functions))
        entries = manifest.entries(functions)
        packed = manifest.packed(found["functions_from_outside"])
        libraries = manifest.libraries(found["libraries"])
        arena = found["arena"] if found["arena"] is None else tuple(found["arena"])
    except _DAMAGE as error:
        raise RelaxError(
            f"{file}: expected what relax-compile has written, found a manifest that was changed "
            f"({type(error).__name__}: {_shown(str(error).split(chr(10))[0])}); {TOGETHER}"
        ) from None
    try:
        return loading.load(
            library, entries, weights, name=name, packed=packed, signatures=signatures,
            libraries=libraries, arena=arena, files=files,
        )  # fmt: skip
    except RelaxError as error:
        mend = (
            f"; {TOGETHER}"
            if str(error).startswith((f"{name}_load:", f"{name}_use_weights:"))
            else ""
        )
        raise RelaxError(f"{error}{mend}") from None


def find_manifest(path: Path) -> Path:
    """Return the manifest that a path means."""
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
    """Return the content of a manifest."""
    try:
        with open_regular(file) as opened:
            text = opened.read(LONGEST).decode("utf-8")
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
    """Refuse a manifest version whose meaning may differ."""
    for what, ours in (("version", manifest.VERSION), ("abi_version", ABI_VERSION)):
        theirs = found.get(what)
        if theirs != ours:
            by = found.get("made_by")
            release = (
                f" of relax-xdsl {_shown(by.get('relax-xdsl'))}" if isinstance(by, dict) else ""
            )
            raise RelaxError(
                f"{file}: expected {what} {ours}, found {_shown(theirs)}{release}; load it with that "
                "release, or compile the program with this one"
            )


def _check_architecture(file: Path, target: Mapping[str, Any]) -> None:
    if target["architecture"] != machine():
        raise RelaxError(
            f"{file}: expected code for this machine, {machine()}, found code for "
            f"{_shown(target['architecture'])} (--cpu {_shown(target['cpu'])}); load it there, or "
            "compile the program here"
        )


def _check_interface(file: Path, found: Mapping[str, Any]) -> None:
    """Refuse a manifest whose digest is that of other functions, weights or targets."""
    expected = interface(manifest.bound(found))
    if found["interface"] != expected:
        raise RelaxError(
            f"{file}: expected a manifest as relax-compile has written it, found one that was changed: its "
            f"functions have the digest {_short(expected)}, and it says {_short(found['interface'])}; "
            f"{TOGETHER}"
        )


def _library(file: Path, stated: Mapping[str, Any], expected: str) -> tuple[Path, bytes]:
    """Return the library and its content, which is compared with the manifest before any of it runs."""
    path, opened = _opened(file, stated)
    with opened:
        content = opened.read()
    if (sha256 := hashlib.sha256(content).hexdigest()) != stated["sha256"]:
        raise RelaxError(
            f"{path}: expected the file of sha256 {_short(stated['sha256'])}, as {file.name} says, found "
            f"{_short(sha256)}: a file of another build, or a damaged one; {TOGETHER}"
        )
    if not is_whole(content):
        raise RelaxError(
            f"{path}: expected a library that ends with its digest, found one that was cut or changed; "
            f"{TOGETHER}"
        )
    if expected.encode("ascii") not in content:
        raise RelaxError(
            f"{path}: expected the library of {_short(expected)}, as {file.name} says, found one of "
            f"another program, or compiled with other options; {TOGETHER}"
        )
    return path, content


def _weights(file: Path, stated: Mapping[str, Any]) -> Path:
    """Return the file of weights; the library itself compares its content while it reads it."""
    path, opened = _opened(file, stated)
    opened.close()
    return path


def _opened(file: Path, stated: Mapping[str, Any]) -> tuple[Path, BinaryIO]:
    """Return a file that a manifest names, inside of its folder and of the size that it states."""
    name = stated["file"]
    try:
        opened = open_inside(file.parent, name)
    except OSError as error:
        raise RelaxError(
            f"{file}: expected {_shown(name)} in the same folder, found none that can be read: "
            f"{error.strerror}; {TOGETHER}"
        ) from None
    if opened is None:
        raise RelaxError(
            f"{file}: expected the name of a file in the same folder, no link, found "
            f"{_shown(repr(name))}; {TOGETHER}"
        )
    path, size = file.parent / name, os.fstat(opened.fileno()).st_size
    if size != stated["bytes"]:
        opened.close()
        raise RelaxError(
            f"{path}: expected {_shown(stated['bytes'])} bytes, as {file.name} says, found {size}: a file "
            f"of another build, or not all of it; {TOGETHER}"
        )
    return path, opened


def _others(file: Path, stated: Mapping[str, Any]) -> dict[str, OpenFile]:
    """Return the files of a model but its library, as far as they are there."""
    found: dict[str, OpenFile] = {}
    for kind in KINDS.keys() & stated.keys() - {"library"}:
        with suppress(OSError):
            opened = open_inside(file.parent, stated[kind]["file"])
            if opened is not None:
                found[kind] = OpenFile(opened)
    return found


def _shown(value: object) -> str:
    """Return a value of a manifest, however long, as errors show it."""
    return (value if isinstance(value, str) else repr(value))[:60]


def _short(digest: object) -> str:
    """Return the beginning of a digest, for people."""
    return f"{str(digest).removeprefix(MARK)[:16]}..."
