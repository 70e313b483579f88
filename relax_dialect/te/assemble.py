"""`te.assemble`: a tensor assembled from slices of others, each copied to its offset.

%empty = tensor.empty(%n) : tensor<?x8xf32>
%left = tensor.insert_slice %x into %empty[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<?x8xf32>
%tail = tensor.extract_slice %y[0, 2] [%n, 5] [1, 1] : tensor<?x7xf32> to tensor<?x5xf32>
%out = tensor.insert_slice %tail into %left[0, 3] [%n, 5] [1, 1] : tensor<?x5xf32> into tensor<?x8xf32>

A part may also be a repeated number: a `linalg.fill` is inserted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import linalg, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import hole
from relax_dialect.symbolic import Expr, product
from relax_dialect.symbolic.interval import at_least
from relax_dialect.te.emit.scalar_emitter import FunctionEmitter, tensor_type
from relax_dialect.te.scalar import Scalar, ScalarConstant
from relax_dialect.te.tensor import Dim, Requirement, Stage, Tensor, as_shape, shape_text


@dataclass(frozen=True, eq=False)
class Part:
    """A slice of `source` that begins at `start`, has sizes `shape`, and is written at offset `at`.

    Along each axis the elements are `steps` apart: -1 reads backwards, 0 repeats one element. If the source
    is a number, every element is that number.
    """

    source: Tensor | ScalarConstant
    at: tuple[Expr, ...]
    start: tuple[Expr, ...]
    shape: tuple[Expr, ...]
    steps: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its source."""
        if isinstance(self.source, ScalarConstant):
            return True
        is_all = self.shape == self.source.shape and all(step == 1 for step in self.steps)
        return is_all and all(place.value == 0 for place in self.start)

    def spans(self) -> Iterator[tuple[Expr, Expr]]:
        """Yield, for each axis of the source, the offset of the first element read and the number of
        elements spanned."""
        for start, size, step in zip(self.start, self.shape, self.steps):
            reach = (size - 1) * abs(step)
            yield (
                start - reach if step < 0 else start,
                reach + 1 if step else symbolic.minimum(size, 1),
            )


def part(
    source: Tensor | ScalarConstant,
    at: Sequence[Dim] | Dim,
    start: Sequence[Dim] | Dim | None = None,
    shape: Sequence[Dim] | Dim | None = None,
    steps: Sequence[int] | None = None,
) -> Part:
    """Return a part for `te.assemble`: all of `source`, or the slice of `start`, `shape` and `steps`.

    A number, `te.const(0, "f32")`, fills the `shape`.
    """
    place = as_shape(at)
    whole = source.shape if isinstance(source, Tensor) else place
    found = Part(
        source,
        place,
        as_shape((0,) * len(whole) if start is None else start),
        whole if shape is None else as_shape(shape),
        (1,) * len(whole) if steps is None else tuple(steps),
    )
    name = f"'{source.name}'" if isinstance(source, Tensor) else f"the number {source.value}"
    if isinstance(source, ScalarConstant) and (
        shape is None or start is not None or steps is not None
    ):
        raise RelaxError(f"te.part of {name}: expected an offset and a shape; pass the shape alone")
    if {len(found.at), len(found.start), len(found.shape), len(found.steps)} != {len(whole)}:
        raise RelaxError(
            f"te.part of {name}: expected an offset, a start, a shape and steps of {len(whole)} "
            f"sizes, found [{shape_text(found.at)}], [{shape_text(found.start)}], "
            f"[{shape_text(found.shape)}] and {list(found.steps)}; pass one for each dimension"
        )
    return found


