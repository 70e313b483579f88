"""Sums of groups of integer products: operations on words of four bytes, then one scaled addition.

%p1 = func.call @dot4_u8i8_x16(%p0, %weights & 0x0f0f0f0f, %rows in all lanes) : vector<16xi32>
%p2 = func.call @dot4_u8i8_x16(%p1, %weights >> 4 & 0x0f0f0f0f, %others in all lanes)
...
%t1 = vector.fma (float(%p8) - 8 * correction), %scale, %t0 : vector<16xf32>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, VectorType, f32, i8, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from lowering.schedule.emit.body_emitter import ElementEmitter
from lowering.schedule.kernels.nest import Point, Values
from lowering.schedule.match.contraction import arguments_of
from lowering.schedule.match.grouped_contraction import HALF, ByteProduct, GroupedBody

LOW_HALVES = int.from_bytes([(1 << HALF) - 1] * (i32.width.data // i8.width.data))
"""The low half of each byte of a word."""


class GroupEmitter(ElementEmitter):
    """Emits the sums of whole groups of a body that scales sums of integers."""

    def loops_of_groups(self, body: GroupedBody, loops: Sequence[int]) -> list[int]:
        """Return the loops along which all operands but bytes are the same."""
        others = arguments_of(body.correction) | arguments_of(body.scale)
        maps = [view.map for n in others if (view := self.nest.views[n]).map is not None]
        used = {self.nest.loops[place] for m in maps if m is not None for place in m.used_dims()}
        return [d for d in loops if d not in used]

    def group_sums(
        self, body: GroupedBody, points: Sequence[Point], group: Iterable[Point], totals: Values
    ) -> Values:
        """Return totals, to which the scaled sum of a group is added at every point."""
        assert self.intrinsic is not None
        name, terms = self.intrinsic
        parts, count = [self._constant(IntegerAttr(0, i32))] * len(points), 0
        for iteration in group:
            count += terms
            for product in body.products:
                for n, point in enumerate(points):
                    words = self._words(product, {**point, **iteration}, terms)
                    call = func.CallOp(name, [parts[n], *words], [parts[n].type])
                    parts[n] = self.insert(call)
        each = zip(points, parts, totals, strict=True)
        return [self._scaled_group(body, point, count, *both) for point, *both in each]

    def _words(self, product: ByteProduct, at: Point, terms: int) -> Sequence[SSAValue]:
        """Return the unsigned factors, and the signed ones, of an operation in each lane."""
        signed, unsigned = (
            self._ahead_group(n, at, terms) for n in (product.signed, product.unsigned)
        )
        if product.shift is not None:
            unsigned = self._half(unsigned, product.shift)
        return self.all(unsigned), self.all(signed)

    def _ahead_group(self, number: int, at: Point, terms: int) -> SSAValue:
        view, ahead = self.nest.views[number], self.nest.directives.ahead.get(number)
        if ahead is not None:
            self._prefetch(view, at, *ahead)
        return self._group(view, at, terms)

    def _half(self, words: SSAValue, shift: int) -> SSAValue:
        """Return one half of each byte of words, computed once."""
        key = "half", words, shift
        if key not in self.loaded:
            low, count = (self._constant(IntegerAttr(n, i32)) for n in (LOW_HALVES, shift))
            moved = self.insert(arith.ShRUIOp(words, self.all(count))) if shift else words
            self.loaded[key] = self.insert(arith.AndIOp(moved, self.all(low)))
        return self.loaded[key]

    def _scaled_group(
        self, body: GroupedBody, point: Point, count: int, part: SSAValue, total: SSAValue
    ) -> SSAValue:
        """Return a total and the sum of `count` terms, corrected and scaled."""
        values = self._constants()
        for value in (body.correction, body.scale):
            self._evaluate(value, point, values)
        correction = self._times_count(values[body.correction], count)
        converted = self.insert(arith.SIToFPOp(part, self.type(f32)))  # pyright: ignore
        corrected = self.insert(arith.SubfOp(converted, self.all(correction)))
        factors = [corrected, self.all(values[body.scale]), total]
        return self.insert(vector.FMAOp.create(operands=factors, result_types=[total.type]))

    def _evaluate(self, value: SSAValue, point: Point, values: dict[SSAValue, SSAValue]) -> None:
        """Compute a value of the body at a point, with all that it needs."""
        if value in values:
            return
        if isinstance(value, BlockArgument):
            values[value] = self._read(value.index, self.nest.views[value.index], point)
            return
        assert isinstance(value.owner, Operation)
        for operand in value.owner.operands:
            self._evaluate(operand, point, values)
        self._copy(value.owner, values)

    def _times_count(self, correction: SSAValue, count: int) -> SSAValue:
        """Return the correction of as many terms, computed once."""
        key = "correction", correction
        if key not in self.loaded:
            number = FloatAttr(float(count), f32)
            is_vector = isinstance(correction.type, VectorType)
            times = self._constant(number) if is_vector else self.constants.get(number)
            self.loaded[key] = self.insert(arith.MulfOp(correction, times))
        return self.loaded[key]
