"""The stages of `relax-compile`: passes with their times, and the program between them.

relax-recognize-operators                0.131 s
relax-legalize                           0.118 s
30 other passes                          0.014 s
"""

from __future__ import annotations

import argparse
import time

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.tools.options import Options

SHORT = 0.001
"""Passes that take fewer seconds share a line."""

STAGES: Options = {
    "--verbose": {
        "action": "store_true",
        "help": "print the time of every pass, however short, and the command that compiles the C",
    },
    "--time-passes": {
        "action": "store_true",
        "help": "print the time of each pass as relax-opt does",
    },
    "--print-between-passes": {
        "action": "store_true",
        "help": "print the program between passes",
    },
}


class Stages:
    """Called between passes, whose times it prints, and the program if asked to."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.count = 0
        """How many passes have run."""
        self._short: list[float] = []
        self._began = 0.0

    @property
    def are_shown(self) -> bool:
        """Whether somebody wants to see passes, so that they must run."""
        return self.args.time_passes or self.args.print_between_passes

    def __call__(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        if done is not None:
            self._print(done, time.perf_counter() - self._began)
            if following is not None and self.args.print_between_passes:
                print(f"IR after {done.name}:\n{module!s}\n\n\n")
        self._began = time.perf_counter()

    def _print(self, done: ModulePass, took: float) -> None:
        self.count += 1
        if self.args.time_passes:
            print(f"Pass {done.name} took {took} seconds")
        elif took >= SHORT or self.args.verbose:
            print(stage(done.name, took))
        else:
            self._short.append(took)

    def finish(self, name: str, seconds: float) -> None:
        """Print the time of all passes and what is around them: nothing but that if none has run."""
        if self._short:
            print(stage(f"{len(self._short)} other passes", sum(self._short)))
        print(stage(name if self.count else f"{name}, from the cache", seconds))


def stage(name: str, seconds: float) -> str:
    """A line that says how long a stage took."""
    return f"{name:40} {seconds:.3f} s"
