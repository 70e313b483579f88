"""docs/pytorch.md: its Python and its commands run, its program in C++ is built, and all print what is said."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from optional import command, needs, package
from test_lessons import DOCS
from told import assert_printed, commands, told_by_tool

from lowering.torch_backend import relax

torch = package("torch")

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = {"cpp": "main.cpp", "cmake": "CMakeLists.txt"}


@pytest.mark.usefixtures("unoptimised")
@needs(command("cmake", "apt install cmake"))
@pytest.mark.filterwarnings("ignore")  # of the exporter, about itself
def test_the_lesson_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAX_CACHE_DIR", str(tmp_path / "cache"))
    lesson = (DOCS / "pytorch.md").read_text("utf-8")
    if "relax" not in torch._dynamo.list_backends():  # an install from before the entry point
        torch._dynamo.register_backend(relax, name="relax")
    names: dict[str, Any] = {"__name__": "lesson"}
    for block in BLOCK.finditer(lesson):
        kind, text = block[1], block[2]
        if kind == "python":
            above = "\n" * lesson.count("\n", 0, block.start(2))  # errors name the lesson's line
            exec(compile(above + text, "pytorch.md", "exec"), names)
        elif kind in FILES:
            Path(FILES[kind]).write_text(text)
        else:
            for line, expected in commands(text):
                capsys.readouterr()
                assert_printed(printed(line, capsys), expected)
    assert {b[1] for b in BLOCK.finditer(lesson)} == {"python", "console", *FILES}


def printed(line: str, capsys: Any) -> str:
    """What a command prints: our tools in this process, others in a shell."""
    if line.startswith("relax-"):
        return told_by_tool(line, capsys)
    return subprocess.run(
        line, shell=True, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout
