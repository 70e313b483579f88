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
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeAlias

from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
)
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineMap,
)

from lowering.ir.constants import ConstantPool
from lowering.ir.index_writer import Term, Writer
from lowering.ir.insertion import Inserter, open_loop
from lowering.schedule.elements import Elements, is_idempotent
from lowering.schedule.intrinsics import OPERATIONS, function_of
from lowering.schedule.places import placed
from lowering.schedule.tile_functions import TileFunctions


@dataclass(frozen=True)
class View:
    """An operand, and the element of it that the loops read; no map for a scalar."""

    value: SSAValue
    map: AffineMap | None
    sums: frozenset[int] = frozenset()
    """The dimensions that several of the kernel's loops walk together, whether or not they are left."""
    apart: Mapping[tuple[int, int], SSAValue] = field(
        default_factory=dict[tuple[int, int], SSAValue]
    )
    """How far a turn of a loop goes along a dimension, where that is a value: by dimension and loop."""
    aligned: int = 1
    """A divisor of the length of its rows."""


@dataclass(frozen=True)
class Directives:
    """How the loops of an op are written out."""

    order: Sequence[int] | None = None
    """Outermost first; those not named follow."""
    vectors: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns of a loop are one vector."""
    jammed: frozenset[int] = frozenset()
    """Loops of which all turns are done at once, inside all others."""
    shifted: frozenset[int] = frozenset()
    """Loops whose last vector begins earlier where the turns do not fill it."""
    unrolled: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns of a loop are written one after the other."""
    turned: Mapping[int, int] = field(default_factory=dict[int, int])
    """Operands that are read by vectors along another loop, and that loop."""
    aligned: Mapping[int, int] = field(default_factory=dict[int, int])
    """Operands whose vectors along a loop are picked out of aligned ones, and that loop."""
    ahead: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Operands that are asked for so many turns of a loop before they are read."""
    likely: Mapping[int, int] = field(default_factory=dict[int, int])
    """Loops with code of their own for one number of turns."""
    specialized: Sequence[int] = ()
    """Loops with code for each number of turns that a tile may have."""
    intrinsic: tuple[str, int] | None = None
    """The operation that does all turns of a loop at once where there are vectors."""
    outlined: str | None = None
    """The name of the function that the loops are put into."""

    def __bool__(self) -> bool:
        return self != Directives()

    @property
    def inside(self) -> frozenset[int]:
        """The loops that do not stand in the program, but are done at once inside of all others."""
        return self.jammed if self.intrinsic is None else self.jammed | {self.intrinsic[1]}

    def renumbered(self, numbers: Mapping[int, int]) -> Directives:
        """The same of loops of other numbers; what is said of others is left out."""
        return replace(
            self,
            order=None if self.order is None else [numbers[d] for d in self.order if d in numbers],
            vectors={numbers[d]: lanes for d, lanes in self.vectors.items() if d in numbers},
            jammed=frozenset(numbers[d] for d in self.jammed if d in numbers),
            shifted=frozenset(numbers[d] for d in self.shifted if d in numbers),
            likely={numbers[d]: count for d, count in self.likely.items() if d in numbers},
            unrolled={numbers[d]: count for d, count in self.unrolled.items() if d in numbers},
            turned={n: numbers[d] for n, d in self.turned.items() if d in numbers},
            aligned={n: numbers[d] for n, d in self.aligned.items() if d in numbers},
            ahead={n: (numbers[d], far) for n, (d, far) in self.ahead.items() if d in numbers},
            specialized=[numbers[d] for d in self.specialized if d in numbers],
            intrinsic=self.intrinsic and (self.intrinsic[0], numbers[self.intrinsic[1]]),
        )


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
    start: FloatAttr | IntegerAttr | None = None
    """The initial value of the outputs, if it is not in memory."""
    whole_vectors: frozenset[int] = frozenset()
    """Loops whose turns fill their vectors."""
    least: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many turns loops have where these are written."""

    @property
    def order(self) -> Sequence[int]:
        """The loops that stand in the program, outermost first; unless told, those that reduce last."""
        wanted = self.directives.order
        order = sorted(self.loops, key=lambda d: d in self.reductions) if wanted is None else wanted
        inside = self.directives.inside
        return [d for d in order if d in self.loops and d not in inside]

    @property
    def at_once(self) -> Sequence[int]:
        """The loops all of whose turns are done at once, that with vectors last: they share the rest."""
        own = [d for d in self.loops if d in self.directives.jammed]
        return sorted(own, key=lambda d: d in self.directives.vectors)

    @property
    def shifted(self) -> frozenset[int]:
        """Loops whose last vector begins earlier where the turns do not fill it, so that some are done
        twice: those told, unless sums are in memory from turn to turn, and those along which a greatest or
        least is found, which may be taken twice."""
        if is_idempotent(self.body):
            return self.directives.shifted | self.reductions
        return self.directives.shifted if self.keeps_sums else frozenset()

    @property
    def keeps_sums(self) -> bool:
        """Whether what is reduced to is in registers from the first turn to the last."""
        reducing = [d in self.reductions for d in self.order]
        return reducing == sorted(reducing)

    def renumbered(self) -> Nest:
        """The same with the loops numbered from 0 on, so that kernels in other loops look alike."""
        numbers = {d: number for number, d in enumerate(self.loops)}
        return replace(
            self,
            loops=range(len(numbers)),
            sizes={numbers[d]: size for d, size in self.sizes.items() if d in numbers},
            reductions=frozenset(numbers[d] for d in self.reductions),
            whole_vectors=frozenset(numbers[d] for d in self.whole_vectors),
            least={numbers[d]: n for d, n in self.least.items() if d in numbers},
            directives=self.directives.renumbered(numbers),
        )

    def emit(self, insert: Inserter, constants: ConstantPool, functions: TileFunctions) -> None:
        """Write the loops."""
        Emitter(self, constants, functions).parallel(insert, 0, dict.fromkeys(self.loops, 0), None)


