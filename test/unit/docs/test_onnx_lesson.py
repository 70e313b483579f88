"""docs/onnx.md: its Python and its commands run, its program in C is built, and all print what is said."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from optional import FULL, package
from test_lessons import DOCS
from told import assert_printed, commands, told_by_tool

from lowering.support import c_compiler

for needed in ("onnxscript", "torch", "onnx", "onnxruntime"):
    package(needed)

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.usefixtures("unoptimised")
@pytest.mark.filterwarnings("ignore")  # of the exporter, about itself
def test_the_lesson_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RELAX_CACHE_LIMIT", "100")  # who follows the lesson has one
    lesson = (DOCS / "onnx.md").read_text("utf-8")
    names: dict[str, Any] = {"__name__": "lesson"}
    for block in BLOCK.finditer(lesson):
        kind, text = block[1], block[2]
        if kind == "python":
            above = "\n" * lesson.count("\n", 0, block.start(2))  # errors name the lesson's line
            exec(compile(above + text, "onnx.md", "exec"), names)
        elif kind == "c":
            Path("main.c").write_text(text)
        elif kind == "console":
            for command, expected in commands(text):
                capsys.readouterr()
                assert_printed(printed(command, capsys), expected)
    # the commands at the end, `text` and `py`, are run by lowering/tools/test_onnx_models.py
    assert {b[1] for b in BLOCK.finditer(lesson)} == {"python", "c", "console", "text", "py"}


def printed(command: str, capsys: Any) -> str:
    """What a command prints: our tools in this process, others in a shell."""
    if command.startswith("relax-"):
        return told_by_tool(command, capsys)
    if command.startswith("cc "):
        command = command.replace(
            "cc ", f"{shlex.join(c_compiler.find_compiler())} -Wall -Wextra ", 1
        )
        command = command if FULL else command.replace("-O3", "-O0")
    return subprocess.run(
        command, shell=True, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout
