"""`relax-explore FILE -o PAGE.html`: a page with a program's graph, the IR after every pass, and its C."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from lowering.tools.common import check_output, limit_recursion, model_name, write_output
from lowering.tools.inputs.program import load_program
from lowering.tools.options import (
    COMPILING,
    GENERAL,
    IMPORTING,
    add_options,
    command_line,
    start,
)
from lowering.tools.progress_bar import progress_bar


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line("relax-explore", __doc__, "file")
    where = "the page, a .html file; - for standard output"
    add_options(parser, "-o, --output", required=True, help=where)
    add_options(parser, *IMPORTING, *COMPILING, "--sizes", *GENERAL)
    return parser


def explore_file(args: argparse.Namespace) -> None:
    """Run the command line, and report the file written."""
    from lowering.explore import explore

    began = time.perf_counter()
    check_output(args.output)
    with progress_bar(began):
        module = load_program(args)
        limit_recursion(module, args.recursion_limit)
        found = explore(
            module,
            model_name(args.file),
            opt_level=args.opt_level,
            cpu=args.cpu,
            schedules=args.schedules,
            passes=args.passes,
            sizes=args.sizes,
        )
    if (written := write_output(args.output, found)) is not None:
        print(written)


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-explore`."""
    return start(arguments(), explore_file, args)


if __name__ == "__main__":
    sys.exit(main())
