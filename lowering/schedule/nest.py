"""The loops of one linalg op, written out as its directives say: vectors, sums in registers, jammed turns.

    linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%a, %b) outs(%c)        // 2 x 32 x depth
->  with unroll_and_jam(d0), vectorize(d1, 16), unroll_and_jam(d1)
    %sums:4 = scf.for %d2 = %c0 to %depth step %c1 iter_args(...) -> (vector<16xf32>, ...) {
      %b0 = vector.load %b[%d2, %c0]
      %b1 = vector.load %b[%d2, %c16]
      ... vector.fma %a0, %b0, %s0
    }
    vector.store %sums#0, %c[%c0, %c0]
    ...

Loops that compute different elements stand outside, those that reduce inside; what they reduce to stays in
registers in between, one for each element or vector that is jammed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    MemRefType,
    VectorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from lowering.ir.constants import ConstantPool
from lowering.ir.index_writer import Term, Writer
from lowering.ir.insertion import Inserter, open_loop
from relax_dialect.mlir_ops import PrefetchOp


@dataclass(frozen=True)
class View:
    """An operand, and the element of it that the loops read; no map for a scalar."""

    value: SSAValue
    map: AffineMap | None


@dataclass(frozen=True)
class Directives:
    """How the loops of an op are written out."""

    order: Sequence[int] | None = None
    """Outermost first; those not named follow."""
    vectors: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns of a loop are one vector."""
    jammed: frozenset[int] = frozenset()
    """Loops of which all turns are done at once, inside all others."""
    unrolled: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns of a loop are written one after the other."""
    ahead: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Operands that are asked for so many turns of a loop before they are read."""
    specialized: Sequence[int] = ()
    """Loops with code for each number of turns that a tile may have."""
    outlined: str | None = None
    """The name of the function that the loops are put into."""

    def __bool__(self) -> bool:
        return self != Directives()


def linear(expr: AffineExpr) -> tuple[dict[int, int], int]:
    """A subscript as multiples of loops and a constant; loops that a sum of products does not give raise
    `ValueError`."""
    match expr:
        case AffineDimExpr(position=d):
            return {d: 1}, 0
        case AffineConstantExpr(value=value):
            return {}, value
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            (left, a), (right, b) = linear(lhs), linear(rhs)
            loops = {*left, *right}
            return {d: left.get(d, 0) + right.get(d, 0) for d in sorted(loops)}, a + b
        case AffineBinaryOpExpr(
            kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=factor)
        ):
            coefficients, constant = linear(lhs)
            return {d: c * factor for d, c in coefficients.items()}, constant * factor
        case _:
            raise ValueError(f"{expr} is no sum of loops")


def is_linear(expr: AffineExpr) -> bool:
    """Whether a subscript is a sum of multiples of loops."""
    try:
        linear(expr)
    except ValueError:
        return False
    return True


Point = Mapping[int, Term]
"""Where every loop stands."""


@dataclass(frozen=True)
class Nest:
    """The loops of one op, on views of a tile."""

    loops: Sequence[int]
    """Their numbers in the kernel, in the order of the views' maps."""
    sizes: Mapping[int, Term]
    reductions: frozenset[int]
    views: Sequence[View]
    inputs: int
    body: Block
    directives: Directives
    start: FloatAttr | None = None
    """What the outputs begin with, if it is not in memory."""

    @property
    def order(self) -> Sequence[int]:
        """The loops that stand in the program, outermost first; unless told, those that reduce last."""
        wanted = self.directives.order
        order = sorted(self.loops, key=lambda d: d in self.reductions) if wanted is None else wanted
        return [d for d in order if d in self.loops and d not in self.directives.jammed]

    @property
    def keeps_sums(self) -> bool:
        """Whether what is reduced to is in registers from the first turn to the last."""
        reducing = [d in self.reductions for d in self.order]
        return reducing == sorted(reducing)

    def emit(self, insert: Inserter, constants: ConstantPool) -> None:
        """Write the loops."""
        _Emitter(self, constants).parallel(insert, 0, dict.fromkeys(self.loops, 0), None)


Values = Sequence[SSAValue]


