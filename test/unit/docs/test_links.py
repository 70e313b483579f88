"""Every relative link of every page leads to a file that is there, and to a heading of it; the site has all
pages. `make docs` checks the same of what it makes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
IGNORED = {"build", "dist"}
PAGES = [
    path.relative_to(ROOT)
    for path in sorted(ROOT.glob("**/*.md"))
    if not any(part.startswith(".") or part in IGNORED for part in path.relative_to(ROOT).parts)
]
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
OUTSIDE = re.compile(r"[a-z][a-z+.-]*:")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")


@cache
def anchors(page: Path) -> set[str]:
    """The names of the headings of a page, as GitHub makes them."""
    found = Counter[str]()
    names = set[str]()
    for title in re.findall(r"^#+ (.*)$", FENCED.sub("", (ROOT / page).read_text("utf-8")), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        names.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return names


def links(page: Path) -> list[str]:
    """Where the links of a page lead that stay here."""
    text = CODE.sub("", FENCED.sub("", (ROOT / page).read_text("utf-8")))
    return [link for link in LINK.findall(text) if not OUTSIDE.match(link)]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path):
    for link in links(page):
        file, _, anchor = link.partition("#")
        target = (ROOT / page.parent / file).resolve() if file else ROOT / page
        assert target.exists() and target.is_relative_to(ROOT), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.relative_to(ROOT)), link


def test_the_site_has_every_page():
    """The navigation of mkdocs.yml, and the pages and modules that docs/site/hooks.py adds."""
    tree = ast.parse((ROOT / "docs/site/hooks.py").read_text("utf-8"))
    tables = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Dict)
    }
    named = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    own = [path.name for path in PAGES if path.parent == Path("docs")]
    assert sorted(named) == sorted([*own, *tables["PAGES"].values()])
    assert {path for path in PAGES if path.parent != Path("docs")} == set(
        map(Path, tables["PAGES"])
    )
    for module in tables["MODULES"]:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), module


def test_pages_have_links():
    assert sum(len(links(page)) for page in PAGES) > 500
