"""The table of places on the architecture page names files and names that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ROWS = re.findall(r"^\| [^|]+ \| `([\w/.]+\.py)` \| `([^`]+)` \|$", PAGE, re.M)


def test_every_name_is_in_its_file():
    assert len(ROWS) >= 7
    wrong = [(file, name) for file, name in ROWS if name not in (ROOT / file).read_text("utf-8")]
    assert wrong == []
