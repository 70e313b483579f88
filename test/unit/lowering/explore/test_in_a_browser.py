"""The page of `relax-explore` in a real browser: by keyboard alone, in light and dark, without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from explore_picture import SETTING
from optional import needs, package

from lowering.explore import explore
from relax_dialect.builder import BlockBuilder, op, var
from relax_dialect.gradient import gradient, vjp
from relax_dialect.parsing import parse

pytestmark = needs(CHROMIUM)

PROGRAM = """relax.func @main(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.dataflow {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %2 = relax.exp %1 : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %1 : !relax.tensor<[n, 2], f32>
  }
  relax.return %y : !relax.tensor<[n, 2], f32>
}
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    package("igraph", "explore")
    file = tmp_path_factory.mktemp("explored") / "page.html"
    file.write_text(explore(parse(PROGRAM, "p.mlir"), sizes={"n": 10}), "utf-8")
    with Browser(file) as browser:
        yield browser
        assert browser.errors == []
        assert browser.requests == [file.as_uri()]


def texts(page: Browser, selector: str) -> list[str]:
    return page.value(f"[...document.querySelectorAll({selector!r})].map((e) => e.textContent)")


def focused(page: Browser) -> str:
    return page.value(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id"
    )


def test_the_graph_by_keyboard(page: Browser):
    page.focus(".node")
    assert focused(page) == "%x : tensor<[n, 3], f32>"
    page.press("ArrowRight")
    assert focused(page).startswith("%w")
    page.press("ArrowDown")
    assert focused(page).startswith("matmul")
    assert (
        page.value("getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth")
        == "4px"
    )
    page.press("Enter")
    assert texts(page, "#source .from") == [PROGRAM.split("\n")[2]]
    assert texts(page, "#chosen > div:nth-child(2)") == ["from p.mlir:3:10"]
    assert len(texts(page, ".edges path.near")) == 3
    assert texts(page, "#chosen button")[:1] == ["matmul_relu()"]
    page.press("ArrowDown")
    page.press("ArrowDown")
    assert focused(page).startswith("exp")
    page.press(" ")
    assert texts(page, "#chosen > div:nth-child(3)") == ["nothing of it is left after relax-dce"]
    page.press("ArrowUp")
    page.press("ArrowUp")
    page.press("Enter")


def test_the_forms_by_keyboard(page: Browser):
    page.focus("[role=tab]")
    page.press("ArrowRight")
    assert focused(page) == "tab-passes"
    *rows, compiler = texts(page, "#passes table:first-child tbody td:first-child")
    assert rows[0] == "the program" and rows[-3::2] == ["relax-plan-memory", "C"]
    assert re.fullmatch(r"C compiler \(\S+\): [\d,]+ bytes", compiler)
    assert re.match(r"\d", texts(page, "#passes table:first-child tbody tr:last-child td")[1])
    bytes = "64 * ((n + 7) floordiv 8)"
    assert texts(page, "#passes table:last-child td") == [
        "@main",
        f"{bytes} = 128",
        f"{bytes} = 128",
        "",
    ]
    page.press("ArrowRight")
    page.focus("#next")
    for _ in rows:
        if page.value("document.querySelector('#stage').value") == "relax-fuse-elementwise":
            break
        page.press("Enter")
    assert [line.split("(")[0].strip() for line in texts(page, "#text .removed.from")][:1] == [
        "%3 = relax.call_tir @matmul"
    ]
    assert [line.split("(")[0].strip() for line in texts(page, "#text .added.from")][:1] == [
        "%y_2 = relax.call_tir @matmul_relu"
    ]
    page.focus("#previous")
    page.press(" ")
    assert page.value("document.querySelector('#stage').value").startswith(
        "relax-rewrite-dataflow-reshape"
    )
    page.value("document.querySelector('#tab-ir').focus()")
    page.press("ArrowRight")
    assert texts(page, "#c summary code")[0] == "matmul_relu"
    calls = [re.findall(r"(?:matmul_relu|main_)(?=\()", line) for line in texts(page, "#c .from")]
    assert [names for names in calls if names] == [["matmul_relu"], ["main_"]]


