"""The stages of `relax-compile`: passes with their times, and the program between them.

relax-legalize                        0.118 s
relax-fuse-elementwise                0.031 s
"""

from __future__ import annotations

import argparse
import time

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


def add_stages(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--verbose`, and xDSL's own words for what happens between passes."""
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="print each pass with its time, and the command that compiles the C",
    )
    parser.add_argument(
        "--time-passes", action="store_true", help="print the time of each pass as relax-opt does"
    )
    parser.add_argument(
        "--print-between-passes", action="store_true", help="print the program between passes"
    )


class Stages:
    """Called between passes, whose times it prints if asked to."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self._began = 0.0

    @property
    def are_shown(self) -> bool:
        """Whether somebody wants to see passes, so that they must run."""
        return self.args.time_passes or self.args.print_between_passes

    def __call__(
        self, done: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        took = time.perf_counter() - self._began
        if done is not None and self.args.time_passes:
            print(f"Pass {done.name} took {took} seconds")
        elif done is not None and self.args.verbose:
            print(stage(done.name, took))
        if done is not None and following is not None and self.args.print_between_passes:
            print(f"IR after {done.name}:\n{module!s}\n\n\n")
        self._began = time.perf_counter()


def stage(name: str, seconds: float) -> str:
    """A line that says how long a stage took."""
    return f"{name:40} {seconds:.3f} s"
