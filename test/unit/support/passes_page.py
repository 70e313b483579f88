"""Generator of the passes page: every pass with its options and before -> after.

`python test/unit/support/passes_page.py` writes the page from the docstrings of the passes; `test_passes_page.py`
checks that it is up to date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, fields
from pathlib import Path

from xdsl.passes import ModulePass

from lowering.pipeline import ALL_PASSES, OPTIMIZATIONS, PASSES
from lowering.tools.pass_listing import summary
from relax_dialect.rewrites import SHELVES

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "passes.md"

TITLES = {
    "forms": "Normal forms and blocks",
    "conversion": "Other dialects to Relax",
    "calls": "Functions and calls",
    "shapes": "Symbolic sizes",
    "params": "Parameters and weights",
    "algebra": "Algebra, folding, dead code",
    "matmul": "Matrix products",
    "recognition": "Recognition of operators",
    "layout": "Layouts",
    "partition": "Partitioning by patterns",
    "quantization": "Quantisation and precision",
    "": "Gradients, proofs, whole pipelines",
}
"""The title of each shelf of `relax_dialect/rewrites`; the last one has the passes of no shelf."""

INTRODUCTION = """\
# Passes

Every pass runs alone under `relax-opt -p NAME{option=value}`, and from Python by `lowering.lower(module, ["NAME"])`.
`relax-opt --list-passes` and the docstring of a pass's file have more. This page is generated:
`python test/unit/support/passes_page.py`.

## The pipeline

The passes from a graph to loops, in this order ([lowering/pipeline.py](../lowering/pipeline.py)). `relax-to-loops` runs all of
them; the target `c` prints the result.
"""

LEVELS = """
## Optimization levels

`lowering.compile`, `relax-compile` and `relax-run` run these passes before the pipeline; `relax-optimize{level=2}` does
the same under `relax-opt`. `-O1`, the default, preserves results bit for bit, except for the formulas of recognised
operators; `-O2` may round differently.

| level | passes |
|---|---|
"""

HEAD = "\n| pass | before -> after | options |\n|---|---|---|\n"


def options(pass_class: type[ModulePass]) -> str:
    """The options of a pass with their defaults; one without a default is required."""
    shown: list[str] = []
    for field in fields(pass_class):  # pyright: ignore[reportArgumentType]
        name = field.name.replace("_", "-")
        default = field.default if field.default is not MISSING else "..."
        value = str(default).lower() if isinstance(default, bool) else default
        shown.append(f"`{name}`" if value in (None, ()) else f"`{name}={value}`")
    return ", ".join(shown)


def rows(names: Iterable[str]) -> str:
    """The lines of a table of passes."""
    classes = {name: ALL_PASSES[name]() for name in names}
    return "".join(
        f"| `{name}` | {summary(name, found).replace('|', chr(92) + '|')} | {options(found)} |\n"
        for name, found in classes.items()
    )


def shelf(name: str) -> str:
    """The shelf of a pass, or "" for those on none."""
    module = ALL_PASSES[name]().__module__
    found = re.match(r"relax_dialect\.rewrites\.(\w+)\.", module)
    return found[1] if found and found[1] in SHELVES else ""


def page() -> str:
    """The page as text."""
    parts = [INTRODUCTION, HEAD, rows(PASSES), LEVELS]
    for level, passes in OPTIMIZATIONS.items():
        named = ", ".join(f"`{p}`" for p in passes) or "none: the program as it is written"
        parts.append(f"| `-O{level}` | {named} |\n")
    for key, title in TITLES.items():
        names = [name for name in ALL_PASSES if name not in PASSES and shelf(name) == key]
        if names:
            parts += [f"\n## {title}\n", HEAD, rows(names)]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
