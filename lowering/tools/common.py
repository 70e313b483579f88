"""The frame of the command-line tools: errors as one message and an exit code, never a traceback."""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from lowering.pipeline import DEFAULT_LEVEL, OPTIMIZATIONS
from lowering.runtime.artifact import PROJECTS, version
from lowering.runtime.build_cache import DEFAULT_MEGABYTES, FOLDER, LIMIT
from lowering.target import CPUS, NATIVE
from relax_dialect.analysis.recursion import DEFAULT_LIMIT, set_recursion_limit
from relax_dialect.errors import RelaxError
from relax_dialect.extensions import OFF, OPTION, left_out
from relax_dialect.parsing import deep_recursion, read
from relax_dialect.text.diagnostics import EXPECTED, describe


def add_compiling(parser: argparse.ArgumentParser) -> None:
    """Let a command line take the options of all tools that compile, and `--version`."""
    add_cpu(parser)
    add_opt_level(parser)
    add_recursion_limit(parser)
    add_extensions(parser)
    add_version(parser)


def add_opt_level(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `-O0`, `-O1` and `-O2`."""
    parser.add_argument(
        "-O",
        dest="opt_level",
        type=int,
        choices=tuple(OPTIMIZATIONS),
        default=DEFAULT_LEVEL,
        help="passes on the graph before it is lowered: 0 none, 1 those that keep every bit but for "
        "recognised operators, 2 also those that change rounding (default: %(default)s)",
    )


def add_cpu(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--cpu NAME`."""
    parser.add_argument(
        "--cpu",
        default=NATIVE,
        metavar="NAME",
        help=f"the CPU to make code for: {', '.join(CPUS)}, or {NATIVE}, this machine (default: "
        "%(default)s)",
    )


def add_recursion_limit(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--recursion-limit N`."""
    parser.add_argument(
        "--recursion-limit",
        type=int,
        metavar="N",
        help=f"how deep calls of recursive functions may nest (default: that of the program, or "
        f"{DEFAULT_LIMIT})",
    )


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--no-cache`."""
    parser.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help=f"build everything now; without it, what was built before of the same program comes from "
        f"${FOLDER}, else $XDG_CACHE_HOME/relax-xdsl, else ~/.cache/relax-xdsl, which grows up to "
        f"${LIMIT} megabytes (default: {DEFAULT_MEGABYTES}; 0 for no cache)",
    )


def add_version(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--version`."""
    parser.add_argument("-v", "--version", action=PrintVersions)


class PrintVersions(argparse.Action):
    """The option that looks up the versions, only where it is given; in the place of xDSL's too."""

    def __init__(self, *args: Any, version_format: str = "", **options: Any):
        options["help"] = "tell the versions and stop"
        super().__init__(*args, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(versions())
        parser.exit()


def versions() -> str:
    """This project and what it is built on."""
    found = [f"{name} {version(name) or 'that is not installed'}" for name in PROJECTS]
    return f"{found[0]} ({', '.join(found[1:])}, Python {platform.python_version()})"


def add_extensions(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--no-extensions`."""
    parser.add_argument(
        OPTION,
        dest="extensions",
        action="store_false",
        help=f"leave out what other packages add to the compiler; ${OFF} does the same",
    )


def add_schedules(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--schedules FILE`."""
    parser.add_argument(
        "--schedules",
        metavar="FILE",
        help="how kernels are computed, as relax-schedule{print=true} prints it (docs/schedules.md)",
    )


def add_passes(parser: argparse.ArgumentParser) -> None:
    """Let a command line take `--passes LIST`."""
    parser.add_argument(
        "--passes",
        default="",
        metavar="LIST",
        help="passes that run before all others, as in -p of relax-opt",
    )


def limit_recursion(module: ModuleOp, limit: int | None) -> None:
    """Give a program the limit that the command line asks for."""
    if limit is not None:
        set_recursion_limit(module, limit, f"--recursion-limit {limit}")


def model_name(path: str) -> str:
    """The stem of a file as a C identifier: `my-model.mlir` -> `my_model`."""
    name = re.sub(r"\W", "_", Path(path).stem, flags=re.ASCII)
    return f"m{name}" if not name or name[0].isdigit() else name


def parse_passes(text: str) -> list[str]:
    """`"a,b{c=1}"` as passes with their options."""
    try:
        return [str(spec) for spec in parse_pipeline(text)]
    except ArgSpecParseError as error:
        raise RelaxError(
            f"--passes {text}: expected passes with commas between them, found others: "
            f"{str(error).strip()}; correct the text"
        ) from None


def read_schedules(file: str) -> str:
    """The text of a file of schedules, checked."""
    from lowering.schedule.schedule import parse as parse_schedules

    text = read(file)
    parse_schedules(text, file)
    return text


@contextmanager
def writing(target: Path, kind: str = "directory") -> Iterator[None]:
    """Refuse a directory or file that cannot be written to."""
    try:
        yield
    except OSError as error:
        raise RelaxError(
            f"--output {target}: expected a {kind} that can be written to, found none: "
            f"{error.strerror}; name another one"
        ) from None


def print_written(path: Path) -> None:
    print(f"wrote {path}  {path.stat().st_size} bytes")


def run_tool(tool: Callable[[], int | None], extensions: bool = True) -> int:
    """Run the body of a tool, with extensions or without; a user's mistake is printed to standard error and
    gives 1."""
    try:
        with deep_recursion(), left_out(not extensions):
            code = tool()
        sys.stdout.flush()
        return code or 0
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except EXPECTED as error:
        print(describe(error), file=sys.stderr)
        return 1