@dataclass(frozen=True)
class _Emitter:
    """Writes a nest. Below, `at` is where all loops stand, `vector` the one with lanes, if any."""

    nest: Nest
    constants: ConstantPool

    def lanes(self, vector: int | None) -> int:
        return 1 if vector is None else self.nest.directives.vectors[vector]

    def writer(self, insert: Inserter) -> Writer:
        return Writer(self.constants, insert.place)

    # Loops

    def parallel(self, insert: Inserter, depth: int, at: Point, vector: int | None) -> None:
        """The loops over different elements, from one on; then what is reduced to each."""
        order = self.nest.order
        if all(d in self.nest.reductions for d in order[depth:]):
            self._elements(insert, depth, at, vector)
            return
        d = order[depth]

        def body(inside: Inserter, here: Term, lanes: bool, carried: Values) -> Values:
            self.parallel(inside, depth + 1, {**at, d: here}, d if lanes else vector)
            return ()

        self._turns(insert, d, (), body)

    def _turns(
        self,
        insert: Inserter,
        d: int,
        carried: Values,
        body: Callable[[Inserter, Term, bool, Values], Values],
        *,
        only: bool | None = None,
        start: Term = 0,
    ) -> Values:
        """A loop: first by so many vectors as are unrolled, then by vectors, then one by one.

        `only`: just the turns that are vectors, or just those that are not, from `start` on."""
        write, size = self.writer(insert), self.nest.sizes[d]
        for width, count in self._phases(d, only):
            step = width * count
            end = write.minus(size, write.remainder(write.minus(size, start), step))
            if isinstance(start, int) and isinstance(end, int) and end - start <= step:
                for turn in range(start, end, width):
                    carried = body(insert, turn, width > 1, carried)
            else:
                first, last, by = (write.value(term) for term in (start, end, step))
                loop = open_loop(insert, first, last, by, f"d{d}", carried)
                inside: Values = loop.carried
                for turn in range(0, step, width):
                    here = self.writer(loop).plus(loop.counter, turn)
                    inside = body(loop, here, width > 1, inside)
                carried = loop.close(*inside)
            start = end
        return carried

    def _phases(self, d: int, only: bool | None) -> Iterator[tuple[int, int]]:
        """How many turns at once are one vector, and how many of these are written one after the other."""
        lanes = self.nest.directives.vectors.get(d, 1)
        count = self.nest.directives.unrolled.get(d, 1)
        if lanes > 1 and only is not False:
            yield from sorted({(lanes, count), (lanes, 1)}, reverse=True)
        if lanes == 1 or only is not True:
            yield from sorted({(1, count if lanes == 1 else 1), (1, 1)}, reverse=True)

    # Elements

    def _elements(self, insert: Inserter, depth: int, at: Point, vector: int | None) -> None:
        """What all turns of the jammed loops compute: sums in registers, or elements at once."""
        nest = self.nest
        jammed = [d for d in nest.loops if d in nest.directives.jammed]
        own = [d for d in jammed if d not in nest.reductions]
        across = next((d for d in own if d in nest.directives.vectors), vector)
        points = [{**at, **point} for point in self._points(own)]
        outputs = nest.views[nest.inputs :]
        is_reduction = bool(nest.reductions)
        elements = _Elements(self, insert, across)
        sums: list[SSAValue] = []
        for point in points if is_reduction else ():
            for view in outputs:
                sums.append(elements.start(view, point))
        step = (
            self._reduced(insert, depth, points, across, sums)
            if is_reduction
            else self._step(insert, points, across, ())
        )
        for number, value in enumerate(step):
            point, view = points[number // len(outputs)], outputs[number % len(outputs)]
            elements.store(value, view, point)

    def _points(self, loops: Sequence[int]) -> Iterator[Point]:
        """Where jammed loops stand, one after the other."""
        vectors, sizes = self.nest.directives.vectors, list[range]()
        for d in loops:
            size = self.nest.sizes[d]
            assert isinstance(size, int), "only loops of known sizes are jammed"
            sizes.append(range(0, size, vectors.get(d, 1)))
        for place in product(*sizes):
            yield dict(zip(loops, place))

    def _reduced(
        self,
        insert: Inserter,
        depth: int,
        points: Sequence[Point],
        vector: int | None,
        sums: Values,
    ) -> Values:
        """The loops that reduce, from one on: their sums."""
        order = self.nest.order
        if depth == len(order):
            return self._step(insert, points, vector, sums)
        d = order[depth]

        def body(inside: Inserter, here: Term, lanes: bool, carried: Values) -> Values:
            moved = [{**point, d: here} for point in points]
            return self._reduced(inside, depth + 1, moved, d if lanes else vector, carried)

        if d not in self.nest.directives.vectors:
            return self._turns(insert, d, sums, body)
        apart = _Elements(self, insert, d)
        partial = self._turns(insert, d, [apart.neutral(total) for total in sums], body, only=True)
        sums = [apart.combined(a, b) for a, b in zip(sums, partial)]
        write, size = self.writer(insert), self.nest.sizes[d]
        done = write.minus(size, write.remainder(size, self.lanes(d)))
        return self._turns(insert, d, sums, body, only=False, start=done)

    def _step(
        self, insert: Inserter, points: Sequence[Point], vector: int | None, sums: Values
    ) -> Values:
        """The body of the op at every point."""
        nest = self.nest
        inner = [d for d in nest.loops if d in nest.directives.jammed & nest.reductions]
        count = len(nest.views) - nest.inputs
        elements = _Elements(self, insert, vector)
        for turn in self._points(inner):
            found: list[SSAValue] = []
            for number, point in enumerate(points):
                own = sums[number * count : (number + 1) * count] if sums else None
                found += elements.computed({**point, **turn}, own)
            sums = found
        return sums


class _Elements:
    """Elements of operands, or vectors of them along a loop, and what the body makes of them."""

    def __init__(self, emitter: _Emitter, insert: Inserter, vector: int | None):
        self.emitter, self.nest, self.insert, self.vector = emitter, emitter.nest, insert, vector
        self.write = emitter.writer(insert)
        self.loaded: dict[object, SSAValue] = {}

    def type(self, element: Attribute) -> Attribute:
        """What stands for an element: itself, or a vector."""
        if self.vector is None:
            return element
        return VectorType(element, [self.emitter.lanes(self.vector)])  # pyright: ignore

    def all(self, value: SSAValue) -> SSAValue:
        """The number in all lanes, unless it is a vector."""
        if self.vector is None or isinstance(value.type, VectorType):
            return value
        return self.insert(vector.BroadcastOp(value, self.type(value.type)))  # pyright: ignore

    def _place(self, view: View, point: Point) -> list[Term]:
        assert view.map is not None
        found: list[Term] = []
        for expr in view.map.results:
            coefficients, constant = linear(expr)
            here: Term = constant
            for position, factor in coefficients.items():
                at = point[self.nest.loops[position]]
                here = self.write.plus(here, self.write.times(at, factor))
            found.append(here)
        return found

    def _is_along(self, view: View) -> bool:
        """Whether lanes are elements that lie in a row."""
        assert view.map is not None
        return (
            self.vector is not None and self.nest.loops.index(self.vector) in view.map.used_dims()
        )

    def load(self, view: View, point: Point) -> SSAValue:
        """The element, or the vector that begins with it."""
        if view.map is None:
            return view.value
        place = self._place(view, point)
        key = view.value, *place
        if key not in self.loaded:
            at = [self.write.value(term) for term in place]
            t = view.value.type
            assert isinstance(t, MemRefType)
            op = (
                vector.LoadOp(view.value, at, self.type(t.element_type))  # pyright: ignore
                if self._is_along(view)
                else memref.LoadOp.get(view.value, at)
            )
            self.loaded[key] = self.insert(op, view.value.name_hint)
        return self.loaded[key]

    def _prefetch(self, view: View, point: Point, d: int, distance: int) -> None:
        """Ask for what is read some turns later, unless that is what another element asks for."""
        if (view.value, *self._place(view, point)) in self.loaded:
            return
        later = self._place(view, {**point, d: self.write.plus(point[d], distance)})
        self.insert.place(PrefetchOp(view.value, [self.write.value(term) for term in later]))

    def store(self, value: SSAValue, view: View, point: Point) -> None:
        at = [self.write.value(term) for term in self._place(view, point)]
        self.insert.place(
            vector.StoreOp(self.all(value), view.value, at)
            if self._is_along(view)
            else memref.StoreOp.get(value, view.value, at)
        )

    def start(self, view: View, point: Point) -> SSAValue:
        """What a sum begins with."""
        if self.nest.start is None or not self.nest.keeps_sums:
            return self.load(view, point)
        return self._constant(self.nest.start)

    def _constant(self, number: FloatAttr) -> SSAValue:
        t = self.type(number.type)
        if not isinstance(t, VectorType):
            return self.emitter.constants.get(number)
        return self.emitter.constants.get(
            DenseIntOrFPElementsAttr.from_list(t, [number.value.data])
        )

    # The body

    def computed(self, point: Point, sums: Values | None) -> Values:
        """What the body yields at a point."""
        nest, block = self.nest, self.nest.body
        values: dict[SSAValue, SSAValue] = {}
        for number, (argument, view) in enumerate(zip(block.args, nest.views)):
            if number >= nest.inputs and sums is not None:
                values[argument] = sums[number - nest.inputs]
            elif argument.first_use is not None:
                if number in nest.directives.ahead:
                    self._prefetch(view, point, *nest.directives.ahead[number])
                values[argument] = self.load(view, point)
        for op in block.ops:
            if isinstance(op, linalg.YieldOp):
                return [values.get(value, value) for value in op.operands]
            self._copy(op, values)
        raise AssertionError("a body ends with linalg.yield")

    def _copy(self, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """An op of the body, on vectors where its operands are."""
        operands = [values.get(value, value) for value in op.operands]
        if not any(isinstance(value.type, VectorType) for value in operands):
            self.insert.place(copy := op.clone(values))
            values.update(zip(op.results, copy.results))
            return
        if (fused := self._fused(op, values)) is not None:
            values[op.results[0]] = fused
            return
        if _feeds_a_sum(op):
            return  # part of a fused multiplication and addition
        copy = type(op).create(
            operands=[self.all(value) for value in operands],
            result_types=[self.type(result.type) for result in op.results],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        self.insert.place(copy)
        values.update(zip(op.results, copy.results))

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

    # Reductions along a vector

    def neutral(self, total: SSAValue) -> SSAValue:
        """What changes no sum, in all lanes."""
        assert isinstance(total.type, AnyFloat)
        return self._constant(FloatAttr(_combiner(self.nest)[1], total.type))

    def combined(self, total: SSAValue, lanes: SSAValue) -> SSAValue:
        """All lanes and what there was before, as one number."""
        kind = vector.CombiningKindAttr(_combiner(self.nest)[0])
        op = vector.ReductionOp.create(
            operands=[lanes, total],
            result_types=[total.type],
            properties={
                "kind": kind,
                "fastmath": FastMathFlagsAttr("none"),
            },
        )
        return self.insert(op)


def _feeds_a_sum(op: Operation) -> bool:
    """Whether a product is used once, by an addition."""
    if not isinstance(op, arith.MulfOp):
        return False
    uses = list(op.result.uses)
    return len(uses) == 1 and isinstance(uses[0].operation, arith.AddfOp)


COMBINERS = {
    arith.AddfOp: (Kind.ADD, 0.0),
    arith.MulfOp: (Kind.MUL, 1.0),
    arith.MaximumfOp: (Kind.MAXIMUMF, float("-inf")),
    arith.MinimumfOp: (Kind.MINIMUMF, float("inf")),
}
"""The reductions whose terms may be taken in any order, up to rounding, and what changes none of them."""


def combiner(body: Block) -> type[Operation] | None:
    """The op that adds a term to what has been reduced, if the body is one term and that op."""
    last = body.last_op
    assert last is not None
    if len(last.operands) != 1:
        return None
    owner, total = last.operands[0].owner, body.args[-1]
    if type(owner) not in COMBINERS or len(list(total.uses)) != 1:
        return None
    assert isinstance(owner, Operation)
    return type(owner) if total in owner.operands else None


def _combiner(nest: Nest) -> tuple[Kind, float]:
    kind = combiner(nest.body)
    assert kind is not None, "split_reduction has looked"
    return COMBINERS[kind]
