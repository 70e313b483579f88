"""The loops of one linalg op, written out by its directives: vectors, sums in registers, jammed iterations.

    linalg.generic {(d0, d2), (d2, d1) -> (d0, d1)} ins(%a, %b) outs(%c)        // 2 x 32 x depth
->  with unroll_and_jam(d0), vectorize(d1, 16), unroll_and_jam(d1)
    %sums:4 = scf.for %d2 = %c0 to %depth step %c1 iter_args(...) -> (vector<16xf32>, ...) {
      %b0 = vector.load %b[%d2, %c0]
      %b1 = vector.load %b[%d2, %c16]
      ... vector.fma %a0, %b0, %s0
    }
    vector.store %sums#0, %c[%c0, %c0]
    ...

Parallel loops are outside, reduction loops inside; in between the sums stay in registers, one for each
element or vector that is jammed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

from xdsl.ir import SSAValue

from lowering.ir.constants import ConstantPool
from lowering.ir.index_writer import IndexWriter, Term
from lowering.ir.insertion import Inserter, open_loop
from lowering.schedule.emit.body_emitter import ElementEmitter
from lowering.schedule.emit.group_emitter import GroupEmitter
from lowering.schedule.kernels.nest import Nest, Point, Values
from lowering.schedule.match.arg_reduction import placed
from lowering.schedule.match.grouped_contraction import GroupedBody, grouped_body
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.memrefs.vector_intrinsics import OPERATIONS, function_of


def emit(nest: Nest, insert: Inserter, constants: ConstantPool, functions: TileFunctions) -> None:
    """Write the loops of a nest."""
    _NestEmitter(nest, constants, functions).parallel(insert, 0, dict.fromkeys(nest.loops, 0), None)


_Body: TypeAlias = "Callable[[Inserter, Term, bool, Values], Values]"
"""Emits an iteration, or a vector of iterations: from the values that are carried to the next ones."""


@dataclass(frozen=True)
class _NestEmitter:
    """The emitter of a nest. Below, `at` is the point of all loops, `vector` the loop with lanes, if
    any."""

    nest: Nest
    constants: ConstantPool
    functions: TileFunctions

    def writer(self, insert: Inserter) -> IndexWriter:
        return IndexWriter(self.constants, insert.place)

    # Loops

    def parallel(self, insert: Inserter, depth: int, at: Point, vector: int | None) -> None:
        """Emit the loops over different elements, from a depth on, then the reduction of each."""
        order = self.nest.order
        if all(d in self.nest.reductions for d in order[depth:]):
            self._elements(insert, depth, at, vector)
            return
        d = order[depth]

        def body(inside: Inserter, here: Term, lanes: bool, carried: Values) -> Values:
            self.parallel(inside, depth + 1, {**at, d: here}, d if lanes else vector)
            return ()

        self._iterations(insert, d, (), body)

    def _iterations(
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
        """Emit a loop: first by unrolled groups of vectors, then by vectors, then one by one.

        `only`: just the iterations that are vectors, or just the others, from `start` to `end`.
        """
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
            carried = self._phase(insert, d, carried, body, start, end, width, count, last)
            start = end
        return carried

    def _phase(
        self,
        insert: Inserter,
        d: int,
        carried: Values,
        body: _Body,
        start: Term,
        end: Term,
        width: int,
        count: int,
        last: Term | None = None,
    ) -> Values:
        """Emit a loop from `start` to `end` by `count` vectors of a width; none begins after `last`."""
        write, step = self.writer(insert), width * count
        if isinstance(start, int) and isinstance(end, int) and end - start <= step:
            for iteration in range(start, end, width):
                here = iteration if last is None else write.smaller(iteration, last)
                carried = body(insert, here, width > 1, carried)
            return carried
        first, until, by = (write.value(term) for term in (start, end, step))
        is_parallel = d not in self.nest.reductions
        loop = open_loop(insert, first, until, by, f"d{d}", carried, parallel=is_parallel)
        inside: Values = loop.carried
        for iteration in range(0, step, width):
            within = self.writer(loop)
            here = within.plus(loop.counter, iteration)
            here = here if last is None else within.smaller(here, last)
            inside = body(loop, here, width > 1, inside)
        return loop.close(*inside)

    def _in_vectors(self, write: IndexWriter, d: int) -> Term:
        """Return the number of iterations of a reduction loop that may be done in vectors: lanes hold no
        larger indices."""
        size, found = self.nest.sizes[d], placed(self.nest.body)
        return size if found is None else write.smaller(size, found.most)

    def filled(self, write: IndexWriter, d: int) -> Term:
        """Return the number of iterations of a loop done by vectors, the last of which may begin earlier:
        all, or none if the loop is shorter than one vector."""
        size, lanes = self.nest.sizes[d], self.nest.lanes(d)
        if isinstance(size, int) or self.nest.least.get(d, 0) >= lanes:
            return size if not isinstance(size, int) or size >= lanes else 0
        return write.chosen(write.compared(size, "sge", lanes), size, 0)

    def _phases(self, d: int, only: bool | None) -> Iterator[tuple[int, int]]:
        """Yield the width of each step in iterations of one vector, and the number of unrolled steps."""
        lanes = self.nest.directives.vectors.get(d, 1)
        count = self.nest.directives.unrolled.get(d, 1)
        if lanes > 1 and only is not False:
            yield from sorted({(lanes, count), (lanes, 1)}, reverse=True)
        if lanes == 1 or only is False or (only is None and d not in self.nest.whole_vectors):
            yield from sorted({(1, count if lanes == 1 else 1), (1, 1)}, reverse=True)

    # Elements

    def _elements(self, insert: Inserter, depth: int, at: Point, vector: int | None) -> None:
        """Emit all iterations of the jammed loops: sums in registers, or elements at once."""
        nest = self.nest
        own = [d for d in nest.at_once if d not in nest.reductions]
        across = next((d for d in own if d in nest.directives.vectors), vector)
        points = [{**at, **point} for point in self._points(own)]
        outputs = nest.views[nest.inputs :]
        is_reduction = bool(nest.reductions)
        elements = ElementEmitter(self.nest, self.constants, insert, across)
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
        """Yield the points of jammed loops, one after the other."""
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
        """Return the loops that reduce, from one on: their sums."""
        order = self.nest.order
        if depth == len(order):
            return self._step(insert, points, vector, sums)
        d = order[depth]

        def body(inside: Inserter, here: Term, lanes: bool, carried: Values) -> Values:
            moved = [{**point, d: here} for point in points]
            return self._reduced(inside, depth + 1, moved, d if lanes else vector, carried)

        if d not in self.nest.directives.vectors:
            return self._accumulated(insert, d, vector, sums, body)
        apart = ElementEmitter(self.nest, self.constants, insert, d)
        lanes, write = self._in_lanes(insert, d, apart, sums, body), self.writer(insert)
        size = self._in_vectors(write, d)
        if d in self.nest.shifted:
            done = self.filled(write, d)
        elif d in self.nest.whole_vectors:
            done = size
        else:
            done = write.minus(size, write.remainder(size, self.nest.lanes(d)))

        def again(inside: Inserter) -> Values:
            return self._iterations(inside, d, sums, body, only=False, end=done)

        total = apart.combined(sums, lanes, again)
        return self._iterations(insert, d, total, body, only=False, start=done)

    def _accumulated(
        self, insert: Inserter, d: int, vector: int | None, sums: Values, body: _Body
    ) -> Values:
        """Return the reductions along a loop, with as many accumulators for each sum as the directives
        require."""
        copies = -(-self.nest.directives.accumulators.get(d, 0) // len(sums))
        size, count, write = self.nest.sizes[d], len(sums), self.writer(insert)
        if copies < 2 or (isinstance(size, int) and size < copies):
            return self._iterations(insert, d, sums, body)
        elements = ElementEmitter(self.nest, self.constants, insert, vector)
        start = [*sums, *map(elements.identity, list(sums) * (copies - 1))]
        end = write.minus(size, write.remainder(size, copies))
        partial = self._phase(insert, d, start, _rotating(count, body), 0, end, 1, copies)
        rest = self._iterations(insert, d, partial[:count], body, start=end)
        return _joined(elements, [*rest, *partial[count:]], count)

    def _in_lanes(
        self, insert: Inserter, d: int, apart: ElementEmitter, sums: Values, body: _Body
    ) -> Values:
        """Return the reductions of all vectors along a loop, one for each sum. Where vectors are written
        one after the other, each has lanes of its own, so that none waits for the one before."""
        rotated = _rotating(len(sums), body)
        neutral = list(apart.neutral(sums))
        copies = self.nest.directives.unrolled.get(d, 1)
        partial = self._iterations(insert, d, neutral * copies, rotated, only=True)
        return _joined(apart, partial, len(sums))

    def _step(
        self, insert: Inserter, points: Sequence[Point], vector: int | None, sums: Values
    ) -> Values:
        """Return the body of the op at every point."""
        nest = self.nest
        inner = [d for d in nest.at_once if d in nest.reductions]
        count = len(nest.views) - nest.inputs
        if (body := self.grouped) is not None and vector is not None:
            return self._groups(insert, body, points, vector, sums)
        elements = ElementEmitter(self.nest, self.constants, insert, vector)
        if nest.directives.intrinsic is not None:
            name, at_once = nest.directives.intrinsic
            if vector is None:
                inner.append(at_once)
            else:
                function = function_of(self.functions, name, self.nest.lanes(vector))
                elements.intrinsic = function, OPERATIONS[name].group
        before, factored = sums, nest.directives.factored
        if factored is not None:
            elements.factor = nest.body.args[factored]
            sums = [*map(elements.identity, sums)]
        for iteration in self._points(inner):
            found: list[SSAValue] = []
            for number, point in enumerate(points):
                own = sums[number * count : (number + 1) * count] if sums else None
                found += elements.computed({**point, **iteration}, own)
            sums = found
        if factored is None:
            return sums
        each = zip(points, sums, before, strict=True)
        return [elements.scaled(factored, point, part, total) for point, part, total in each]

    @cached_property
    def grouped(self) -> GroupedBody | None:
        """The body, if sums of its integers are scaled as a group."""
        has_operation = self.nest.directives.intrinsic is not None
        return grouped_body(self.nest.body) if has_operation else None

    def _groups(
        self,
        insert: Inserter,
        body: GroupedBody,
        points: Sequence[Point],
        vector: int,
        sums: Values,
    ) -> Values:
        """Return sums of groups of integers, of all jammed iterations with equal scales."""
        assert self.nest.directives.intrinsic is not None
        name, _ = self.nest.directives.intrinsic
        elements = GroupEmitter(self.nest, self.constants, insert, vector)
        function = function_of(self.functions, name, self.nest.lanes(vector))
        elements.intrinsic = function, OPERATIONS[name].group
        jammed = [d for d in self.nest.at_once if d in self.nest.reductions]
        own = elements.loops_of_groups(body, jammed)
        for outer in self._points([d for d in jammed if d not in own]):
            at = [{**point, **outer} for point in points]
            sums = elements.group_sums(body, at, self._points(own), sums)
        return sums


def _rotating(count: int, body: _Body) -> _Body:
    """Return a body that adds to the first `count` of its carried values, which become the last ones."""

    def rotated(inside: Inserter, here: Term, lanes: bool, carried: Values) -> Values:
        return [*carried[count:], *body(inside, here, lanes, carried[:count])]

    return rotated


def _joined(elements: ElementEmitter, partial: Values, count: int) -> Values:
    """Combine the partial results pairwise, until there are `count`."""
    while len(partial) > count:
        half = len(partial) // count // 2 * count
        joined = elements.joined(partial[:half], partial[half : 2 * half])
        partial = [*joined, *partial[2 * half :]]
    return partial
