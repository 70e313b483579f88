"""Which lines each test runs: the functions of modules tell it themselves, which costs less than a trace (`mutate.py`)."""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Iterator
from typing import Any

import pytest


def noting(file: str, source: str) -> str:
    """A module whose functions tell `builtins.runs` the lines that they run: file, first and last line."""
    tree = ast.parse(source)
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    bodies = {id(body): body for f in functions for node in ast.walk(f) for body in _bodies(node)}
    for body in bodies.values():
        body[:] = [part for own in body for part in (*_note(file, own), own)]
    return ast.unparse(ast.fix_missing_locations(tree))


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        match getattr(node, name, None):
            case [ast.stmt(), *_] as body:
                yield body
            case _:
                pass


def _note(file: str, own: ast.stmt) -> Iterator[ast.stmt]:
    """A call that notes a statement, of one with blocks the lines before these."""
    if isinstance(own, ast.Expr) and isinstance(own.value, ast.Constant):
        return  # a docstring
    inner = getattr(own, "body", None)
    last = max(own.lineno, inner[0].lineno - 1) if inner else own.end_lineno
    yield ast.parse(f"__import__('builtins').runs(({file!r}, {own.lineno}, {last}))").body[0]


def _processor_seconds() -> float:
    """What this process and its children took, however busy the machine is."""
    return sum(os.times()[:4])


class Recorder:
    """A plugin that notes which lines of some files each test runs, and for how long."""

    def __init__(self) -> None:
        self.lines = set[tuple[str, int, int]]()
        self.found: dict[str, Any] = {}
        setattr(builtins, "runs", self.lines.add)  # noqa: B010 - no attribute that pyright knows

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.lines.clear()
        start = _processor_seconds()
        try:
            return (yield)
        finally:
            seconds = _processor_seconds() - start
            self.found[item.nodeid] = {"seconds": seconds, "lines": sorted(self.lines)}

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.found[report.nodeid + " failed"] = None
