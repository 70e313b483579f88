"""Measure, print tables, write files: `python -m bench --help`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bench import (
    THREADS,
    THREADS_VARIABLE,
    arguments,
    compiler,
    external,
    imported,
    loops,
    machine,
    mixed,
    models,
    operators,
    patterns,
    programs,
    report,
    sizes,
    torch_compile,
    training,
)
from bench.chart import chart
from bench.comparing import Result, compare
from bench.languages import PEERS
from bench.measuring import Table, use_one_core
from bench.work import Work
from bench.works import convolutions, integers, million, narrow, networks, products, sorting
from lowering.support.target import NATIVE

WORKS: dict[str, Sequence[Work]] = {
    "products": products.WORKS,
    "convolutions": convolutions.WORKS,
    "networks": networks.WORKS,
    "million": million.WORKS,
    "integers": integers.WORKS,
    "narrow": narrow.WORKS,
    "sorting": sorting.WORKS,
}
"""Groups of works that we and the peers run."""

TITLES = {
    "products": "Matrix products",
    "million": "A million elements",
    "integers": "8-bit integers",
    "narrow": "Narrow weights",
}

MODELS = "models"
"""The table of whole networks, which the core set has too."""

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
    "onnx": imported.tables,
    "torch_compile": lambda: [torch_compile.table()],
    "training": lambda: [training.table(), loops.table()],
}
"""Groups that are not compared with peers, or with numpy alone; none of them is in the core set."""


@dataclass
class Run:
    """The results of a run; tables are printed as they come."""

    peers: Sequence[str]
    budget: float
    cpus: Sequence[str] = (NATIVE,)
    """The CPUs that our artifacts are compiled for, this machine first."""
    results: list[Result] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def works(self, group: str, works: Sequence[Work]) -> None:
        """Compare the works of a group."""
        title, found = TITLES.get(group, group.capitalize()), list[Result]()
        for work in works:
            progress(f"{title}: {work.name}")
            found += compare(title, work, self.peers, self.budget, self.cpus)
        progress("")
        if found:
            self.results += found
            for cpu in self.cpus:
                own = [result for result in found if result.cpu == cpu]
                heading = title if cpu == NATIVE else f"{title}, code for {cpu}"
                show(report.table(heading, own, self.peers))

    def table(self, table: Table) -> None:
        self.tables.append(table)
        show(table)

    @property
    def wrong(self) -> list[str]:
        return [message for result in self.results for message in result.wrong]

    @property
    def missed(self) -> list[str]:
        return [miss for table in self.tables for miss in table.missed]


def verdict(run: Run) -> str:
    """Return a line about each missed limit; none about all limits after wrong results."""
    missed = [f"missed: {miss}" for miss in run.missed]
    if run.wrong:
        missed.append(f"{len(run.wrong)} results are wrong or missing.")
    return "\n".join(missed) or "Every limit is met."


def show(table: Table) -> None:
    print("\n".join(table.markdown()), flush=True)


def progress(text: str) -> None:
    """Show the work that is being measured, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    asked = arguments.parse(argv, WORKS, [MODELS, *TABLES])
    if asked.threads != THREADS:  # which libraries read as they are loaded
        again = [sys.executable, "-m", "bench", *(sys.argv[1:] if argv is None else argv)]
        told = {**os.environ, THREADS_VARIABLE: str(asked.threads)}
        return subprocess.run(again, env=told, check=False).returncode
    start = time.perf_counter()
    use_one_core()
    description = dict(machine.description())
    print("\n".join(report.heading(description)))
    # an optional peer that is not here has no column
    peers = [n for n in asked.peers if PEERS[n].installed or not PEERS[n].asked]
    run = Run(peers, asked.budget, (NATIVE,) if asked.cpu is None else (NATIVE, asked.cpu))
    for group, works in WORKS.items():
        run.works(group, asked.rows(group, works))
    if asked.wants(MODELS, core=True):
        run.table(models.table(run.peers))
    for name, tables in TABLES.items():
        if asked.wants(name, core=False):
            for table in tables():
                run.table(table)
    if asked.earlier is not None:
        show(report.changes(run.results, asked.earlier))
    description |= ending(start)
    if asked.json is not None:
        figures = report.as_json(description, run.results, run.tables)
        asked.json.write_text(json.dumps(figures, indent=1))
    if asked.svg is not None:
        asked.svg.write_text(chart(run.results, report.title(description)))
    for wrong in run.wrong:
        print(f"error: {wrong}", file=sys.stderr)
    print(verdict(run))
    print(", ".join(f"{name}: {value}" for name, value in ending(start).items()))
    return 1 if run.wrong or (run.missed and asked.check) else 0


def ending(start: float) -> dict[str, str]:
    """Describe the time of the run, and the load of the machine."""
    found = {
        "took": f"{time.perf_counter() - start:.0f} s",
        "on the processor": f"{sum(os.times()[:4]):.0f} s",
    }
    if hasattr(os, "getloadavg"):
        found["load at the end"] = f"{os.getloadavg()[0]:.1f}"
    return found


if __name__ == "__main__":
    sys.exit(main())
