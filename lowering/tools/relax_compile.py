"""`relax-compile FILE -o DIR`: a Relax program as C, header, shared object, weights and manifest."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lowering.emit_c.source import SIDECAR_THRESHOLD, CSource
from lowering.runtime import artifact, shared_object
from lowering.runtime.build_cache import user_cache
from lowering.runtime.source_cache import recalled, text_key
from lowering.target import find
from lowering.tools.common import (
    add_cache,
    add_compiling,
    add_passes,
    add_schedules,
    limit_recursion,
    model_name,
    parse_passes,
    print_written,
    read_schedules,
    run_tool,
    writing,
)
from lowering.tools.memory_report import add_report, check_report, write_report
from lowering.tools.progress_bar import progress_bar
from lowering.tools.stages import Stages, add_stages, stage
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse, read


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="relax-compile", description=__doc__)
    parser.add_argument("file", help="the program, a .mlir file")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="where files go")
    parser.add_argument("--name", help="prefix of the C symbols (default: the file's stem)")
    parser.add_argument("--cc", help="the C compiler (default: $CC, cc, gcc or clang)")
    parser.add_argument(
        "--cflags",
        action="append",
        default=[],
        metavar="FLAGS",
        help="more flags of the C compiler, as in --cflags=-g or --cflags='-g -DNDEBUG'; may be repeated",
    )
    add_compiling(parser)
    add_schedules(parser)
    add_passes(parser)
    add_cache(parser)
    add_report(parser)
    parser.add_argument(
        "--arena",
        action="store_true",
        help="let the caller give the memory (NAME_arena_size, NAME_use_arena): the C allocates none "
        "(docs/embedding.md)",
    )
    parser.add_argument(
        "--emit",
        choices=("loops", "c", "so"),
        default="so",
        help="what is written: the program as loops (NAME.loops.mlir), C, or C and a shared object "
        "with its manifest (default: %(default)s)",
    )
    parser.add_argument(
        "--c-only", dest="emit", action="store_const", const="c", help="the same as --emit c"
    )
    add_stages(parser)
    parser.add_argument(
        "--sidecar-threshold",
        type=int,
        default=SIDECAR_THRESHOLD,
        metavar="BYTES",
        help="constants of more bytes go to the .weights file (default: %(default)s)",
    )
    parser.add_argument(
        "--packed",
        action="append",
        default=[],
        metavar="NAME=C_SYMBOL",
        help="call this C function for the packed function of that name; may be repeated",
    )
    parser.add_argument(
        "--link",
        action="append",
        default=[],
        metavar="FILE",
        help="a .c, .o or .so file to link with; may be repeated",
    )
    return parser


def parse_packed(assignments: Sequence[str]) -> dict[str, str]:
    """`["f=my_f"]` as C symbols by the names of packed functions."""
    found: dict[str, str] = {}
    for assignment in assignments:
        name, equals, symbol = assignment.rpartition("=")
        if not (name and equals and symbol):
            raise RelaxError(
                f"--packed {assignment}: expected a name and a C symbol, as in f=my_f; correct it"
            )
        found[name] = symbol
    return found


def compile_file(args: argparse.Namespace) -> None:
    """Do what the command line asks for, and say which files were written."""
    start = time.perf_counter()
    name = model_name(args.file) if args.name is None else args.name
    if args.sidecar_threshold < 0:
        raise RelaxError(
            f"--sidecar-threshold {args.sidecar_threshold}: expected a number of bytes, 0 or more; "
            "pass another one"
        )
    packed = parse_packed(args.packed)
    shared_object.link_arguments(args.link)  # slips in options are reported before the work
    sizes = check_report(args)
    find(args.cpu)
    flags, passes = parse_flags(args.cflags), parse_passes(args.passes)
    if args.emit == "loops":
        write_loops(args, name, passes)
        return
    with progress_bar(start):
        source = make_c(args, name, packed, passes)
    directory = Path(args.output)
    lowered = time.perf_counter()
    written = write(source, directory)
    print(stage("Relax to C", lowered - start))
    if args.verbose:
        print_command(source, directory, args, flags)
    if args.emit == "so":
        with progress_bar(start):
            library = artifact.build(
                source, directory, cc=args.cc, extra_flags=flags, link=args.link, cache=args.cache,
                program=Path(args.file),
            )  # fmt: skip
        written += [library, artifact.manifest_path(source, directory)]
        print(stage("C to shared object", time.perf_counter() - lowered))
    for entry in source.entries:
        params = ", ".join(f"{p.name}: {p}" for p in entry.params)
        results = ", ".join(map(str, entry.results)) or "nothing"
        print(f"{entry.c_name}({params}) -> {results}")
    if args.report is not None:
        from lowering.driver import estimate_memory_usage

        module = parse(read(args.file), args.file)
        report = estimate_memory_usage(module, sizes, opt_level=args.opt_level, cpu=args.cpu)
        write_report(report, args.report)
    for path in written:
        print_written(path)


def print_command(
    source: CSource, directory: Path, args: argparse.Namespace, flags: Sequence[str]
) -> None:
    """How the C is compiled; nothing where it is not, for want of a compiler."""
    with suppress(*([] if args.emit == "so" else [RelaxError])):
        command = shared_object.c_command(
            source, directory, cc=args.cc, extra_flags=flags, link=args.link
        )
        print(shlex.join(command.words([str(directory / f"{source.name}.c")])))


def parse_flags(texts: Sequence[str]) -> list[str]:
    """The words of `--cflags`."""
    try:
        return [word for text in texts for word in shlex.split(text)]
    except ValueError as error:  # a quote that is not closed
        raise RelaxError(
            f"--cflags {' '.join(texts)}: expected words as a shell reads them, found others: {error}; "
            "correct the quotes"
        ) from None


def write_loops(args: argparse.Namespace, name: str, passes: Sequence[str]) -> None:
    """Write the program as the C target would print it."""
    from lowering.driver import lowered

    start = time.perf_counter()
    module = parse(read(args.file), args.file)
    limit_recursion(module, args.recursion_limit)
    schedules = None if args.schedules is None else read_schedules(args.schedules)
    with progress_bar(start):
        loops = lowered(module, args.opt_level, args.cpu, schedules, passes, Stages(args))
    print(stage("Relax to loops", time.perf_counter() - start))
    path = Path(args.output) / f"{name}.loops.mlir"
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{loops!s}\n", "utf-8")
    print_written(path)


def make_c(
    args: argparse.Namespace, name: str, packed: Mapping[str, str], passes: Sequence[str]
) -> CSource:
    """The C of the program, or that which it has become before."""
    text = read(args.file)
    options = {
        "opt_level": args.opt_level,
        "sidecar_threshold": args.sidecar_threshold,
        "packed": packed,
        "cpu": args.cpu,
        "schedules": None if args.schedules is None else read_schedules(args.schedules),
        "arena": args.arena,
        "passes": tuple(passes),
    }
    stages = Stages(args)

    def make() -> CSource:
        from lowering.driver import to_c

        module = parse(text, args.file)
        limit_recursion(module, args.recursion_limit)
        return to_c(module, name, **options, callback=stages)

    if not args.cache or stages.are_shown or (kept := user_cache()) is None:
        return make()
    given = {**options, "recursion_limit": args.recursion_limit}
    return recalled(kept, text_key(text.encode(), args.file, name, given), make)


def write(source: CSource, directory: Path) -> list[Path]:
    """Write the files of the source; gives their paths."""
    with writing(directory):
        return source.write(directory)


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-compile`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: compile_file(parsed), parsed.extensions)


if __name__ == "__main__":
    sys.exit(main())
