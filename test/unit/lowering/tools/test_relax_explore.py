"""`relax-explore` as a user calls it: the page and its parts, and what goes wrong."""

from __future__ import annotations

import json
import random
import re
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from optional import package

from lowering.explore import explore
from lowering.explore.dataflow import DrawnNode, Graph
from lowering.explore.layout import place
from lowering.tools import relax_explore
from relax_dialect.parsing import parse

PROGRAM = """// </script><b>text</b> & "more"
relax.func @main(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.dataflow {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %1 : !relax.tensor<[n, 2], f32>
  }
  relax.return %y : !relax.tensor<[n, 2], f32>
}
"""


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts."""

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            name = str(dict(self.elements[-1][1]).get("id"))
            self.texts[name] = self.texts.get(name, "") + data

    def all(self, name: str) -> list[dict[str, str | None]]:
        """The elements of a class."""
        return [a for _, a in self.elements if name in (a.get("class") or "").split()]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    package("igraph", "explore")
    folder = tmp_path_factory.mktemp("explored")
    (folder / "program.mlir").write_text(PROGRAM)
    target = folder / "new" / "page.html"
    assert relax_explore.main([str(folder / "program.mlir"), "-o", str(target)]) == 0
    return target.read_text("utf-8")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def data_of(page: Page) -> dict[str, Any]:
    return json.loads(page.texts["data"])


def test_the_page_needs_nothing_else(text: str, page: Page):
    assert not page.open and "{{" not in text
    assert not [
        a for tag, a in page.elements if {"src", "href", "onload"} & set(a) or tag in ("link", "b")
    ]
    assert "url(" not in page.texts["None"] and "@import" not in page.texts["None"]
    policy = next(a for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert (policy["content"] or "").startswith("default-src 'none';")


def test_the_graph_is_drawn(page: Page):
    nodes = page.all("node")
    labels = [str(a["aria-label"]).split(" : ")[0] for a in nodes]
    assert labels == ["%x", "%w", "matmul", "relu", "return", "%x", "%w", "@matmul_relu", "return"]
    curves = [(a["data-from"], a["data-to"]) for tag, a in page.elements if tag == "path"]
    written = [("0", "2"), ("1", "2"), ("2", "3"), ("3", "4")]
    assert curves == [*written, *written[:3]]
    heights = [float(str(a["transform"]).split()[1].rstrip(")")) for a in nodes]
    assert heights[:2] == [0, 0] and heights == [*sorted(heights[:5]), *sorted(heights[5:])]
    assert len({a["transform"] for a in nodes[:5]}) == 5


def test_the_data_tells_of_every_form(page: Page):
    data = data_of(page)
    assert data["source"] == PROGRAM
    stages = {stage["name"]: stage for stage in data["stages"]}
    assert [n for n, _, _, _ in stages["relax-fuse-elementwise"]["changes"]] == [
        "@main", "@matmul_relu", "@matmul", "@relu",
    ]  # fmt: skip
    fused = next(a for a in page.all("call"))
    places = [data["places"][int(i)] for i in str(fused["data-places"]).split()]
    assert places == [["program.mlir:4:10", 4], ["program.mlir:5:10", 5]]
    kernel = next(p for p in data["c"]["pieces"] if p[0] == "matmul_relu")
    assert [data["places"][i] for i in kernel[3]] == places
    assert [p[0] for p in data["c"]["pieces"] if p[4]] == ["matmul_relu"]
    assert all(stage["seconds"] >= 0 and stage["ops"] > 0 for stage in data["stages"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.mlir", "-o", "p.html"], "error: missing.mlir: expected a readable file"),
        (["program.mlir", "-o", "p.html", "--cpu", "z80"], "cpu 'z80'"),
        (["program.mlir", "-o", "p.html", "--passes", "relax-dce{"], "--passes relax-dce{"),
        (["program.mlir", "-o", "."], "--output .: expected a file that can be written to, found none"),
        (["wrong.mlir", "-o", "p.html"], "wrong.mlir:1:6: error"),
    ],
)  # fmt: skip
def test_bad_input_is_told(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    if message.startswith("--output"):
        package("igraph", "explore")
    (tmp_path / "program.mlir").write_text(PROGRAM)
    (tmp_path / "wrong.mlir").write_text("what is this")
    monkeypatch.chdir(tmp_path)
    assert relax_explore.main(arguments) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "p.html").exists()


def test_the_page_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package("igraph", "explore")
    text = (Path(__file__).parents[4] / "docs" / "explore.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    (tmp_path / "program.mlir").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "explore.md", "exec"), {})
    data = data_of(Page((tmp_path / "page.html").read_text("utf-8")))
    assert data["source"] == PROGRAM and ["program.mlir:4:10", 4] in data["places"]


def test_a_large_constant_is_told_by_its_size():
    package("igraph", "explore")
    numbers = ", ".join(["1.5"] * 5000)
    text = f"""relax.func @main() -> !relax.tensor<[5000], f32> {{
  %c = relax.constant dense<[{numbers}]> : tensor<5000xf32>
  relax.return %c : !relax.tensor<[5000], f32>
}}
"""
    found = explore(parse(text, "p.mlir"))
    assert "dense\\u003c... 5000 elements ...>" in found and len(found) < 100_000


def test_2000_ops_are_laid_out():
    """Nodes do not overlap, and every edge leads down, by way of its bends."""
    package("igraph", "explore")
    draw = random.Random(1)
    edges = [(draw.randrange(max(0, i - 9), i), i) for i in range(1, 2000) for _ in range(2)]
    graph = Graph("f", [DrawnNode("op", "", "op", ())] * 2000, sorted(set(edges)))
    layout = place(graph)
    rows: dict[float, list[float]] = {}
    for x, y in layout.nodes:
        rows.setdefault(y, []).append(x)
    gaps = [b - a for row in rows.values() for a, b in pairwise(sorted(row))]
    assert gaps and min(gaps) >= 1
    assert min(x for edge in layout.edges for x, _ in edge) >= 0
    assert all(a[1] < b[1] for points in layout.edges for a, b in pairwise(points))
    assert [(p[0], p[-1]) for p in layout.edges] == [
        (layout.nodes[a], layout.nodes[b]) for a, b in graph.edges
    ]


def test_the_missing_library_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "program.mlir").write_text(PROGRAM)
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert relax_explore.main([str(tmp_path / "program.mlir"), "-o", str(tmp_path / "p.html")]) == 1
    assert "pip install 'relax-xdsl[explore]'" in capsys.readouterr().err
