"""Lines of this project that an input reaches for the first time: what decides which inputs are kept.

`sys.monitoring` (Python 3.12) reports each line once. Before there is `sys.settrace` alone, which is slow:
there a function is watched at its first calls, then at every sixteenth one, as long as lines of it are left.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import relax_dialect

ROOT = str(Path(relax_dialect.__file__).parents[1])
WATCHED = tuple(
    f"{ROOT}/{part}"
    for part in ("relax_dialect/frontends/", "relax_dialect/text/", "relax_dialect/ops/", "relax_dialect/ir/",
                 "relax_dialect/parsing.py", "lowering/runtime/")
)  # fmt: skip
OFTEN = 50
"""So many calls of a function are all watched."""


class Coverage:
    """The lines reached so far."""

    def __init__(self) -> None:
        self.reached = 0
        """How many."""
        self._left: dict[CodeType, set[int]] = {}
        self._calls: dict[CodeType, int] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count the lines that are reached inside."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        left = self._left.get(code)
        if left is None:
            is_watched = code.co_filename.startswith(WATCHED)
            left = self._left[code] = _lines(code) if is_watched else set()
        if not left:
            return None
        calls = self._calls[code] = self._calls.get(code, 0) + 1
        if calls > OFTEN and calls % 16:
            return None

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line" and frame.f_lineno in left:
                left.discard(frame.f_lineno)
                self.reached += 1
            return line

        return line


@cache
def _lines(code: CodeType) -> set[int]:
    return {
        line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno
    }


class MonitoredCoverage(Coverage):
    """The same by `sys.monitoring`."""

    TOOL = 4

    @contextmanager
    def watching(self) -> Iterator[None]:
        monitoring: Any = sys.monitoring  # pyright: ignore[reportAttributeAccessIssue]
        if monitoring.get_tool(self.TOOL) is None:
            monitoring.use_tool_id(self.TOOL, "fuzz")
            monitoring.register_callback(self.TOOL, monitoring.events.LINE, self._line)
        monitoring.set_events(self.TOOL, monitoring.events.LINE)
        try:
            yield
        finally:
            monitoring.set_events(self.TOOL, 0)

    def _line(self, code: CodeType, line: int) -> Any:
        self.reached += code.co_filename.startswith(WATCHED)
        return sys.monitoring.DISABLE  # pyright: ignore[reportAttributeAccessIssue]


def coverage() -> Coverage:
    """What this Python watches lines by."""
    return MonitoredCoverage() if hasattr(sys, "monitoring") else Coverage()
