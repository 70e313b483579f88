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
from pathlib import Path

from lowering.support.whole_files import check_target, unwritable
from lowering.tools.common import run_tool
from lowering.tools.options import VERSION, add_options
from lowering.tools.reduce.reducing import reduce
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import read

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
    parser = argparse.ArgumentParser(
        prog="relax-reduce",
        usage="relax-reduce FILE -o SMALL [--match REGEX] [--seconds S] [--quiet] -- COMMAND ...",
        description=__doc__,
        epilog=f"In the command {PLACE} is the file; without it the file comes last.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="the program, a .mlir file")
    parser.add_argument("-o", "--output", required=True, metavar="SMALL", help="the smaller one")
    parser.add_argument(
        "--match", metavar="REGEX", help="what the output must hold (default: any output does)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=60,
        help="how long a run may take; where the first takes longer, that is the failure that is "
        "kept (default: %(default)s)",
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing of the steps")
    add_options(parser, VERSION)
    return parser


def reduce_file(args: argparse.Namespace, words: Sequence[str]) -> None:
    """Run the command line."""
    if not words:
        raise RelaxError(
            "expected a command after --, found none; say what fails: -- relax-opt {} -p PASSES"
        )
    try:
        pattern = re.compile(args.match or "")
    except re.error as error:
        raise RelaxError(
            f"--match {args.match}: expected a regular expression, found a mistake: {error}; correct it"
        ) from None
    text = read(args.file)
    check_target(Path(args.output), "file", "--output", is_made=False)
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
                f"--match {args.match}: expected it in the output of {shown} on {args.file}, found "
                f"{first.output.strip()[-300:] or 'no output'}; correct it"
            )

        def fails(candidate: str) -> bool:
            found = command.run(candidate)
            return found.status == first.status and bool(pattern.search(found.output))

        note = (lambda message: None) if args.quiet else print
        small = reduce(text, fails, note)
    try:
        Path(args.output).write_text(small, encoding="utf-8")
    except OSError as error:
        raise unwritable(args.output, "file", "--output", error.strerror) from None
    if not args.quiet:
        print(f"{len(text.splitlines())} lines -> {len(small.splitlines())}: {args.output}")


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-reduce`."""
    given = list(sys.argv[1:] if args is None else args)
    end = given.index("--") if "--" in given else len(given)
    parsed = arguments().parse_args(given[:end])
    return run_tool(lambda: reduce_file(parsed, given[end + 1 :]))


if __name__ == "__main__":
    sys.exit(main())
