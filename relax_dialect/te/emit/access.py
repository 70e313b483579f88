"""The accesses of a body to its tensors: which are affine, unconditional and in bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from relax_dialect.errors import RelaxError
from relax_dialect.te.scalar import Apply, Choice, IterVar, Scalar, ScalarConstant
from relax_dialect.te.tensor import Load


@dataclass(frozen=True)
class LinearIndex:
    """A sum of index variables with integer coefficients, and a constant."""

    coefficients: Mapping[IterVar, int]
    constant: int

    @property
    def bare(self) -> IterVar | None:
        """The index variable this is, if it is one and nothing else."""
        if self.constant == 0 and list(self.coefficients.values()) == [1]:
            return next(iter(self.coefficients))
        return None

    def scaled(self, factor: int) -> LinearIndex:
        kept = {axis: c * factor for axis, c in self.coefficients.items() if c * factor}
        return LinearIndex(kept, self.constant * factor)

    def plus(self, other: LinearIndex) -> LinearIndex:
        total = dict(self.coefficients)
        for axis, c in other.coefficients.items():
            total[axis] = total.get(axis, 0) + c
        return LinearIndex({a: c for a, c in total.items() if c}, self.constant + other.constant)

    def affine(self, positions: Mapping[IterVar, int]) -> AffineExpr:
        """Return the expression over the dimensions of an indexing map, the constant last."""
        result: AffineExpr | None = None
        for axis, c in self.coefficients.items():
            term = AffineExpr.dimension(positions[axis])
            term = term if c == 1 else term * c
            result = term if result is None else result + term
        if result is None:
            return AffineExpr.constant(self.constant)
        return result + self.constant if self.constant else result

    def range(self) -> tuple[int, int] | None:
        """Return the least and greatest value, if the extents of all variables are known and not zero."""
        low = high = self.constant
        for axis, c in self.coefficients.items():
            if not axis.extent.value:
                return None
            reach = c * (axis.extent.value - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high


def linear(
    index: Scalar, known: dict[Scalar, LinearIndex | None] | None = None
) -> LinearIndex | None:
    """Return an index as a linear combination of index variables, or None if it is no such thing."""
    known = {} if known is None else known
    if index not in known:
        known[index] = _linear(index, known)
    return known[index]


def _linear(index: Scalar, known: dict[Scalar, LinearIndex | None]) -> LinearIndex | None:
    match index:
        case ScalarConstant():
            return LinearIndex({}, int(index.value))
        case IterVar():
            return LinearIndex({index: 1}, 0)
        case Apply() if index.name in ("add", "sub", "mul"):
            a, b = (linear(operand, known) for operand in index.operands)
            if a is None or b is None:
                return None
            match index.name:
                case "add":
                    return a.plus(b)
                case "sub":
                    return a.plus(b.scaled(-1))
            if not a.coefficients:
                a, b = b, a
            return None if b.coefficients else a.scaled(b.constant)
    return None


def walk(*roots: Scalar) -> Iterator[Scalar]:
    """Yield every node reachable from the roots, once, operands after their users."""
    work, seen = list(reversed(roots)), set[Scalar]()
    while work:
        node = work.pop()
        if node not in seen:
            seen.add(node)
            yield node
            work.extend(reversed(node.operands))


def certain_loads(*bodies: Scalar) -> Iterator[Load]:
    """Yield the elements that bodies read unconditionally: outside of lazily chosen branches."""
    work, seen = list(reversed(bodies)), set[Scalar]()
    while work:
        node = work.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Load):
            yield node
        lazy = isinstance(node, Choice) and node.lazy
        work.extend(node.operands[:1] if lazy else reversed(node.operands))


def access_map(load: Load, positions: Mapping[IterVar, int]) -> tuple[AffineExpr, ...] | None:
    """Return the results of the indexing map of an access, or None if it has to be a `tensor.extract`.

    An index variable alone claims the whole dimension in linalg, so its extent must be equal to the
    dimension's; other combinations only read it.
    """
    results: list[AffineExpr] = []
    for index, size in zip(load.operands, load.tensor.shape):
        form = linear(index)
        if form is None:
            return None
        if form.bare is not None and form.bare.extent is not size:
            return None
        results.append(form.affine(positions))
    return tuple(results)


def check_bounds(bodies: Sequence[Scalar], axes: Iterable[IterVar], name: str) -> None:
    """Refuse an access that certainly reads past the end of its tensor."""
    if any(axis.extent.value == 0 for axis in axes):
        return
    for load in certain_loads(*bodies):
        for dimension, (index, size) in enumerate(zip(load.operands, load.tensor.shape)):
            form = linear(index)
            span = form.range() if form is not None else None
            if span is None:
                continue
            low, high = span
            if low < 0 or (size.value is not None and high >= size.value):
                raise RelaxError(
                    f"te.compute '{name}': reads '{load.tensor.name}' at indices {low} to {high} "
                    f"of dimension {dimension}, whose size is {size}; change the index or the "
                    "shape, or guard the access with te.if_then_else"
                )
