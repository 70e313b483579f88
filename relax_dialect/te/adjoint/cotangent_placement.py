"""Accumulation of cotangent contributions at the elements that were read.

If the indices of a read are sums of index variables, its cotangent is a sum over some of the loops; for the
other loops the index is solved, and points without a solution contribute nothing:

```python
C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k))
dA = te.compute((n, l), lambda i, k: te.sum(dC[i, j] * B[k, j], axis=j))

C = te.compute((n,), lambda i: te.sum(A[2 * i + k] * W[k], axis=k))
dA = te.compute((l,), lambda j: te.sum(
    te.if_then_else(((j - k) % 2 == 0) & (0 <= (j - k) // 2) & ((j - k) // 2 < n),
                    dC[(j - k) // 2] * W[k], 0.0), axis=k))
```

So all elements are independent of each other. For any other index, as `A[rows[i]]` or `A[i // 2]`, the
loops run in order and add to the element they read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

from relax_dialect.symbolic import Expr
from relax_dialect.te import intrinsics as f
from relax_dialect.te import reducers
from relax_dialect.te.adjoint.derivatives import Contribution, substituted
from relax_dialect.te.compute import compute, reduce_axis
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.emit.ranges import Ranges
from relax_dialect.te.kernels.extern import extern
from relax_dialect.te.scalar import IterVar, Scalar, const
from relax_dialect.te.tensor import Load, Tensor


def placed(stage: ComputeStage, each: Contribution) -> Tensor:
    """Return the sums of a contribution at the indices it is read from."""
    load, name = each.load, f"d_{each.load.tensor.name}"
    places = _places(load, stage.loops)
    if places is None:
        return _scattered(stage, each, name)
    solved = {place.pivot for place in places}
    rest = [axis for axis in stage.loops if axis not in solved]
    if rest and any(place.pivot is None for place in places):
        return _scattered(stage, each, name)

    def element(*indices: IterVar) -> Any:
        axes = [reduce_axis((0, axis.extent), axis.name) for axis in rest]
        loops: dict[Any, Scalar] = dict(zip(rest, axes))
        guards: list[Scalar] = []
        for place in places:
            guards += place.solve(indices[place.axis], loops)
        value = substituted(each.value, loops)
        if guards:
            value = f.if_then_else(reduce(and_, guards), value, const(0, value.dtype))
        return reducers.sum(value, axis=axes) if axes else value

    return compute(load.tensor.shape, element, name)


@dataclass(frozen=True, eq=False)
class _Place:
    """The index of an element along an axis: a sum of multiples of loops and a constant."""

    axis: int
    terms: Mapping[IterVar, int]
    constant: Expr
    pivot: IterVar | None
    """The loop that the index is solved for."""
    is_whole: bool
    """Whether the loop is the index, and runs over the whole axis."""

    def solve(self, index: Scalar, loops: dict[Any, Scalar]) -> list[Scalar]:
        """Solve the index for the pivot loop, given the other loops, and add it to `loops`; return the
        conditions under which such an iteration exists."""
        rest = index
        for axis, factor in self.terms.items():
            if axis is not self.pivot:
                rest = rest - (loops[axis] if factor == 1 else loops[axis] * factor)
        if self.constant.value != 0:
            rest = rest - self.constant
        if self.pivot is None:
            return [f.equal(rest, 0)]
        factor = self.terms[self.pivot]
        if factor < 0:
            rest, factor = 0 - rest, -factor
        step = const(factor, INDEX)
        found = loops[self.pivot] = rest if factor == 1 else f.floordiv(rest, step)
        if self.is_whole:
            return []
        inside = [found >= 0, found < self.pivot.extent]
        return inside if factor == 1 else [f.equal(rest - found * step, 0), *inside]


def _places(load: Load, loops: Sequence[IterVar]) -> list[_Place] | None:
    """Return the indices of an element in the order in which they are solved, or None if they are not such
    sums; a constant index of an axis of size 1 is skipped."""
    ranges = Ranges()
    found: list[_Place] = []
    for axis, (index, size) in enumerate(zip(load.operands, load.tensor.shape)):
        form = ranges.form(index)
        terms: dict[IterVar, int] = {}
        for term, factor in form.terms.items():
            node = ranges.nodes[term]
            if not isinstance(node, IterVar) or factor.value is None:
                return None
            terms[node] = factor.value
        if size.value == 1 and not terms:
            continue
        pivot = _pivot(terms, {place.pivot for place in found})
        is_bare = terms == {pivot: 1} and form.constant.value == 0
        is_whole = pivot is not None and is_bare and pivot.extent is size
        found.append(_Place(axis, terms, form.constant, pivot, is_whole))
    return _in_order(found)


def _pivot(terms: Mapping[IterVar, int], taken: set[IterVar | None]) -> IterVar | None:
    """Return the longest of the loops that are not solved for yet: the sum runs over the shorter ones."""
    free = [axis for axis in terms if axis not in taken]
    return max(free, key=_length, default=None)


def _length(axis: IterVar) -> float:
    """Return the trip count of a loop, infinity if it is unknown."""
    return math.inf if axis.extent.value is None else axis.extent.value


def _in_order(places: list[_Place]) -> list[_Place] | None:
    """Sort indices so that each follows those whose loops it is solved by; None if they depend on each
    other."""
    waiting, order = list(places), list[_Place]()
    while waiting:
        unknown = {place.pivot for place in waiting}
        ready = [p for p in waiting if not unknown & (p.terms.keys() - {p.pivot})]
        if not ready:
            return None
        order += ready
        waiting = [p for p in waiting if p not in ready]
    return order


def _scattered(stage: ComputeStage, each: Contribution, name: str) -> Tensor:
    """Return the same, added in the order of the loops."""
    load = each.load
    reads = list(dict.fromkeys((load.tensor, *stage.reads)))

    def kernel(ib: Any, inputs: Any, outputs: Any) -> None:
        out = outputs[0]
        ib.fill(out, 0)
        with ExitStack() as loops:
            running = {
                axis: loops.enter_context(ib.for_(axis.extent, name=axis.name))
                for axis in stage.loops
            }
            for guard in each.guards:
                loops.enter_context(ib.if_(substituted(guard, running)))
            at = tuple(substituted(index, running) for index in load.operands)
            out[at] = out[at] + substituted(each.cotangent, running)

    return extern(load.tensor.shape, reads, kernel, load.tensor.dtype, name)
