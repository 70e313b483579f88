"""The picture of `relax-explore` in README and docs/explore.md, drawn anew by a browser without a window.

python test/unit/support/explore_picture.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from browser import Browser  # noqa: E402

from lowering.explore import explore  # noqa: E402
from relax_dialect.parsing import parse  # noqa: E402

PICTURE = ROOT / "docs" / "images" / "explore.png"
FLOATS = "!relax.tensor<[{}], f32>"
X, ROW, W1, WIDE, B1, W2 = map(
    FLOATS.format, ("n, 64", "64", "64, 256", "n, 256", "256", "256, 64")
)
PROGRAM = f"""\
relax.func @mlp(%x: {X}, %scale: {ROW}, %shift: {ROW},
                %w1: {W1}, %b1: {B1}, %w2: {W2}) -> {X} {{
  %out = relax.dataflow {{
    %norm = relax.layer_norm %x, %scale, %shift {{axes = array<i64: -1>}} : ({X}, {ROW}, {ROW}) -> {X}
    %up = relax.matmul %norm, %w1 : ({X}, {W1}) -> {WIDE}
    %biased = relax.add %up, %b1 : ({WIDE}, {B1}) -> {WIDE}
    %active = relax.gelu %biased : ({WIDE}) -> {WIDE}
    %down = relax.matmul %active, %w2 : ({WIDE}, {W2}) -> {X}
    %sum = relax.add %down, %x : ({X}, {X}) -> {X}
    relax.output %sum : {X}
  }}
  relax.return %out : {X}
}}
"""
SETTING = """
for (const id of ["find", "found"]) byId(id).value = "";
byId("smaller").click();
goToStage(data.stages.findIndex((stage) => stage.name === "relax-fuse-elementwise"), true);
byId("canvas").scrollTo(0, 0);
byId("ir").scrollTo(0, 0);
document.activeElement.blur();
"""
"""The graph whole, and the pass that fuses the activation."""


def draw(file: Path) -> None:
    """Write the page's picture, with the activation chosen and what the fusion made of the program."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(explore(parse(PROGRAM, "mlp.mlir"), cpu="x86-64-v4"), "utf-8")
        with Browser(page, 1400, 780) as browser:
            browser.value("document.querySelector('#find').focus()")
            browser.type("gelu")
            browser.press("Enter")
            browser.value(SETTING)
            browser.picture(file)


if __name__ == "__main__":
    draw(PICTURE)
    print(f"wrote {PICTURE.relative_to(ROOT)}  {PICTURE.stat().st_size} bytes")
