"""What convolutions and pools share: padded images, and the elements that a window sees.

The copy that pads is a stage of its own, so that the stage which computes reads without conditions.
Where windows step by more than one along the innermost axis, the copy may also sort that axis by the
remainder of the step: neighbours of the result then read neighbours of the copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import add
from typing import Any, TypeAlias

from lowering.legalize.registry import NARROW
from relax_dialect import symbolic, te
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import F32, DType, as_dtype, kind

Index: TypeAlias = Any
"""An index of a tensor: an axis, an expression of axes, or a number."""

MAX_UNROLLED = 32
"""Up to how many places of a window are written out in the loop body."""


def known(size: Expr | None) -> Expr:
    """A size that follows from known ones."""
    assert size is not None
    return size


def wide(dtype: DType) -> DType:
    """The type to accumulate elements of a type in."""
    return F32 if str(dtype) in NARROW else dtype


def mean_type(dtype: DType) -> DType:
    """The type to add up elements of a type in, for their mean."""
    wider = {"integer": "i64", "unsigned": "ui64"}.get(kind(dtype))
    return wide(dtype) if wider is None else as_dtype(wider)


def at(tensor: te.Tensor, layout: Sequence[str], index: Mapping[str, Index]) -> te.Scalar:
    """The element of a tensor whose axes are named by the letters of a layout, or by a list of names."""
    return tensor[tuple(index[letter] for letter in layout)]


def laid_out(
    shape: Mapping[str, Expr],
    layout: Sequence[str],
    element: Callable[[Mapping[str, Index]], Any],
    name: str,
    requires: Sequence[te.Requirement] = (),
) -> te.Tensor:
    """The tensor of a layout whose element at an index, by letters, is `element(index)`."""

    def compute(*axes: te.IterVar) -> Any:
        return element(dict(zip(layout, axes)))

    sizes = [shape[letter] for letter in layout]
    return te.compute(sizes, compute, name=name, requires=requires)


@dataclass(frozen=True)
class Places:
    """The places of a window: reduction axes, and behind them numbers that are written out."""

    axes: tuple[te.IterVar, ...]
    written: tuple[range, ...]

    @staticmethod
    def of(windows: Sequence[Window], layout: str) -> Places:
        """The places of the windows of a result with a layout.

        Where neighbours of the result are neighbours in space, as many of the innermost axes are
        written out as stay within `MAX_UNROLLED`: each pass over a row of the result then does more
        than one product. Where they are channels, this gains nothing.
        """
        sizes = [known(window.size) for window in windows]
        first, count = len(sizes), 1
        while (
            layout[-1] == windows[-1].letter
            and first
            and (size := sizes[first - 1].value)
            and count * size <= MAX_UNROLLED
        ):
            first, count = first - 1, count * size
        axes = [te.reduce_axis((0, sizes[d]), f"k{windows[d].letter}") for d in range(first)]
        return Places(tuple(axes), tuple(range(size.value or 0) for size in sizes[first:]))

    @staticmethod
    def axes_of(windows: Sequence[Window]) -> Places:
        """The places of the windows, none of them written out."""
        sizes = [known(window.size) for window in windows]
        axes = [te.reduce_axis((0, size), f"k{w.letter}") for w, size in zip(windows, sizes)]
        return Places(tuple(axes), ())

    def __iter__(self) -> Iterator[tuple[Index, ...]]:
        return ((*self.axes, *place) for place in product(*self.written))

    def over(
        self, element: Callable[[tuple[Index, ...]], te.Scalar], combine: Callable[..., Any] = add
    ) -> te.Scalar:
        """The elements of the places that are written out, combined."""
        return reduce(combine, map(element, self))


def times(index: Index, step: Expr | int) -> Index:
    """An index times a step."""
    return index if symbolic.as_expr(step).value == 1 else index * step


@dataclass(frozen=True)
class Run:
    """A loop that copies elements of an axis: from where, and where to (by letters)."""

    start: Expr
    end: Expr
    source: Callable[[te.IterVar], Index]
    target: Callable[[te.IterVar], Mapping[str, Index]]


@dataclass(frozen=True)
class Border:
    """How one axis lies in a padded copy of x: x's elements begin at `before` (which may be outside),
    with the filler around them."""

    extent: Expr
    before: Expr

    def runs(self, letter: str, size: Expr) -> list[Run]:
        """One loop over the elements of x that the copy has room for."""
        start = symbolic.maximum(self.before * -1, 0)
        end = symbolic.minimum(self.extent - self.before, size)
        return [Run(start, end, lambda i: i, lambda i: {letter: i + self.before})]


@dataclass(frozen=True)
class Sorting(Border):
    """A border whose places are sorted by the remainder of a step: letter `%` is the remainder, the
    axis' own the quotient, of which there are `extent`."""

    step: int = 1
    remainders: int = 1

    def runs(self, letter: str, size: Expr) -> list[Run]:
        """A loop for each remainder."""
        return [self._run(letter, size, remainder) for remainder in range(self.remainders)]

    def _run(self, letter: str, size: Expr, remainder: int) -> Run:
        first = self.before - remainder
        start = symbolic.maximum(symbolic.ceildiv(first, self.step), 0)
        end = symbolic.minimum(symbolic.ceildiv(first + size, self.step), self.extent)
        return Run(
            start,
            end,
            lambda q: q * self.step - first,
            lambda q: {letter: q, "%": remainder},
        )


