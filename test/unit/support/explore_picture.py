"""The pictures of `relax-explore` in README and docs/explore.md, drawn anew by a browser without a window.

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
from relax_dialect.builder import BlockBuilder, op, var  # noqa: E402
from relax_dialect.gradient import gradient  # noqa: E402
from relax_dialect.parsing import parse  # noqa: E402

IMAGES = ROOT / "docs" / "images"
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


GRADIENT_SETTING = """
byId("graph").style.width = "66vw";
document.querySelectorAll("details.kept")[0].open = true;
for (let i = 0; i < 3; i++) byId("smaller").click();
document.querySelectorAll(".moment h3")[1].scrollIntoView();
"""
"""Both sides, and the table of what is kept."""


def draw_gradient(file: Path) -> None:
    """Write the picture of a gradient, with one of the values that it keeps chosen."""
    bb = BlockBuilder()
    x, w, v, t = (
        var(name, shape=shape)
        for name, shape in {"x": ["n", 64], "w": [64, 128], "v": [128, 8], "t": ["n", 8]}.items()
    )
    with bb.function("loss", [x, w, v, t]):
        hidden = bb.emit(op.tanh(bb.emit(x @ w, "up")), "hidden")
        bb.emit_func_output(bb.emit(op.mse_loss(bb.emit(hidden @ v, "found"), t)))
    module = bb.get()
    gradient(module, "loss", ["w", "v"])
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        found = explore(parse(str(module), "loss.mlir"), cpu="x86-64-v4", sizes={"n": 32})
        page.write_text(found, "utf-8")
        with Browser(page, 1400, 900) as browser:
            browser.value("document.querySelector('[data-maker]').click()")
            browser.value(GRADIENT_SETTING)
            browser.picture(file)


if __name__ == "__main__":
    for drawn, name in ((draw, "explore.png"), (draw_gradient, "explore_gradient.png")):
        drawn(IMAGES / name)
        print(f"wrote docs/images/{name}  {(IMAGES / name).stat().st_size} bytes")
