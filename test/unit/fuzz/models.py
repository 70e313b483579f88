"""Damaged ONNX models: one is imported, or refused by one clear error, in little time and memory.

No file is read outside of the model's folder. What is imported can be printed, and some of it is lowered.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
from onnx_cases import some_node_cases
from onnx_damage import OF_BYTES, OF_MODELS

import lowering
from relax_dialect.frontends.onnx import load

from .cases import Fault, is_read, limited_memory

SECONDS = 10
"""How long the processor may be busy with one model."""
MEGABYTES = 1024
"""How much more memory than before a model may take."""
LONGEST = 4000
"""The most characters of an error."""
OURS = tuple({str(Path(p).resolve()) for p in (sys.base_prefix, sys.prefix, *sys.path) if p})
OURS += ("/dev/null", "/sys/devices/system/cpu/", "/proc/cpuinfo")
"""Where Python and the compiler read their own files."""

_opened: list[str] | None = None
"""The files that were opened, while a model is tried."""


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str | bytes):
        _opened.append(os.fsdecode(arguments[0]))


@cache
def _listen() -> None:
    sys.addaudithook(_note)


def batch(rng: random.Random, count: int, every: int = 4) -> int:
    """Try so many models, damaged ones of each so many of ONNX's files; how many are imported. Raises `Fault`."""
    _listen()
    with TemporaryDirectory() as above, limited_memory(MEGABYTES):
        folder = Path(above) / "model"
        folder.mkdir()
        (Path(above) / "secret.bin").write_bytes(bytes(4096))
        (folder / "weights.bin").write_bytes(bytes(range(256)) * 16)
        (folder / "link.bin").symlink_to("../secret.bin")
        return sum(_case(rng, folder, originals(every)) for _ in range(count))


def _case(rng: random.Random, folder: Path, models: Sequence[bytes]) -> bool:
    data = damaged(rng.choice(models), rng)
    path = folder / "model.onnx"
    path.write_bytes(data)
    global _opened
    _opened = []
    is_lowered = rng.random() < 0.05
    try:
        return is_read(lambda: _try(path, is_lowered=is_lowered), data, SECONDS, LONGEST)
    finally:
        opened, _opened = _opened, None
        outside = [p for p in opened or () if not _is_allowed(p, folder)]
        if outside:
            raise Fault(f"opens {outside[0]}, which is not in the model's folder", data)


def _is_allowed(path: str, folder: Path) -> bool:
    """Whether a model may make us open a file; what is no path at all opens nothing."""
    full = os.path.realpath(path) if "\0" not in path else ""
    return Path(full).is_relative_to(folder.resolve()) or full.startswith(OURS)


def _try(path: Path, *, is_lowered: bool) -> None:
    module = load(path)
    str(module)
    if is_lowered:
        lowering.lower(module, ["relax-to-loops"])


def damaged(original: bytes, rng: random.Random) -> bytes:
    """A model with up to three kinds of damage to what it says, then to its bytes."""
    model = onnx.ModelProto.FromString(original)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        rng.choice(OF_MODELS)(model, rng)
    try:
        data = model.SerializeToString()
    except Exception:  # names that are no text
        return b""
    return rng.choice(OF_BYTES)(data, rng) if rng.random() < 0.4 else data


@cache
def originals(every: int) -> Sequence[bytes]:
    """Models of one node, with all inputs as parameters and with all but the first as constants."""
    found = dict[str, bytes]()
    for case in some_node_cases(slice(0, None, every)):
        model, given = case.model, case.inputs
        if all(
            a is not None and not isinstance(a, tuple) and a.size < 4096 for a in given.values()
        ):
            found[case.operator] = model.SerializeToString()
            bound = onnx.ModelProto.FromString(found[case.operator])
            constants = [onnx.numpy_helper.from_array(a, n) for n, a in list(given.items())[1:]]
            bound.graph.initializer.extend(constants)
            found[f"{case.operator} bound"] = bound.SerializeToString()
    return list(found.values())
