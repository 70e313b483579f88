"""Speed on one core, ours compared with ONNX Runtime, PyTorch and numpy, as Markdown tables.

python -m bench                        # the core set, at most two minutes
python -m bench --full                 # all of it
python -m bench --only products        # all rows of a group
python -m bench --match "x 512 x 512"  # the rows of this name, of all groups
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench import (
    compiler,
    external,
    machine,
    mixed,
    models,
    operators,
    patterns,
    programs,
    report,
    sizes,
)
from bench.chart import chart
from bench.comparing import Result, compare
from bench.languages import PEERS
from bench.measuring import Table, use_one_core
from bench.work import Work
from bench.works import convolutions, integers, million, networks, products, sorting

WORKS: dict[str, tuple[str, Sequence[Work]]] = {
    "products": ("Matrix products", products.WORKS),
    "convolutions": ("Convolutions", convolutions.WORKS),
    "networks": ("Networks", networks.WORKS),
    "million": ("A million elements", million.WORKS),
    "integers": ("8-bit integers", integers.WORKS),
    "sorting": ("Sorting", sorting.WORKS),
}
"""Groups of works that we and the peers run."""

TABLES: dict[str, Callable[[], Iterable[Table]]] = {
    "operators": lambda: (
        operators.speeds(title, rows)
        for title, rows in (
            ("Elementwise", operators.ELEMENTWISE),
            ("Reductions", operators.REDUCTIONS),
        )
    ),
    "external": external.external,
    "compile": lambda: [compiler.compile_time()],
    "legalize": lambda: [mixed.legalize()],
    "blocks": lambda: map(compiler.block, programs.BLOCKS),
    "sizes": lambda: map(sizes.size, sizes.SIZES),
    "patterns": patterns.tables,
}
"""What is not compared with peers, or with numpy alone; none of it is in the core set."""


@dataclass
class Run:
    """What is measured, and what was found; tables are printed as they come."""

    peers: Sequence[str]
    budget: float
    results: list[Result] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def works(self, group: str, works: Sequence[Work]) -> None:
        """Compare the works of a group."""
        found = []
        for work in works:
            if sys.stderr.isatty():
                print(f"\r\x1b[K{group}: {work.name}", end="", file=sys.stderr, flush=True)
            found.append(compare(group, work, self.peers, self.budget))
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        if found:
            self.results += found
            self.show(report.table(group, found, self.peers))

    def table(self, table: Table) -> None:
        self.tables.append(table)
        self.show(table)

    def show(self, table: Table) -> None:
        print("\n".join(table.markdown()), flush=True)

    @property
    def wrong(self) -> list[str]:
        return [message for result in self.results for message in result.wrong]

    @property
    def missed(self) -> list[str]:
        return [miss for table in self.tables for miss in table.missed]


def chosen(arguments: argparse.Namespace, group: str, works: Sequence[Work]) -> list[Work]:
    """The rows of a group that were asked for."""
    if arguments.only and group not in arguments.only:
        return []
    if arguments.match is not None:
        return [work for work in works if arguments.match in work.name]
    every = arguments.full or bool(arguments.only)
    return [work for work in works if every or work.core]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--full", action="store_true", help="everything, not the core set alone")
    made.add_argument(
        "--only", nargs="+", choices=[*WORKS, "models", *TABLES], default=[], metavar="GROUP"
    )
    made.add_argument("--match", metavar="TEXT", help="works whose name contains this text")
    made.add_argument(
        "--peers",
        nargs="*",
        choices=PEERS,
        default=[name for name, peer in PEERS.items() if not peer.asked],
        help="whom to compare with (default: %(default)s)",
    )
    made.add_argument("--json", type=Path, metavar="FILE", help="also write the figures")
    made.add_argument(
        "--budget",
        type=float,
        default=0.15,
        metavar="SECONDS",
        help="for each cell of a row; less is quicker and noisier (default: %(default)s)",
    )
    made.add_argument(
        "--before", type=Path, metavar="FILE", help="compare with the figures of an earlier run"
    )
    made.add_argument("--svg", type=Path, metavar="FILE", help="also write a chart of the ratios")
    made.add_argument("--check", action="store_true", help="exit with 1 if a limit is missed")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    use_one_core()
    description = dict(machine.description())
    print("\n".join(report.heading(description)))
    # an optional peer that is not here has no column
    peers = [name for name in arguments.peers if PEERS[name].installed or not PEERS[name].asked]
    run = Run(peers, arguments.budget)
    for name, (title, works) in WORKS.items():
        run.works(title, chosen(arguments, name, works))
    if "models" in arguments.only or not (arguments.only or arguments.match):
        run.table(models.table(peers))
    for name, tables in TABLES.items():
        if name in arguments.only or (arguments.full and not (arguments.only or arguments.match)):
            for table in tables():
                run.table(table)
    if arguments.before is not None:
        run.show(report.changes(run.results, json.loads(arguments.before.read_text())))
    if hasattr(os, "getloadavg"):
        description["load at the end"] = f"{os.getloadavg()[0]:.1f}"
    if arguments.json is not None:
        figures = report.as_json(description, run.results, run.tables)
        arguments.json.write_text(json.dumps(figures, indent=1))
    if arguments.svg is not None:
        arguments.svg.write_text(chart(run.results, description["processor"]))
    for wrong in run.wrong:
        print(f"error: {wrong}", file=sys.stderr)
    print("\n".join(f"missed: {miss}" for miss in run.missed) or "Every limit is met.")
    return 1 if run.wrong or (run.missed and arguments.check) else 0


if __name__ == "__main__":
    sys.exit(main())
