"""The three networks compiled by us, each once for pictures and lines of every size; or run by others."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from detect import Network
from networks import FILES, INSTALL, are_here, file_of
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.tools.progress_bar import progress_bar
from relax_dialect import RelaxError
from relax_dialect.frontends import onnx as frontend

SIZES: Mapping[str, Sequence[int | str]] = {
    "detector": ("n", 3, "h", "w"),
    "classifier": ("n", 3, 48, 192),
    "recogniser": ("n", 3, 48, "w"),
}
"""The shape of the input `x` of each. The files leave all sizes open but that of the channels."""


class Reader(NamedTuple):
    """The networks, and the characters of the recogniser's classes from 1 on."""

    detector: Network
    classifier: Network
    recogniser: Network
    characters: Sequence[str]

    def timed(self, seconds: dict[str, float]) -> Reader:
        """Return a reader that adds the time of each network to `seconds`."""

        def clocked(name: str) -> Network:
            network = getattr(self, name)

            def call(x: np.ndarray) -> np.ndarray:
                start = time.perf_counter()
                result = network(x)
                seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
                return result

            return call

        return self._replace(**{name: clocked(name) for name in FILES})


def reader(run: Callable[[str], Network]) -> Reader:
    """Build the networks by `run`, from their names."""
    if not are_here():
        raise RelaxError(
            "expected the package rapidocr-onnxruntime, which holds the networks, found none; "
            f"`make ocr` installs it, or: {INSTALL}"
        )
    try:
        import onnx
    except ModuleNotFoundError:
        raise RelaxError(
            "expected the package onnx, found none; `make ocr` installs it, or: pip install onnx"
        ) from None
    model = onnx.load(str(file_of("recogniser")), load_external_data=False)
    return Reader(**{name: run(name) for name in FILES}, characters=characters(model))


def characters(model: Any) -> list[str]:
    """Return the characters of the recogniser: a list in its model's metadata, and the space, which it
    lacks."""
    told = {entry.key: entry.value for entry in model.metadata_props}
    if "character" not in told:
        raise RelaxError(
            "expected a recogniser with its characters in the metadata 'character', found "
            f"{', '.join(told) or 'no metadata'}; {INSTALL}"
        )
    return [*told["character"].splitlines(), " "]


def program(name: str) -> ModuleOp:
    """Import a network as a program of ours."""
    return frontend.load(file_of(name), dims={"x": SIZES[name]})


def compiled(folder: Path) -> Reader:
    """Compile the networks to C in a folder; results are cached."""

    def run(name: str) -> Network:
        start = time.perf_counter()
        with progress_bar(start):
            model = lowering.compile(program(name), name, directory=folder)
        print(f"{name}: compiled in {time.perf_counter() - start:.1f} s")
        return model.main

    return reader(run)


def peer() -> Reader | None:
    """Return the networks in ONNX Runtime, on one thread as ours are, if it is installed."""
    if find_spec("onnxruntime") is None:
        return None
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1

    def run(name: str) -> Network:
        session = onnxruntime.InferenceSession(str(file_of(name)), options)
        return lambda x: np.asarray(session.run(None, {"x": x})[0])

    return reader(run)
