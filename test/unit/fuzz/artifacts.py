"""Artifacts that were tampered with: each is refused with one clear error, or runs right; no process dies.

Manifests are changed value by value, libraries and weights are cut, zeroed, swapped and linked, and what a
manifest states of files (sizes, digests) is restated so that only the rest can notice.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import lowering
from lowering.emit_c.model_interface import interface
from lowering.runtime import manifest
from relax_dialect import RelaxError, parse

from .cases import Fault, HangError, time_limit

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %s: tuple<!relax.tensor<[n], f32>, !relax.shape<[k]>>)
    -> tuple<!relax.tensor<[n, 2], f32>, !relax.shape<[k]>> {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, LAST]]> : tensor<4x2xf32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %k = relax.shape [k]
  %r = relax.tuple %y, %k : (!relax.tensor<[n, 2], f32>, !relax.shape<[k]>) -> tuple<!relax.tensor<[n, 2], f32>, !relax.shape<[k]>>
  relax.return %r : tuple<!relax.tensor<[n, 2], f32>, !relax.shape<[k]>>
}
"""
X = np.arange(12, dtype=np.float32).reshape(3, 4)
WEIGHTS = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
SECONDS = 20
LONGEST = 1500
"""The most characters of an error."""

Act = Callable[[Path, dict[str, Any]], None]
"""Changes the files of an artifact, or the manifest as JSON, which is written afterwards."""

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        2**31,
        2**70,
        1.5,
        float("inf"),
        float("nan"),
        "",
        "x",
        "n",
        "?",
    ),
    *(
        "n +",
        "[",
        "*",
        "tensor",
        "scalar",
        "object",
        "float32",
        "float64",
        "bfloat16",
        "\ud800",
        "\0",
    ),
    *("/dev/zero", "..", "../m.so", "net.json", "system", "!relax.object", "9" * 5000, "é" * 3000),
    *(
        [],
        {},
        [1],
        [None],
        ["n", "n"],
        [[]],
        {"file": "net.so"},
        {"literal": "string", "value": "x"},
    ),
)


