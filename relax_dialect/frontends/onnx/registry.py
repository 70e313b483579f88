"""The table of converters, by domain, operator and first opset; files of `converters` fill it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from relax_dialect.families import modules_of
from relax_dialect.frontends.onnx.node import OnnxNode

Converter: TypeAlias = Callable[[OnnxNode], Any]

PACKAGES = ("converters", "microsoft", "ml")
"""The folders of converters, one for each domain."""

_TABLE: dict[tuple[str, str], dict[int, Converter]] = {}

_LOOPING: set[tuple[str, str]] = set()
"""Operators whose converters emit branches or loops."""


def converter(
    *names: str, since: int = 1, domain: str = "", loops: bool = False
) -> Callable[[Converter], Converter]:
    """Register a converter of operators, from an opset of their domain on.

    A model uses the newest converter that is not newer than its opset. `loops` means that the converter may
    emit branches or loops.
    """

    def register(function: Converter) -> Converter:
        for name in names:
            key = normal_domain(domain), name
            versions = _TABLE.setdefault(key, {})
            if since in versions:
                raise TypeError(f"two converters of {name} from opset {since} on")
            versions[since] = function
            if loops:
                _LOOPING.add(key)
        return function

    return register


def converters() -> Iterator[Converter]:
    """Return the converters that are registered now."""
    return (each for versions in _TABLE.values() for each in versions.values())


def normal_domain(domain: str) -> str:
    """Normalize the two spellings of ONNX's own domain."""
    return "" if domain == "ai.onnx" else domain


@cache
def table() -> Mapping[tuple[str, str], Mapping[int, Converter]]:
    """Return all converters; the files of the operator families are imported here."""
    for name in PACKAGES:
        package = import_module(f"relax_dialect.frontends.onnx.{name}")
        modules_of(package.__name__, package.__path__)
    return _TABLE


def may_loop(domain: str, name: str) -> bool:
    """Returns whether the converter of an operator may emit branches or loops."""
    return (normal_domain(domain), name) in _LOOPING


def find(domain: str, name: str, opset: int) -> Converter | None:
    """Return the converter of an operator for a model of an opset, or None."""
    versions = table().get((normal_domain(domain), name), {})
    fitting = [since for since in versions if since <= opset]
    return versions[max(fitting)] if fitting else None
