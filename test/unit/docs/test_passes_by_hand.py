"""The architecture page says of every pass whether it is made of patterns, or why it is not."""

from __future__ import annotations

import re
from pathlib import Path

from lowering.pipeline import ALL_PASSES

ROOT = Path(__file__).resolve().parents[3]
PATTERN = re.compile(r"^class \w+\((?:RewritePattern|GreedyRewritePatternApplier)\):", re.M)


def test_every_pass_is_named_once():
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    section = page.partition("\n## Passes by hand\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"`(relax-[\w-]+)`", section)) == sorted(ALL_PASSES)


def test_local_rewrites_are_patterns_of_xdsl():
    found = {
        folder: sum(len(PATTERN.findall(p.read_text())) for p in (ROOT / folder).rglob("*.py"))
        for folder in ("lowering", "relax_dialect")
    }
    assert found["lowering"] >= 12
    assert sum(found.values()) >= 25
