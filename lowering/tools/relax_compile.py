"""`relax-compile FILE -o DIR`: a Relax program as C, header, shared object, weights and manifest."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c.source import CSource
from lowering.runtime import artifact, shared_object
from lowering.runtime.build_cache import user_cache
from lowering.runtime.source_cache import program_key, recalled, text_key
from lowering.target import find
from lowering.tools.common import (
    limit_recursion,
    model_name,
    parse_passes,
    print_written,
    read_schedules,
    run_tool,
    writing,
)
from lowering.tools.compile_options import arguments, check_threshold, parse_flags, parse_packed
from lowering.tools.memory_report import check_report, write_report
from lowering.tools.program import check_importing, is_onnx, load_program
from lowering.tools.progress_bar import progress_bar
from lowering.tools.stages import Stages, stage
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse, read


def compile_file(args: argparse.Namespace) -> None:
    """Do what the command line asks for, and say which files were written."""
    start = time.perf_counter()
    name = model_name(args.file) if args.name is None else args.name
    check_threshold(args.sidecar_threshold)
    packed = parse_packed(args.packed)
    shared_object.link_arguments(args.link)  # slips in options are reported before the work
    sizes = check_report(args)
    find(args.cpu)
    check_importing(args)
    flags, passes = parse_flags(args.cflags), parse_passes(args.passes)
    if args.emit == "loops":
        write_loops(args, name, passes)
        return
    stages = Stages(args)
    with progress_bar(start):
        source = make_c(args, name, packed, passes, stages)
    directory = Path(args.output)
    lowered = time.perf_counter()
    written = write(source, directory)
    stages.finish("Relax to C", lowered - start)
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

        module = load_program(args)
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


def write_loops(args: argparse.Namespace, name: str, passes: Sequence[str]) -> None:
    """Write the program as the C target would print it."""
    from lowering.driver import lowered

    start = time.perf_counter()
    module = loaded(args)
    limit_recursion(module, args.recursion_limit)
    schedules = None if args.schedules is None else read_schedules(args.schedules)
    stages = Stages(args)
    with progress_bar(start):
        loops = lowered(module, args.opt_level, args.cpu, schedules, passes, stages)
    stages.finish("Relax to loops", time.perf_counter() - start)
    path = Path(args.output) / f"{name}.loops.mlir"
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{loops!s}\n", "utf-8")
    print_written(path)


def make_c(
    args: argparse.Namespace,
    name: str,
    packed: Mapping[str, str],
    passes: Sequence[str],
    stages: Stages,
) -> CSource:
    """The C of the program, or that which it has become before."""
    imported = loaded(args) if is_onnx(args.file) else None
    text = "" if imported is not None else read(args.file)
    options = {
        "opt_level": args.opt_level,
        "sidecar_threshold": args.sidecar_threshold,
        "packed": packed,
        "cpu": args.cpu,
        "schedules": None if args.schedules is None else read_schedules(args.schedules),
        "arena": args.arena,
        "passes": tuple(passes),
    }

    def make() -> CSource:
        from lowering.driver import to_c

        module = parse(text, args.file) if imported is None else imported
        limit_recursion(module, args.recursion_limit)
        return to_c(module, name, **options, callback=stages)

    if not args.cache or stages.are_shown or (kept := user_cache()) is None:
        return make()
    given = {**options, "recursion_limit": args.recursion_limit}
    if imported is None:
        key = text_key(text.encode(), args.file, name, given)
    else:  # the file says neither the options of the import nor what is in other files
        key = program_key(imported, name, given)
    return recalled(kept, key, make)


def loaded(args: argparse.Namespace) -> ModuleOp:
    """The program, with a line on its import if there is one."""
    start = time.perf_counter()
    module = load_program(args)
    if is_onnx(args.file):
        print(stage("import", time.perf_counter() - start))
    return module


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
