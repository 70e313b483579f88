"""The table of converters, by the name of an ATen operator or overload; files of `converters` fill it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from relax_dialect.families import modules_of
from relax_dialect.frontends.torch.torch_node import TorchNode

Converter: TypeAlias = Callable[[TorchNode], Any]

FIELD = "python::getitem"
"""The node of one result of several."""

PACKAGE = "relax_dialect.frontends.torch.converters"

_TABLE: dict[str, Converter] = {}


def converter(*names: str) -> Callable[[Converter], Converter]:
    """Register a converter: of an overload, `max.dim`, or of all overloads of an operator, `add`.

    Operators outside of ATen have their namespace: `quantized_decomposed::quantize_per_tensor`.
    """

    def register(function: Converter) -> Converter:
        for name in names:
            if name in _TABLE:
                raise TypeError(f"two converters of {name}")
            _TABLE[name] = function
        return function

    return register


@cache
def table() -> Mapping[str, Converter]:
    """Return all converters; the files of the operator families are imported here."""
    modules_of(PACKAGE, import_module(PACKAGE).__path__)
    return _TABLE


def name_of(target: Any) -> str:
    """Return the name of the overload that a node calls: `add.Tensor`, `higher_order::cond`,
    `python::getitem`."""
    schema = getattr(target, "_schema", None)
    if schema is None:
        space = "higher_order" if hasattr(target, "namespace") else "python"
        return f"{space}::{getattr(target, '__name__', target)}"
    overload = schema.overload_name or "default"
    return f"{schema.name.removeprefix('aten::')}.{overload}"


def find(name: str) -> Converter | None:
    """Return the converter of an overload, or of its operator, or None.

    Decompositions reach `prims::abs`, whose arguments are those of `abs`.
    """
    short = name.removeprefix("prims::")
    return table().get(short) or table().get(short.rpartition(".")[0])
