"""`relax-tune FILE --dim n=64`: searches for faster schedules of a program's kernels, on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from lowering.tools.common import INTERRUPTED, check_output
from lowering.tools.entry import find_entry
from lowering.tools.inputs.program import load_program
from lowering.tools.options import GENERAL, add_options, command_line, start
from lowering.tools.progress_bar import progress_bar
from lowering.tune.program_search import Options, Tuning, tuning
from lowering.tune.search import KernelSearch, key_of
from relax_dialect.errors import RelaxError
from relax_dialect.ops.core import FuncOp
from relax_dialect.rewrites.conversion.convert_func_to_relax import convert_func_to_relax

ENDING = ".schedules"

STOPPED = ": interrupted, the same command goes on from there"


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line("relax-tune", __doc__, "file")
    where = f"the file of schedules, from which a search goes on (default: FILE{ENDING})"
    add_options(parser, "-o, --output", help=where)
    sizes = (
        "sizes of all variables of the entry; several, as in --dim n=1 n=64, for schedules that are fast "
        "for each"
    )
    add_options(parser, "--dim", dest="points", help=sizes)
    add_options(parser, "--budget", "--threads", "--static", "--bind", "--entry")
    add_options(parser, "-p, --passes", "--cpu", "-O", "--no-cache", "--quiet", *GENERAL)
    return parser


def run(args: argparse.Namespace) -> int:
    """Run the command line: search, save the schedules after each step, and print what was found."""
    output = args.output or f"{args.file}{ENDING}"
    if output == "-":
        raise RelaxError("--output -: expected a file, which is written again and again; name one")
    check_output(output)
    module = _program(args)
    function = find_entry(module, args.entry)
    if not isinstance(function, FuncOp):
        raise RelaxError(
            f"entry @{function.sym_name.data}: expected a relax.func, found a func.func; call it from a "
            "relax.func by relax.call_tir"
        )
    options = Options(args.cpu, args.opt_level, tuple(args.passes), args.threads or 1)
    points = [{}] if args.static else args.points
    with progress_bar(quiet=args.quiet):
        found = tuning(
            module, Path(output), points, function.sym_name.data, options, cache=args.cache
        )
        ended = _search(found, args.budget)
    print("\n".join((*_table(found), *_notes(found), f"wrote {output}{ended}")))
    return INTERRUPTED if ended == STOPPED else 0


def _program(args: argparse.Namespace) -> ModuleOp:
    """Load the program; with --static its sizes are fixed."""
    if args.static and len(args.points) != 1:
        raise RelaxError(
            f"--static: expected the sizes of one program, found {len(args.points)}; pass one --dim"
        )
    args.dim = args.points[0] if args.static else {}
    module = load_program(args)
    convert_func_to_relax(module)
    return module


def _search(found: Tuning, seconds: float) -> str:
    """Search, and return how it ended; Ctrl-C ends it too."""
    try:
        is_done = found.run(seconds)
    except KeyboardInterrupt:
        return STOPPED
    return ": nothing is left to try" if is_done else ": more time goes on from there"


def _table(found: Tuning) -> Iterator[str]:
    """Yield the kernels that have been searched, with what was found."""
    heads = ("kernel", "calls", "default us", "found us", "ratio", "tried", "decisions")
    rows = [heads, *(_row(search) for search in found.searches if search.record.tried)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for name, *numbers, decisions in rows:
        cells = [name.ljust(widths[0]), *map(str.rjust, numbers, widths[1:-1]), decisions]
        yield "  ".join(cells).rstrip()


def _row(search: KernelSearch) -> tuple[str, ...]:
    record = search.record
    times = [f"{seconds * 1e6:.1f}" for seconds in record.seconds] or ["-", "-"]
    ratio = f"{record.speedup:.2f}" if record.settings else "-"
    calls, tried = str(search.candidates.program.calls), str(len(record.tried))
    return record.kernel, calls, *times, ratio, tried, key_of(record.settings)


def _notes(found: Tuning) -> Iterator[str]:
    """Yield what was left out."""
    yield from (f"note: not measured: {text}" for text in found.refused)
    for search in found.searches:
        for text in search.wrong:
            yield f"note: @{search.record.kernel} with {text}: other results, not taken"


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-tune`."""
    return start(arguments(), run, args)


if __name__ == "__main__":
    sys.exit(main())
