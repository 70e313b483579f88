"""The stages of a compilation, a line each; with --verbose a line for each pass too.

import                                   0.131 s  66 nodes, 4.9 MB of weights
Relax to C                               2.118 s  46 passes, 203.5 kB of C, 4.9 MB of weights
C to shared object, from the cache       0.014 s
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.emit_c.syntax.c_source import CSource
from lowering.tools.progress_bar import above_the_bar


class Stages:
    """Prints a line for each stage, by default to standard output. Called between passes."""

    def __init__(self, args: argparse.Namespace, stream: TextIO | None = None):
        self.is_quiet: bool = args.quiet
        self.is_verbose: bool = args.verbose
        self.times_passes: bool = getattr(args, "time_passes", False)
        self.prints_programs: bool = getattr(args, "print_between_passes", False)
        self.count = 0
        """The number of passes that have run."""
        self._stream = stream
        self._began = 0.0

    @property
    def are_shown(self) -> bool:
        """Returns whether somebody wants to see passes, so that they must run."""
        return self.times_passes or self.prints_programs

    def say(self, text: str) -> None:
        """Print a line, unless none is wanted."""
        if not self.is_quiet:
            with above_the_bar():
                print(text, file=self._stream or sys.stdout, flush=True)

    def __call__(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        if done is not None:
            took = time.perf_counter() - self._began
            self.count += 1
            if self.times_passes:
                with above_the_bar():
                    print(f"Pass {done.name} took {took} seconds", flush=True)
            elif self.is_verbose:
                self.finish(done.name, took)
            if following is not None and self.prints_programs:
                text = f"IR after {done.name}:\n{module!s}\n\n\n"
                with above_the_bar():
                    print(text, flush=True)
        self._began = time.perf_counter()

    def finish(self, name: str, seconds: float, told: Sequence[str] = ()) -> None:
        """Report the time of a stage, with notes."""
        line = f"{name:40} {seconds:.3f} s"
        self.say(f"{line}  {', '.join(told)}" if told else line)

    def finish_import(self, seconds: float, nodes: int, weights: int) -> None:
        """Report the imported model."""
        self.finish("import", seconds, [f"{nodes} nodes", f"{size(weights)} of weights"])

    def finish_c(self, source: CSource, seconds: float) -> None:
        """Report the C that was generated, or taken from the cache, if no pass has run."""
        told = [f"{self.count} passes"] if self.count else []
        told.append(f"{size(len(source.c))} of C")
        if source.weights is not None:
            told.append(f"{size(len(source.weights))} of weights")
        self.finish("Relax to C" if self.count else "Relax to C, from the cache", seconds, told)

    def finish_build(self, seconds: float, compiled: bool) -> None:
        """Say how long the C compiler took, or that it was not called."""
        name = "C to shared object"
        self.finish(name if compiled else f"{name}, from the cache", seconds)


def size(count: int) -> str:
    """Return a number of bytes with a readable unit."""
    units = ("kB", "MB", "GB")
    for power in (3, 2, 1):
        if count >= 1000**power:
            return f"{count / 1000**power:.1f} {units[power - 1]}"
    return f"{count} bytes"