def test_finding(page: Browser):
    page.value("document.querySelector('#find').focus()")
    page.type("RELU")
    page.press("Enter")
    assert texts(page, "#found") == ["1 of 1"]
    assert texts(page, "#chosen code") == ["relu"]
    page.value("document.querySelector('#moment').selectedIndex = 1; showMoment()")
    assert page.value("document.querySelectorAll('.moment:not([hidden]) .node.same').length") == 1


def test_the_picture_of_the_docs_can_be_drawn(page: Browser):
    page.value(SETTING)
    assert page.value("document.querySelector('#stage').value") == "relax-fuse-elementwise"
    assert texts(page, "#found") == [""]


CONTRAST = """(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue(name).trim();
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const papers = ["paper", "panel", "op", "call", "input", "result", "back", "from", "added", "removed"];
  return ["ink", "soft"].flatMap((ink) => papers.map((paper) => {
    const [a, b] = [light("--" + ink), light("--" + paper)].sort((x, y) => y - x);
    return [ink, paper, (a + 0.05) / (b + 0.05)];
  }));
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(page: Browser, scheme: str):
    page.colours(scheme)
    assert [each for each in page.value(CONTRAST) if each[2] < 4.5] == []
    background = page.value("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_what_a_gradient_keeps(tmp_path: Path):
    """A button of the table chooses the op that made a value; by keyboard the way back goes up; Fit shows both."""
    package("igraph", "explore")
    bb = BlockBuilder()
    x, w = var("x", shape=["n", 2]), var("w", shape=[2])
    with bb.function("loss", [x, w]):
        bb.emit_func_output(bb.emit(op.sum(bb.emit(op.tanh(x * w), "hidden"))))
    module = bb.get()
    gradient(module, "loss", ["w"])
    file = tmp_path / "page.html"
    file.write_text(explore(module, sizes={"n": 10}), "utf-8")
    with Browser(file) as page:
        assert texts(page, ".moment:not([hidden]) details.kept summary") == [
            "forward on the left, back on the right: 1 value kept between them, 8 * n = 80 bytes"
        ]
        page.value("document.querySelector('details.kept').open = true")
        page.value("document.querySelector('[data-maker]').focus()")
        assert texts(page, ":focus") == ["%hidden"]
        page.press("Enter")
        assert texts(page, "[aria-pressed=true] title") == ["tanh : tensor<[n, 2], f32>"]
        assert texts(page, ".edges path.across.near")
        page.value("document.querySelector('.node.back:not(.input)').focus()")
        row = "document.activeElement.transform.baseVal[0].matrix.f"
        before = page.value(row)
        page.press("ArrowUp")
        assert page.value(row) < before
        page.value("byId('canvas').scrollTo(0, 0)")
        widths = (
            "[...document.querySelectorAll('.moment:not([hidden]) svg')].map((s) => s.clientWidth)"
        )
        room = page.value("byId('canvas').clientWidth")
        page.value("byId('fit').click()")
        assert 0.9 * room < max(page.value(widths)) <= room
        assert page.errors == []


@pytest.mark.parametrize("width", [420, 1400])
def test_headings_stay_in_view(tmp_path: Path, width: int):
    """However far a wide graph is scrolled to the right."""
    package("igraph", "explore")
    module = parse(PROGRAM)
    vjp(module, "main")
    file = tmp_path / "page.html"
    file.write_text(explore(module), "utf-8")
    with Browser(file, width) as page:
        for _ in range(5):
            page.value("byId('larger').click()")
        page.value("byId('canvas').scrollTo(100000, 0)")
        assert page.value("byId('canvas').scrollLeft") > 300
        for each in (".moment:not([hidden]) h3", ".moment:not([hidden]) details.kept"):
            left, right = (
                page.value(f"document.querySelector({each!r}).getBoundingClientRect().{side}")
                for side in ("left", "right")
            )
            assert 0 <= left < right <= page.value("byId('canvas').getBoundingClientRect().right")
