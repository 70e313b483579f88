"""The strategy of reductions over windows (pools): first what lies above each other, then along the row.

    %padded = x in a border of -inf
    linalg.generic {(n, c, y, x, r, s): %padded (n, c, y * 2 + r, x * 2 + s) -> max %out (n, c, y, x)}
->
    linalg.fill ins(-inf) outs(%row)                                  // one row of %padded
    scf.for %n ... { scf.for %c ... { scf.for %y ... {
      scf.if (all three rows lie inside of %x) {
        linalg.generic ins(%x[%n, %c, %y * 2 - 1], %x[.., %y * 2], %x[.., %y * 2 + 1]) outs(%row[1..])
      } else {
        linalg.fill, then one row after the other, those that lie inside
      }
      linalg.generic ins(%row [x * 2], %row [x * 2 + 1], %row [x * 2 + 2]) outs(%out[%n, %c, %y])
    }}}

A window of 3 x 3 costs 3 + 3 elements instead of 9, no element is asked whether it is inside, and the
border is never copied. What stands after the last axis with a window (channels) is part of the row.
This is the separable filter of image processing, a reduction split by axes (TVM's `rfactor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from math import inf, prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.contraction import walked
from lowering.schedule.padding import Padding, erase_unread, filled_before, padding_of
from lowering.schedule.views import PARALLEL, Size, allocate, index, size, window

MOST_TAPS = 32
"""Up to how many elements are reduced in one expression."""

IDENTITIES: Mapping[type[Operation], str] = {
    arith.MaximumfOp: "least",
    arith.MaxSIOp: "least",
    arith.MaxUIOp: "zero",
    arith.AddfOp: "zero",
    arith.AddiOp: "zero",
}
"""What the reductions start from that can be split by axes."""

CONVERSIONS = (arith.ExtFOp, arith.ExtSIOp, arith.ExtUIOp, UnrealizedConversionCastOp)
"""What keeps the border's value a border's."""


@dataclass(frozen=True)
class Taps:
    """How one dimension of x is walked: from `i * step` on, `count` elements that are `reach` apart."""

    step: int = 1
    reach: int = 1
    count: int = 1
    loop: int | None = None
    """The loop along the window."""


@dataclass(frozen=True)
class Pool:
    """`out[i] = reduce over k of element(x[i * step + k * reach])`, one i and k for each dimension."""

    op: linalg.GenericOp
    fill: linalg.FillOp
    x: int
    """The place of x among the inputs; another one may tell how large the windows are."""
    taps: tuple[Taps, ...]
    combine: Operation
    padding: Padding | None

    @property
    def source(self) -> SSAValue:
        return self.op.inputs[self.x] if self.padding is None else self.padding.source

    @property
    def last(self) -> int:
        """The last dimension with a window; the row begins here."""
        return max(d for d, taps in enumerate(self.taps) if taps.loop is not None)

    # The body

    @property
    def register(self) -> Attribute:
        """The type that is computed with; memory may call it otherwise."""
        return self.combine.results[0].type

    def element(self, block: Block, value: SSAValue) -> SSAValue:
        """What the reduction takes of an element of x."""
        body = self.op.body.block
        values: dict[SSAValue, SSAValue] = {body.args[self.x]: value}
        for op in body.ops:
            if op is self.combine:
                break
            if not self._is_accumulator(op.operands):
                block.add_op(op.clone(values))
        wanted = next(v for v in self.combine.operands if not self._is_accumulator([v]))
        return values.get(wanted, wanted)

    def _is_accumulator(self, values: Sequence[SSAValue]) -> bool:
        return any(_behind_cast(v) is self.op.body.block.args[-1] for v in values)

    def joined(self, block: Block, a: SSAValue, b: SSAValue) -> SSAValue:
        first = self._is_accumulator([self.combine.operands[0]])
        operands = (a, b) if first else (b, a)
        block.add_op(op := self.combine.clone(dict(zip(self.combine.operands, operands))))
        return op.results[0]


def find(op: Operation) -> Pool | None:
    """The reduction over windows that an op is, if it can be split by axes."""
    if not isinstance(op, linalg.GenericOp) or len(op.outputs) != 1:
        return None
    body = op.body.block
    used = [i for i in range(len(op.inputs)) if body.args[i].first_use is not None]
    combine = _combine(body)
    if len(used) != 1 or combine is None or any(isinstance(o, linalg.IndexOp) for o in body.ops):
        return None
    taps = _taps(op, used[0])
    if taps is None or any(o.regions for o in body.ops):
        return None
    (x,) = used
    start = filled_before(op, op.outputs[0])
    if start is None or not _is_identity(combine, start.inputs[0]):
        return None
    padding = padding_of(op, op.inputs[x])
    if padding is not None:
        others = [o for o in body.ops if o not in (combine, body.last_op)]
        is_neutral = _is_identity(combine, padding.fill.inputs[0])
        if not is_neutral or not all(isinstance(o, CONVERSIONS) for o in others):
            padding = None  # the border counts: it is part of x
    return Pool(op, start, x, taps, combine, padding)


def _combine(body: Block) -> Operation | None:
    """The op that joins the accumulator, which nothing else reads, and an element."""
    end = body.last_op
    assert end is not None
    found = _behind_cast(end.operands[0]).owner
    accumulator = body.args[-1]
    if type(found) not in IDENTITIES or not isinstance(found, Operation):
        return None
    reads = [v for v in found.operands if _behind_cast(v) is accumulator]
    if len(reads) != 1 or not accumulator.has_one_use() or not reads[0].has_one_use():
        return None
    return found


def _behind_cast(value: SSAValue) -> SSAValue:
    owner = value.owner
    return owner.inputs[0] if isinstance(owner, UnrealizedConversionCastOp) else value


def _is_identity(combine: Operation, value: SSAValue) -> bool:
    """Whether a value changes nothing in a reduction, also as an element of a narrower type."""
    owner = _behind_cast(value).owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    match owner.value:
        case FloatAttr(value=number):
            return number.data == (0.0 if IDENTITIES[type(combine)] == "zero" else -inf)
        case IntegerAttr(value=number, type=IntegerType(width=width)):
            least = -(1 << width.data - 1)
            return number.data == (0 if IDENTITIES[type(combine)] == "zero" else least)
        case _:
            return False


def _taps(op: linalg.GenericOp, x: int) -> tuple[Taps, ...] | None:
    """How each dimension of x is walked; None if one is walked in another way than by a window."""
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    rank = sum(kind == "parallel" for kind in kinds)
    operands = [*op.inputs, *op.outputs]
    if walked(maps[-1]) != tuple(range(rank)) or "parallel" in kinds[rank:]:
        return None
    if len(maps[x].results) != rank or not all(isinstance(v.type, MemRefType) for v in operands):
        return None
    lengths = _lengths(op, rank)
    found = [_walk(expr, d, lengths) for d, expr in enumerate(maps[x].results)]
    loops = [taps.loop for taps in found if taps is not None and taps.loop is not None]
    if None in found or sorted(loops) != list(range(rank, len(kinds))) or not loops:
        return None
    taps = tuple(taps for taps in found if taps is not None)
    along = [t for t in taps if t.loop is not None][-1]
    return taps if along.count <= MOST_TAPS else None


def _lengths(op: linalg.GenericOp, rank: int) -> dict[int, int]:
    """How long the loops along the windows are, where an operand of known sizes tells it."""
    found: dict[int, int] = {}
    for value, attribute in zip(op.inputs, op.get_indexing_maps()):
        loops = walked(attribute.data)
        if loops is not None and isinstance(value.type, MemRefType):
            sizes = zip(loops, value.type.get_shape())
            found |= {loop: n for loop, n in sizes if loop is not None and loop >= rank and n > 0}
    return found


def _is_sum(expr: AffineExpr) -> bool:
    """Whether an expression is a sum of loops, each times a number."""
    parts = [part for part in expr.post_order() if isinstance(part, AffineBinaryOpExpr)]
    return all(p.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul) for p in parts)


def _walk(expr: AffineExpr, position: int, lengths: Mapping[int, int]) -> Taps | None:
    """`i * step + k * reach`, where i is the loop at a position and k one of a known length."""
    dims = expr.used_dims()
    loops = [loop for loop in dims if loop != position]
    count = max((*dims, *lengths), default=0) + 1

    def at(values: Mapping[int, int]) -> int:
        return AffineMap(count, 0, (expr,)).eval([values.get(d, 0) for d in range(count)], [])[0]

    if position not in dims or len(loops) > 1 or not _is_sum(expr) or at({}) != 0:
        return None
    step = at({position: 1})
    if not loops:
        return Taps() if step == 1 else None
    (loop,) = loops
    reach = at({loop: 1})
    if step < 1 or reach < 1 or loop not in lengths:
        return None
    return Taps(step, reach, lengths[loop], loop)


class PoolBuilder:
    """Replaces one reduction over windows."""

    def __init__(self, pool: Pool, sizes: MemrefSizes):
        self.pool, self.sizes = pool, sizes
        self.insert = Inserter(before=pool.op)
        self.out = pool.op.outputs[0]
        rank = len(pool.taps)
        self.row = range(pool.last, rank)
        self.outer = [d for d in range(pool.last) if pool.taps[d].loop is not None]
        self.before = (0,) * rank if pool.padding is None else pool.padding.before
        source = self.pool.source
        self.extents = [self._extent(source, d) for d in range(rank)]

    def _extent(self, value: SSAValue, d: int) -> Size:
        return size(self.sizes.bound([(value, d)], before=self.pool.op))

    def build(self) -> None:
        """Put the loops in the place of the op, of what filled its result, and of the border's copy."""
        pool, last = self.pool, self.pool.last
        whole = pool.op.inputs[pool.x]
        assert isinstance(self.out.type, MemRefType)
        extents = [self._extent(whole, last), *(self.extents[d] for d in self.row[1:])]
        row = allocate(self.insert, self.out.type.element_type, extents, "row")
        identity = pool.fill.inputs[0]
        if pool.padding is not None:
            self.insert.place(linalg.FillOp([identity], [row], ()))
        inside = [self.extents[d] for d in self.row]
        places = [self.before[last], *[0] * (len(inside) - 1)]
        self.middle = window(self.insert, row, places, inside) if pool.padding is not None else row
        start = self.insert
        loops: list[OpenLoop] = []
        for d in range(last):
            self.insert = self._loop(self._extent(self.out, d), loops)
        at = [loop.counter for loop in loops]
        self._above_each_other(at)
        self._along_the_row(at, row)
        for opened in reversed(loops):
            opened.close()
        start.place(memref.DeallocOp.get(row))
        shapes = [v for i, v in enumerate(pool.op.inputs) if i != pool.x]
        for op in (pool.op, pool.fill):
            op.detach()
            op.erase()
        for shape in shapes:
            erase_unread(shape)
        if pool.padding is not None:
            pool.padding.erase()

    def _loop(self, end: Size, loops: list[OpenLoop], start: Size = 0) -> OpenLoop:
        insert = self.insert
        ends = [index(insert, n) for n in (start, end, 1)]
        loops.append(open_loop(insert, ends[0], ends[1], ends[2], None))
        return loops[-1]

    # The rows above each other

    def _above_each_other(self, at: Sequence[SSAValue]) -> None:
        """Reduce the rows that the windows see to one."""
        taps = self.pool.taps
        counts = [taps[d].count for d in self.outer]
        first = {d: self._first(at[d], d) for d in self.outer}
        if prod(counts) > MOST_TAPS:
            self._one_by_one(at, first)
            return
        clipped = [d for d in self.outer if self._is_clipped(d)]
        if not clipped:
            self._at_once(at, first)
            return
        conditions = [c for d in clipped for c in self._sees_no_border(first[d], d)]
        at_once, one_by_one = (partial(f, at, first) for f in (self._at_once, self._one_by_one))
        self._branch(conditions, at_once, one_by_one)

    def _first(self, position: SSAValue, d: int) -> SSAValue:
        """Where the window at a position begins, in x."""
        found = self._scaled(position, self.pool.taps[d].step)
        return self._plus(found, -self.before[d])

    def _scaled(self, value: SSAValue, factor: int) -> SSAValue:
        if factor == 1:
            return value
        return self.insert(arith.MuliOp(value, index(self.insert, factor)))

    def _plus(self, value: SSAValue, number: int) -> SSAValue:
        return self.insert(arith.AddiOp(value, index(self.insert, number))) if number else value

    def _is_clipped(self, d: int) -> bool:
        """Whether windows may see the border along a dimension."""
        whole = self.pool.op.inputs[self.pool.x]
        return self.pool.padding is not None and (
            self.before[d] != 0
            or not isinstance(self.extents[d], int)
            or self._extent(whole, d) != self.extents[d]
        )

    def _sees_no_border(self, first: SSAValue, d: int) -> Iterator[SSAValue]:
        """That a window lies in x."""
        taps = self.pool.taps[d]
        if self.before[d]:
            yield self.insert(arith.CmpiOp(first, index(self.insert, 0), "sge"))
        last = self._plus(first, (taps.count - 1) * taps.reach)
        yield self.insert(arith.CmpiOp(last, index(self.insert, self.extents[d]), "slt"))

    def _branch(
        self,
        conditions: Sequence[SSAValue],
        then: Callable[[], None],
        otherwise: Callable[[], None],
    ) -> None:
        insert = self.insert
        condition = reduce(lambda a, b: insert(arith.AndIOp(a, b)), conditions)
        regions: list[Region] = []
        for fill in (then, otherwise):
            self.insert = Inserter(end=(block := Block()))
            fill()
            block.add_op(scf.YieldOp())
            regions.append(Region(block))
        insert.place(scf.IfOp(condition, [], regions[0], regions[1]))
        self.insert = insert

    def _at_once(self, at: Sequence[SSAValue], first: Mapping[int, SSAValue]) -> None:
        """All rows in one expression."""
        taps = self.pool.taps
        reaches = [[k * taps[d].reach for k in range(taps[d].count)] for d in self.outer]
        rows = [
            self._row(at, {d: self._plus(first[d], k) for d, k in zip(self.outer, tap)})
            for tap in product(*reaches)
        ]
        self._reduce(rows, self.middle, [AffineMap.identity(len(self.row))] * len(rows), of_x=True)

    def _one_by_one(self, at: Sequence[SSAValue], first: Mapping[int, SSAValue]) -> None:
        """One row after the other, those that lie in x."""
        outside = self.insert
        outside.place(linalg.FillOp([self.pool.fill.inputs[0]], [self.middle], ()))
        loops: list[OpenLoop] = []
        places: dict[int, SSAValue] = {}
        for d in self.outer:
            start, end = self._clip(first[d], d)
            self.insert = self._loop(end, loops, start)
            further = self._scaled(loops[-1].counter, self.pool.taps[d].reach)
            places[d] = self.insert(arith.AddiOp(first[d], further))
        row, whole = self._row(at, places), AffineMap.identity(len(self.row))
        self._reduce([row], self.middle, [whole], of_x=True, more=True)
        for opened in reversed(loops):
            opened.close()
        self.insert = outside

    def _clip(self, first: SSAValue, d: int) -> tuple[Size, Size]:
        """From which place of a window up to which one it lies in x."""
        insert, taps = self.insert, self.pool.taps[d]
        if not self._is_clipped(d):
            return 0, taps.count

        def steps(distance: SSAValue) -> SSAValue:
            if taps.reach == 1:
                return distance
            return insert(arith.CeilDivSIOp(distance, index(insert, taps.reach)))

        start: Size = 0
        if self.before[d]:
            outside = insert(arith.SubiOp(index(insert, 0), first))
            start = insert(arith.MaxSIOp(steps(outside), index(insert, 0)))
        room = insert(arith.SubiOp(index(insert, self.extents[d]), first))
        return start, insert(arith.MinSIOp(steps(room), index(insert, taps.count)))

    def _row(self, at: Sequence[SSAValue], places: Mapping[int, SSAValue]) -> SSAValue:
        """The row of x at a place."""
        offsets = [places.get(d, at[d]) for d in range(self.pool.last)]
        return self._rows_of(self.pool.source, offsets, [self.extents[d] for d in self.row])

    def _rows_of(self, value: SSAValue, offsets: Sequence[Size], sizes: Sequence[Size]) -> SSAValue:
        ones = [1] * len(offsets)
        zeros = [0] * len(self.row)
        return window(self.insert, value, [*offsets, *zeros], [*ones, *sizes], self.row)

    # Along the row

    def _along_the_row(self, at: Sequence[SSAValue], row: SSAValue) -> None:
        """Reduce the elements of the row that each window sees."""
        taps = self.pool.taps[self.pool.last]
        sizes = [self._extent(self.out, d) for d in self.row]
        out = self._rows_of(self.out, at, sizes)
        count, offsets = len(self.row), [k * taps.reach for k in range(taps.count)]
        first, *rest = (AffineExpr.dimension(d) for d in range(count))
        if taps.step == 1:  # a bare loop is as long as the dimension that it walks
            zeros = [0] * (count - 1)
            rows = [window(self.insert, row, [offset, *zeros], sizes) for offset in offsets]
            maps = [AffineMap.identity(count)] * taps.count
        else:
            exprs = [first * taps.step + k if k else first * taps.step for k in offsets]
            rows = [row] * taps.count
            maps = [AffineMap(count, 0, (expr, *rest)) for expr in exprs]
        self._reduce(rows, out, maps, of_x=False)

    def _reduce(
        self,
        inputs: Sequence[SSAValue],
        out: SSAValue,
        maps: Sequence[AffineMap],
        *,
        of_x: bool,
        more: bool = False,
    ) -> None:
        """`out = inputs joined`: elements `of_x`, or reduced ones; `more`: and what is there already."""
        pool, rank = self.pool, len(self.row)
        types = [value.type.element_type for value in (*inputs, out)]  # pyright: ignore
        block = Block(arg_types=types)
        *elements, there = block.args
        values = [pool.element(block, v) if of_x else self._read(block, v) for v in elements]
        if more:
            values.insert(0, self._read(block, there))
        total = reduce(lambda a, b: pool.joined(block, a, b), values)
        block.add_op(linalg.YieldOp(self._converted(block, total, there.type)))
        attributes = [AffineMapAttr(m) for m in (*maps, AffineMap.identity(rank))]
        kinds = [PARALLEL] * rank
        self.insert.place(linalg.GenericOp(inputs, [out], Region(block), attributes, kinds))

    def _read(self, block: Block, value: SSAValue) -> SSAValue:
        return self._converted(block, value, self.pool.register)

    def _converted(self, block: Block, value: SSAValue, type: Attribute) -> SSAValue:
        if value.type == type:
            return value
        block.add_op(cast := UnrealizedConversionCastOp.get([value], [type]))
        return cast.results[0]
