"""The options of all command-line tools, each declared once.

parser = command_line("relax-run", __doc__, "file", "--random", *COMPILING, *GENERAL)
return start(parser, run, words)
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from lowering.emit_c.syntax.c_source import SIDECAR_THRESHOLD
from lowering.pipeline import DEFAULT_LEVEL, OPTIMIZATIONS
from lowering.runtime.artifact_files import PROJECTS, version
from lowering.runtime.build_cache import DEFAULT_MEGABYTES, FOLDER, LIMIT
from lowering.support.target import CPUS, NATIVE
from lowering.tools.common import run_tool
from lowering.tools.option_values import read_values
from relax_dialect.analysis.recursion import DEFAULT_LIMIT
from relax_dialect.extensions import OFF, OPTION
from relax_dialect.prove import Limits, Over

Declaration = Mapping[str, Any]
"""The keyword arguments of an option for argparse."""


class HelpFormatter(argparse.HelpFormatter):
    """Help that never breaks a line inside an option's name, at its hyphens."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)
        return "\n".join(indent + line for line in lines)


class PrintVersions(argparse.Action):
    """The option that prints the versions, looked up only when used; it replaces xDSL's."""

    def __init__(self, *args: Any, version_format: str = "", **options: Any):
        options["help"] = "print the versions and stop"
        super().__init__(*args, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the versions of this project and its dependencies."""
        found = [f"{name} {version(name) or 'that is not installed'}" for name in PROJECTS]
        print(f"{found[0]} ({', '.join(found[1:])}, Python {platform.python_version()})")
        parser.exit()


class PrintCompletion(argparse.Action):
    """The option that prints a shell's completion script, by the package shtab."""

    def __call__(self, parser: argparse.ArgumentParser, _: object, shell: Any, *__: object) -> None:
        """Print the script for a shell and stop."""
        try:
            from shtab import complete  # pyright: ignore[reportMissingImports]
        except ImportError:
            parser.error(
                "--print-completion: expected the package shtab, found none; pip install shtab"
            )
        print(complete(parser, shell=shell))
        parser.exit()


SEVERAL: Declaration = {"nargs": "+", "action": "extend", "default": []}
REPEATED: Declaration = {"action": "append", "default": []}
FLAG: Declaration = {"action": "store_true"}
SIZES: Declaration = {**SEVERAL, "metavar": "n=7,m=2"}

OPTIONS: Mapping[str, Declaration] = {
    # the program, and what is written
    "file": {
        "nargs": "?",
        "help": "the program: .mlir, .onnx, .pt2 of PyTorch's or .py of TVM's, - for standard input",
    },
    "-o, --output": {"metavar": "FILE"},
    "--name": {"help": "prefix of the C symbols (default: the file's stem)"},
    "--emit": {
        "choices": ("loops", "c", "so"),
        "default": "so",
        "help": "what is written: the program as loops (NAME.loops.mlir), C, or C and a shared object "
        "with its manifest (default: %(default)s)",
    },
    "--arena": {
        **FLAG,
        "help": "let the caller provide the memory (NAME_arena_size, NAME_use_arena): the C allocates none "
        "(docs/embedding.md)",
    },
    "--mpi": {
        **FLAG,
        "help": "link with MPI, by the flags of mpicc or $MPICC; programs that communicate are so "
        "anyway (docs/distributed.md)",
    },
    "--sidecar-threshold": {
        "type": int,
        "default": SIDECAR_THRESHOLD,
        "metavar": "BYTES",
        "help": "constants of more bytes go to the .weights file (default: %(default)s)",
    },
    "--header": {
        "metavar": "FILE",
        "help": "where the header goes that -t c has in its text without this",
    },
    # the import of other formats
    "--dim": {**SIZES, "help": "sizes that an ONNX model names, fixed as it is imported"},
    "--bind": {
        **SEVERAL,
        "metavar": "INPUT=VALUE",
        "help": "inputs of an ONNX model that become constants: a number, a list as in axes=[0,1], or a "
        ".npy file",
    },
    "--import-onnx": {"metavar": "MODEL", "help": "the model, a .onnx file"},
    "--import-torch": {
        "metavar": "MODEL",
        "help": "an exported program of PyTorch, a .pt2 file of torch.export.save",
    },
    "--import-tvmscript": {
        "metavar": "SCRIPT",
        "help": "the text of a module of TVM's, a .py file, which is not run; - for standard input",
    },
    "--check-tvm": {
        "metavar": "PASS",
        "help": "a pass by our name or TVM's, relax-fold-constant or FoldConstant, with our options: both "
        "run on a program, which is named last; 0 if both produce the same module, or the same values",
    },
    # compilation
    "-p, --passes": {
        "default": "",
        "metavar": "PASSES",
        "help": "passes that run first, with commas between them and options as in "
        "name{option=value}; relax-opt --list-passes lists them",
    },
    "--cpu": {
        "default": NATIVE,
        "metavar": "NAME",
        "help": f"the CPU to make code for: {', '.join(CPUS)}, or {NATIVE}, this machine (default: "
        "%(default)s)",
    },
    "-O": {
        "dest": "opt_level",
        "type": int,
        "choices": tuple(OPTIMIZATIONS),
        "default": DEFAULT_LEVEL,
        "help": "passes on the graph before it is lowered: 0 none, 1 those that keep every bit but for "
        "recognised operators, 2 also those that change rounding (default: %(default)s)",
    },
    "--recursion-limit": {
        "type": int,
        "metavar": "N",
        "help": "how deep calls of recursive functions may nest (default: that of the program, or "
        f"{DEFAULT_LIMIT})",
    },
    "--schedules": {
        "metavar": "FILE",
        "help": "how kernels are computed, as relax-schedule{print=true} prints it (docs/schedules.md)",
    },
    "--no-cache": {
        "dest": "cache",
        "action": "store_false",
        "help": "build everything now; without it, what was built before of the same program comes from "
        f"${FOLDER}, else $XDG_CACHE_HOME/relax-xdsl, else ~/.cache/relax-xdsl, which grows up to "
        f"${LIMIT} megabytes (default: {DEFAULT_MEGABYTES}; 0 for no cache)",
    },
    "--cc": {"help": "the C compiler (default: $CC, cc, gcc or clang)"},
    "--cflags": {
        **REPEATED,
        "metavar": "FLAGS",
        "help": "more flags of the C compiler, as in --cflags=-g or --cflags='-g -DNDEBUG'; may be "
        "repeated",
    },
    "--packed": {
        **REPEATED,
        "metavar": "NAME=C_SYMBOL",
        "help": "call this C function for the packed function of that name; may be repeated",
    },
    "--link": {
        **REPEATED,
        "metavar": "FILE",
        "help": "a .c, .o or .so file to link with; may be repeated",
    },
    "--budget": {
        "default": "60s",
        "metavar": "TIME",
        "help": "how long the search takes, as in 90s, 5m or 1h (default: %(default)s)",
    },
    "--static": {
        **FLAG,
        "help": "fix the sizes of --dim in an ONNX model as it is imported, as relax-compile --dim does",
    },
    "--threads": {
        "type": int,
        "metavar": "N",
        "help": "the threads that calls use, unless the program that calls says otherwise: results have "
        "the same bits for any number (default: $OMP_NUM_THREADS, or 1)",
    },
    # calls
    "--entry": {"help": "the function to run (default: @main, or the only public one)"},
    "--input": {
        **SEVERAL,
        "metavar": "[NAME=]FILE",
        "help": "its arguments: .npy files, .npz and .safetensors with arrays called as parameters are, "
        "images (.png, .ppm; others with Pillow); in order, or by name as in x=x.npy",
    },
    "--random": {
        **SIZES,
        "nargs": "*",
        "default": None,
        "help": "random arguments where no input is passed, with these sizes for symbolic variables; "
        "values are normally distributed, integers 0 to 9, or in an interval as in ids=0:100, without 100",
    },
    "--seed": {
        "type": int,
        "default": 0,
        "metavar": "N",
        "help": "the seed of random arguments (default: %(default)s)",
    },
    "--repeat": {
        "type": int,
        "metavar": "N",
        "help": "call it so often, and print the shortest and the median time",
    },
    "--backend": {
        "choices": ("c", "interpret"),
        "default": "c",
        "help": "compiled to C, which takes a C compiler, or by the numpy interpreter, as it is written "
        "(default: %(default)s)",
    },
    "--check": {
        "choices": ("onnxruntime",),
        "help": "run ONNX Runtime on the same inputs and compare the results of the model; where they "
        "differ, name the first node whose value does",
    },
    "--tolerance": {
        "type": float,
        "metavar": "T",
        "help": "the accepted difference of a comparison, as a part of max|reference| (default: 0.0001 for "
        "--check, by type for --check-tvm)",
    },
    # reports
    "--sizes": {
        **SIZES,
        "help": "sizes of symbolic variables, for which the memory is printed in numbers too",
    },
    "--report": {
        "nargs": "?",
        "const": "-",
        "metavar": "FILE.{txt,json}",
        "help": "report peak memory, the lower bound by liveness and every value's lifetime and offset; "
        "printed if no file is named",
    },
    "--verbose": {
        **FLAG,
        "help": "print the time of every pass, and the command that compiles the C",
    },
    "--quiet": {
        **FLAG,
        "help": "print no stages, nor which files were written, and show no progress",
    },
    "--time-passes": {**FLAG, "help": "print the time of each pass"},
    "--print-between-passes": {**FLAG, "help": "print the program between passes"},
    "--list-passes": {**FLAG, "help": "list all passes, a line each, and stop"},
    "--prove": {
        **FLAG,
        "help": "prove by z3 that each pass keeps what each relax.func computes, for all inputs; verdicts "
        "go to standard error, with a program for each counterexample, which makes the exit code 1 "
        "(docs/proofs.md)",
    },
    "--prove-over": {
        "choices": tuple(each.value for each in Over),
        "default": Over.FLOATS.value,
        "help": "the numbers that --prove is about: IEEE floats, bit for bit, or else real numbers, which "
        "ignore rounding (default: %(default)s)",
    },
    "--prove-limit": {
        "type": int,
        "default": Limits().milliseconds,
        "metavar": "MS",
        "help": "how long --prove works on a query, in milliseconds (default: %(default)s)",
    },
    # the reduction of a program that fails
    "--match": {
        "metavar": "REGEX",
        "help": "what the output must hold (default: any output does)",
    },
    "--seconds": {
        "type": float,
        "default": 60.0,
        "metavar": "S",
        "help": "how long a run may take; where the first takes longer, that is the failure that is "
        "kept (default: %(default)g)",
    },
    # the language server
    "--stdio": {**FLAG, "help": "accepted for editors that pass it; there is no other way"},
    "--allow-unregistered-dialect": {
        **FLAG,
        "help": "take ops, types and attributes that no dialect knows",
    },
    # all tools
    OPTION: {
        "dest": "extensions",
        "action": "store_false",
        "help": f"leave out what other packages add to the compiler; ${OFF} does the same",
    },
    "-v, --version": {"action": PrintVersions},
    "--print-completion": {
        "action": PrintCompletion,
        "choices": ("bash", "zsh", "tcsh"),
        "help": "print a script that completes this command in a shell (pip install shtab)",
    },
}
"""Every option by its spellings."""

IMPORTING = ("--dim", "--bind")
COMPILING = ("-p, --passes", "--schedules", "--cpu", "-O", "--recursion-limit")
VERBOSITY = ("--verbose", "--quiet")
GENERAL = (OPTION, "-v, --version", "--print-completion")


_PROGRAMS = (".mlir", ".onnx", ".pt2", ".py", ".json")
_SEVERAL: Mapping[str, Callable[[str], bool]] = {
    **dict.fromkeys(("random", "dim", "points", "sizes", "bind"), lambda word: "=" in word),
    "input": lambda word: "=" in word or not word.lower().endswith(_PROGRAMS),
}
"""The options of several values, and whether a word is one of these."""


class _Parser(argparse.ArgumentParser):
    """A command line whose program may follow an option with several values: `--random n=7 model.mlir`,
    `--input x.npy model.mlir`."""

    def parse_args(self, *words: Any, **more: Any) -> argparse.Namespace:  # pyright: ignore
        """Parse the command line; a last value that is no value of its option is the program if there is
        no other."""
        args: argparse.Namespace = super().parse_args(*words, **more)
        missing = "program" if "program" in args else "file"
        if getattr(args, missing, "") is not None:
            return args
        for option, is_value in _SEVERAL.items():
            values: list[str] = getattr(args, option, None) or []
            if values and not is_value(values[-1]):
                setattr(args, missing, values.pop())
                return args
        if missing == "file":
            self.error("the following arguments are required: file")
        return args


def command_line(
    prog: str, description: str | None, *names: str, **more: Any
) -> argparse.ArgumentParser:
    """Build the command line of a tool from the names of its options in `OPTIONS`."""
    parser = _Parser(
        prog=prog, description=description, **{"formatter_class": HelpFormatter, **more}
    )
    add_options(parser, *names)
    return parser


def add_options(parser: Any, *names: str, **changes: Any) -> None:
    """Add options of `OPTIONS` to a command line or a group, with changes of their declarations."""
    for name in names:
        parser.add_argument(*name.split(", "), **{**OPTIONS[name], **changes})


def start(
    parser: argparse.ArgumentParser,
    tool: Callable[[argparse.Namespace], int | None],
    words: Sequence[str] | None,
    *,
    compiles: bool = True,
) -> int:
    """Run a tool on its command line, the values of whose options are checked first; see `run_tool`."""
    args = parser.parse_args(words)

    def run() -> int | None:
        read_values(args)
        return tool(args)

    return run_tool(run, args.extensions, compiles)
