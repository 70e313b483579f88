"""Losses over epochs or steps as a curve: of characters for a terminal, and in SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 64, 12
"""Of the curve in a terminal, in characters."""
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a Braille character, by row and column."""

PLOT = (70, 50, 560, 240)
"""The position of the plot in the picture: left, top, width and height."""
COLOURS = ("#3b82c4", "#e0883a")
STYLE = (
    "text { font: 12px sans-serif; fill: #808080 } .title { font-size: 15px; font-weight: bold } "
    ".grid { stroke: #808080; stroke-opacity: 0.3 } .curve { fill: none; stroke-width: 1.5 }"
)


class Scale:
    """Losses on a logarithmic axis between powers of ten, numbers on a linear one; both from 0 to 1."""

    def __init__(self, curves: Mapping[str, Sequence[float]]):
        values = [max(v, 1e-12) for curve in curves.values() for v in curve]
        self.low, self.high = floor(log10(min(values))), ceil(log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self.count = max(map(len, curves.values()))

    def points(self, curve: Sequence[float]) -> Iterator[tuple[float, float]]:
        """Yield the numbers and losses of a curve, upwards."""
        for number, loss in enumerate(curve):
            across = number / max(self.count - 1, 1)
            yield across, (log10(max(loss, 1e-12)) - self.low) / (self.high - self.low)

    def ticks(self) -> Iterator[tuple[str, float]]:
        """Yield the powers of ten, from the highest down, with their positions."""
        for power in range(self.high, self.low - 1, -1):
            yield f"{10.0**power:g}", (power - self.low) / (self.high - self.low)


def in_terminal(curves: Mapping[str, Sequence[float]], unit: str = "epoch") -> list[str]:
    """Draw a curve in Braille dots, all curves in one picture; a loss is that of a `unit`."""
    scale = Scale(curves)
    cells = [[0] * WIDTH for _ in range(HEIGHT)]
    for curve in curves.values():
        for across, up in scale.points(curve):
            x = round(across * (2 * WIDTH - 1))
            y = round((1 - up) * (4 * HEIGHT - 1))
            cells[y // 4][x // 2] |= DOTS[y % 4][x % 2]
    labels = {round((1 - up) * (HEIGHT - 1)): text for text, up in scale.ticks()}
    lines = [
        f"{labels.get(row, ''):>7} {'┤' if row in labels else '│'}"
        + "".join(chr(0x2800 + cell) for cell in line).rstrip("\u2800")
        for row, line in enumerate(cells)
    ]
    return [
        *lines,
        f"{'':>7} └{'─' * WIDTH}",
        f"{'':>7}  {unit} 1 {f'to {scale.count}':>{WIDTH - len(unit) - 3}}",
    ]


def in_svg(title: str, curves: Mapping[str, Sequence[float]], unit: str = "epoch") -> str:
    """Draw the curves as SVG, readable on light and dark backgrounds."""
    return "\n".join(_svg(title, curves, unit)) + "\n"


def _svg(title: str, curves: Mapping[str, Sequence[float]], unit: str) -> Iterator[str]:
    left, top, width, height = PLOT
    scale = Scale(curves)
    size = f'width="{left + width + 20}" height="{top + height + 50}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    yield f"<style>{STYLE}</style>"
    yield f'<text x="10" y="22" class="title">{escape(title)}</text>'
    for text, up in scale.ticks():
        y = top + height * (1 - up)
        yield f'<line x1="{left}" y1="{y:.1f}" x2="{left + width}" y2="{y:.1f}" class="grid"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    for text, x, anchor in ((f"{unit} 1", left, "start"), (str(scale.count), left + width, "end")):
        yield f'<text x="{x}" y="{top + height + 20}" text-anchor="{anchor}">{text}</text>'
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = " ".join(
            f"{left + width * across:.1f},{top + height * (1 - up):.1f}"
            for across, up in scale.points(curve)
        )
        yield f'<polyline points="{places}" class="curve" stroke="{colour}"/>'
        x, y = left + 180 * number, top + height + 32
        yield f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="{y + 10}">{escape(name)}</text>'
    yield "</svg>"
