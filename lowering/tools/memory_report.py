"""`--report` of `relax-compile`: the memory of the compiled functions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lowering.support.whole_files import check_target, unwritable
from lowering.tools.options import Options
from relax_dialect.errors import RelaxError

if TYPE_CHECKING:
    from lowering.memory.plan.report import MemoryReport

KINDS = (".txt", ".json")


SIZES: Options = {
    "--sizes": {
        "nargs": "+",
        "action": "extend",
        "default": [],
        "metavar": "n=128",
        "help": "sizes of symbolic variables, for which the memory is reported in numbers too",
    },
}

REPORT: Options = {
    "--report": {
        "nargs": "?",
        "const": "",
        "metavar": "FILE.{txt,json}",
        "help": "report peak memory, the lower bound by liveness and every value's live range and offset; "
        "printed if no file is named",
    },
    **SIZES,
}


def check_report(args: argparse.Namespace) -> dict[str, int]:
    """Return the sizes of a report; refuses reports that cannot be made."""
    if args.report and Path(args.report).suffix not in KINDS:
        raise RelaxError(
            f"--report {args.report}: expected a file that ends in {' or '.join(KINDS)}; correct the "
            "name, or put --report after the program"
        )
    if args.report:
        check_target(Path(args.report), "file", "--report", is_made=False)
    if args.sizes and args.report is None:
        raise RelaxError("--sizes: expected --report, whose sizes they are, found none; add it")
    return parse_report_sizes(args.sizes)


def parse_report_sizes(assignments: Sequence[str]) -> dict[str, int]:
    """Parse the sizes of `--sizes`."""
    if not assignments:
        return {}
    from lowering.tools.inputs.arguments import parse_sizes  # which knows the interpreter

    return parse_sizes(assignments, "--sizes")


def write_report(report: MemoryReport, file: str) -> None:
    """Print a report, or write it to a file in the format of its suffix."""
    if not file:
        print(report)
        return
    path = Path(file)
    try:
        path.write_text(f"{report.json() if path.suffix == '.json' else report}\n")
    except OSError as error:
        raise unwritable(file, "file", "--report", error.strerror) from None
    print(f"{path}  {path.stat().st_size} bytes")
