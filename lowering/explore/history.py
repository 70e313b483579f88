"""The program after every pass: the text of each function, and which lines changed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from lowering.explore.callers import called_from, narrowed, symbol_of
from lowering.explore.program_text import Line, LinePrinter, contents
from lowering.explore.source_locations import SourceLocations
from relax_dialect.ops.core import FuncOp

Change = tuple[int, int, int, int]
"""Lines from one to another before a pass have become lines from one to another after it."""


@dataclass
class Unit:
    """A function, or another op at the top of a module, as last printed."""

    op: Operation
    printer: LinePrinter
    contents: list[tuple[Any, ...]]
    lines: list[Line]
    version: int = -1


@dataclass
class RecordedPass:
    """The program after a pass."""

    name: str
    seconds: float
    ops: int
    lines: int
    functions: int
    changes: list[tuple[str, int, int, list[Change]]]
    """Functions with the numbers of their texts before and after; -1 for a function that is new or
    removed."""


@dataclass
class History:
    """Records the changes between passes."""

    places: SourceLocations
    stages: list[RecordedPass] = field(default_factory=list)
    lines: dict[Line, int] = field(default_factory=dict)
    """Every line that there ever was, numbered."""
    texts: list[tuple[int, ...]] = field(default_factory=list)
    """Every text that a function ever had, as numbers of lines."""

    def __post_init__(self) -> None:
        self._units: dict[str, Unit] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._is_new = False
        self.relax_functions: set[str] = set()
        """The functions that are or were Relax functions."""
        self.calls: dict[str, set[int]] = {}
        """The source locations of the calls of each function."""
        self.began = time.perf_counter()

    def __call__(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        took = 0.0 if done is None else time.perf_counter() - self.began
        before = {name: unit.version for name, unit in self._units.items()}
        top = _top(module)
        self._units = {name: self._unit(name, op) for name, op in top.items()}
        self.relax_functions |= {op.sym_name.data for op in top.values() if isinstance(op, FuncOp)}
        if self._is_new:
            self._number(module)
        after = {name: unit.version for name, unit in self._units.items()}
        self.stages.append(
            RecordedPass(
                "the program" if done is None else str(done.pipeline_pass_spec()),
                took,
                sum(len(unit.contents) for unit in self._units.values()),
                sum(len(self.texts[version]) for version in after.values()),
                len(after),
                self._changes(before, after),
            )
        )
        self.began = time.perf_counter()

    def _unit(self, name: str, op: Operation) -> Unit:
        known, now = self._units.get(name), contents(op)
        if known is None or known.op is not op:
            known = Unit(op, LinePrinter(self.places), [], [])
        if known.contents != now:
            known.contents, known.lines = now, known.printer.lines(op)
            self._is_new = True
        return known

    def _number(self, module: ModuleOp) -> None:
        """Find the texts of all functions; a kernel's source locations depend on its callers."""
        self._is_new = False
        self.calls = called_from(module, self.relax_functions, self.places)
        for unit in self._units.values():
            symbol, lines = symbol_of(unit.op), unit.lines
            if symbol in self.calls and symbol not in self.relax_functions:
                lines = narrowed(lines, self.calls[symbol])
            unit.version = self._version(lines)

    def _version(self, lines: list[Line]) -> int:
        text = tuple(self.lines.setdefault(line, len(self.lines)) for line in lines)
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number

    def _changes(
        self, before: dict[str, int], after: dict[str, int]
    ) -> list[tuple[str, int, int, list[Change]]]:
        names = dict.fromkeys((*after, *before))
        pairs = ((name, before.get(name, -1), after.get(name, -1)) for name in names)
        return [(*pair, self._difference(*pair[1:])) for pair in pairs if pair[1] != pair[2]]

    def _difference(self, old: int, new: int) -> list[Change]:
        old_lines = () if old < 0 else self.texts[old]
        new_lines = () if new < 0 else self.texts[new]
        return changed_lines(old_lines, new_lines)


def changed_lines(old: tuple[int, ...], new: tuple[int, ...]) -> list[Change]:
    """Return the changed lines, as ranges before and after."""
    found = SequenceMatcher(None, old, new).get_opcodes()
    return [(a, b, c, d) for tag, a, b, c, d in found if tag != "equal"]


def _top(module: ModuleOp) -> dict[str, Operation]:
    """Return the ops at the top of a module, by name."""
    found: dict[str, Operation] = {}
    for op in module.ops:
        symbol = symbol_of(op)
        found[f"{op.name} {len(found)}" if symbol is None else f"@{symbol}"] = op
    return found
