"""The languages that can run a work, by name; each is imported on demand.

A language has the operators of `relax_dialect.builder.op` that works use, `const` for weights and `size`
for a size that varies. `prepare(work)` returns a runner: a function of the work's arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.work import Work

Run = Callable[[], Any]
"""A call with the arguments of a work, ready to be timed."""

Prepare = Callable[[Work, Sequence[np.ndarray]], Run]


@dataclass(frozen=True)
class Peer:
    """Somebody to be compared with: the module here, and the packages that it needs."""

    name: str
    module: str
    packages: tuple[str, ...]
    asked: bool = False
    """Whether it takes part only if it is selected."""

    @property
    def installed(self) -> bool:
        try:
            return all(find_spec(package) is not None for package in self.packages)
        except ModuleNotFoundError:  # the parent of a dotted name
            return False

    @property
    def prepare(self) -> Prepare:
        return import_module(f"bench.languages.{self.module}").prepare


PEERS: Mapping[str, Peer] = {
    "onnxruntime": Peer("ONNX Runtime", "onnx_runtime", ("onnx", "onnxruntime")),
    "torch": Peer("PyTorch", "pytorch", ("torch",)),
    "numpy": Peer("numpy", "plain_numpy", ("numpy",)),
    "tvm": Peer("TVM", "apache_tvm", ("onnx", "tvm"), asked=True),
    "iree": Peer("IREE", "iree", ("onnx", "iree.compiler", "iree.runtime"), asked=True),
}

BEST_OF = ("onnxruntime", "torch")
"""The peers whose better one is the measure."""


class MissingError(Exception):
    """An operator that a language does not have: its column stays empty."""


class Language:
    """The base of all languages."""

    def __init__(self, sizes: Mapping[str, int]):
        self.sizes = sizes

    def size(self, name: str) -> Any:
        """Return a size that varies."""
        return self.sizes[name]

    def const(self, array: np.ndarray) -> Any:
        """Weights."""
        return array

    def __getattr__(self, name: str) -> Any:
        raise MissingError(f"{type(self).__name__} has no {name}")
