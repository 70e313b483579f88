"""Convolutions of an image and filters as `linalg.generic`.

linalg.generic {(n, k, y, x, c, r, s): image (n, c, y + r, x + s), filters (k, c, r, s) -> (n, k, y, x)}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    MemRefType,
    NoneAttr,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from lowering.ir.memref_sizes import MemrefSizes
from lowering.ir.memref_views import viewed_memref
from lowering.schedule.match.contraction import (
    epilogue_of,
    loops_of,
    multiplies_and_adds,
    walked,
    zeros_before,
)
from lowering.schedule.match.padding import padding_keeping


@dataclass(frozen=True)
class Convolution:
    """`out[n, g, k, y, x] += image[n, g, c, y * step + r * dilation, ...] * filters[g, k, c, r, s]`, the
    dimensions of each in any order."""

    op: linalg.GenericOp
    fill: linalg.FillOp
    image: SSAValue
    filters: SSAValue
    out: SSAValue
    map: AffineMap
    """From the loops to the image."""
    epilogue: tuple[linalg.GenericOp, ...]
    batch: tuple[int, ...] = (0,)
    """The loops over images and groups."""
    filter: int | None = 1
    """The loop over filters, or over groups of one filter whose channels lie side by side; None for groups
    of one filter else."""
    positions: tuple[int, ...] = ()
    """The loops over positions, as the result has them."""
    phases: tuple[int, ...] = ()
    """The loops over filters that see windows of the same positions, or of neighbouring ones."""

    @property
    def loops(self) -> Sequence[int]:
        """The loops of the result, as its dimensions have them."""
        *_, out = (attribute.data for attribute in self.op.get_indexing_maps())
        return [d for expr in out.results for d in expr.used_dims()]

    def extent(self, loop: int) -> int:
        """Return the trip count of a loop of the result, negative if it is not known."""
        assert isinstance(self.out.type, MemRefType)
        return self.out.type.get_shape()[self.loops.index(loop)]

    def iterations(self, loop: int) -> int:
        """Return the number of filters, channels or positions, negative if unknown."""
        _, filters, _ = (attribute.data for attribute in self.op.get_indexing_maps())
        assert isinstance(self.filters.type, MemRefType)
        sizes = zip(filters.results, self.filters.type.get_shape())
        return next((size for expr, size in sizes if expr == AffineDimExpr(loop)), -1)

    @property
    def windows(self) -> Sequence[Sequence[int]]:
        """The loops over the taps of a filter, for each position."""
        seen = [expr.used_dims() for expr in self.map.results]
        own = {p: sorted(s & self.reduced) for p in self.positions for s in seen if p in s}
        return [*own.values()]

    @property
    def channels(self) -> Sequence[int]:
        """The loops over the channels that a filter adds up."""
        return sorted(self.reduced.difference(*self.windows))

    @property
    def reduced(self) -> set[int]:
        """The reduction loops, which the result lacks."""
        return set(range(len(self.op.get_iterator_types()))) - {*self.loops}

    @property
    def is_plain(self) -> bool:
        """Whether images, channels or filters, and positions follow each other, without groups."""
        image, filters, out = (attribute.data for attribute in self.op.get_indexing_maps())
        rank = len(out.results)
        places = range(rank + 1, 2 * rank - 1)
        seen = [{0}, {rank}, *({p, q} for p, q in zip(range(2, rank), places))]
        return (
            min(self.filters.type.get_shape()) >= 0  # pyright: ignore
            and walked(out) == tuple(range(rank))
            and walked(filters) == (1, rank, *places)
            and [expr.used_dims() for expr in image.results] == seen
        )

    @property
    def is_pointwise(self) -> bool:
        """Whether filters have one tap: a 1x1 convolution of every other pixel, for example."""
        return all(self.iterations(d) == 1 for own in self.windows for d in own)

    @property
    def element(self) -> AnyFloat | IntegerType:
        """The type of the factors."""
        assert isinstance(self.image.type, MemRefType)
        element = self.image.type.element_type
        assert isinstance(element, AnyFloat | IntegerType)
        return element


def find(
    op: Operation,
    is_product: Callable[[linalg.GenericOp], bool] = multiplies_and_adds,
) -> Convolution | None:
    """Return the convolution that an op is: by default of numbers of one type, else of bodies for which
    `is_product` holds."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    if not is_product(op) or (fill := zeros_before(op)) is None:
        return None
    types = [value.type for value in (*op.inputs, *op.outputs)]
    if not all(isinstance(t, MemRefType) and isinstance(t.layout, NoneAttr) for t in types):
        return None
    image, filters, out = (attribute.data for attribute in op.get_indexing_maps())
    loops = walked(out)
    weighed = [loops_in(e) for e in filters.results if not isinstance(e, AffineConstantExpr)]
    weights = set[int]().union(*weighed)
    if loops is None or None in loops or not all(weighed) or sum(map(len, weighed)) > len(weights):
        return None
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    reduced = {loop for loop, kind in enumerate(kinds) if kind == "reduction"}
    seen = [loops_in(expr) for expr in image.results]
    positions = tuple(
        loop
        for loop in loops
        if loop is not None
        and loop not in weights
        and any(loop in own and own & reduced for own in seen)
    )
    used = set[int]().union(*seen)
    free = [loop for loop in loops if loop in weights and loop is not None and loop not in used]
    if not positions or not all(seen) or sum(map(len, seen)) != len(used):
        return None
    if len({*loops, *reduced}) != len(kinds) or not reduced <= weights & used:
        return None
    shapes = [t.get_shape() for t in types[1:] if isinstance(t, MemRefType)]
    extents = dict(zip(loops, shapes[1]))
    own = max(free, key=lambda loop: (extents[loop] < 0, extents[loop]), default=None)
    last = loops[-1]
    if last in weights and image.results[-1] == AffineDimExpr(last):
        own = last
    neighbours = set[int]().union(*(see for see in seen if see & {*positions}))
    rest = [d for d in loops if d is not None and d != own and d not in positions]
    phases = tuple(d for d in rest if d in neighbours or d in free)
    batch = tuple(d for d in rest if d not in phases)
    epilogue = tuple(epilogue_of(op, op.outputs[0]))
    source, kernel = op.inputs
    return Convolution(
        op, fill, source, kernel, op.outputs[0], image, epilogue, batch, own, positions, phases
    )


