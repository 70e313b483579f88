"""The options of several command-line tools, each declared once."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from lowering.pipeline import DEFAULT_LEVEL, OPTIMIZATIONS
from lowering.runtime.artifact import PROJECTS, version
from lowering.runtime.build_cache import DEFAULT_MEGABYTES, FOLDER, LIMIT
from lowering.support.target import CPUS, NATIVE
from relax_dialect.analysis.recursion import DEFAULT_LIMIT
from relax_dialect.extensions import OFF, OPTION

Options = Mapping[str, Mapping[str, Any]]
"""The keyword arguments of each option for argparse."""


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


COMPILING: Options = {
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
}
"""Compile options, shared by all tools that compile."""

EXTENSIONS: Options = {
    OPTION: {
        "dest": "extensions",
        "action": "store_false",
        "help": f"leave out what other packages add to the compiler; ${OFF} does the same",
    },
}

COMPLETION: Options = {
    "--print-completion": {
        "action": PrintCompletion,
        "choices": ("bash", "zsh", "tcsh"),
        "help": "print a script that completes this command in a shell (pip install shtab)",
    },
}

VERSION: Options = {"-v, --version": {"action": PrintVersions}, **COMPLETION}

SCHEDULES: Options = {
    "--schedules": {
        "metavar": "FILE",
        "help": "how kernels are computed, as relax-schedule{print=true} prints it (docs/schedules.md)",
    },
    "--passes": {
        "default": "",
        "metavar": "LIST",
        "help": "passes that run before all others, as in -p of relax-opt",
    },
}
"""Options that change a program before it is compiled."""

CACHE: Options = {
    "--no-cache": {
        "dest": "cache",
        "action": "store_false",
        "help": "build everything now; without it, what was built before of the same program comes from "
        f"${FOLDER}, else $XDG_CACHE_HOME/relax-xdsl, else ~/.cache/relax-xdsl, which grows up to "
        f"${LIMIT} megabytes (default: {DEFAULT_MEGABYTES}; 0 for no cache)",
    },
}


def add_options(parser: argparse.ArgumentParser, *tables: Options) -> None:
    """Add the options of some tables to a command line."""
    if parser.formatter_class is argparse.HelpFormatter:
        parser.formatter_class = HelpFormatter
    for table in tables:
        for name, said in table.items():
            parser.add_argument(*name.split(", "), **said)
