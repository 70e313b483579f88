"""The common base of convolutions and pools: layouts by letters, windows that slide over spatial axes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from relax_dialect import symbolic
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.blocked_layouts import names_axes, parse_layout
from relax_dialect.ops.demands import Demand, at_least, divisible, guarded, refuse_unmet
from relax_dialect.ops.fields import OfClass, SameAs, per_axis, string
from relax_dialect.ops.type_rules import tensor_type

Sizes = Mapping[str, Dim]
"""The size of the axis that each letter of a layout names."""

ELEMENTS = "x to have 1 or more elements"
"""The demand that axes have elements, for errors."""


def image_layout() -> Any:
    """Return the field of the layout of images: by default batch and channels come first."""
    return string(default=OfClass(lambda cls: f"NC{cls.SPATIAL}"))


def result_layout(of: str = "layout") -> Any:
    """Return the field of the layout of the result: by default that of x."""
    return string(default=SameAs(of))


def each_axis(op: LayoutOp, found: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return one number for each spatial axis."""
    return found if found is None or len(found) != 1 else found * len(op.SPATIAL)


def both_sides(op: LayoutOp, found: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers for before each spatial axis, and then for after it."""
    each = each_axis(op, found) or ()
    return each * 2 if len(each) == len(op.SPATIAL) else each


def axis_numbers(default: int) -> Any:
    """Return the field of a number for each spatial axis, or one for all."""
    return per_axis(default=default, meaning=each_axis)


def padding_numbers() -> Any:
    """Return the field of the padding: one number, one for each spatial axis, or all before and all
    after."""
    return per_axis(default=0, meaning=both_sides)


@dataclass(frozen=True)
class Window:
    """A window of `size` elements, `dilation` apart, that moves by `stride` along one axis."""

    letter: str
    size: Dim
    stride: int
    dilation: int
    before: int
    after: int

    @property
    def reach(self) -> Dim:
        """The distance from the first to the last element of the window."""
        size = self.size
        return None if size is None else guarded(lambda: self.dilation * (size - 1))

    def count(self, extent: Dim, ceil_mode: bool = False) -> Dim:
        """Return the number of windows in the padded extent; with `ceil_mode` the last may extend beyond
        it, if it begins in x or in the padding before it."""
        reach, divide = self.reach, symbolic.ceildiv if ceil_mode else symbolic.floordiv
        if extent is None or reach is None:
            return None
        padding = self.before + self.after

        def counted() -> symbolic.Expr:
            found = divide(extent + padding - reach - 1, self.stride) + 1
            if not ceil_mode or not self.may_begin_late:
                return found
            begun = symbolic.ceildiv(extent + self.before, self.stride)
            return symbolic.maximum(self.count(extent) or 0, symbolic.minimum(found, begun))

        return guarded(counted)

    @property
    def may_begin_late(self) -> bool:
        """Whether a window that sticks out could begin after x."""
        reach = None if self.reach is None else self.reach.value
        return reach is None or self.stride + self.after > reach + 1

    def spread(self, extent: Dim, output_padding: int) -> Dim:
        """Return the number of elements that as many windows cover, the inverse of `count`, plus some at
        the end."""
        reach = self.reach
        if extent is None or reach is None:
            return None
        more = output_padding + 1 - self.before - self.after
        return guarded(lambda: (extent - 1) * self.stride + reach + more)


class LayoutOp(OperatorOp):
    """An operator whose first operand x holds images; the letters of a layout, such as `NCHW`, name
    the axes. All but regions of interest take channels in blocks, too (`NCHW16c`: see
    `ops/blocked_layouts.py`).

    (C1) The element type is numeric.
    (C2) A layout names N, C and each spatial axis once; x has one axis for each letter. Blocks of channels
         have the size of their axis, and divide the channels.
    """

    SPLIT: ClassVar = ""
    """The letters of the axes that layouts may have in blocks."""

    SPATIAL: ClassVar[str]
    """The letters of the spatial axes, innermost last."""

    LAYOUT: ClassVar[str] = "layout"
    """The name of the property with the layout of x."""

    @property
    def letters(self) -> str:
        """The letters of a layout of x, in the default order."""
        return f"NC{self.SPATIAL}"

    @property
    def x_layout(self) -> str:
        return self.layout_of(self.LAYOUT, self.letters, "C2")

    @property
    def result_layout(self) -> str:
        """The layout of the result: by default that of x."""
        has_own = "out_layout" in self.PLAN.by_name
        return self.layout_of("out_layout", self.letters, "C2") if has_own else self.x_layout

    def layout_of(self, name: str, letters: str, constraint: str) -> str:
        """Return the layout that a field names."""
        layout = getattr(self, name)
        if not names_axes(layout, letters, self.SPLIT):
            self.fail(
                f"'{name}' to name each of {', '.join(letters)} once ({constraint})",
                f'"{layout}"',
                f"write them in the order of the axes, as in {letters}",
            )
        return layout

    def sizes(self, name: str, type: TensorType, layout: str, constraint: str = "C2") -> Sizes:
        """The size of every letter's axis, unknown ones of a tensor of unknown rank."""
        found = parse_layout(layout)
        assert found is not None
        if type.shape is None:
            return dict.fromkeys(found.plain)
        if len(type.shape) != len(found.axes):
            self.fail(
                f"'{name}' to have one axis for each letter of {layout} ({constraint})",
                dims_text(type.shape),
                "reshape it, or use the operator of that rank",
            )
        sizes = dict(zip(found.axes, type.shape))
        for letter, block in found.blocks.items():
            inner, count = sizes.pop(letter.lower()), sizes[letter]
            if inner is not None and inner.value != block:
                axis = f"{letter.lower()} of {layout} ({constraint})"
                mend = "use the layout of such blocks, or relax.layout_transform"
                self.fail(f"'{name}' to have a size of {block} along {axis}", str(inner), mend)
            sizes[letter] = None if count is None else guarded(lambda c=count, b=block: c * b)
        return sizes

    @property
    def is_blocked(self) -> bool:
        """Whether channels lie in blocks in one of the layouts."""
        return any(
            letter.isdigit() for name in self.layout_fields for letter in getattr(self, name)
        )

    @property
    def operand_layouts(self) -> Mapping[int, str]:
        """The layouts of operands, by their positions."""
        return {0: self.x_layout}

    @property
    def layout_fields(self) -> Sequence[str]:
        """The names of the properties that are layouts."""
        return [name for name in self.PLAN.by_name if name.endswith("layout")]

    @property
    def x_sizes(self) -> Sizes:
        return self.sizes("x", tensor_type(self.operands[0]), self.x_layout)

    def per_axis(self, name: str, least: int, constraint: str) -> tuple[int, ...]:
        """Return the numbers of a field, one for each spatial axis."""
        rank, found = len(self.SPATIAL), getattr(self, name)
        if len(found) not in (1, rank) or min(found) < least:
            counts = "1 number" if rank == 1 else f"1 or {rank} numbers"
            self.fail(
                f"'{name}' to be {counts} of {least} or more ({constraint})",
                str(list(found)),
                f"write one for each of {', '.join(self.SPATIAL)}",
            )
        return found if len(found) == rank else found * rank

    def laid_out(self, batch: Dim, channels: Dim, spatial: Sequence[Dim]) -> Dims:
        """Return the shape of the result."""
        found = dict(zip(self.letters, (batch, channels, *spatial)))
        layout = parse_layout(self.result_layout)
        assert layout is not None
        for letter, block in layout.blocks.items():
            expected = f"blocks of {block} to divide the axis {letter} of the result (C2)"
            size, mend = found[letter], "name another layout"
            refuse_unmet(self, divisible(expected, size, block, mend))
            found[letter.lower()] = symbolic.const(block)
            if size is not None:
                found[letter] = guarded(lambda s=size, b=block: symbolic.floordiv(s, b))
        return tuple(found[axis] for axis in layout.axes)


class WindowOp(LayoutOp):
    """An operator on the windows that slide over the spatial axes of a padded x.

    (C3) No spatial size of the result is negative; checked at run time unless proved.
    (C4) `strides` and `dilation` are one number, or one for each spatial axis, of 1 or more.
    (C5) `padding` is one number, one for each spatial axis, or all those before and then all those
         after; none is negative.
    """

    @property
    @abstractmethod
    def padding(self) -> tuple[int, ...]:
        """The number of elements added to each spatial axis."""

    def paddings(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the padding before and after, for each spatial axis."""
        rank = len(self.SPATIAL)
        found = self.padding
        if len(found) not in (1, rank, 2 * rank) or min(found) < 0:
            counts = " or ".join(dict.fromkeys(map(str, (1, rank, 2 * rank))))
            self.fail(
                f"'padding' to be {counts} numbers of 0 or more (C5)",
                str(list(found)),
                f"write one for each of {', '.join(self.SPATIAL)}, or all before and then all after",
            )
        if len(found) == 2 * rank:
            return found[:rank], found[rank:]
        both = found if len(found) == rank else found * rank
        return both, both

    def windows(self, sizes: Sequence[Dim]) -> list[Window]:
        """Return a window of a size for each spatial axis."""
        strides = self.per_axis("strides", 1, "C4")
        dilation = self.per_axis("dilation", 1, "C4")
        return [Window(*w) for w in zip(self.SPATIAL, sizes, strides, dilation, *self.paddings())]

    def not_negative(self, spatial: Sequence[Dim]) -> Iterator[Demand]:
        """Yield the demands that the spatial sizes of the result are 0 or more."""
        for letter, size in zip(self.SPATIAL, spatial):
            expected = f"a size of 0 or more along {letter} of the result (C3)"
            yield from at_least(expected, size, symbolic.const(0), "pad x, or narrow the window")
