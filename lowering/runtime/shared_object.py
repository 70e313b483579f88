"""From emitted C to a shared object: flags, the files to link with, and the C compiler's errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime.build_cache import user_cache
from lowering.runtime.c_command import CCommand
from lowering.support.c_compiler import find_compiler
from lowering.support.external_library import ExternalLibrary
from lowering.support.mpi import MPI, wrapper_flags
from lowering.support.shortage import mend
from lowering.support.target import find, flags_for
from relax_dialect.errors import RelaxError

FLAGS: dict[str, tuple[str, ...]] = {
    "language": ("-std=c11",),
    "speed": (
        "-O3",
        "-ffp-contract=fast",
        "-fno-math-errno",
        "-fno-trapping-math",
    ),
    "library": ("-fPIC", "-shared", "-fvisibility=hidden"),
}
"""The compiler's flags, by purpose, in addition to those of the CPU; gcc and clang take the same.

All parts are built with -O3: functions of vector types compile as fast as with -O2, in 10 to 30 ms each.
With gcc 12, -O2 would save a third of the time for ResNet-18 (a fifth if it vectorizes as -O3 does), spent
in passes over plain loops.
"""

ERROR_LINES = 6
LINKED = {".c", ".o", ".a", ".so", ".S", ".s", ".cpp", ".cc", ".dylib"}
"""The endings of files to link with, also before a version as in `libm.so.6`."""


def link_arguments(link: Sequence[str | Path]) -> list[str]:
    """Return the files to link with as arguments of the C compiler; a shared object is found again."""
    arguments: list[str] = []
    for path in map(Path, link):
        if not path.is_file():
            raise RelaxError(f"--link {path}: expected a file to link with, found none; correct it")
        if LINKED.isdisjoint(path.suffixes):
            raise RelaxError(
                f"--link {path}: expected a file that the linker reads, .c, .o, .a or .so, found "
                f"another; compile it first, and name the .c or .so made of it"
            )
        arguments.append(str(path.resolve()))
        if path.suffix == ".so":
            arguments.append(f"-Wl,-rpath,{path.resolve().parent}")
    return arguments


def c_command(
    source: CSource,
    directory: str | Path,
    *,
    cc: str | None = None,
    extra_flags: Sequence[str] = (),
    link: Sequence[str | Path] = (),
) -> CCommand:
    """Return the command that makes `name.so` of the files in a directory."""
    cpu = find(source.cpu)
    compiler = find_compiler(cc, cpu.architecture)
    linked = link_arguments(link)
    threads = ("-pthread",) if source.has_threads else ()
    flags = [*(flag for group in FLAGS.values() for flag in group), *threads]
    flags += [*flags_for(compiler, cpu.flags), *extra_flags]
    libraries = [flag for needed in source.libraries for flag in needed.flags()]
    if MPI in source.libraries:
        includes, linked_with = wrapper_flags()
        flags, libraries = [*flags, *includes], [*libraries, *linked_with]
    return CCommand(compiler, flags, Path(directory), source.name, linked, libraries, source.parts)


def compile_c(
    source: CSource,
    directory: str | Path,
    *,
    cc: str | None = None,
    extra_flags: Sequence[str] = (),
    link: Sequence[str | Path] = (),
    cache: bool = True,
) -> Path:
    """Write the files and compile them to `name.so` in the same directory, or take it from the cache of
    earlier builds (`lowering.runtime.build_cache`).

    The files of `link` (.c, .o, .so) go into it; C files may include the header.
    """
    command = c_command(source, directory, cc=cc, extra_flags=extra_flags, link=link)
    cpu, compiler = find(source.cpu), command.compiler
    source.write(directory)
    done = command.run_or_recall(user_cache() if cache else None)
    if done.returncode != 0:
        lines = done.stderr.splitlines()
        first = next((i for i, line in enumerate(lines) if "error" in line), 0)
        first = max(first - 1, 0)  # the line before names the function, or the missing symbol
        shown = "\n".join(lines[first : first + ERROR_LINES])
        shown = shown or f"it printed nothing and exited with code {done.returncode}"
        if any(flag.split("=")[0] in shown for flag in cpu.flags):
            shown += (
                f"\nname a compiler that makes code for {cpu.name} with --cc, or the CPU that "
                f"{compiler[0]} makes code for with --cpu"
            )
        raise RelaxError(
            f"C compiler: {compiler[0]} failed on {source.name}.c:\n{shown}{needs(source.libraries)}"
            f"{mend(done.stderr)}"
        )
    return command.library


def needs(libraries: Sequence[ExternalLibrary]) -> str:
    """Return the libraries to install, for the errors of a compiler or loader that does not find them."""
    return "".join(f"\n{n.user} needs {n.install}" for n in libraries)
