"""`relax-profile FILE --random n=8`: the time of each kernel of a program, and this machine's limits."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lowering.tools.common import check_output, limit_recursion, write_output
from lowering.tools.entry import find_entry, printed_names
from lowering.tools.inputs.arguments import make_arguments
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
from relax_dialect.errors import RelaxError
from relax_dialect.ops.core import FuncOp
from relax_dialect.rewrites.conversion.convert_func_to_relax import convert_func_to_relax


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line("relax-profile", __doc__, "file")
    add_options(parser, "--entry", "--input", "--random", "--seed")
    where = (
        "the file that the profile is saved to, JSON if it ends in .json (default: standard output)"
    )
    add_options(parser, "-o, --output", default="-", help=where)
    add_options(parser, *IMPORTING, *COMPILING, *GENERAL)
    return parser


def run(args: argparse.Namespace) -> None:
    """Run the command line; print the profile or save it."""
    from lowering.profile import profile

    check_output(args.output)
    module = load_program(args)
    convert_func_to_relax(module)
    limit_recursion(module, args.recursion_limit)
    function = find_entry(module, args.entry)
    if not isinstance(function, FuncOp):
        raise RelaxError(
            f"entry @{function.sym_name.data}: expected a relax.func, found a func.func; call it from a "
            "relax.func by relax.call_tir"
        )
    name, types = function.sym_name.data, function.body.block.arg_types
    values = make_arguments(
        f"@{name}", printed_names(function), types, args.input, args.random, args.seed
    )
    with progress_bar():
        found = profile(
            module,
            values,
            name,
            opt_level=args.opt_level,
            cpu=args.cpu,
            schedules=args.schedules,
            passes=args.passes,
        )
    text = found.json() if args.output.endswith(".json") else str(found)
    if (written := write_output(args.output, f"{text}\n")) is not None:
        print(written)


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-profile`."""
    return start(arguments(), run, args)


if __name__ == "__main__":
    sys.exit(main())
