"""`relax-run FILE`: run a function of a Relax program on arrays, compiled to C or interpreted."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout

import numpy as np

from lowering.tools.checking import check_checking, checked
from lowering.tools.common import check_output, report_stream
from lowering.tools.entry import entry_of
from lowering.tools.inputs.arguments import make_arguments
from lowering.tools.inputs.program import check_importing
from lowering.tools.options import (
    COMPILING,
    GENERAL,
    IMPORTING,
    OPTIONS,
    VERBOSITY,
    add_options,
    command_line,
    start,
)
from lowering.tools.results import (
    check_saved,
    dims_text_of,
    labelled,
    named_results,
    save,
    time_text,
)
from lowering.tools.stages import Stages
from relax_dialect.errors import RelaxError


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line("relax-run", __doc__)
    file = f"{OPTIONS['file']['help']}; or a compiled model's .json"
    add_options(parser, "file", help=file)
    add_options(
        parser, "--entry", "--input", "--random", "--seed", "--repeat", "--backend", "--threads"
    )
    add_options(
        parser,
        "-o, --output",
        help="the file that results are saved to, a .npz; - for standard output",
    )
    add_options(parser, "--check", "--tolerance", *IMPORTING, *COMPILING, "--no-cache", *VERBOSITY)
    add_options(parser, *GENERAL)
    return parser


def run(args: argparse.Namespace) -> None:
    """Run the command line; print the results and save them on request."""
    check_importing(args)
    if args.output is not None:
        check_output(args.output)
    if args.check is not None:
        check_checking(args)
    is_watched = args.verbose or sys.stderr.isatty()
    args.quiet = args.quiet or not is_watched
    stages = Stages(args, sys.stderr)
    entry = entry_of(args, stages)
    where = f"@{entry.name}"
    values = make_arguments(
        where, entry.parameters, entry.types, args.input, args.random, args.seed
    )
    call, times = entry.prepare(), []
    try:
        for _ in range(args.repeat or 1):
            began = time.perf_counter()
            result = call(*values)
            times.append(time.perf_counter() - began)
        results = labelled(dict(named_results(result)), call, entry.results)
    except MemoryError:
        raise RelaxError(
            f"{where}: expected arrays that fit into memory, found larger ones; pass smaller sizes"
        ) from None
    stages.finish("run", min(times))
    if args.output is not None:
        check_saved(args.output, results)
    with redirect_stdout(report_stream(args.output)):
        for name, array in results.items():
            print(f"{name}: {dims_text_of(array)} {array.dtype}")
            print(np.array2string(array, precision=6, threshold=60, edgeitems=3))
        if args.repeat is not None:
            print(time_text(times))
        if args.check is not None:
            for line in checked(args, entry, values, result):
                print(line)
    if args.output is not None and save(args.output, results):
        print(f"saved to {args.output}")


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-run`."""
    return start(arguments(), run, args)


if __name__ == "__main__":
    sys.exit(main())
