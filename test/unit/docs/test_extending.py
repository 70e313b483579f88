"""docs/extending.md: the names that packages may import are there, and what we show takes no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/extending.md").read_text("utf-8")
OURS = ("relax_dialect", "lowering")
OTHERS = {"lowering.topi"}
"""Modules that are named whole."""


def listed() -> Iterator[tuple[str, str]]:
    """Modules and names; of a family the one that stands for all."""
    for modules, names in re.findall(
        r"^\| (`[a-z_.`, ]+?)(?:, as of [^|]*)? \| (.*) \|$", TEXT, re.M
    ):
        for module in re.findall(r"`([\w.]+)`", modules):
            if "`__all__`" in names:
                yield from ((module, name) for name in import_module(module).__all__)
            else:
                yield from ((module, name) for name in re.findall(r"`(\w+)`", names))


LISTED = set(listed())
FAMILIES = {
    module.rpartition(".")[0] for module in re.findall(r"`([\w.]+\.\w+)`, as of each", TEXT)
}


def is_stable(module: str, name: str) -> bool:
    """Whether a name may be imported: listed, a listed package or module, or a class of a family."""
    if (module, name) in LISTED or f"{module}.{name}".strip(".") in {m for m, _ in LISTED} | OTHERS:
        return True
    return module.rpartition(".")[0] in FAMILIES and name[0].isupper()


def imported(code: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (
                ("", alias.name) for alias in node.names if alias.name.split(".")[0] in OURS
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
            yield from ((node.module or "", alias.name) for alias in node.names)


def codes() -> Iterator[tuple[str, str]]:
    """The Python that we show, with where it stands."""
    for path in sorted((ROOT / "examples/extension").rglob("*.py")):
        if "build" not in path.parts:
            yield path.name, path.read_text("utf-8")
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in re.findall(r"^```python\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S):
            yield path.name, block


def test_there_is_something_to_test():
    assert len(LISTED) > 200 and len(FAMILIES) == 2
    assert len(list(codes())) > 100


@pytest.mark.parametrize("module", sorted({module for module, _ in LISTED} | OTHERS))
def test_the_names_are_there(module: str):
    found = import_module(module)
    assert [n for m, n in LISTED if m == module and not hasattr(found, n)] == []


def test_what_we_show_imports_nothing_else():
    assert [
        (place, *each) for place, code in codes() for each in imported(code) if not is_stable(*each)
    ] == []


def test_other_names_are_not_stable():
    assert not is_stable("lowering.schedule.kernels.kernel", "loops_of") and not is_stable(
        "", "lowering.pipeline"
    )
