"""The command line of `relax-compile`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from typing import Any

from lowering.emit_c.syntax.c_source import SIDECAR_THRESHOLD
from lowering.tools.inputs.program import IMPORTING
from lowering.tools.memory_report import REPORT
from lowering.tools.options import (
    CACHE,
    COMPILING,
    EXTENSIONS,
    SCHEDULES,
    VERSION,
    Options,
    add_options,
)
from lowering.tools.stages import STAGES
from relax_dialect.errors import RelaxError

MANY: Any = {"action": "append", "default": []}

TOOLCHAIN: Options = {
    "--cc": {"help": "the C compiler (default: $CC, cc, gcc or clang)"},
    "--cflags": {
        **MANY,
        "metavar": "FLAGS",
        "help": "more flags of the C compiler, as in --cflags=-g or --cflags='-g -DNDEBUG'; may be "
        "repeated",
    },
    "--packed": {
        **MANY,
        "metavar": "NAME=C_SYMBOL",
        "help": "call this C function for the packed function of that name; may be repeated",
    },
    "--link": {
        **MANY,
        "metavar": "FILE",
        "help": "a .c, .o or .so file to link with; may be repeated",
    },
}

OUTPUT: Options = {
    "--name": {"help": "prefix of the C symbols (default: the file's stem)"},
    "--emit": {
        "choices": ("loops", "c", "so"),
        "default": "so",
        "help": "what is written: the program as loops (NAME.loops.mlir), C, or C and a shared object "
        "with its manifest (default: %(default)s)",
    },
    "--arena": {
        "action": "store_true",
        "help": "let the caller pass the memory (NAME_arena_size, NAME_use_arena): the C allocates none "
        "(docs/embedding.md)",
    },
    "--sidecar-threshold": {
        "type": int,
        "default": SIDECAR_THRESHOLD,
        "metavar": "BYTES",
        "help": "constants of more bytes go to the .weights file (default: %(default)s)",
    },
}

TABLES = (
    *(OUTPUT, IMPORTING, COMPILING, SCHEDULES, TOOLCHAIN),
    *(CACHE, REPORT, STAGES, EXTENSIONS, VERSION),
)


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    description = "A Relax program as C, header, shared object, weights and manifest."
    parser = argparse.ArgumentParser(prog="relax-compile", description=description)
    parser.add_argument(
        "file", help="the program: .mlir, .onnx or .py of TVM's, - for standard input"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="where files go")
    add_options(parser, *TABLES)
    return parser


def parse_packed(assignments: Sequence[str]) -> dict[str, str]:
    """Parse `["f=my_f"]` as C symbols by the names of packed functions."""
    found: dict[str, str] = {}
    for assignment in assignments:
        name, equals, symbol = assignment.rpartition("=")
        if not (name and equals and symbol):
            raise RelaxError(
                f"--packed {assignment}: expected a name and a C symbol, as in f=my_f; correct it"
            )
        found[name] = symbol
    return found


def parse_flags(texts: Sequence[str]) -> list[str]:
    """Split the words of `--cflags`."""
    try:
        return [word for text in texts for word in shlex.split(text)]
    except ValueError as error:  # a quote that is not closed
        raise RelaxError(
            f"--cflags {' '.join(texts)}: expected words as a shell reads them, found others: {error}; "
            "correct the quotes"
        ) from None


def check_threshold(size: int) -> None:
    """Refuse a negative number of bytes."""
    if size < 0:
        raise RelaxError(
            f"--sidecar-threshold {size}: expected a number of bytes, 0 or more; pass another one"
        )
