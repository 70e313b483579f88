"""What convolutions and pools share: layouts by letters, and the elements that a window sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """The places of a window: reduction axes, and after them numbers that are written out."""

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
class Slide:
    """Images and the windows that slide over them: what a window sees."""

    images: te.Tensor
    layout: str
    windows: Sequence[Window]

    def seen(
        self, index: Mapping[str, Index], position: Sequence[Index], place: Sequence[Index]
    ) -> te.Scalar:
        """What the window at a position has at a place; `index` says in which image and channel."""
        found = dict(index)
        for window, i, k in zip(self.windows, position, place):
            found[window.letter] = times(i, window.stride) + times(k, window.dilation)
        return at(self.images, self.layout, found)