@dataclass(eq=False)
class AssembledStage(Stage):
    """Slices of tensors at their offsets."""

    parts: tuple[Part, ...]

    @property
    def scalars(self) -> Iterable[Scalar]:
        return [each.source for each in self.parts if isinstance(each.source, ScalarConstant)]

    @property
    def reads(self) -> Iterable[Tensor]:
        return [each.source for each in self.parts if isinstance(each.source, Tensor)]

    @property
    def sizes(self) -> Iterator[Expr]:
        for each in self.parts:
            yield from (*each.at, *each.start, *each.shape)

    def bounds_to_check(self, bounds: Any, around: Sequence[Expr]) -> Iterator[Requirement]:
        (out,) = self.outputs
        total = symbolic.total(product(each.shape) for each in self.parts)
        if total is not product(out.shape):
            message = (
                f"te.assemble '{out.name}': expected parts of {hole(product(out.shape))} elements "
                f"together, found {hole(total)}; let each element lie in one part"
            )
            yield Requirement(message, total, (product(out.shape),), shows=True)
        for each in self.parts:
            yield from _inside(out.name, out, zip(each.at, each.shape))
            if isinstance(each.source, Tensor):
                yield from _inside(out.name, each.source, each.spans())

    def emit(self, function: FunctionEmitter) -> Sequence[SSAValue]:
        (out,) = self.outputs
        value = function.empty(out.shape, out.dtype, out.name)
        for each in self.parts:
            if any(size.value == 0 for size in each.shape):
                continue
            places, sizes = (
                split_dynamic_index_list(_entries(function, own), DYNAMIC_INDEX)
                for own in (each.at, each.shape)
            )
            insert = tensor.InsertSliceOp.get(
                self._taken(function, each),
                value,
                static_offsets=places[0],
                static_sizes=sizes[0],
                offsets=places[1],
                sizes=sizes[1],
            )
            value = function.scope.add(insert, out.name)
        return (value,)

    @staticmethod
    def _taken(function: FunctionEmitter, each: Part) -> SSAValue:
        """Return the elements of a part."""
        if isinstance(each.source, ScalarConstant):
            number = function.memory_constant(each.source.value, each.source.dtype)
            empty = function.empty(each.shape, each.source.dtype, "empty")
            return function.scope.add(linalg.ops.FillOp([number], [empty], [empty.type]), "filled")
        source = function.tensors[each.source]
        if each.is_whole:
            return source
        start, shape = (_entries(function, own) for own in (each.start, each.shape))
        type = tensor_type(each.shape, each.source.dtype)
        extract = tensor.ExtractSliceOp(source, start, shape, each.steps, type)
        return function.scope.add(extract, each.source.name)


def _inside(name: str, whole: Tensor, spans: Iterable[tuple[Expr, Expr]]) -> Iterator[Requirement]:
    """Yield the requirement that a part lies within a tensor, as far as it is not proved."""
    for d, ((place, size), own) in enumerate(zip(spans, whole.shape)):
        beyond = symbolic.maximum(place + size - own, 0) + symbolic.maximum(place * -1, 0)
        if not at_least(beyond * -1, 0):
            message = (
                f"te.assemble '{name}': a part of {hole(size)} from {hole(place)} on sticks out of "
                f"dimension {d} of '{whole.name}', whose size is {hole(own)}; correct the part"
            )
            yield Requirement(message, beyond, (symbolic.const(0),), shows=True)


def _entries(function: FunctionEmitter, sizes: Sequence[Expr]) -> list[SSAValue | int]:
    """Return sizes as entries of a slice."""
    return [function.sizes.size(size) if size.value is None else size.value for size in sizes]


def assemble(
    shape: Sequence[Dim] | Dim,
    parts: Sequence[Part],
    name: str = "assembled",
    requires: Sequence[Requirement] = (),
) -> Tensor:
    """Return the tensor of a shape in which every element lies in one of the parts.

    ```python
    rolled = te.assemble(n, [te.part(x, 0, n - 1, 1), te.part(x, 1, 0, n - 1)])   # x is [n]
    ```
    """
    sizes = as_shape(shape)
    if not parts:
        raise RelaxError(f"te.assemble '{name}': expected parts, found none; list te.part(...)")
    dtype = parts[0].source.dtype
    for each in parts:
        if len(each.at) != len(sizes) or each.source.dtype != dtype:
            own = each.source if isinstance(each.source, Tensor) else each.source.dtype
            raise RelaxError(
                f"te.assemble '{name}': expected parts of rank {len(sizes)} and element type {dtype}, "
                f"found one of {own}; reshape or cast it"
            )
    stage = AssembledStage(tuple(parts))
    stage.requires = tuple(requires)
    return stage.produce(sizes, dtype, name)
