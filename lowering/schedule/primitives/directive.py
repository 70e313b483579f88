"""Primitives that direct how the loops of a leaf are written out; they follow the primitives that move
ops."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType, i1

from lowering.ir.index_writer import Term
from lowering.ir.memref_views import is_contiguous
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.vector_intrinsics import OPERATIONS
from lowering.schedule.primitives.base import Primitive

MOST_APART = 4
"""The greatest distance of lanes of a vector that is read, in elements."""

MOST_LANES = 1024
"""The greatest length of a vector."""


@dataclass(frozen=True)
class Directive(Primitive):
    """A primitive that adds to the directives of every leaf."""

    @abstractmethod
    def direct(self, kernel: Kernel, leaf: Leaf) -> Directives:
        """Return the directives of a leaf with this one."""

    def apply(self, kernel: Kernel) -> None:
        for leaf in kernel.leaves:
            if self.concerns(kernel, leaf):
                leaf.directives = self.direct(kernel, leaf)

    def concerns(self, kernel: Kernel, leaf: Leaf) -> bool:
        """Return whether a leaf has the loop of this directive: the leaves that `separate` makes have some
        each."""
        name = getattr(self, "loop_name", None)
        return name is None or self.loop(kernel, name) in leaf.stage.loops

    def along_rows(self, kernel: Kernel, leaf: Leaf, d: int, lanes: int) -> Directives:
        """Vectors along a loop. Raises `RelaxError` if elements are not contiguous."""
        self.at_least_one(kernel, lanes, "a vector", MOST_LANES)
        if lanes < 2 or lanes & (lanes - 1):
            raise self.refused(kernel, f"expected a power of two as lanes, found {lanes}")
        if other := [o for o in leaf.directives.vectors if o != d]:
            raise self.refused(
                kernel,
                f"expected one loop with vectors, found d{other[0]} already; take one of them",
            )
        for number, access in enumerate(leaf.stage.accesses):
            if access.map is None or not access.walks(d):
                continue
            turned = leaf.directives.turned.get(number)
            t = access.value.type
            assert isinstance(t, MemRefType)
            if not isinstance(t.element_type, AnyFloat | IntegerType) or t.element_type == i1:
                raise self.refused(
                    kernel,
                    f"expected {kernel.operand_name(number)} of numbers, found elements of type "
                    f"{t.element_type}, of which there are no vectors; leave the loop as it is",
                )
            if turned is not None:
                self._check_square(kernel, leaf, turned, d, lanes)
                continue
            if leaf.directives.aligned.get(number) == d:
                self._check_rows(kernel, leaf, number, d, lanes)
                continue
            *outer, last = [linear(expr)[0] for expr in access.map.results]
            if (
                any(d in own for own in outer)
                or last[d] not in self._steps(leaf, number)
                or not is_contiguous(access.value.type)
            ):
                raise self.refused(
                    kernel,
                    f"expected the elements of {kernel.operand_name(number)} to lie in a row along "
                    f"d{d}, found them apart; pack it first, or take another loop",
                )
        if alone := [n for n in leaf.directives.turned if not leaf.stage.accesses[n].walks(d)]:
            raise self.refused(
                kernel,
                f"expected {kernel.operand_name(alone[0])}, which is transposed, to be read along d{d}, "
                "found it elsewhere; vectorize the loop that it was transposed for",
            )
        if d in leaf.directives.jammed:
            self.check_filled(kernel, leaf, d, lanes)
        vectors = {**leaf.directives.vectors, d: lanes}
        return replace(leaf.directives, vectors=vectors)

    def check_filled(self, kernel: Kernel, leaf: Leaf, d: int, lanes: int) -> None:
        """Raises `RelaxError` if all iterations of a jammed loop do not fill vectors."""
        for size in turns_of(leaf, d):
            if size % lanes:
                raise self.refused(
                    kernel,
                    f"expected iterations that fill vectors of {lanes}, found {size} of d{d}; pad it first",
                )

    def _check_square(self, kernel: Kernel, leaf: Leaf, turned: int, d: int, lanes: int) -> None:
        """Raises `RelaxError` if squares cannot be read along one loop for vectors along the other."""
        size = leaf.sizes[turned]
        assert isinstance(size, int), "transpose has looked"
        if turned == d or size % lanes:
            raise self.refused(
                kernel,
                f"expected vectors along another loop than the transposed d{turned}, whose {size} "
                f"iterations they divide, found {lanes} along d{d}; change one",
            )

    def _check_rows(self, kernel: Kernel, leaf: Leaf, number: int, d: int, lanes: int) -> None:
        """Raises `RelaxError` if rows are not whole vectors, or the iterations of a loop do not fill
        some."""
        access = leaf.stage.accesses[number]
        assert access.map is not None
        step = linear(access.map.results[-1])[0][d]
        if access.aligned % (lanes * step):
            raise self.refused(
                kernel,
                f"expected rows of {kernel.operand_name(number)} that {lanes * step} divides, found "
                f"those that {access.aligned} divides; change align of cache_read",
            )
        if not kernel.divides(lanes, turns_in_program(leaf, d)):
            raise self.refused(
                kernel,
                f"expected iterations of d{d} that fill vectors of {lanes}, found others; pad it first",
            )

    def _steps(self, leaf: Leaf, number: int) -> Sequence[int]:
        """Return the allowed distances of the elements of neighbouring lanes: 1, the number that an
        operation takes in each, or a few of an operand that is only read."""
        access = leaf.stage.accesses[number]
        if leaf.directives.intrinsic is None:
            return range(1, MOST_APART + 1) if number < leaf.stage.inputs else [1]
        if not access.walks(leaf.directives.intrinsic[1]):
            return [1]
        return [OPERATIONS[leaf.directives.intrinsic[0]].group]


def turns_in_program(leaf: Leaf, d: int) -> Term:
    """Return the number of iterations of a loop of the main op."""
    return leaf.room(d) if d in leaf.stage.filled else leaf.sizes[d]


def turns_of(leaf: Leaf, d: int) -> Sequence[int]:
    """Return the possible numbers of iterations of a jammed loop."""
    size = turns_in_program(leaf, d)
    if isinstance(size, int):
        return [size]
    return [leaf.directives.likely[d]] if d in leaf.directives.likely else leaf.choices[d]
