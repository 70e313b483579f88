"""A lit format that runs the usual RUN lines without starting a process for each tool.

Lines such as `relax-opt %s -p X | relax-opt | filecheck %s`, `not relax-opt %s 2>&1 | filecheck %s` and
`python %S/examples.py | filecheck %s` run in the worker itself, which imports the tools once; that is ten times
as fast. A test that has other lines, and one that fails, is run (again) by lit's shell, whose word and output count.
"""

from __future__ import annotations

import io
import re
import runpy
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import lit.formats
import lit.Test

RUN = re.compile(r"RUN:\s*(.*)")
UNUSUAL = re.compile(r"%(?![sS]\b)|[<&;`$\\]")
"""What only a shell knows: other substitutions, redirections, sequences, continued lines."""


class InProcessTest(lit.formats.ShTest):
    """Lit's shell test, with a short way for pipelines of our own tools."""

    def execute(self, test: Any, litConfig: Any) -> Any:
        path = test.getSourcePath()
        text = Path(path).read_text("utf-8")
        pipelines = [stages(line) for line in RUN.findall(text)]
        plain = bool(pipelines) and all(pipelines) and "REQUIRES:" not in text
        if plain and all(succeeds(pipeline, path) for pipeline in pipelines if pipeline):
            return lit.Test.Result(lit.Test.PASS, "")
        return super().execute(test, litConfig)


def stages(line: str) -> list[list[str]] | None:
    """The commands of a pipeline as words; None if it is not one of our own tools alone."""
    if UNUSUAL.search(line.replace("2>&1", "").replace("%s", "")):
        return None
    commands = [shlex.split(stage) for stage in line.split(" | ")]
    return commands if all(is_known(words[words[:1] == ["not"] :]) for words in commands) else None


def is_known(words: Sequence[str]) -> bool:
    """Whether a command is one of our tools, FileCheck, or a script."""
    match words:
        case ["relax-opt" | "filecheck", *_]:
            return True
        case ["python", script, *_]:
            return script.endswith(".py")
        case _:
            return False


def succeeds(pipeline: Sequence[list[str]], path: str) -> bool:
    """Whether every command of the pipeline ends as it should, none of them in a traceback."""
    try:
        return ends_well(pipeline, path)
    except Exception:
        return False


def ends_well(pipeline: Sequence[list[str]], path: str) -> bool:
    """Whether every command of the pipeline has the exit code that it should have."""
    data = b""
    for command in pipeline:
        folder = str(Path(path).parent)
        words = [path if word == "%s" else word.replace("%S", folder) for word in command]
        wants_failure = words[0] == "not"
        joined = "2>&1" in words
        arguments = [word for word in words[wants_failure:] if word != "2>&1"]
        code, data = run(arguments[0], arguments[1:], data, joined)
        if (code != 0) is not wants_failure:
            return False
    return True


def run(tool: str, arguments: list[str], data: bytes, joined: bool) -> tuple[int, bytes]:
    """The exit code and the output of a tool, with its errors if they are joined to it."""
    output, errors = (
        io.TextIOWrapper(io.BytesIO(), "utf-8"),
        io.TextIOWrapper(io.BytesIO(), "utf-8"),
    )
    with given(data), redirect_stdout(output), redirect_stderr(output if joined else errors):
        try:
            code = entry(tool)(arguments)
        except SystemExit as stop:
            code = stop.code
    output.flush()
    found = output.buffer
    assert isinstance(found, io.BytesIO)
    return code if isinstance(code, int) else int(code is not None), found.getvalue()


@cache
def entry(tool: str) -> Any:
    """The main function of a tool, which takes its arguments."""
    if tool == "relax-opt":
        from xdsl.universe import Universe

        from lowering.tools.relax_opt import main

        # reading the entry points of all packages takes longer than most programs
        Universe.get_multiverse = staticmethod(cache(Universe.get_multiverse))
        return main
    if tool == "python":
        return run_script
    from filecheck.main import main as filecheck

    return lambda arguments: filecheck(["filecheck", *arguments])


def run_script(arguments: list[str]) -> int:
    """Run a script as `python` does."""
    before = sys.argv
    sys.argv = arguments
    try:
        runpy.run_path(arguments[0], run_name="__main__")
    finally:
        sys.argv = before
    return 0


@contextmanager
def given(data: bytes) -> Iterator[None]:
    """Standard input that holds some bytes."""
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), "utf-8")
    try:
        yield
    finally:
        sys.stdin = before