def padded(x: te.Tensor, layout: str, borders: Mapping[str, Border], filler: Any) -> te.Tensor:
    """A copy of x with borders along some axes, the last of which may be sorted.

    It is filled first and then written, so that no element asks whether it is inside.
    """
    sizes = dict(zip(layout, x.shape))
    shape = {**sizes, **{letter: border.extent for letter, border in borders.items()}}
    copied = layout
    if isinstance(border := borders.get(layout[-1]), Sorting):
        copied, shape["%"] = sorted_layout(layout), symbolic.const(border.remainders)

    def runs(letter: str) -> list[Run]:
        border = borders.get(letter, Border(sizes[letter], symbolic.const(0)))
        return border.runs(letter, sizes[letter])

    def kernel(ib: Any, ins: list[te.Tensor], outs: list[Any]) -> None:
        (source,), (copy,) = ins, outs
        ib.fill(copy, filler)
        with ExitStack() as loops:
            place, target = {}, {}
            for letter in layout[:-1]:
                (run,) = runs(letter)
                i = loops.enter_context(ib.for_(run.start, run.end, name=letter.lower()))
                place[letter] = run.source(i)
                target |= run.target(i)
            last = layout[-1]
            for run in runs(last):
                with ib.for_(run.start, run.end, name=last.lower()) as i:
                    found = {**target, **run.target(i)}
                    value = at(source, layout, {**place, last: run.source(i)})
                    copy[tuple(found[letter] for letter in copied)] = value

    return te.extern([shape[letter] for letter in copied], [x], kernel, x.dtype, "padded")


def sorted_layout(layout: str) -> str:
    """The layout with the remainder of the step before its last axis, which is sorted by it."""
    return f"{layout[:-1]}%{layout[-1]}"


@dataclass(frozen=True)
class Slide:
    """Images and the windows that slide over them: what a window sees."""

    images: te.Tensor
    layout: str
    windows: Sequence[Window]
    sorted: bool = False
    """Whether the images are a copy sorted by the stride of the last window."""

    def seen(
        self, index: Mapping[str, Index], position: Sequence[Index], place: Sequence[Index]
    ) -> te.Scalar:
        """What the window at a position has at a place; `index` says in which image and channel."""
        found = dict(index)
        for window, i, k in zip(self.windows, position, place):
            found[window.letter] = times(i, window.stride) + times(k, window.dilation)
        if self.sorted:
            last, i, k = self.windows[-1], position[-1], place[-1]
            quotient, found["%"] = divmod(k * last.dilation, last.stride)
            found[last.letter] = i + quotient
        return at(self.images, self.layout, found)


def _padded_size(window: Window, size: Expr) -> Expr:
    return size + (window.before + window.after)


def slide(
    x: te.Tensor,
    layout: str,
    windows: Sequence[Window],
    counts: Sequence[Expr],
    filler: Any,
    *,
    sort: bool = False,
) -> Slide:
    """So many windows over x, padded with the filler.

    With `sort` the innermost axis is sorted by its stride, for places that are written out.
    """
    sizes, last = dict(zip(layout, x.shape)), windows[-1]
    borders = {
        w.letter: Border(
            _padded_size(w, sizes[w.letter]),
            symbolic.const(w.before),
        )
        for w in windows
        if w.before or w.after
    }
    sorts = sort and layout[-1] == last.letter and last.stride > 1
    if sorts:
        reach = known(last.reach).value
        assert reach is not None, "only windows of known size are written out"
        steps = counts[-1] + reach // last.stride
        remainders = min(reach + 1, last.stride)
        before = symbolic.const(last.before)
        borders[last.letter] = Sorting(steps, before, step=last.stride, remainders=remainders)
    if not borders:
        return Slide(x, layout, windows)
    copy = padded(x, layout, borders, filler)
    return Slide(copy, sorted_layout(layout) if sorts else layout, windows, sorts)
