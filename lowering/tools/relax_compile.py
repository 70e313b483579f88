"""`relax-compile FILE -o DIR`: a Relax program as C, header, shared object, weights and manifest."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime import artifact, shared_object
from lowering.runtime.build_cache import user_cache
from lowering.runtime.source_cache import recalled, text_key
from lowering.support.c_compiler import find_compiler
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
from lowering.tools.compile_options import arguments, check_threshold, parse_flags, parse_packed
from lowering.tools.inputs.onnx_program import OnnxProgram
from lowering.tools.inputs.program import (
    STDIN,
    check_importing,
    is_onnx,
    load_program,
    parse_program,
    read_program,
)
from lowering.tools.memory_report import check_report, write_report
from lowering.tools.progress_bar import progress_bar
from lowering.tools.stages import Stages
from relax_dialect.errors import RelaxError


def compile_file(args: argparse.Namespace) -> None:
    """Run the command line, and report the files written."""
    start = time.perf_counter()
    name = model_name(args.file) if args.name is None else args.name
    check_threshold(args.sidecar_threshold)
    packed = parse_packed(args.packed)
    shared_object.link_arguments(args.link)  # slips in options are reported before the work
    sizes = check_report(args)
    cpu = find(args.cpu)
    check_importing(args)
    check_target(Path(args.output), "directory", "--output")
    if args.emit == "so":
        find_compiler(args.cc, cpu.architecture)
    flags, passes = parse_flags(args.cflags), parse_passes(args.passes)
    if args.emit == "loops":
        write_loops(args, name, passes)
        return
    stages = Stages(args)
    with progress_bar(start, args.quiet):
        source = make_c(args, name, packed, passes, stages)
    directory = Path(args.output)
    lowered = time.perf_counter()
    written = write(source, directory)
    if args.verbose and not args.quiet:
        print_command(source, directory, args, flags)
    if args.emit == "so":
        with progress_bar(start, args.quiet) as steps:
            library = artifact.build(
                source, directory, cc=args.cc, extra_flags=flags, link=args.link, cache=args.cache,
                program=None if args.file == STDIN else Path(args.file),
            )  # fmt: skip
        written += [library, artifact.manifest_path(source, directory)]
        stages.finish_build(time.perf_counter() - lowered, bool(steps))
    for entry in source.entries:
        params = ", ".join(f"{p.name}: {p}" for p in entry.params)
        results = ", ".join(map(str, entry.results)) or "nothing"
        stages.say(f"{entry.c_name}({params}) -> {results}")
    if args.report is not None:
        from lowering.driver import estimate_memory_usage

        module = load_program(args)
        report = estimate_memory_usage(module, sizes, opt_level=args.opt_level, cpu=args.cpu)
        write_report(report, args.report)
    for path in written:
        stages.say(written_text(path))


def print_command(
    source: CSource, directory: Path, args: argparse.Namespace, flags: Sequence[str]
) -> None:
    """Print the command that compiles the C; nothing if it is not compiled for lack of a compiler."""
    with suppress(*([] if args.emit == "so" else [RelaxError])):
        command = shared_object.c_command(
            source, directory, cc=args.cc, extra_flags=flags, link=args.link
        )
        print(shlex.join(command.words([str(directory / f"{source.name}.c")])))


def write_loops(args: argparse.Namespace, name: str, passes: Sequence[str]) -> None:
    """Write the program as the C target would print it."""
    from lowering.driver import lowered

    stages = Stages(args)
    module = OnnxProgram(args, None, stages).module if is_onnx(args.file) else load_program(args)
    start = time.perf_counter()
    limit_recursion(module, args.recursion_limit)
    schedules = None if args.schedules is None else read_schedules(args.schedules)
    with progress_bar(start, args.quiet):
        loops = lowered(module, args.opt_level, args.cpu, schedules, passes, stages)
    stages.finish("Relax to loops", time.perf_counter() - start, [f"{stages.count} passes"])
    path = Path(args.output) / f"{name}.loops.mlir"
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{loops!s}\n", "utf-8")
    stages.say(written_text(path))


def make_c(
    args: argparse.Namespace,
    name: str,
    packed: Mapping[str, str],
    passes: Sequence[str],
    stages: Stages,
) -> CSource:
    """Return the C of the program, compiled now or cached."""
    options = {
        "opt_level": args.opt_level,
        "sidecar_threshold": args.sidecar_threshold,
        "packed": packed,
        "cpu": args.cpu,
        "schedules": None if args.schedules is None else read_schedules(args.schedules),
        "arena": args.arena,
        "passes": tuple(passes),
    }
    cache = user_cache() if args.cache and not stages.are_shown else None
    if is_onnx(args.file):
        return OnnxProgram(args, cache, stages).to_c(name, options, args.recursion_limit)
    start = time.perf_counter()
    text = read_program(args.file)

    def make() -> CSource:
        from lowering.driver import to_c

        module = parse_program(text, args.file)
        limit_recursion(module, args.recursion_limit)
        return to_c(module, name, **options, callback=stages)

    given = {**options, "recursion_limit": args.recursion_limit}
    key = None if cache is None else text_key(text.encode(), args.file, name, given)
    source = recalled(cache, key, make)
    stages.finish_c(source, time.perf_counter() - start)
    return source


def write(source: CSource, directory: Path) -> list[Path]:
    """Write the files of the source; returns their paths."""
    with writing(directory):
        return source.write(directory)


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-compile`."""
    parsed = arguments().parse_args(args)
    return run_tool(lambda: compile_file(parsed), parsed.extensions)


if __name__ == "__main__":
    sys.exit(main())
