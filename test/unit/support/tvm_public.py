"""The public names of TVM's packages as JSON, each with its other names; run by the Python that has TVM.

Reads a list of names as JSON from standard input, and gives those under "missing" that TVM has not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import tvm  # pyright: ignore[reportMissingImports]
import tvm.relax.frontend.nn  # pyright: ignore[reportMissingImports]
import tvm.relax.frontend.onnx  # pyright: ignore[reportMissingImports]
import tvm.relax.frontend.torch  # pyright: ignore[reportMissingImports]
import tvm.relax.op.vm  # pyright: ignore[reportMissingImports]
import tvm.relax.training  # pyright: ignore[reportMissingImports]
import tvm.topi  # pyright: ignore[reportMissingImports]
from tvm import relax  # pyright: ignore[reportMissingImports]
from tvm.script import relax as R  # pyright: ignore[reportMissingImports]

PACKAGES = {
    "R": (R, tvm),
    "relax": (relax, tvm),
    "relax.analysis": (relax.analysis, relax.analysis),
    "relax.dpl": (relax.dpl, relax.dpl),
    "relax.transform": (relax.transform, relax.transform),
    "relax.BlockBuilder": (relax.BlockBuilder, relax.block_builder),
}
"""Packages and classes, each with the package in which what counts is made: what it imports does not."""


def public(package: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(package):
        if not name.startswith("_"):
            yield name, getattr(package, name)


def is_made_in(value: Any, package: ModuleType) -> bool:
    return getattr(value, "__module__", "").startswith(package.__name__)


def operators() -> list[list[str]]:
    """The functions of `tvm.relax.op`, each with all of its names."""
    found: dict[int, list[str]] = {}
    seen: set[ModuleType] = set()

    def walk(package: ModuleType, path: str) -> None:
        seen.add(package)
        for name, value in public(package):
            if isinstance(value, ModuleType):
                if value not in seen and value.__name__.startswith(f"{relax.op.__name__}."):
                    walk(value, f"{path}{name}.")
            elif isinstance(value, FunctionType) and is_made_in(value, relax.op):
                found.setdefault(id(value), []).append(path + name)

    walk(relax.op, "")
    return list(found.values())


def is_known(name: str) -> bool:
    """Whether TVM has an object of this name."""
    value: Any = SimpleNamespace(tvm=tvm, relax=relax, R=R)
    for part in name.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def alternatives(name: str, package: Any, home: ModuleType) -> list[list[str]]:
    """The names of a package, each with that under which an operator stands elsewhere."""
    return [
        [f"{name}.{each}", f"relax.op.{each}"]
        for each, value in public(package)
        if is_made_in(value, home) and not isinstance(value, ModuleType)
    ]


known = {name: alternatives(name, *each) for name, each in PACKAGES.items()}
known["relax.op"] = [[f"relax.op.{name}" for name in names] for names in operators()]
missing = [name for name in json.load(sys.stdin) if not is_known(name)]
print(json.dumps({"missing": missing, **known}))
