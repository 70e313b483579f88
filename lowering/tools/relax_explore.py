"""`relax-explore FILE -o PAGE.html`: a page with a program's graph, the IR after every pass, and its C."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from lowering.support.target import find
from lowering.support.whole_files import check_target
from lowering.tools.common import (
    limit_recursion,
    model_name,
    parse_passes,
    read_schedules,
    run_tool,
    writing,
    written_text,
)
from lowering.tools.inputs.program import IMPORTING, load_program
from lowering.tools.memory_report import SIZES, parse_report_sizes
from lowering.tools.options import COMPILING, EXTENSIONS, SCHEDULES, VERSION, add_options
from lowering.tools.progress_bar import progress_bar


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = argparse.ArgumentParser(prog="relax-explore", description=__doc__)
    parser.add_argument(
        "file", help="the program: .mlir, .onnx or .py of TVM's, - for standard input"
    )
    parser.add_argument("-o", "--output", required=True, metavar="PAGE", help="where the page goes")
    add_options(parser, IMPORTING, COMPILING, SCHEDULES, SIZES, EXTENSIONS, VERSION)
    return parser


def explore_file(args: argparse.Namespace) -> None:
    """Run the command line, and report the files written."""
    from lowering.explore import explore

    start = time.perf_counter()
    find(args.cpu)
    passes, sizes = parse_passes(args.passes), parse_report_sizes(args.sizes)
    schedules = None if args.schedules is None else read_schedules(args.schedules)
    target = Path(args.output)
    check_target(target, "file", "--output")
    with progress_bar(start):
        module = load_program(args)
        limit_recursion(module, args.recursion_limit)
        found = explore(
            module,
            model_name(args.file),
            opt_level=args.opt_level,
            cpu=args.cpu,
            schedules=schedules,
            passes=passes,
            sizes=sizes,
        )
    with writing(target, "file"):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(found, "utf-8")
    print(written_text(target))


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-explore`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: explore_file(parsed), parsed.extensions)


if __name__ == "__main__":
    sys.exit(main())
