"""`relax-compile FILE -o DIR`: a Relax program as C, header, shared object, weights and manifest."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime import artifact_files, shared_object
from lowering.runtime.build_cache import user_cache
from lowering.runtime.source_cache import program_key, recalled, text_key
from lowering.support.c_compiler import find_compiler
from lowering.support.target import find
from lowering.support.whole_files import check_target
from lowering.tools.common import (
    STANDARD,
    limit_recursion,
    model_name,
    report_stream,
    write_output,
    writing,
    written_text,
)
from lowering.tools.inputs.onnx_program import OnnxProgram
from lowering.tools.inputs.program import (
    check_importing,
    is_onnx,
    is_torch,
    load_program,
    parse_program,
    read_program,
    with_passes,
)
from lowering.tools.memory_report import check_report, write_report
from lowering.tools.options import (
    COMPILING,
    GENERAL,
    IMPORTING,
    VERBOSITY,
    add_options,
    command_line,
    start,
)
from lowering.tools.progress_bar import progress_bar
from lowering.tools.stages import Stages
from relax_dialect.errors import RelaxError


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line("relax-compile", __doc__, "file")
    where = "the folder that files go to; - with --emit c or loops for standard output"
    add_options(parser, "-o, --output", required=True, metavar="DIR", help=where)
    add_options(parser, "--name", "--emit", "--arena", "--mpi", "--sidecar-threshold", *IMPORTING)
    add_options(parser, *COMPILING, "--no-cache", "--cc", "--cflags", "--packed", "--link")
    add_options(parser, "--threads")
    add_options(parser, "--report", "--sizes", *VERBOSITY)
    add_options(parser, "--time-passes", "--print-between-passes", *GENERAL)
    return parser


def compile_file(args: argparse.Namespace) -> None:
    """Run the command line, and report the files written."""
    began = time.perf_counter()
    name = model_name(args.file) if args.name is None else args.name
    check_report(args)
    check_importing(args)
    check_destination(args)
    if args.threads is not None:
        args.cflags = [f"-D{name.upper()}_THREADS={args.threads}", *args.cflags]
    if args.emit == "so":
        find_compiler(args.cc, find(args.cpu).architecture)
    stages = Stages(args, report_stream(args.output))
    if args.emit == "loops":
        write_loops(args, name, stages)
        return
    with progress_bar(began, args.quiet):
        source = make_c(args, name, stages)
    if args.output == STANDARD:
        write_output(args.output, source.alone())
        return
    directory = Path(args.output)
    lowered = time.perf_counter()
    written = write(source, directory)
    if args.verbose and not args.quiet:
        print_command(source, directory, args)
    if args.emit == "so":
        with progress_bar(began, args.quiet) as steps:
            library = artifact_files.build(
                source, directory, cc=args.cc, extra_flags=args.cflags, link=args.link, cache=args.cache,
                program=None if args.file == STANDARD else Path(args.file),
            )  # fmt: skip
        written += [library, artifact_files.manifest_path(source, directory)]
        stages.finish_build(time.perf_counter() - lowered, bool(steps))
    for entry in source.entries:
        params = ", ".join(f"{p.name}: {p}" for p in entry.params)
        results = ", ".join(map(str, entry.results)) or "nothing"
        stages.say(f"{entry.c_name}({params}) -> {results}")
    if args.report is not None:
        from lowering.driver import estimate_memory_usage

        module = with_passes(load_program(args), args)
        report = estimate_memory_usage(module, args.sizes, opt_level=args.opt_level, cpu=args.cpu)
        write_report(report, args.report)
    for path in written:
        stages.say(written_text(path))


def check_destination(args: argparse.Namespace) -> None:
    """Refuse, before the work, an output that cannot be written."""
    if args.output != STANDARD:
        check_target(Path(args.output), "directory", "--output")
        return
    if args.emit == "so" or args.report is not None:
        raise RelaxError(
            "--output -: expected --emit c or --emit loops, whose text goes to standard output, found "
            f"{'--report' if args.report is not None else '--emit so'}; name a directory"
        )
    args.sidecar_threshold = sys.maxsize  # all constants are in the C


def print_command(source: CSource, directory: Path, args: argparse.Namespace) -> None:
    """Print the command that compiles the C; nothing if it is not compiled for lack of a compiler."""
    with suppress(*([] if args.emit == "so" else [RelaxError])):
        command = shared_object.c_command(
            source, directory, cc=args.cc, extra_flags=args.cflags, link=args.link
        )
        print(shlex.join(command.words([str(directory / f"{source.name}.c")])))


def write_loops(args: argparse.Namespace, name: str, stages: Stages) -> None:
    """Write the program as the C target would print it."""
    from lowering.driver import lowered

    module = OnnxProgram(args, None, stages).module if is_onnx(args.file) else load_program(args)
    began = time.perf_counter()
    limit_recursion(module, args.recursion_limit)
    options = (args.opt_level, args.cpu, args.schedules, args.passes)
    with progress_bar(began, args.quiet):
        loops = lowered(module, *options, stages)
    stages.finish("Relax to loops", time.perf_counter() - began, [f"{stages.count} passes"])
    is_printed = args.output == STANDARD
    output = STANDARD if is_printed else str(Path(args.output) / f"{name}.loops.mlir")
    if (written := write_output(output, f"{loops!s}\n")) is not None:
        stages.say(written)


def _c_of(
    module: ModuleOp,
    args: argparse.Namespace,
    name: str,
    options: Mapping[str, Any],
    stages: Stages,
) -> CSource:
    """Return the C of an imported module, compiled now or cached."""
    began = time.perf_counter()
    limit_recursion(module, args.recursion_limit)

    def make() -> CSource:
        from lowering.driver import to_c

        return to_c(module, name, **options, callback=stages)

    cache = user_cache() if args.cache and not stages.are_shown else None
    key = None if cache is None else program_key(module, name, options)
    source = recalled(cache, key, make)
    stages.finish_c(source, time.perf_counter() - began)
    return source


def make_c(args: argparse.Namespace, name: str, stages: Stages) -> CSource:
    """Return the C of the program, compiled now or cached."""
    options = {
        "opt_level": args.opt_level,
        "sidecar_threshold": args.sidecar_threshold,
        "packed": args.packed,
        "cpu": args.cpu,
        "schedules": args.schedules,
        "arena": args.arena,
        "mpi": args.mpi,
        "passes": tuple(args.passes),
    }
    cache = user_cache() if args.cache and not stages.are_shown else None
    if is_onnx(args.file):
        return OnnxProgram(args, cache, stages).to_c(name, options, args.recursion_limit)
    began = time.perf_counter()
    if is_torch(args.file):
        return _c_of(load_program(args), args, name, options, stages)
    text = read_program(args.file)

    def make() -> CSource:
        from lowering.driver import to_c

        module = parse_program(text, args.file)
        limit_recursion(module, args.recursion_limit)
        return to_c(module, name, **options, callback=stages)

    given = {**options, "recursion_limit": args.recursion_limit}
    key = None if cache is None else text_key(text.encode(), args.file, name, given)
    source = recalled(cache, key, make)
    stages.finish_c(source, time.perf_counter() - began)
    return source


def write(source: CSource, directory: Path) -> list[Path]:
    """Write the files of the source; returns their paths."""
    with writing(directory):
        return source.write(directory)


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-compile`."""
    return start(arguments(), compile_file, args)


if __name__ == "__main__":
    sys.exit(main())
