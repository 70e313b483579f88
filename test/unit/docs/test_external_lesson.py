"""docs/external.md: its Python and its commands run, and its MLIR and C are what comes out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from optional import OPENBLAS, needs
from test_lessons import DOCS

import lowering
from lowering.external import registry

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@needs(OPENBLAS)
def test_the_lesson_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    lesson = (DOCS / "external.md").read_text("utf-8")
    blocks = list(BLOCK.finditer(lesson))
    assert {block[1] for block in blocks} == {"python", "mlir", "c", "sh"}
    names: dict[str, Any] = {"__name__": "lesson"}
    for block in blocks:
        kind, text = block[1], block[2]
        if kind == "python":
            above = "\n" * lesson.count("\n", 0, block.start(2))  # errors name the lesson's line
            exec(compile(above + text, "external.md", "exec"), names)
        elif kind == "sh":
            environment = {**os.environ, "PATH": scripts}
            subprocess.run(["sh", "-e", "-c", text], env=environment, check=True)
        elif kind == "mlir":
            assert str(names["module"]) == text.rstrip()
        else:
            assert text in lowering.to_c(names["program"], cpu="generic").c
