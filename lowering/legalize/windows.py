"""Windows of convolutions and pools: layouts by letters, and the elements that a window sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lowering.legalize.registry import NARROW
from relax_dialect import symbolic, te
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import F32, DType, as_dtype, kind

Index: TypeAlias = Any
"""An index of a tensor: an axis, an expression of axes, or a number."""


def known(size: Expr | None) -> Expr:
    """Return a size that follows from known ones."""
    assert size is not None
    return size


def wide(dtype: DType) -> DType:
    """Return the type to accumulate elements of a type in."""
    return F32 if str(dtype) in NARROW else dtype


def mean_type(dtype: DType) -> DType:
    """Return the type to add up elements of a type in, for their mean."""
    wider = {"integer": "i64", "unsigned": "ui64"}.get(kind(dtype))
    return wide(dtype) if wider is None else as_dtype(wider)


def at(tensor: te.Tensor, layout: Sequence[str], index: Mapping[str, Index]) -> te.Scalar:
    """Return the element of a tensor whose axes are named by the letters of a layout, or by a list of
    names."""
    return tensor[tuple(index[letter] for letter in layout)]


def laid_out(
    shape: Mapping[str, Expr],
    layout: Sequence[str],
    element: Callable[[Mapping[str, Index]], Any],
    name: str,
    requires: Sequence[te.Requirement] = (),
) -> te.Tensor:
    """Return the tensor of a layout whose element at an index, by letters, is `element(index)`."""

    def compute(*axes: te.IterVar) -> Any:
        return element(dict(zip(layout, axes)))

    sizes = [shape[letter] for letter in layout]
    return te.compute(sizes, compute, name=name, requires=requires)


def viewed(
    tensor: te.Tensor,
    shape: Iterable[Expr],
    name: str,
    requires: Sequence[te.Requirement] = (),
) -> te.Tensor:
    """Return the elements of a tensor under another shape, or the tensor if that is its own."""
    sizes = [*shape]
    return tensor if sizes == [*tensor.shape] else te.reshape(tensor, sizes, name, requires)


def window_axes(windows: Sequence[Window]) -> list[te.IterVar]:
    """Return the reduction axes over the positions of windows."""
    return [te.reduce_axis((0, known(w.size)), f"k{w.letter}") for w in windows]


def times(index: Index, step: Expr | int) -> Index:
    """Return an index times a step."""
    return index if symbolic.as_expr(step).value == 1 else index * step


@dataclass(frozen=True)
class Slide:
    """Images and the windows that slide over them."""

    images: te.Tensor
    layout: Sequence[str]
    windows: Sequence[Window]

    def seen(
        self, index: Mapping[str, Index], position: Sequence[Index], place: Sequence[Index]
    ) -> te.Scalar:
        """Return the element at an offset of the window at a position; `index` holds the image and the
        channel."""
        found = dict(index)
        for window, i, k in zip(self.windows, position, place):
            found[window.letter] = times(i, window.stride) + times(k, window.dilation)
        return at(self.images, self.layout, found)
