"""Transposed convolutions: one sum over channels and taps, in which phases are axes.

The element p of x meets the tap k of the kernel at `y = s * p + d * k - before`. With a stride s the
positions of the result fall into s phases, `y = s * j + f`, and those of a phase see neighbours of x
through the taps `k = s * t + f` of the kernel:

    out[n, o, j, f, i, g] = sum(x[n, c, j + t, i + u] * filters[o, f, g, c, t, u])    over c, t, u

The result is a view of that, or a part of it if the phases hold more. The filters have zeros where a phase
has fewer taps than others, and their taps from the last to the first; they are laid out once, ahead of all
calls if the kernel is constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from xdsl.ir import SSAValue

from lowering.legalize.demands import requirements
from lowering.legalize.registry import known_tensor
from lowering.legalize.steps import Steps, legalize_steps
from lowering.legalize.widened_operands import sum_type, widened
from lowering.legalize.windows import Index, at, known, laid_out, times
from relax_dialect import symbolic, te
from relax_dialect.ops.convolution import (
    Conv1dTransposeOp,
    Conv2dTransposeOp,
    Conv3dTransposeOp,
    TransposedConvolutionOp,
)
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType

LEAST = 8
"""The least filters, and products for each, that fill vectors."""


@dataclass(frozen=True)
class Phases:
    """The phases along one axis of the result, of `extent` positions.

    Where half a stride is cut off before the result, phases are two halves, `f = m * f1 + f0`: the second
    half sees a window that is one further, so that the result begins with a phase.
    """

    window: Window
    extent: Expr
    may_shift: bool = True
    """Whether phases may see windows of their own."""

    @property
    def letter(self) -> str:
        return self.window.letter

    @property
    def stride(self) -> int:
        return self.window.stride

    @property
    def halves(self) -> bool:
        """Whether the phases are two halves."""
        return self.may_shift and self.stride == 2 * (self.window.before % self.stride)

    @property
    def axes(self) -> Mapping[str, int]:
        """The axes of the phases with their sizes, outermost first."""
        halves, rest = (2, self.stride // 2) if self.halves else (1, self.stride)
        sizes = {f"{self.letter}half": halves, f"{self.letter}phase": rest}
        return {name: size for name, size in sizes.items() if size > 1}

    @property
    def spread(self) -> int:
        """The distance of kernel taps in the kernel that is cut into phases."""
        return self.window.dilation if self.stride > 1 else 1

    @property
    def step(self) -> int:
        """The distance of the elements that two taps see."""
        return 1 if self.stride > 1 else self.window.dilation

    @cached_property
    def taps(self) -> Expr:
        """The number of elements of x that each phase sees."""
        return symbolic.ceildiv(known(self.window.size) * self.spread, self.stride)

    @property
    def cut(self) -> int:
        """The number of positions of the phases before the result."""
        return 0 if self.halves else self.window.before % self.stride

    @cached_property
    def places(self) -> Expr:
        """The number of positions of each phase."""
        return symbolic.ceildiv(self.extent + self.cut, self.stride)

    @cached_property
    def first(self) -> Expr:
        """The element of x that the first tap sees at the first position, negative before x."""
        return (self.taps - 1) * -self.step + self.window.before // self.stride

    @cached_property
    def before(self) -> Expr:
        """The number of zeros before x."""
        return symbolic.maximum(self.first * -1, 0)

    def padded(self, size: Expr) -> Expr:
        """Return the size of x with the zeros around it, from its own size."""
        reach = (self.taps - 1) * self.step + (self.places + int(self.halves))
        return symbolic.maximum(reach + self.before + self.first, self.before + size)

    def seen(self, index: Mapping[str, Index], tap: Index) -> Index:
        """Return the index in the padded x that a tap sees."""
        place = index[self.letter] + times(tap, self.step)
        if self.halves:
            place = place + index[f"{self.letter}half"]
        begin = self.before + self.first
        return place if begin.value == 0 else place + begin


class _Layouts:
    """The axes of the operands and the result of one operator, by name."""

    def __init__(self, op: TransposedConvolutionOp):
        self.op = op
        sizes = op.weight_sizes
        self.groups = op.group_count
        self.inputs = symbolic.floordiv(known(sizes["I"]), self.groups)
        self.outputs = known(sizes["O"])
        windows, extents = op.kernel_windows(sizes), map(known, op.extents(op.x_sizes, sizes))
        pairs = [*zip(windows, extents)]
        self.joined = self._are_joined([Phases(*pair, may_shift=False) for pair in pairs])
        """Whether the filters of all phases are the filters of one convolution, which are enough for it."""
        self.phases = [Phases(*pair, may_shift=not self.joined) for pair in pairs]

    def _are_joined(self, phases: Sequence[Phases]) -> bool:
        products = [self.inputs, *(own.taps for own in phases)]
        each, outputs = symbolic.product(products).value or 0, self.outputs.value or 0
        return outputs < LEAST <= min(each, outputs * prod(own.stride for own in phases))

    @property
    def group(self) -> tuple[str, ...]:
        return ("G",) if self.groups > 1 else ()

    @property
    def input(self) -> tuple[str, ...]:
        """The axis of the channels of a group, unless each has one."""
        return ("I",) if self.groups == 1 or self.inputs.value != 1 else ()

    @property
    def output(self) -> tuple[str, ...]:
        """The axis of the filters of a group, unless each has one."""
        return ("C",) if self.groups == 1 or self.outputs.value != 1 else ()

    @cached_property
    def sizes(self) -> Mapping[str, Expr]:
        """The sizes of the loops."""
        found = {"G": symbolic.const(self.groups), "I": self.inputs, "C": self.outputs}
        for own in self.phases:
            found |= {name: symbolic.const(size) for name, size in own.axes.items()}
            found |= {own.letter: own.places, f"{own.letter}tap": own.taps}
        return found | {"F": symbolic.product(found[name] for name in self.each)}

    @property
    def each(self) -> Sequence[str]:
        """The axes of the filters of a group."""
        phases = [name for own in self.phases for name in own.axes]
        is_last = self.op.result_layout[-1] == "C"
        return [*phases, *self.output] if is_last else [*self.output, *phases]

    @property
    def filters(self) -> Sequence[str]:
        """The axes of the filters, each with the axis it is multiplied by."""
        return [*self.group, *self.each, *self.input, *(f"{own.letter}tap" for own in self.phases)]

    @property
    def result(self) -> Sequence[str]:
        """The axes of the result, with phases after positions."""
        phases = {own.letter: (own.letter, *own.axes) for own in self.phases}
        split = {"C": (*self.group, *self.output), **phases}
        return [name for letter in self.op.result_layout for name in split.get(letter, letter)]

    @property
    def sums(self) -> Sequence[str]:
        """The axes of the sums: those of the result, or with phases next to filters, if these are joined,
        or are too few and positions are neighbours."""
        is_last = self.op.result_layout[-1] == "C"
        if not self.joined and (is_last or (self.outputs.value or 0) >= LEAST):
            return self.result
        split = {"C": (*self.group, *self.each)}
        return [name for letter in self.op.result_layout for name in split.get(letter, letter)]

    def as_one(self, axes: Sequence[str]) -> Sequence[str]:
        """Return the axes with the filter axes joined."""
        first = axes.index(self.each[0])
        return [*axes[:first], "F", *axes[first + len(self.each) :]]


@legalize_steps(Conv1dTransposeOp, Conv2dTransposeOp, Conv3dTransposeOp)
def transposed(
    steps: Steps, op: TransposedConvolutionOp, x: SSAValue, weight: SSAValue
) -> Sequence[SSAValue]:
    """Return the filters of all phases, and the sums over their windows."""
    known_tensor(op, "operand 'x'", x.type)  # the filters are cut by sizes computed from it
    (filters,) = steps.ahead(phase_filters, weight)
    filters.name_hint = "filters"
    return steps.call(phase_sums, widened(steps, x, type_of_sums(op)), filters)


def type_of_sums(op: TransposedConvolutionOp) -> DType:
    """Return the type that products are added up in."""
    return sum_type(known_tensor(op, "the result", op.checked_types()[0])[1])


def phase_filters(op: TransposedConvolutionOp, weight: te.Tensor) -> te.Tensor:
    """Return the kernel as filters, one for each phase, their taps reversed, in the type of sums."""
    layouts, dtype = _Layouts(op), type_of_sums(op)
    sizes = dict(zip(op.weight_layout, weight.shape))
    for own in layouts.phases:
        if own.spread > 1:
            places = {**sizes, own.letter: sizes[own.letter] * own.spread}
            weight = _spread(weight, op.weight_layout, sizes, own)
            sizes = places
    longer = {**sizes, **{own.letter: own.taps * own.stride for own in layouts.phases}}
    if (shape := [longer[letter] for letter in op.weight_layout]) != [*weight.shape]:
        weight = te.pad(weight, shape, [0] * len(shape), 0, "longer")
    split = {own.letter: (f"{own.letter}tap", *own.axes) for own in layouts.phases}
    split |= {"I": (*layouts.group, *layouts.input), "O": layouts.output}
    axes = [name for letter in op.weight_layout for name in split[letter]]
    places = te.reshape(weight, [layouts.sizes[name] for name in axes], "places")
    turned = {f"{own.letter}{end}" for own in layouts.phases for end in ("tap", "half")}

    def element(index: Mapping[str, Index]) -> te.Scalar:
        ends = {name: index[name] * -1 + (layouts.sizes[name] - 1) for name in turned & {*axes}}
        return at(places, axes, {**index, **ends}).astype(dtype)

    return laid_out(layouts.sizes, layouts.filters, element, "filters")


def _spread(weight: te.Tensor, layout: str, sizes: Mapping[str, Expr], own: Phases) -> te.Tensor:
    """Return the kernel with zeros after each of its taps along an axis."""
    shapes: list[list[Expr]] = []
    for rest in (1, own.spread):
        ends = {own.letter: [sizes[own.letter], symbolic.const(rest)]}
        shapes.append([size for letter in layout for size in ends.get(letter, [sizes[letter]])])
    split = te.reshape(weight, shapes[0], "places")
    spread = te.pad(split, shapes[1], [0] * len(shapes[1]), 0, "spread")
    sizes = {**sizes, own.letter: sizes[own.letter] * own.spread}
    return te.reshape(spread, [sizes[letter] for letter in layout], "spread")


def phase_sums(op: TransposedConvolutionOp, x: te.Tensor, filters: te.Tensor) -> te.Tensor:
    """Return the sum over the taps and the channels of the group, for every position of every phase."""
    layouts = _Layouts(op)
    shape, dtype = known_tensor(op, "the result", op.checked_types()[0])
    requires = requirements(op, op.demands(op.x_sizes, op.weight_sizes))
    images, axes_of_x = _padded(op, layouts, x)
    axes, weighed = layouts.sums, layouts.filters
    if layouts.joined:
        axes, weighed = layouts.as_one(axes), layouts.as_one(weighed)
        filters = te.reshape(filters, [layouts.sizes[name] for name in weighed], "joined")
    i = [te.reduce_axis((0, layouts.inputs), name="i")] if layouts.input else []
    taps = [te.reduce_axis((0, own.taps), name=f"k{own.letter}") for own in layouts.phases]
    own_taps = {f"{own.letter}tap": tap for own, tap in zip(layouts.phases, taps)}

    def element(index: Mapping[str, Index]) -> te.Scalar:
        seen = {own.letter: own.seen(index, tap) for own, tap in zip(layouts.phases, taps)}
        value = at(images, axes_of_x, {**index, **dict(zip("C", i)), **seen})
        factor = at(filters, weighed, {**index, **dict(zip("I", i)), **own_taps})
        return te.sum(value * factor, axis=[*i, *taps])

    sizes = {**layouts.sizes, "N": known(op.x_sizes["N"])}
    sums = laid_out(sizes, axes, element, "sums", requires)
    if layouts.joined:
        sums = te.reshape(sums, [sizes[name] for name in layouts.sums], "filters")
    if layouts.sums != layouts.result:
        apart = sums
        sums = laid_out(
            sizes, layouts.result, lambda index: at(apart, layouts.sums, index), "phases"
        )
    return _part(op, layouts, sums, shape, dtype)


def _padded(
    op: TransposedConvolutionOp, layouts: _Layouts, x: te.Tensor
) -> tuple[te.Tensor, Sequence[str]]:
    """x with an axis of groups, and the zeros around it that windows see; its axes."""
    sizes, axes = dict(zip(op.x_layout, x.shape)), list(op.x_layout)
    if layouts.group:
        axes[axes.index("C") : axes.index("C") + 1] = [
            *layouts.group,
            *("C" for _ in layouts.input),
        ]
        sizes |= {"G": layouts.sizes["G"], "C": layouts.inputs}
        x = te.reshape(x, [sizes[name] for name in axes], "groups")
    before: dict[str, Expr] = {}
    for own in layouts.phases:
        before[own.letter], sizes[own.letter] = own.before, own.padded(sizes[own.letter])
    if (shape := [sizes[name] for name in axes]) != [*x.shape]:
        x = te.pad(x, shape, [before.get(name, 0) for name in axes], 0)
    return x, axes


def _part(
    op: TransposedConvolutionOp,
    layouts: _Layouts,
    sums: te.Tensor,
    shape: Sequence[Expr],
    dtype: Any,
) -> te.Tensor:
    """Yield the part of the result that the phases hold, in its element type."""
    whole = dict(zip(op.result_layout, shape))
    whole |= {own.letter: own.places * own.stride for own in layouts.phases}
    wholes = [whole[letter] for letter in op.result_layout]
    if wholes != [*sums.shape]:
        sums = te.reshape(sums, wholes, "phases")
    cuts = {own.letter: own.cut for own in layouts.phases}

    def places(index: Sequence[te.IterVar]) -> Iterator[Index]:
        for letter, axis in zip(op.result_layout, index):
            yield axis + cuts[letter] if cuts.get(letter) else axis

    if wholes == [*shape] and sums.dtype == dtype and not any(cuts.values()):
        return sums
    return te.compute(shape, lambda *i: sums[tuple(places(i))].astype(dtype), name="out")
