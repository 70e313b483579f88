"""`relax-lsp`: a language server for editors, which speak to it through its standard input and output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lowering.runtime.artifact_files import version
from lowering.tools.options import GENERAL, command_line, start
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import new_context


def arguments() -> argparse.ArgumentParser:
    """Build the command line."""
    names = ("--stdio", "--allow-unregistered-dialect", *GENERAL)
    return command_line("relax-lsp", __doc__, *names)


def serve(args: argparse.Namespace) -> None:
    """Serve an editor until it exits."""
    try:
        from relax_dialect.lsp.server import RelaxServer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise RelaxError(
            "error: relax-lsp: expected the package pygls, found none; install it with "
            "pip install 'relax-xdsl[lsp]'"
        ) from None
    context = new_context()
    context.allow_unregistered = args.allow_unregistered_dialect
    output, sys.stdout = sys.stdout.buffer, sys.stderr  # the output of print is no message
    RelaxServer(context, version("relax-xdsl") or "unknown").start_io(stdout=output)


def main(args: Sequence[str] | None = None) -> int:
    """The entry point of `relax-lsp`."""
    return start(arguments(), serve, args, compiles=False)


if __name__ == "__main__":
    sys.exit(main())
