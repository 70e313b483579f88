"""Ratios to the best peer as a bar chart in SVG, readable on light and dark ground."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2
from xml.sax.saxutils import escape

from bench.comparing import OURS, Result

LABELS, PLOT, ROOM = 340, 480, 40
"""Widths: the names of works, the bars, the margins for figures on both sides of them."""
TOP, ROW, BAR, HEADING = 84, 26, 9, 24
COLOURS = {"static": "#3b82c4", "symbolic": "#e0883a"}
TICKS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64)
STYLE = (
    "text { font: 12px sans-serif; fill: #808080 } "
    ".title { font-size: 15px; font-weight: bold } .group { font-weight: bold } "
    ".figure { font-size: 10px } .grid { stroke: #808080; stroke-opacity: 0.3 } "
    ".one { stroke: #808080; stroke-width: 2 }"
)


class Scale:
    """A logarithmic axis whose ends are ticks."""

    def __init__(self, ratios: Sequence[float]):
        inner = [tick for tick in TICKS if min(ratios) < tick < max(ratios)]
        first = max((t for t in TICKS if t <= min(*ratios, 0.5)), default=TICKS[0])
        last = min((t for t in TICKS if t >= max(*ratios, 2.0)), default=TICKS[-1])
        self.ticks = sorted({first, *inner, 1.0, last})

    def x(self, ratio: float) -> float:
        low, high = log2(self.ticks[0]), log2(self.ticks[-1])
        place = (log2(ratio) - low) / (high - low)
        return LABELS + PLOT * min(max(place, 0.0), 1.0)


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _tick(ratio: float) -> str:
    return f"{ratio:g}" if ratio >= 1 else f"1/{1 / ratio:g}"


def chart(results: Sequence[Result], subtitle: str = "") -> str:
    """Draw the chart; rows without a ratio are omitted."""
    shown = [r for r in results if any(r.ratio(name) is not None for name in OURS)]
    return "\n".join(_lines(shown, subtitle)) + "\n"


def _lines(results: Sequence[Result], subtitle: str) -> Iterator[str]:
    ratios = [ratio for r in results for name in OURS if (ratio := r.ratio(name)) is not None]
    groups = list(dict.fromkeys(result.group for result in results))
    bottom = TOP + HEADING * len(groups) + ROW * len(results)
    width, height = LABELS + PLOT + ROOM, bottom + 30
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">'
    )
    yield f"<style>{STYLE}</style>"
    yield _text(10, 22, "Speed compared with the better of ONNX Runtime and PyTorch", "title")
    yield _text(10, 40, subtitle)
    for i, (name, colour) in enumerate(COLOURS.items()):
        yield f'<rect x="{LABELS + 110 * i}" y="48" width="12" height="12" fill="{colour}"/>'
        yield _text(LABELS + 110 * i + 18, 58, name)
    if ratios:
        yield from _rows(results, groups, Scale(ratios), bottom)
    else:
        yield _text(LABELS, TOP, "no peer is installed")
    yield "</svg>"


def _rows(
    results: Sequence[Result], groups: Sequence[str], scale: Scale, bottom: float
) -> Iterator[str]:
    for tick in scale.ticks:
        kind = "one" if tick == 1 else "grid"
        x = scale.x(tick)
        yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" class="{kind}"/>'
        for y in (TOP - 6, bottom + 16):
            yield _text(x, y, _tick(tick), anchor="middle")
    y = float(TOP)
    for group in groups:
        yield _text(10, y + 17, group, "group")
        y += HEADING
        for result in (r for r in results if r.group == group):
            yield _text(LABELS - ROOM, y + 15, result.title, anchor="end")
            yield from _bars(result, scale, y + 3)
            y += ROW


def _bars(result: Result, scale: Scale, y: float) -> Iterator[str]:
    """Yield bars from the line of equal speed to the ratio, with its figure after the end."""
    for i, (name, colour) in enumerate(COLOURS.items()):
        ratio = result.ratio(name)
        if ratio is None:
            continue
        one, end, top = scale.x(1), scale.x(ratio), y + i * (BAR + 1)
        yield (
            f'<rect x="{min(one, end):.1f}" y="{top:.1f}" width="{abs(end - one):.1f}" '
            f'height="{BAR}" fill="{colour}"/>'
        )
        beyond, anchor = (end + 4, "start") if ratio >= 1 else (end - 4, "end")
        yield _text(beyond, top + BAR - 0.5, f"{ratio:.2f}", "figure", anchor)
