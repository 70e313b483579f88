"""`relax-reduce FILE -o SMALL -- COMMAND {}`: a smaller program on which a command still fails.

relax-reduce crash.mlir -o small.mlir --match "KeyError" -- relax-opt {} -p relax-legalize
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lowering.tools.common import check_output, report_stream, write_output
from lowering.tools.inputs.program import read_program
from lowering.tools.options import GENERAL, add_options, command_line, start
from lowering.tools.reduce.reducing import reduce
from relax_dialect.errors import RelaxError

PLACE = "{}"
"""The placeholder of the file in a command."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command: its exit status, or None after a timeout, and its output."""

    status: int | None
    output: str


@dataclass
class Command:
    """A command to try programs on, in files of one folder."""

    words: Sequence[str]
    folder: Path
    seconds: float

    def run(self, text: str) -> Outcome:
        file = self.folder / "candidate.mlir"
        file.write_text(text, encoding="utf-8")
        words = [word.replace(PLACE, str(file)) for word in self.words]
        if words == list(self.words):
            words.append(str(file))
        try:
            done = subprocess.run(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                timeout=self.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(None, "")
        except OSError as error:
            raise RelaxError(
                f"command '{words[0]}': expected one that can be run, found none: {error.strerror}; "
                "correct it"
            ) from None
        return Outcome(done.returncode, done.stdout.decode("utf-8", errors="replace"))


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = command_line(
        "relax-reduce",
        __doc__,
        usage="relax-reduce FILE -o SMALL [--match REGEX] [--seconds S] [--quiet] -- COMMAND ...",
        epilog=f"In the command {PLACE} is the file; without it the file comes last.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser, "file", help="the program, a .mlir file, - for standard input")
    where = "the smaller program; - for standard output"
    add_options(parser, "-o, --output", required=True, help=where)
    add_options(parser, "--match", "--seconds", "--quiet", *GENERAL)
    return parser


def reduce_file(args: argparse.Namespace, words: Sequence[str]) -> None:
    """Run the command line."""
    if not words:
        raise RelaxError(
            "expected a command after --, found none; say what fails: -- relax-opt {} -p PASSES"
        )
    pattern = args.match or re.compile("")
    text = read_program(args.file)
    check_output(args.output)
    stream = report_stream(args.output)
    with tempfile.TemporaryDirectory(prefix="relax-reduce-") as folder:
        command = Command(words, Path(folder), args.seconds)
        first = command.run(text)
        shown = shlex.join(words)
        if first.status == 0 and args.match is None:
            raise RelaxError(
                f"{shown}: expected it to fail on {args.file}, found that it succeeds; correct the "
                "command, or name what is wrong about its output with --match"
            )
        if not pattern.search(first.output):
            raise RelaxError(
                f"--match {pattern.pattern}: expected it in the output of {shown} on {args.file}, found "
                f"{first.output.strip()[-300:] or 'no output'}; correct it"
            )

        def fails(candidate: str) -> bool:
            found = command.run(candidate)
            return found.status == first.status and bool(pattern.search(found.output))

        note = (lambda message: None) if args.quiet else partial(print, file=stream)
        small = reduce(text, fails, note)
    write_output(args.output, small)
    if not args.quiet:
        print(
            f"{len(text.splitlines())} lines -> {len(small.splitlines())}: {args.output}",
            file=stream,
        )


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-reduce`."""
    given = list(sys.argv[1:] if args is None else args)
    end = given.index("--") if "--" in given else len(given)
    return start(arguments(), lambda parsed: reduce_file(parsed, given[end + 1 :]), given[:end])


if __name__ == "__main__":
    sys.exit(main())
