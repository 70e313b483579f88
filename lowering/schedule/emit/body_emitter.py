"""Elements of operands in the loops of a nest, or vectors of them, and the body's operations on them.

%b0 = vector.load %in1[%d2, %c0] : memref<?x48xf32>, vector<16xf32>
%a0 = memref.load %in0[%c0, %d2] : memref<8x?xf32>
%s1 = vector.fma %a0 broadcast, %b0, %s0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.ir.constants import ConstantPool
from lowering.ir.index_writer import IndexWriter, Term
from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.nest import Nest, Point, Values, View
from lowering.schedule.match.arg_reduction import ArgReductionEmitter, Placed, pairs, placed
from lowering.schedule.match.byte_products import byte_type, is_unsigned
from lowering.schedule.match.contraction import computes
from lowering.schedule.memrefs.aligned_loads import AlignedRow
from lowering.schedule.memrefs.combiners import COMBINERS, accumulator, combiner
from lowering.schedule.memrefs.register_transpose import turn
from lowering.schedule.memrefs.subscripts import linear
from lowering.support.target import ALIGNMENT
from relax_dialect.ir.mlir.mlir_ops import PrefetchOp


class ElementEmitter:
    """Elements of operands, or vectors of them along a loop, and the body's operations on them."""

    def __init__(self, nest: Nest, constants: ConstantPool, insert: Inserter, vector: int | None):
        self.nest, self.constants, self.insert, self.vector = nest, constants, insert, vector
        self.write = IndexWriter(constants, insert.place)
        self.types: dict[Attribute, Attribute] = {}
        self.loaded: dict[object, SSAValue] = {}
        self.products: set[object] = set()
        """The products that are computed together with the sums they are part of."""
        self.decoded: dict[object, Values] = {}
        """The results of the body's ops by their operands: jammed iterations of other loops share them."""
        self.places: dict[object, list[Term]] = {}
        self.squares: dict[object, Values] = {}
        self.rows: dict[object, AlignedRow] = {}
        self.factor: SSAValue | None = None
        """The argument of the body that is left out, a factor: it multiplies the sum of several
        iterations."""
        self.intrinsic: tuple[str, int] | None = None
        """The function that replaces the body, and the number of contiguous elements it takes."""

    def type(self, element: Attribute) -> Attribute:
        """Return the type that represents an element: its own, or a vector's."""
        if self.vector is None:
            return element
        if element not in self.types:
            self.types[element] = VectorType(element, [self.nest.lanes(self.vector)])  # pyright: ignore
        return self.types[element]

    def all(self, value: SSAValue) -> SSAValue:
        """Return the number in all lanes, unless it is a vector."""
        if self.vector is None or isinstance(value.type, VectorType):
            return value
        if isinstance(value.owner, arith.ConstantOp) and isinstance(value.owner.value, FloatAttr):
            return self._constant(value.owner.value)
        return self.insert(vector.BroadcastOp(value, self.type(value.type)))  # pyright: ignore

    def _place(self, view: View, point: Point) -> list[Term]:
        """Return the index of the element at a point, computed once for all that read it."""
        assert view.map is not None
        at = (point[self.nest.loops[position]] for position in sorted(view.map.used_dims()))
        key = view.value, view.map, *at
        if key not in self.places:
            self.places[key] = self._computed_place(view, point)
        return self.places[key]

    def _computed_place(self, view: View, point: Point) -> list[Term]:
        assert view.map is not None
        found: list[Term] = []
        for dimension, expr in enumerate(view.map.results):
            coefficients, constant = linear(expr)
            here: Term = constant
            for position, factor in coefficients.items():
                at = point[self.nest.loops[position]]
                apart = view.apart.get((dimension, position), factor)
                here = self.write.plus(here, self.write.times(at, apart))
            found.append(here)
        return found

    def _is_along(self, view: View) -> bool:
        """Return whether lanes are contiguous elements."""
        assert view.map is not None
        return (
            self.vector is not None and self.nest.loops.index(self.vector) in view.map.used_dims()
        )

    def load(self, view: View, point: Point) -> SSAValue:
        """Return the element, or the vector that begins with it."""
        if view.map is None:
            return view.value
        if self._is_along(view) and self.intrinsic is None and (apart := self._apart(view)) > 1:
            return self._every(view, point, apart)
        return self._load_at(view, self._place(view, point), is_vector=self._is_along(view))

    def _load_at(self, view: View, place: Sequence[Term], *, is_vector: bool) -> SSAValue:
        key = view.value, *place
        if key not in self.loaded:
            at = [self.write.value(term) for term in place]
            t = view.value.type
            assert isinstance(t, MemRefType)
            op = (
                vector.LoadOp(view.value, at, self.type(t.element_type))  # pyright: ignore
                if is_vector
                else memref.LoadOp.get(view.value, at)
            )
            self.loaded[key] = self.insert(op, view.value.name_hint)
        return self.loaded[key]

    def _apart(self, view: View) -> int:
        """Return the distance of neighbouring lanes in elements; 1 in squares that are transposed."""
        assert view.map is not None and self.vector is not None
        return linear(view.map.results[-1])[0].get(self.nest.loops.index(self.vector), 1)

    def _every(self, view: View, point: Point, apart: int) -> SSAValue:
        """Return a vector of elements `apart` from each other: shuffled out of contiguous vectors. Jammed
        iterations of other loops share rows; no row extends past the last element that is read."""
        assert view.map is not None and self.vector is not None
        lanes, origin, ahead, reach = self.nest.lanes(self.vector), dict[int, Term](), 0, 0
        for position, factor in linear(view.map.results[-1])[0].items():
            d = self.nest.loops[position]
            at, size = point[d], self.nest.sizes[d]
            if d in self.nest.directives.jammed and isinstance(at, int) and isinstance(size, int):
                origin[d] = 0
                ahead, reach = ahead + at * factor, reach + (size - 1) * factor
        place = self._place(view, {**point, **origin})
        key = view.value, ahead, apart, *place
        if key not in self.loaded:
            last = (apart - 1) * (lanes - 1) + reach
            starts = [min(ahead // apart * apart + n * lanes, last) for n in range(apart)]
            wanted = [ahead + apart * lane for lane in range(lanes)]
            rows = [
                next(n for n, start in enumerate(starts) if at < start + lanes) for at in wanted
            ]
            found = self._row(view, place, starts[0])
            for number in range(1, rows[-1] + 1):
                mask = [lane if number > 1 else at - starts[0] for lane, at in enumerate(wanted)]
                for lane, at in enumerate(wanted):
                    if rows[lane] >= number:
                        mask[lane] = lanes + at - starts[number] if rows[lane] == number else 0
                picked = DenseArrayBase.from_list(i64, mask)
                row = self._row(view, place, starts[number])
                found = self.insert(vector.ShuffleOp(found, row, picked, result_type=found.type))  # pyright: ignore
            self.loaded[key] = found
        return self.loaded[key]

    def _row(self, view: View, place: Sequence[Term], start: int) -> SSAValue:
        """Return a vector of contiguous elements, `start` elements after an index."""
        key = view.value, *place, "row", start
        if key not in self.loaded:
            at = [
                self.write.value(term) for term in (*place[:-1], self.write.plus(place[-1], start))
            ]
            t = view.value.type
            assert isinstance(t, MemRefType)
            op = vector.LoadOp(view.value, at, self.type(t.element_type))  # pyright: ignore
            self.loaded[key] = self.insert(op, view.value.name_hint)
        return self.loaded[key]

    def _read(self, number: int, view: View, point: Point) -> SSAValue:
        """Return the value of an operand's element at a point, or a vector of such."""
        d = self.nest.directives.turned.get(number)
        if d is not None and self.vector is not None:
            return self._turned(number, view, point, d, self.vector)
        if self.vector is not None and self.nest.directives.aligned.get(number) == self.vector:
            return self._aligned(view, point, self.vector)
        return self.load(view, point)

    def _aligned(self, view: View, point: Point, along: int) -> SSAValue:
        """Return a vector along a loop, shuffled from vectors aligned to the beginning of rows."""
        assert view.map is not None
        loops, shift = linear(view.map.results[-1])
        step = loops.pop(self.nest.loops.index(along))
        for place, factor in loops.items():
            at = point[self.nest.loops[place]]
            assert isinstance(at, int), "align_loads asks for jammed loops"
            shift += factor * at
        *outer, _ = self._place(view, {**point, along: 0})
        key = view.value, *outer, point[along]
        if key not in self.rows:
            first = self._times(point[along], step)
            lanes = self.nest.lanes(along)

            def load(number: int) -> SSAValue:
                at = [*outer, self.write.plus(first, number * lanes)]
                return self._load_at(view, at, is_vector=True)

            self.rows[key] = AlignedRow(self.insert, load, lanes, step)
        return self.rows[key].picked(shift)

    def _times(self, at: Term, step: int) -> Term:
        """Return the offset of an iteration in rows, computed once for all of them."""
        key = "times", at, step
        if key not in self.places:
            self.places[key] = [self.write.times(at, step)]
        return self.places[key][0]

    def _turned(self, number: int, view: View, point: Point, d: int, along: int) -> SSAValue:
        """Return a vector along one loop of an operand that is contiguous along another one: part of a
        square that is read row by row and transposed. Each row prefetches the elements after it."""
        at, lanes = point[d], self.nest.lanes(along)
        assert isinstance(at, int), "transpose asks for a jammed loop"
        corner = {**point, d: at // lanes * lanes}
        key = "turned", view.value, *self._place(view, corner)
        if (found := self.squares.get(key)) is None:
            starts = [{**corner, along: self.write.plus(corner[along], k)} for k in range(lanes)]
            for start in starts if number in self.nest.directives.ahead else ():
                self._prefetch(view, start, *self.nest.directives.ahead[number])
            rows = [self.load(view, start) for start in starts]
            self.squares[key] = found = turn(self.insert, rows)
        return found[at % lanes]

    def _prefetch(self, view: View, point: Point, d: int, distance: int) -> None:
        """Prefetch the element of a later iteration, unless another element's prefetch covers it."""
        if (view.value, *self._place(view, point)) in self.loaded:
            return
        later = self._place(view, {**point, d: self.write.plus(point[d], distance)})
        self.insert.place(PrefetchOp(view.value, [self.write.value(term) for term in later]))

    def _begins_line(self, view: View, point: Point) -> bool:
        """Return whether a vector may begin a cache line, counted from the first of its jammed ones."""
        at = None if self.vector is None else point[self.vector]
        if not isinstance(at, int) or not self._is_along(view):
            return True
        assert isinstance(view.value.type, MemRefType)
        bits = view.value.type.element_type.bitwidth  # pyright: ignore
        return at * bits // 8 % ALIGNMENT == 0

    def store(self, value: SSAValue, view: View, point: Point) -> None:
        at = [self.write.value(term) for term in self._place(view, point)]
        self.insert.place(
            vector.StoreOp(self.all(value), view.value, at)
            if self._is_along(view)
            else memref.StoreOp.get(value, view.value, at)
        )

    def start(self, view: View, point: Point) -> SSAValue:
        """Return the initial value of a sum."""
        if self.nest.start is None or not self.nest.keeps_sums:
            return self.load(view, point)
        return self._constant(self.nest.start)

    def _constant(self, number: FloatAttr | IntegerAttr) -> SSAValue:
        t = self.type(number.type)
        if not isinstance(t, VectorType):
            return self.constants.get(number)
        return self.constants.splat(t, number.value.data)

    # The body

    def computed(self, point: Point, sums: Values | None) -> Values:
        """Return the values that the body yields at a point."""
        if self.intrinsic is not None and sums is not None:
            return [self._grouped(point, *self.intrinsic, *sums)]
        nest, block = self.nest, self.nest.body
        if self.vector in nest.reductions and (found := placed(block)) is not None:
            assert sums is not None
            return self._placed(found, point, *sums)
        values = self._read_all(point, sums)
        for op in block.ops:
            if isinstance(op, linalg.YieldOp):
                return [values.get(value, value) for value in op.operands]
            if isinstance(op, linalg.IndexOp):
                values[op.result] = self.write.value(point[nest.loops[op.dim.value.data]])
            else:
                self._copy(op, values)
        raise AssertionError("a body ends with linalg.yield")

    def _read_all(self, point: Point, sums: Values | None) -> dict[SSAValue, SSAValue]:
        """Return the values of the body's arguments at a point."""
        nest, values = self.nest, self._constants()
        for number, (argument, view) in enumerate(zip(nest.body.args, nest.views)):
            if number >= nest.inputs and sums is not None:
                values[argument] = sums[number - nest.inputs]
            elif argument.first_use is not None and argument is not self.factor:
                is_ahead = number in nest.directives.ahead and number not in nest.directives.turned
                if is_ahead and self._begins_line(view, point):
                    self._prefetch(view, point, *nest.directives.ahead[number])
                values[argument] = self._read(number, view, point)
        return values

    def _constants(self) -> dict[SSAValue, SSAValue]:
        """Return the constants outside of the body, in the function that the loops are written to."""
        block = self.nest.body
        used = dict.fromkeys(value for op in block.ops for value in op.operands)
        return {
            value: self.constants.get(value.owner.value)  # pyright: ignore
            for value in used
            if isinstance(value.owner, arith.ConstantOp) and value.owner.parent is not block
        }

    def _placed(self, found: Placed, point: Point, extreme: SSAValue, place: SSAValue) -> Values:
        """Return the extremes of lanes and where they were met, after the elements from a point on."""
        values = self._read_all(point, (extreme, place))
        for op in found.needed:
            self._copy(op, values)
        at = self.write.value(point[self.nest.loops[found.loop]])
        here = self.all(self.insert(arith.IndexCastOp(at, found.lane)))
        value = values.get(found.value, found.value)
        return self._lanes(found).further((extreme, place), value, here)

    def _lanes(self, found: Placed) -> ArgReductionEmitter:
        return ArgReductionEmitter(found, self.insert, self.constants)

    def _grouped(self, point: Point, function: str, group: int, total: SSAValue) -> SSAValue:
        """Return a sum and several products in each lane, the unsigned factors first."""
        views = self.nest.views[: self.nest.inputs]
        factors = [self.all(self._group(view, point, group)) for view in views]
        if not is_unsigned(byte_type(views[0].value)):
            factors.reverse()
        return self.insert(func.CallOp(function, [total, *factors], [total.type]))

    def _group(self, view: View, point: Point, group: int) -> SSAValue:
        """Contiguous elements as one number, or vectors of such numbers."""
        place = self._place(view, point)
        key = view.value, *place
        if key not in self.loaded:
            assert isinstance(view.value.type, MemRefType) and self.vector is not None
            lanes = self.nest.lanes(self.vector) if self._is_along(view) else 1
            at = [self.write.value(term) for term in place]
            row = VectorType(view.value.type.element_type, [lanes * group])  # pyright: ignore
            load = self.insert(vector.LoadOp(view.value, at, row), view.value.name_hint)
            found = self.insert(vector.BitcastOp(load, VectorType(i32, [lanes])))
            if lanes == 1:
                found = self.insert(vector.ExtractOp(found, [0], i32))
            self.loaded[key] = found
        return self.loaded[key]

    def _copy(self, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """A copy of an op of the body, on vectors if its operands are vectors."""
        operands = [values.get(value, value) for value in op.operands]
        if self.factor is not None and self.factor in op.operands:
            (other,) = (value for value in op.operands if value is not self.factor)
            values[op.results[0]] = values.get(other, other)
            return
        if (known := self.decoded.get((op, *operands))) is not None:
            values.update(zip(op.results, known))
            return
        terms = [value for value in operands if not _changes_nothing(value, type(op))]
        if 0 < len(terms) < len(operands):
            values[op.results[0]] = terms[0]
            return
        waits = any(value.owner in self.products and value not in values for value in op.operands)
        if not waits and not any(isinstance(value.type, VectorType) for value in operands):
            self.insert.place(copy := op.clone(values))
            self._keep(copy, op, operands, values)
            return
        if (fused := self._fused(op, values)) is not None:
            values[op.results[0]] = fused
            return
        if _feeds_a_sum(op):
            self.products.add(op)
            return  # part of a fused multiplication and addition
        copy = type(op).create(
            operands=[self.all(value) for value in operands],
            result_types=[self.type(result.type) for result in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self.insert.place(copy)
        self._keep(copy, op, operands, values)

    def _keep(
        self,
        copy: Operation,
        op: Operation,
        operands: Values,
        values: dict[SSAValue, SSAValue],
    ) -> None:
        """Record the results of the copy of an op."""
        values.update(zip(op.results, copy.results))
        if computes(op):
            self.decoded[op, *operands] = copy.results

    def _fused(self, op: Operation, values: Mapping[SSAValue, SSAValue]) -> SSAValue | None:
        """`a * b + c` as one operation."""
        if not isinstance(op, arith.AddfOp):
            return None
        for product_, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if isinstance(product_.owner, arith.MulfOp) and _feeds_a_sum(product_.owner):
                factors = product_.owner.lhs, product_.owner.rhs
                a, b, c = (self.all(values.get(v, v)) for v in (*factors, other))
                return self.insert(vector.FMAOp.create(operands=[a, b, c], result_types=[c.type]))
        return None

    def scaled(self, number: int, point: Point, part: SSAValue, total: SSAValue) -> SSAValue:
        """Return a sum and a part of it that lacks the factor which an operand is."""
        factor = self._read(number, self.nest.views[number], point)
        if isinstance(total.type, VectorType):
            operands = [part, self.all(factor), total]
            return self.insert(vector.FMAOp.create(operands=operands, result_types=[total.type]))
        return self.insert(arith.AddfOp(self.insert(arith.MulfOp(part, factor)), total))

    # Reductions along a vector

    def neutral(self, sums: Values) -> Values:
        """Return the neutral element of each sum, in all lanes."""
        if (found := placed(self.nest.body)) is not None:
            count = self._lanes(found).neutral(self.nest.lanes(self.vector))
            return [*count] * (len(sums) // 2)
        number = _combiner(self.nest)[1]
        return [self._constant(FloatAttr(number, total.type)) for total in sums]  # pyright: ignore

    def identity(self, total: SSAValue) -> SSAValue:
        """Return the identity of the reduction, in the type of a partial result."""
        found, t = accumulator(self.nest.body), total.type
        assert found is not None, "split_accumulators has looked"
        element = t.element_type if isinstance(t, VectorType) else t
        if isinstance(element, IntegerType):
            return self._constant(IntegerAttr(int(found[1]), element))
        return self._constant(FloatAttr(found[1], element))  # pyright: ignore

    def joined(self, a: Values, b: Values) -> Values:
        """Combine two vectors of each reduced value, lane by lane."""
        if (found := placed(self.nest.body)) is not None:
            each = zip(pairs(a), pairs(b))
            return [v for two in each for v in self._lanes(found).joined(*two)]
        found = accumulator(self.nest.body)
        assert found is not None, "the directive has looked"
        kind: Any = found[0]
        return [self.insert(kind(*two)) for two in zip(a, b)]

    def combined(self, sums: Values, lanes: Values, again: Callable[[Inserter], Values]) -> Values:
        """Combine all lanes and the earlier value into one number each; `again` takes the elements one by
        one, if lanes have lost the index of a NaN."""
        if (found := placed(self.nest.body)) is None:
            return [self._combined(total, own) for total, own in zip(sums, lanes)]
        write = self._lanes(found)
        across = [write.across(own, sums[1].type) for own in pairs(lanes)]
        pairwise = zip(pairs(sums), across)
        results = [v for total, own in pairwise for v in write.further(total, *own)]
        if not found.is_float:
            return results
        lost, kept = Block(), Block([scf.YieldOp(*results)])
        inside = Inserter(end=lost)
        inside.place(scf.YieldOp(*again(inside)))
        is_nan = write.is_nan([extreme for extreme, _ in across])
        types = [value.type for value in results]
        self.insert.place(branch := scf.IfOp(is_nan, types, Region(lost), Region(kept)))
        return branch.results

    def _combined(self, total: SSAValue, lanes: SSAValue) -> SSAValue:
        """Combine all lanes and the earlier value into one number."""
        kind = vector.CombiningKindAttr(_combiner(self.nest)[0])
        op = vector.ReductionOp.create(
            operands=[lanes]
            if _changes_nothing(total, combiner(self.nest.body))
            else [lanes, total],
            result_types=[total.type],
            properties={
                "kind": kind,
                "fastmath": FastMathFlagsAttr("none"),
            },
        )
        return self.insert(op)


def _feeds_a_sum(op: object) -> bool:
    """Return whether a product is used once, by an addition, of two such products by the first one."""
    if (total := _total_of(op)) is None:
        return False
    return total.lhs.owner is op or _total_of(total.lhs.owner) is None


def _total_of(op: object) -> arith.AddfOp | None:
    """Return the addition that is the only user of a product."""
    if not isinstance(op, arith.MulfOp):
        return None
    uses = list(op.result.uses)
    total = uses[0].operation if len(uses) == 1 else None
    return total if isinstance(total, arith.AddfOp) else None


def _changes_nothing(value: SSAValue, kind: type[Operation] | None) -> bool:
    """Return whether a value is the infinity that another one, NaN too, is the greatest or the least
    with."""
    if kind not in (arith.MaximumfOp, arith.MinimumfOp) or not isinstance(
        value.owner, arith.ConstantOp
    ):
        return False
    match value.owner.value:
        case FloatAttr(value=number):
            return number.data == COMBINERS[kind][1]
        case DenseIntOrFPElementsAttr() as lanes:
            return {*lanes.get_values()} == {COMBINERS[kind][1]}
        case _:
            return False


def _combiner(nest: Nest) -> tuple[Kind, float]:
    kind = combiner(nest.body)
    assert kind is not None, "split_reduction has looked"
    return COMBINERS[kind]
