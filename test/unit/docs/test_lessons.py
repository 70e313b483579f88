"""The lessons in docs/ run, and print what they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs"
LESSONS = (
    "builder.md",
    "calling.md",
    "te.md",
    "gradients.md",
    "training.md",
    "sharding.md",
    "llm.md",
    "dpl.md",
    "quantization.md",
    "mixed-precision.md",
    "pdl.md",
    "schedules.md",
    "profiling.md",
    "tuning.md",
)
BLOCK = re.compile(r"^```(python|mlir)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.usefixtures("unoptimised")
@pytest.mark.parametrize("name", LESSONS)
def test_the_lesson_runs(name: str):
    lesson = (DOCS / name).read_text("utf-8")
    blocks = list(BLOCK.finditer(lesson))
    assert {block[1] for block in blocks} == {"python", "mlir"}
    names: dict[str, Any] = {"__name__": "lesson"}
    for block in blocks:
        if block[1] == "python":
            above = "\n" * lesson.count("\n", 0, block.start(2))  # errors name the lesson's line
            exec(compile(above + block[2], str(DOCS / name), "exec"), names)
        else:
            assert str(names["module"]) == block[2].rstrip()
