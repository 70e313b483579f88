"""`te.pad`: a tensor with more elements around it, all of one value.

%empty = tensor.empty() : tensor<64x58xf32>
%filled = linalg.fill ins(%value : f32) outs(%empty : tensor<64x58xf32>) -> tensor<64x58xf32>
%padded = tensor.insert_slice %x into %filled[0, 1] [64, 56] [1, 1]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import linalg, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import hole
from relax_dialect.symbolic.interval import at_least
from relax_dialect.te.emit.scalar_emitter import FunctionEmitter
from relax_dialect.te.scalar import Scalar, ScalarConstant, const
from relax_dialect.te.tensor import Dim, Requirement, Stage, Tensor, as_shape, shape_text


@dataclass(eq=False)
class PadStage(Stage):
    """A tensor inserted at offset `before` into one of another shape that is filled with a value."""

    source: Tensor
    before: tuple[symbolic.Expr, ...]
    value: ScalarConstant

    @property
    def scalars(self) -> Iterable[Scalar]:
        return (self.value,)

    @property
    def reads(self) -> Iterable[Tensor]:
        return (self.source,)

    @property
    def sizes(self) -> Iterable[symbolic.Expr]:
        return (*self.source.shape, *self.outputs[0].shape, *self.before)

    def bounds_to_check(
        self, bounds: Any, around: Sequence[symbolic.Expr]
    ) -> Iterator[Requirement]:
        shape = self.outputs[0].shape
        for d, by in enumerate(beyond(self.source, shape, self.before)):
            if not at_least(by * -1, 0):
                message = (
                    f"te.pad '{self.outputs[0].name}': dimension {d} of '{self.source.name}' sticks out "
                    f"of a size of {hole(shape[d])}; make it larger"
                )
                beyond_end = symbolic.maximum(by, 0)
                yield Requirement(message, beyond_end, (symbolic.const(0),), shows=True)

    def emit(self, function: FunctionEmitter) -> Sequence[SSAValue]:
        (out,), shape = self.outputs, self.source.shape
        empty = function.empty(out.shape, out.dtype, "empty")
        value = function.memory_constant(self.value.value, out.dtype)
        fill = linalg.ops.FillOp([value], [empty], [empty.type])
        filled = function.scope.add(fill, "filled")
        insert = tensor.InsertSliceOp.get(
            function.tensors[self.source],
            filled,
            static_sizes=[DYNAMIC_INDEX if d.value is None else d.value for d in shape],
            static_offsets=[DYNAMIC_INDEX if d.value is None else d.value for d in self.before],
            offsets=[function.sizes.size(d) for d in self.before if d.value is None],
            sizes=[function.sizes.size(d) for d in shape if d.value is None],
        )
        return (function.scope.add(insert, out.name),)


def beyond(
    source: Tensor, shape: Sequence[symbolic.Expr], before: Sequence[symbolic.Expr]
) -> list[symbolic.Expr]:
    """Return how far a tensor extends beyond a shape, along each axis."""
    return [place + own - size for size, place, own in zip(shape, before, source.shape)]


def pad(
    source: Tensor,
    shape: Sequence[Dim] | Dim,
    before: Sequence[Dim],
    value: object,
    name: str = "padded",
) -> Tensor:
    """Return a tensor of a shape that has `source` at the indices `before`, and a value around it.

    ```python
    padded = te.pad(x, (n, 58), (0, 1), 0.0)   # x is [n, 56]
    ```
    """
    sizes, places = as_shape(shape), tuple(symbolic.as_expr(place) for place in before)
    known = [place.value for place in places if place.value is not None]
    fits = len(sizes) == len(places) == source.ndim and min(known, default=0) >= 0
    if not fits or any(at_least(by, 1) for by in beyond(source, sizes, places)):
        raise RelaxError(
            f"te.pad '{name}': expected a shape in which {source} lies at [{shape_text(places)}], found "
            f"[{shape_text(sizes)}]; make it larger"
        )
    stage = PadStage(source, places, const(value, source.dtype))
    return stage.produce(sizes, source.dtype, name)
