"""The common state of the functions of a module while they are written, and the part that calls use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from xdsl.ir import Operation, SSAValue

from relax_dialect.frontends.tvmscript.writing.constant_writer import Constants
from relax_dialect.frontends.tvmscript.writing.type_writer import SizeWriter, TypeWriter


@dataclass
class WriterContext:
    """The common state of the functions of a module."""

    functions: Mapping[str, str]
    """The names in the script of the module's functions."""
    impure: frozenset[str]
    symbols: Mapping[str, Operation]
    constants: Constants = field(default_factory=Constants)
    problems: list[str] = field(default_factory=list)


class CallWriter(Protocol):
    """The writer of a function, as far as its calls need it."""

    around: WriterContext
    sizes: SizeWriter
    types: TypeWriter

    def read(self, value: SSAValue) -> str: ...
    def arguments(self, values: Iterable[SSAValue]) -> str: ...