def is_padded(found: Convolution, sizes: MemrefSizes) -> bool:
    """Return whether the image is a padded copy of an unchanged image, padded along the axes of windows
    alone."""
    exprs = enumerate(found.map.results)
    kept = [d for d, expr in exprs if expr.used_dims() <= {*found.batch}]
    padding = padding_keeping(found.op, found.image, sizes, kept)
    written = {viewed_memref(value) for op in found.epilogue for value in op.outputs}
    return padding is not None and viewed_memref(padding.source) not in written


def loops_in(expr: AffineExpr) -> set[int]:
    """Return the loops that a subscript is a sum of, each times a number; none if it is anything else."""
    parts = [part for part in expr.post_order() if isinstance(part, AffineBinaryOpExpr)]
    is_sum = all(part.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul) for part in parts)
    return expr.used_dims() if is_sum and step_of(expr) == 0 else set()


def step_of(expr: AffineExpr, loop: int | None = None) -> int:
    """Return the value of a subscript where one loop is 1, the others 0."""
    count = max(expr.used_dims(), default=0) + 1
    return AffineMap(count, 0, (expr,)).eval([int(d == loop) for d in range(count)], [])[0]


def collapsible(found: Convolution) -> Convolution | None:
    """Return a plain convolution, with its epilogue as far as positions are contiguous."""
    epilogue = tuple(epilogue_of(found.op, found.out, _is_collapsible))
    return replace(found, epilogue=epilogue) if found.is_plain else None


def _is_collapsible(op: linalg.GenericOp) -> bool:
    """Return whether every operand has all positions of the result one after the other, or none of them."""
    rank = len(op.get_iterator_types())
    positions = tuple(range(2, rank))
    for value, loops in loops_of(op):
        if not isinstance(value.type, MemRefType):
            continue
        own = tuple(loop for loop in loops if loop is not None and loop >= 2)
        if own and (len(loops) != rank or loops[2:] != positions):
            return False
        if own and not isinstance(value.type.layout, NoneAttr):
            return False
    return True
