"""`--report` of `relax-compile`: the memory of the compiled functions."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lowering.tools.common import STANDARD, check_output, write_output
from relax_dialect.errors import RelaxError

if TYPE_CHECKING:
    from lowering.memory.plan.report import MemoryReport

KINDS = (".txt", ".json")


def check_report(args: argparse.Namespace) -> None:
    """Refuse reports that cannot be made."""
    if args.report not in (None, STANDARD) and Path(args.report).suffix not in KINDS:
        raise RelaxError(
            f"--report {args.report}: expected a file that ends in {' or '.join(KINDS)}; correct the "
            "name, or put --report after the program"
        )
    if args.report is not None:
        check_output(args.report, "--report")
    if args.sizes and args.report is None:
        raise RelaxError("--sizes: expected --report, whose sizes they are, found none; add it")


def write_report(report: MemoryReport, file: str) -> None:
    """Print a report, or write it to a file in the format of its suffix."""
    text = report.json() if Path(file).suffix == ".json" else report
    if (written := write_output(file, f"{text}\n", "--report")) is not None:
        print(written)