Values = Sequence[SSAValue]

_Body: TypeAlias = "Callable[[Inserter, Term, bool, Values], Values]"
"""Emits a turn, or a vector of turns: from the values that are carried to the next ones."""


@dataclass(frozen=True)
class Emitter:
    """Writes a nest. Below, `at` is where all loops stand, `vector` the one with lanes, if any."""

    nest: Nest
    constants: ConstantPool
    functions: TileFunctions

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
        body: _Body,
        *,
        only: bool | None = None,
        start: Term = 0,
        end: Term | None = None,
    ) -> Values:
        """A loop: first by so many vectors as are unrolled, then by vectors, then one by one.

        `only`: just the turns that are vectors, or just those that are not, from `start` to `end`."""
        write, size = self.writer(insert), self.nest.sizes[d] if end is None else end
        size = self._in_vectors(write, d) if only else size
        for width, count in self._phases(d, only):
            step, last = width * count, None
            if width > 1 and count == 1 and d in self.nest.shifted:
                end, last = self.filled(write, d), write.minus(size, width)
            elif width > 1 and count == 1 and d in self.nest.whole_vectors:
                end = size
            else:
                end = write.minus(size, write.remainder(write.minus(size, start), step))
            if end is start:
                continue
            if isinstance(start, int) and isinstance(end, int) and end - start <= step:
                for turn in range(start, end, width):
                    here = turn if last is None else write.smaller(turn, last)
                    carried = body(insert, here, width > 1, carried)
            else:
                first, until, by = (write.value(term) for term in (start, end, step))
                loop = open_loop(insert, first, until, by, f"d{d}", carried)
                inside: Values = loop.carried
                for turn in range(0, step, width):
                    within = self.writer(loop)
                    here = within.plus(loop.counter, turn)
                    here = here if last is None else within.smaller(here, last)
                    inside = body(loop, here, width > 1, inside)
                carried = loop.close(*inside)
            start = end
        return carried

    def _in_vectors(self, write: Writer, d: int) -> Term:
        """How many turns of a loop that reduces may be done in vectors: lanes hold no larger places."""
        size, found = self.nest.sizes[d], placed(self.nest.body)
        return size if found is None else write.smaller(size, found.most)

    def filled(self, write: Writer, d: int) -> Term:
        """How many turns of a loop vectors do, the last of which may begin earlier: all, or none of a loop
        shorter than one of them."""
        size, lanes = self.nest.sizes[d], self.lanes(d)
        if isinstance(size, int) or self.nest.least.get(d, 0) >= lanes:
            return size if not isinstance(size, int) or size >= lanes else 0
        return write.chosen(write.compared(size, "sge", lanes), size, 0)

    def _phases(self, d: int, only: bool | None) -> Iterator[tuple[int, int]]:
        """How many turns at once are one vector, and how many of these are written one after the other."""
        lanes = self.nest.directives.vectors.get(d, 1)
        count = self.nest.directives.unrolled.get(d, 1)
        if lanes > 1 and only is not False:
            yield from sorted({(lanes, count), (lanes, 1)}, reverse=True)
        if lanes == 1 or (only is not True and d not in self.nest.whole_vectors):
            yield from sorted({(1, count if lanes == 1 else 1), (1, 1)}, reverse=True)

    # Elements

    def _elements(self, insert: Inserter, depth: int, at: Point, vector: int | None) -> None:
        """Emit all turns of the jammed loops: sums in registers, or elements at once."""
        nest = self.nest
        own = [d for d in nest.at_once if d not in nest.reductions]
        across = next((d for d in own if d in nest.directives.vectors), vector)
        points = [{**at, **point} for point in self._points(own)]
        outputs = nest.views[nest.inputs :]
        is_reduction = bool(nest.reductions)
        elements = Elements(self, insert, across)
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
        apart = Elements(self, insert, d)
        lanes, write = self._in_lanes(insert, d, apart, sums, body), self.writer(insert)
        size = self._in_vectors(write, d)
        done = write.minus(size, write.remainder(size, self.lanes(d)))
        if d in self.nest.shifted:
            done = self.filled(write, d)

        def again(inside: Inserter) -> Values:
            return self._turns(inside, d, sums, body, only=False, end=done)

        total = apart.combined(sums, lanes, again)
        return self._turns(insert, d, total, body, only=False, start=done)

    def _in_lanes(
        self, insert: Inserter, d: int, apart: Elements, sums: Values, body: _Body
    ) -> Values:
        """The reductions of all vectors along a loop, one for each sum. Where vectors are written one
        after the other, each has lanes of its own, so that none waits for the one before."""
        count = len(sums)

        def in_turn(inside: Inserter, here: Term, lanes: bool, carried: Values) -> Values:
            own = body(inside, here, lanes, carried[:count])
            return [*carried[count:], *own]

        neutral = list(apart.neutral(sums))
        copies = self.nest.directives.unrolled.get(d, 1)
        partial = self._turns(insert, d, neutral * copies, in_turn, only=True)
        while len(partial) > count:
            half = len(partial) // count // 2 * count
            joined = apart.joined(partial[:half], partial[half : 2 * half])
            partial = [*joined, *partial[2 * half :]]
        return partial

    def _step(
        self, insert: Inserter, points: Sequence[Point], vector: int | None, sums: Values
    ) -> Values:
        """The body of the op at every point."""
        nest = self.nest
        inner = [d for d in nest.at_once if d in nest.reductions]
        count = len(nest.views) - nest.inputs
        elements = Elements(self, insert, vector)
        if nest.directives.intrinsic is not None:
            name, at_once = nest.directives.intrinsic
            if vector is None:
                inner.append(at_once)
            else:
                function = function_of(self.functions, name, self.lanes(vector))
                elements.intrinsic = function, OPERATIONS[name].group
        for turn in self._points(inner):
            found: list[SSAValue] = []
            for number, point in enumerate(points):
                own = sums[number * count : (number + 1) * count] if sums else None
                found += elements.computed({**point, **turn}, own)
            sums = found
        return sums
