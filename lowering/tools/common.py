"""What the command-line tools share: errors as one message and an exit code, never a traceback."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from xdsl.utils.exceptions import (
    DiagnosticException,
    InterpretationError,
    ParseError,
    PassFailedException,
    VerifyException,
)

from lowering.pipeline import DEFAULT_LEVEL, OPTIMIZATIONS
from relax_dialect.diagnostics import describe_at, describe_parse_error, first_cause, reword
from relax_dialect.errors import InternalError, RelaxError
from relax_dialect.parsing import deep_recursion


def describe(error: Exception) -> str:
    """The message of an error as a user reads it."""
    if isinstance(error, ParseError):
        return describe_parse_error(error)
    if isinstance(error, RelaxError | InternalError):
        text = str(error)
        op = error.op if isinstance(error, RelaxError) else None
        return text if "error:" in text else describe_at(op, text)
    return f"error: {reword(first_cause(error))}"


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


def run_tool(tool: Callable[[], int | None]) -> int:
    """Run the body of a tool; a user's mistake is printed to standard error and gives 1."""
    expected = (
        RelaxError,
        InternalError,
        ParseError,
        VerifyException,
        PassFailedException,
        DiagnosticException,
        InterpretationError,
        OSError,
        ValueError,
        NotImplementedError,
    )
    try:
        with deep_recursion():
            code = tool()
        sys.stdout.flush()
        return code or 0
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except expected as error:
        print(describe(error), file=sys.stderr)
        return 1
