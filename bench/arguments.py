"""The command line, and errors reported before two minutes are spent."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.languages import PEERS
from bench.measuring import CORES
from bench.work import Work
from lowering.support.target import CPUS, find, native

DESCRIPTION = """\
Speed on one core, ours compared with ONNX Runtime, PyTorch and numpy, as Markdown tables.

    python -m bench                        # the core set, at most two minutes
    python -m bench --full                 # all of it
    python -m bench --only products        # all rows of a group
    python -m bench --match "x 512 x 512"  # the rows of this name, of all groups
    python -m bench --threads 2            # every contender on two threads
"""


@dataclass(frozen=True)
class Arguments:
    """The arguments of the command line."""

    full: bool
    only: Sequence[str]
    match: str | None
    peers: Sequence[str]
    budget: float
    json: Path | None
    svg: Path | None
    earlier: Mapping[str, Any] | None
    """The figures of `--before`."""
    check: bool
    threads: int
    """The number of threads of every contender."""
    cpu: str | None
    """Another CPU than this one, whose code is measured too."""

    def rows(self, group: str, works: Iterable[Work]) -> list[Work]:
        """Return the selected rows of a group."""
        if self.only and group not in self.only:
            return []
        if self.match is not None:
            return [work for work in works if self.match in work.name]
        return [work for work in works if work.core or self.full or self.only]

    def wants(self, table: str, *, core: bool) -> bool:
        """Returns whether a table that has no rows of works is selected."""
        if self.only or self.match is not None:
            return table in self.only
        return core or self.full


def parse(
    argv: Sequence[str] | None, groups: Mapping[str, Sequence[Work]], tables: Iterable[str]
) -> Arguments:
    """Parse the command line; a mistake ends the program with a message."""
    parser = _parser([*groups, *tables])
    found = vars(parser.parse_args(argv))
    before = found.pop("before")
    arguments = Arguments(**found, earlier=None if before is None else _earlier(parser, before))
    if arguments.match is not None and not any(
        arguments.rows(group, works) for group, works in groups.items()
    ):
        within = f" of {', '.join(arguments.only)}" if arguments.only else ""
        parser.error(
            f"--match {arguments.match!r}: expected a part of the name of a work{within}, found none "
            "that has it; the names stand in bench/works"
        )
    if not 1 <= arguments.threads <= len(CORES or [0]):
        parser.error(
            f"--threads {arguments.threads}: expected 1 to {len(CORES or [0])}, the cores of this process; "
            "pass another number"
        )
    if arguments.cpu is not None:
        _check_cpu(parser, arguments.cpu)
    if not arguments.budget > 0:
        parser.error(f"--budget {arguments.budget:g}: expected seconds above 0; correct it")
    for option, file in (("--json", arguments.json), ("--svg", arguments.svg)):
        if file is not None and not file.parent.is_dir():
            parser.error(f"{option} {file}: expected a folder {file.parent}, found none; make it")
    return arguments


def _check_cpu(parser: argparse.ArgumentParser, cpu: str) -> None:
    """End the program if this machine does not run the code of a CPU."""
    missing = find(cpu).features - native().features
    if missing or find(cpu).architecture not in (None, native().architecture):
        parser.error(
            f"--cpu {cpu}: expected a CPU whose code this machine runs, found one with "
            f"{', '.join(sorted(missing)) or 'another architecture'}; choose another one"
        )


def _earlier(parser: argparse.ArgumentParser, file: Path) -> Mapping[str, Any]:
    """Return the figures of an earlier run."""
    try:
        figures = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        parser.error(f"--before {file}: expected what --json wrote, found: {error}")
    if not isinstance(figures, dict) or not isinstance(figures.get("results"), list):
        parser.error(f"--before {file}: expected what --json wrote, found other JSON; correct it")
    return figures


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--full", action="store_true", help="everything, not the core set alone")
    add(
        *("--only",),
        nargs="+",
        choices=names,
        default=[],
        metavar="GROUP",
        help=f"all rows of these: {', '.join(names)}",
    )
    add("--match", metavar="TEXT", help="works whose name contains this text")
    add(
        *("--peers",),
        nargs="*",
        choices=PEERS,
        default=[name for name, peer in PEERS.items() if not peer.asked],
        metavar="PEER",
        help=f"whom to compare with, of {', '.join(PEERS)}; the last two only where named here",
    )
    add(
        *("--budget",),
        type=float,
        default=0.12,
        metavar="SECONDS",
        help="for each cell of a row; less is quicker and noisier (default: %(default)s)",
    )
    add("--json", type=Path, metavar="FILE", help="also write the figures")
    add("--svg", type=Path, metavar="FILE", help="also write a chart of the ratios")
    add("--before", type=Path, metavar="FILE", help="compare with the figures of an earlier run")
    add("--check", action="store_true", help="exit with 1 if a limit is missed")
    add(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="the threads of every contender; then wall-clock time is measured (default: %(default)s)",
    )
    add(
        "--cpu",
        choices=CPUS,
        help="also measure the code for another CPU, as x86-64-v3, beside that for this one",
    )
    return parser
