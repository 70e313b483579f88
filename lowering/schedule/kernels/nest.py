"""The loops of one linalg op on views of a tile, and the directives by which they are written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.index_writer import Term
from lowering.schedule.memrefs.combiners import is_idempotent


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
    """The stride of a loop's iteration along a dimension, if that is a value: by dimension and loop."""
    aligned: int = 1
    """A divisor of the length of its rows."""


@dataclass(frozen=True)
class Directives:
    """The directives by which the loops of an op are written out."""

    order: Sequence[int] | None = None
    """The order of the loops, outermost first; unnamed loops follow."""
    vectors: Mapping[int, int] = field(default_factory=dict[int, int])
    """The number of iterations of a loop that form one vector."""
    jammed: frozenset[int] = frozenset()
    """Loops of which all iterations are done at once, inside all others."""
    shifted: frozenset[int] = frozenset()
    """Loops whose last vector begins earlier if the iterations do not fill it."""
    unrolled: Mapping[int, int] = field(default_factory=dict[int, int])
    """The unroll factor of each loop."""
    accumulators: Mapping[int, int] = field(default_factory=dict[int, int])
    """The least number of independent accumulators in a reduction loop."""
    turned: Mapping[int, int] = field(default_factory=dict[int, int])
    """Operands that are read by vectors along another loop, and that loop."""
    aligned: Mapping[int, int] = field(default_factory=dict[int, int])
    """Operands whose vectors along a loop are picked out of aligned ones, and that loop."""
    ahead: Mapping[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Operands that are prefetched along a loop, and the distance in iterations."""
    likely: Mapping[int, int] = field(default_factory=dict[int, int])
    """Loops with code of their own for one number of iterations."""
    specialized: Sequence[int] = ()
    """Loops with code for each number of iterations that a tile may have."""
    intrinsic: tuple[str, int] | None = None
    """The operation that does all iterations of a loop at once in vectors."""
    factored: int | None = None
    """The operand that is a factor of the sum of jammed iterations."""
    outlined: str | None = None
    """The name of the function that the loops are put into."""

    def __bool__(self) -> bool:
        return self != Directives()

    @property
    def inside(self) -> frozenset[int]:
        """The loops that are not emitted, but done at once inside of all others."""
        return self.jammed if self.intrinsic is None else self.jammed | {self.intrinsic[1]}

    def renumbered(self, numbers: Mapping[int, int]) -> Directives:
        """Return the directives with other loop numbers; directives of other loops are dropped."""
        return replace(
            self,
            order=None if self.order is None else [numbers[d] for d in self.order if d in numbers],
            vectors={numbers[d]: lanes for d, lanes in self.vectors.items() if d in numbers},
            jammed=frozenset(numbers[d] for d in self.jammed if d in numbers),
            shifted=frozenset(numbers[d] for d in self.shifted if d in numbers),
            likely={numbers[d]: count for d, count in self.likely.items() if d in numbers},
            unrolled={numbers[d]: count for d, count in self.unrolled.items() if d in numbers},
            accumulators={numbers[d]: n for d, n in self.accumulators.items() if d in numbers},
            turned={n: numbers[d] for n, d in self.turned.items() if d in numbers},
            aligned={n: numbers[d] for n, d in self.aligned.items() if d in numbers},
            ahead={n: (numbers[d], far) for n, (d, far) in self.ahead.items() if d in numbers},
            specialized=[numbers[d] for d in self.specialized if d in numbers],
            intrinsic=self.intrinsic and (self.intrinsic[0], numbers[self.intrinsic[1]]),
        )


Point = Mapping[int, Term]
"""The current iteration of every loop."""

Values = Sequence[SSAValue]


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
    """Loops whose iterations fill their vectors."""
    least: Mapping[int, int] = field(default_factory=dict[int, int])
    """The least trip count of the loops in this nest."""

    @property
    def order(self) -> Sequence[int]:
        """The loops that are emitted, outermost first; by default, reduction loops come last."""
        wanted = self.directives.order
        order = sorted(self.loops, key=lambda d: d in self.reductions) if wanted is None else wanted
        inside = self.directives.inside
        return [d for d in order if d in self.loops and d not in inside]

    @property
    def at_once(self) -> Sequence[int]:
        """The loops all of whose iterations are done at once, that with vectors last: they share the
        rest."""
        own = [d for d in self.loops if d in self.directives.jammed]
        return sorted(own, key=lambda d: d in self.directives.vectors)

    @property
    def shifted(self) -> frozenset[int]:
        """Loops whose last vector begins earlier if the iterations do not fill it, so that some are done
        twice: those of the directive, unless sums are in memory from iteration to iteration, and the
        reduction loops of a maximum or minimum, which may take elements twice."""
        if is_idempotent(self.body):
            return self.directives.shifted | self.reductions
        return self.directives.shifted if self.keeps_sums else frozenset()

    @property
    def keeps_sums(self) -> bool:
        """Whether reduced values are in registers from the first iteration to the last."""
        reducing = [d in self.reductions for d in self.order]
        return reducing == sorted(reducing)

    def renumbered(self) -> Nest:
        """Return the nest with loops numbered from 0 on, so that kernels in other loops are equal."""
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

    def lanes(self, vector: int | None) -> int:
        """Return the number of lanes of a vector along a loop; 1 without one."""
        return 1 if vector is None else self.directives.vectors[vector]
