"""docs/distributed.md runs on two ranks, and on one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.mpi_ranks import launch
from support.optional import MPI, needs

PAGE = Path(__file__).parents[3] / "docs" / "distributed.md"


@needs(MPI)
@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 1])
def test_the_lesson_runs_on_ranks(ranks: int, tmp_path: Path):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    script = tmp_path / "lesson.py"
    script.write_text("\n".join(blocks))
    ended = launch(ranks, script)
    assert ended.returncode == 0, ended.stdout + ended.stderr