@cache
def built() -> Path:
    """A folder with an artifact, and beside it one of the same interface with other weights."""
    folder = Path(tempfile.mkdtemp(prefix="relax-artifacts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, last in (("own", "8.0"), ("other", "9.0")):
        program = parse(PROGRAM.replace("LAST", last))
        lowering.compile(program, "net", directory=folder / name, sidecar_threshold=8)
    return folder


def outcome(folder: Path) -> str:
    """How loading and calling ends: "right", or the text of the error. Raises `Fault`."""
    try:
        with time_limit(SECONDS):
            y, k = lowering.load(folder).main(X, (np.zeros(3, np.float32), (5,)))
    except RelaxError as error:
        text = str(error)
        if not text or len(text) > LONGEST or "Traceback" in text:
            raise Fault(f"no clear error: {text[:300]}", "") from None
        return text
    except HangError:
        raise Fault("hangs", "") from None
    except BaseException as error:
        raise Fault(f"{type(error).__name__}: {error}", "") from error
    if k != (5,) or not np.array_equal(y, X @ WEIGHTS):
        raise Fault(f"runs, and is wrong: {y.tolist()}, {k}", "")
    return "right"


def tried(name: str, act: Act) -> str:
    """The outcome of an artifact after an act. Raises `Fault`."""
    with tempfile.TemporaryDirectory() as above:
        folder = Path(above) / "own"
        shutil.copytree(built() / "own", folder)
        shutil.copytree(built() / "other", Path(above) / "other")
        (folder / "sub").mkdir()
        told = json.loads((folder / "net.json").read_text())
        act(folder, told)
        if (folder / "net.json").is_file():
            (folder / "net.json").write_text(json.dumps(told))
        try:
            return outcome(folder)
        except Fault as fault:
            raise Fault(f"{name}: {fault}", json.dumps(told)) from fault.__cause__


# Acts ------------------------------------------------------------------------------------------------


def restated(folder: Path, told: dict[str, Any], kind: str) -> None:
    """Let the manifest state the file of a kind as it is now."""
    content = (folder / told["files"][kind]["file"]).read_bytes()
    told["files"][kind] |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def of_content(name: str, change: Callable[[bytearray], bytes], kind: str, *, restate: bool) -> Act:
    def act(folder: Path, told: dict[str, Any]) -> None:
        content = bytearray((folder / name).read_bytes())
        (folder / name).write_bytes(change(content))
        if restate:
            restated(folder, told, kind)

    return act


def zeroed(start: float, end: float) -> Callable[[bytearray], bytes]:
    def change(content: bytearray) -> bytes:
        first, last = int(start * len(content)), int(end * len(content))
        return bytes(content[:first]) + bytes(last - first) + bytes(content[last:])

    return change


def flipped(at: float) -> Callable[[bytearray], bytes]:
    def change(content: bytearray) -> bytes:
        content[int(at * (len(content) - 1))] ^= 0x11
        return bytes(content)

    return change


def cut(at: float) -> Callable[[bytearray], bytes]:
    return lambda content: bytes(content[: int(at * len(content))])


def other_file(name: str, *, restate: bool) -> Act:
    """The file of another build."""

    def act(folder: Path, told: dict[str, Any]) -> None:
        shutil.copy(folder.parent / "other" / name, folder / name)
        if restate:
            restated(folder, told, "library" if name.endswith(".so") else "weights")

    return act


def linked(name: str, make: Callable[[Path], None]) -> Act:
    def act(folder: Path, told: dict[str, Any]) -> None:
        (folder / name).unlink()
        make(folder / name)

    return act


def named(kind: str, name: Callable[[Path], str], *, restate: bool) -> Act:
    """Another file is named, by a path."""

    def act(folder: Path, told: dict[str, Any]) -> None:
        told["files"][kind]["file"] = name(folder)
        if restate:
            restated(folder, told, kind)

    return act


def at_path(path: tuple[Any, ...], value: Any, *, restate: bool = False) -> Act:
    """A value of the manifest is another, or is missing if that is `KeyError`."""

    def act(folder: Path, told: Any) -> None:
        inner = told
        for key in path[:-1]:
            inner = inner[key]
        if value is KeyError:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value(inner[path[-1]]) if callable(value) else value
        if restate:
            with suppress(KeyError, TypeError, ValueError, RecursionError):
                told["interface"] = interface(manifest.bound(told))

    return act


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside of JSON."""
    found = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in found:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def systematic() -> Iterator[tuple[str, Act]]:
    """Each kind of tampering at the places that matter."""
    yield "as it was", lambda folder, told: None
    for kind, name in (("library", "net.so"), ("weights", "net.weights")):
        for restate in (False, True):
            end = f"{kind}, restated" if restate else kind
            for at in (0, 0.1, 0.5, 0.9, 0.999):
                yield f"cut at {at}: {end}", of_content(name, cut(at), kind, restate=restate)
                yield f"flip at {at}: {end}", of_content(name, flipped(at), kind, restate=restate)
                yield (
                    f"zeros from {at}: {end}",
                    of_content(name, zeroed(at, at + 0.3 * (1 - at)), kind, restate=restate),
                )
            yield f"all zeros: {end}", of_content(name, zeroed(0, 1), kind, restate=restate)
            yield (
                f"longer: {end}",
                of_content(name, lambda c: bytes(c) + b"x", kind, restate=restate),
            )
            yield f"of another build: {end}", other_file(name, restate=restate)
            for path in (
                f"../other/{name}",
                f"sub/../../other/{name}",
                f"../own/{name}",
                "/etc/passwd",
            ):
                yield f"{path}: {end}", named(kind, lambda _, p=path: p, restate=restate)
            yield f"absolute: {end}", named(kind, lambda f, n=name: str(f / n), restate=restate)
        yield f"link out: {kind}", linked(name, lambda p: p.symlink_to(f"../other/{p.name}"))
        yield f"link to itself: {kind}", linked(name, lambda p: p.symlink_to(p.name))
        yield f"device: {kind}", linked(name, lambda p: p.symlink_to("/dev/zero"))
        yield f"pipe: {kind}", linked(name, os.mkfifo)
        yield f"folder: {kind}", linked(name, Path.mkdir)
        yield f"missing: {kind}", linked(name, lambda p: None)
        yield f"not named: {kind}", at_path(("files", kind), KeyError, restate=True)
    yield "pipe: manifest", linked("net.json", os.mkfifo)
    yield "folder: manifest", linked("net.json", Path.mkdir)
    entry = ("entry_points", 0)
    for value in ("system", "net_last_error", "net_check_cpu", "abort", "nope", "", "net_main"):
        yield f"c_name {value!r}", at_path((*entry, "c_name"), value, restate=True)
    for key in ("parameters", "results"):
        yield f"no {key}", at_path((*entry, key), [], restate=True)
        yield f"{key} twice", at_path((*entry, key), lambda v: v + v, restate=True)
        for kind in ("scalar", "object", "tensor"):
            yield f"{key} {kind}", at_path((*entry, key, 0, "kind"), kind, restate=True)
        for dtype in ("float64", "int8", "bool"):
            yield f"{key} {dtype}", at_path((*entry, key, 0, "dtype"), dtype, restate=True)
        for shape in ([], ["n"], ["n", "5"], ["n", "4", "1"]):
            yield f"{key} {shape}", at_path((*entry, key, 0, "shape"), shape, restate=True)
    evil = {
        "name": "x",
        "includes": [],
        "libraries": ["m"],
        "reserved": "",
        "environment": {"LD_PRELOAD": "x"},
        "install": "",
    }
    yield "libraries", at_path(("libraries",), [evil], restate=True)
    yield "arena", at_path(("arena",), [], restate=True)
    yield "deep", at_path(("arena",), json.loads("[" * 900 + "]" * 900), restate=True)


def drawn(rng: random.Random) -> tuple[str, Act]:
    """A random value at a random place of the manifest, or random bytes of a file."""
    if rng.random() < 0.2:
        name, kind = rng.choice((("net.so", "library"), ("net.weights", "weights")))
        change = rng.choice((cut, flipped))(rng.random())
        return f"{name} changed", of_content(name, change, kind, restate=rng.random() < 0.7)
    told = json.loads((built() / "own" / "net.json").read_text())
    path = rng.choice([p for p in paths(told) if p[0] != "declarations" or rng.random() < 0.05])
    value = KeyError if rng.random() < 0.1 else rng.choice(VALUES)
    return f"{path} = {value!r}"[:80], at_path(path, value, restate=rng.random() < 0.5)


def case(rng: random.Random) -> bool:
    """Try one act: a systematic one as often as a random one; whether the artifact runs. Raises `Fault`."""
    name, act = rng.choice(list(systematic())) if rng.random() < 0.3 else drawn(rng)
    return tried(name, act) == "right"
