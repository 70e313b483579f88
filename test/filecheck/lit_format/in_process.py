"""A lit format that runs the usual RUN lines without starting a process for each tool.

Lines such as `relax-opt %s -p X | relax-opt | filecheck %s`, `not relax-opt %s 2>&1 | filecheck %s` and
`python %S/examples.py | filecheck %s` run in the worker itself, which imports the tools once; that is ten times
as fast. A test that has other lines (as `env xdsl-opt %s`, to start a process), and one that fails, is run (again) by lit's shell, whose word and output count.
"""

from __future__ import annotations

import gc
import io
import os
import re
import runpy
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import lit.formats
import lit.Test
import lit.TestRunner
from xdsl.tools.xdsl_run import xDSLRunMain
from xdsl.universe import Universe
from xdsl.xdsl_opt_main import xDSLOptMain

from relax_dialect.parsing import new_context
from relax_dialect.threads import RARELY

gc.set_threshold(*RARELY)  # the tools are loaded once and stay

if os.environ.get("RELAX_ABSTRACT_CLASSES") != "1":
    sys.path.append(str(Path(__file__).parents[2] / "unit" / "support"))
    from plain_classes import use_plain_classes

    use_plain_classes()

XDSL: Mapping[str, Any] = {"xdsl-opt": xDSLOptMain, "xdsl-run": xDSLRunMain}
RUN = re.compile(r"RUN:\s*(.*)")
REQUIRED = re.compile(r"REQUIRES:\s*(.*)")
NO_ERRORS = re.compile(r"2>(?:&1|/dev/null)")
QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
UNUSUAL = re.compile(r"[<&;`$\\]")
"""Syntax that only a shell knows: redirections, sequences, continued lines."""
SUBSTITUTED = re.compile(r"%[sSt]\b")


class InProcessTest(lit.formats.ShTest):
    """Lit's shell test, with a short way for pipelines of our own tools."""

    def execute(self, test: Any, litConfig: Any) -> Any:
        path = test.getSourcePath()
        text = Path(path).read_text("utf-8")
        folder, base = lit.TestRunner.getTempPaths(test)
        names = {"%s": path, "%S": str(Path(path).parent), "%t": base}
        pipelines = [stages(line, names) for line in RUN.findall(text)]
        available = set(REQUIRED.findall(text)) <= test.config.available_features
        plain = bool(pipelines) and all(pipelines) and available
        if any("%t" in line for line in RUN.findall(text)):
            Path(folder).mkdir(parents=True, exist_ok=True)
        if plain and all(succeeds(pipeline) for pipeline in pipelines if pipeline):
            return lit.Test.Result(lit.Test.PASS, "")
        return super().execute(test, litConfig)


def stages(line: str, names: Mapping[str, str]) -> list[list[str]] | None:
    """The commands of a pipeline as words; None if it is not one of our own tools alone."""
    if UNUSUAL.search(QUOTED.sub("", NO_ERRORS.sub("", line))) or "%" in SUBSTITUTED.sub("", line):
        return None
    named = SUBSTITUTED.sub(lambda found: names[found[0]], line)
    commands = [shlex.split(stage) for stage in named.split(" | ")]
    return commands if all(is_known(words[words[:1] == ["not"] :]) for words in commands) else None


def is_known(words: Sequence[str]) -> bool:
    """Whether a command is one of our tools, FileCheck, or a script."""
    match words:
        case ["relax-opt" | "relax-run" | "xdsl-opt" | "xdsl-run" | "filecheck", *_]:
            return True
        case ["python", "-c", _]:
            return True
        case ["python", script, *_]:
            return script.endswith(".py")
        case _:
            return False


def succeeds(pipeline: Sequence[list[str]]) -> bool:
    """Whether every command of the pipeline ends as it should, none of them in a traceback."""
    try:
        return ends_well(pipeline)
    except Exception:
        return False


def ends_well(pipeline: Sequence[list[str]]) -> bool:
    """Whether every command of the pipeline has the exit code that it should have."""
    data = b""
    for command in pipeline:
        wants_failure = command[0] == "not"
        tool, *arguments = (
            word for word in command[wants_failure:] if not NO_ERRORS.fullmatch(word)
        )
        code, data = run(tool, arguments, data, "2>&1" in command)
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
    if tool in XDSL:
        keep_universes()
        return lambda arguments: XDSL[tool](args=arguments).run()
    if tool.startswith("relax-"):
        keep_universes()
        return import_module(f"lowering.tools.{tool.replace('-', '_')}").main
    if tool == "python":
        return run_script
    from filecheck.main import main as filecheck

    return lambda arguments: filecheck(["filecheck", *arguments])


def load_tools() -> None:
    """Load the tools and all dialects once: lit's workers are forked from this process."""
    entry("relax-opt")
    context = new_context()
    for name in context.registered_dialect_names:
        context.get_optional_dialect(name)
    gc.collect()
    gc.freeze()


def keep_universes() -> None:
    """Read the entry points of all packages once, which takes longer than most programs."""
    Universe.get_multiverse = staticmethod(cache(Universe.get_multiverse))


def run_script(arguments: list[str]) -> int:
    """Run a script, or the text after `-c`, as `python` does."""
    before = sys.argv
    sys.argv = arguments
    try:
        if arguments[0] == "-c":
            exec(arguments[1], {"__name__": "__main__"})
        else:
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
