"""The frame of the command-line tools: errors as one message and an exit code, never a traceback."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp

from lowering.emit_c.syntax.c_names import KEYWORDS
from lowering.support.shortage import MEMORY, mend
from lowering.support.whole_files import check_target, unwritable
from relax_dialect.analysis.recursion import set_recursion_limit
from relax_dialect.extensions import left_out
from relax_dialect.mapped_data import mapping
from relax_dialect.parsing import deep_recursion
from relax_dialect.text.diagnostics import EXPECTED, describe

STANDARD = "-"
"""The file name that means standard input or output."""

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128, and the number of its signal."""


def limit_recursion(module: ModuleOp, limit: int | None) -> None:
    """Set the recursion limit of a program from the command line."""
    if limit is not None:
        set_recursion_limit(module, limit, f"--recursion-limit {limit}")


def model_name(path: str) -> str:
    """Return the stem of a file as a C identifier that C leaves free: `my-model.mlir` -> `my_model`."""
    name = re.sub(r"\W", "_", Path(path).stem, flags=re.ASCII)
    if path == STANDARD:
        return "model"
    name = name if name[:1].isalpha() else f"m{name}"
    return f"{name}_" if name in KEYWORDS else name


@contextmanager
def writing(target: Path, kind: str = "directory", option: str = "--output") -> Iterator[None]:
    """Refuse a directory or file, which an option names, that cannot be written to."""
    try:
        yield
    except OSError as error:
        raise unwritable(target, kind, option, error.strerror) from None


def check_output(output: str, option: str = "--output") -> None:
    """Refuse, before the work, a file that cannot be written to; standard output always can."""
    if output != STANDARD:
        check_target(Path(output), "file", option)


def write_output(
    output: str, content: str | bytes | memoryview, option: str = "--output"
) -> str | None:
    """Write a file, or to standard output for `-`; returns the line that reports the file."""
    if output == STANDARD:
        sys.stdout.flush()
        data = content.encode() if isinstance(content, str) else content
        sys.stdout.buffer.write(data)
        return None
    path = Path(output)
    with writing(path, "file", option):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return written_text(path)


def report_stream(output: str | None) -> TextIO:
    """Return the stream for messages: standard error if standard output takes the result."""
    return sys.stderr if output == STANDARD else sys.stdout


def written_text(path: Path) -> str:
    """Return a line about the files that were written."""
    return f"wrote {path}  {path.stat().st_size} bytes"


def colored(message: str) -> str:
    """A message with its `error:` in red and its caret in green, on a terminal without $NO_COLOR."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return message
    message = message.replace("error:", "\033[1;31merror:\033[0m", 1)
    return re.sub(r"^(\s*)(\^+)$", "\\1\033[1;32m\\2\033[0m", message, count=1, flags=re.MULTILINE)


def run_tool(tool: Callable[[], int | None], extensions: bool = True, compiles: bool = True) -> int:
    """Run the body of a tool, with extensions or without. A user error is printed to standard error and
    returns 1; Ctrl-C returns 130, as in shells. Unless `compiles` is false, no other thread compiles
    meanwhile, and large weights are mapped.
    """
    try:
        with ExitStack() as stack:
            stack.enter_context(left_out(not extensions))
            if compiles:
                stack.enter_context(deep_recursion())
                stack.enter_context(mapping())
            code = tool()
        sys.stdout.flush()
        return code or 0
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError:
        print(f"error: expected more memory, found none left; {MEMORY}", file=sys.stderr)
        return 1
    except EXPECTED as error:
        found = mend(str(error)) if isinstance(error, OSError) else ""
        print(colored(f"{describe(error)}{found}"), file=sys.stderr)
        return 1


def run_example(
    example: Callable[[], Sequence[str] | None],
    output: Path | None = None,
    option: str = "--output",
) -> int:
    """Run an example, which returns its failures, as a tool. Its output folder is created, and it may print
    any character, whatever the locale."""

    def tool() -> int:
        if output is not None:
            with writing(output, option=option):
                output.mkdir(parents=True, exist_ok=True)
                TemporaryFile(dir=output).close()
        wrong = example() or ()
        for message in wrong:
            print(f"error: {message}", file=sys.stderr)
        return 1 if wrong else 0

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return run_tool(tool)
