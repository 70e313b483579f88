"""A bar that shows the progress of a compilation, on one line of a terminal, once it has taken a second.

[##########----------] C compiler, 3 of 6 parts, 2.4 s
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TextIO

from lowering.support.progress import told

DELAY = 1.0
"""Seconds before the first line: shorter work shows none."""

PERIOD = 0.1
WIDTH = 20
CLEAR = "\r\x1b[K"


class ProgressBar:
    """Draws the last state reported, from a separate thread, as a step may take long."""

    def __init__(self, stream: TextIO, began: float):
        self.stream = stream
        self.began = began
        self.now: tuple[str, int, int] | None = None
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._drawn = False
        self._thread = threading.Thread(target=self._draw, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Leave the line as it was."""
        self._stop.set()
        self._thread.join()
        self._clear()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Leave the line to others for a while."""
        with self._lock:
            self._clear()
            yield

    def tell(self, what: str, done: int, total: int) -> None:
        self.now = (what, done, total)

    def line(self) -> str:
        """Return the current line."""
        assert self.now is not None
        what, done, total = self.now
        filled = WIDTH * done // max(total, 1)
        count = f", {done} of {total}" if total > 1 else ""
        seconds = time.perf_counter() - self.began
        bar = f"[{'#' * filled}{'-' * (WIDTH - filled)}]"
        return f"{bar} {what}{count}, {seconds:.1f} s"[: shutil.get_terminal_size().columns - 1]

    def _draw(self) -> None:
        delay = max(0.0, self.began + DELAY - time.perf_counter())
        while not self._stop.wait(delay):
            delay = PERIOD
            with self._lock:
                if self.now is not None:
                    self._drawn = True
                    self._write(f"{CLEAR}{self.line()}")

    def _clear(self) -> None:
        if self._drawn:
            self._drawn = False
            self._write(CLEAR)

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:  # the terminal has gone
            self._stop.set()


_shown: list[ProgressBar] = []


def above_the_bar() -> AbstractContextManager[None]:
    """Print lines here while a bar is shown: it comes back below them."""
    return _shown[-1].aside() if _shown else nullcontext()


@contextmanager
def progress_bar(began: float | None = None, quiet: bool = False) -> Iterator[set[str]]:
    """Show the progress of compiling, if standard error is a terminal; yields the finished steps."""
    bar = ProgressBar(sys.stderr, time.perf_counter() if began is None else began)
    steps: set[str] = set()

    def tell(what: str, done: int, total: int) -> None:
        steps.add(what)
        bar.tell(what, done, total)

    is_shown = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    if is_shown:
        bar.start()
        _shown.append(bar)
    try:
        with told(tell):
            yield steps
    finally:
        if is_shown:
            _shown.remove(bar)
            bar.stop()
