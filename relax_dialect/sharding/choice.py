"""The placement of an op: which of its dimensions each grid axis cuts, by the bytes that would move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, OpResult

from relax_dialect.ir.types import Dim
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.sharding.cost import FLOPS_PER_BYTE, bytes_sent, evaluated, weight
from relax_dialect.sharding.moves import cost
from relax_dialect.sharding.registry import Factors, Labels, factors_of, shape_of
from relax_dialect.sharding.value_sharding import Grid, Sharding, whole

LINEAR = ("sum", "avg")
"""Pending reductions that sums keep."""


@dataclass(frozen=True)
class ShardingChoice:
    """The placements that an op takes and yields, and its cost in bytes that are sent."""

    operands: Sequence[Sharding]
    results: Sequence[Sharding]
    bytes: float
    sizes: int | None = None
    """The operand that is the shape of the result."""


def choose(op: Operation, given: Sequence[Sharding], grid: Grid) -> ShardingChoice:
    """Return the placements of an op for those of its operands: axis by axis, the ones that move least."""
    factors = factors_of(op)
    if factors is None:
        return _whole(op)
    assigned: dict[str, str] = {}
    kept: dict[str, str] = {}
    for axis in grid.axes:
        best = min(
            _options(op, factors, given, axis, assigned, kept, grid), key=lambda option: option[0]
        )
        _, label, pending = best
        if label is not None:
            assigned[label] = axis
        if pending is not None:
            kept[axis] = pending
    return _chosen(op, factors, given, assigned, kept, grid) or _whole(op)


def _whole(op: Operation) -> ShardingChoice:
    operands = [whole(getattr(x.type, "shape", None)) for x in op.operands]
    return ShardingChoice(operands, [whole(getattr(r.type, "shape", None)) for r in op.results], 0)


def _options(
    op: Operation,
    factors: Factors,
    given: Sequence[Sharding],
    axis: str,
    assigned: Mapping[str, str],
    kept: Mapping[str, str],
    grid: Grid,
) -> Iterator[tuple[float, str | None, str | None]]:
    """Yield the cost of each way to use a grid axis: a name of dimensions, or a pending reduction."""
    pending = {p.pending(axis) for p, names in zip(given, factors.operands) if names is not None}
    for label in _candidates(factors, given, axis, set(assigned)):
        taken = dict(assigned) | ({label: axis} if label is not None else {})
        found = _chosen(op, factors, given, taken, kept, grid)
        if found is not None:
            yield found.bytes, label, None
    kind = pending.pop() if factors.is_linear and len(pending) == 1 else None
    if kind in LINEAR:
        found = _chosen(op, factors, given, assigned, {**kept, axis: kind}, grid)
        if found is not None:
            yield found.bytes, None, kind


def _candidates(
    factors: Factors, given: Sequence[Sharding], axis: str, taken: set[str]
) -> Iterator[str | None]:
    """Yield the names of dimensions that an operand's placement suggests for a grid axis, and none."""
    yield None
    names = {
        labels[where]
        for labels, placement in zip(factors.operands, given)
        if labels is not None and (where := placement.where(axis)) is not None
    }
    yield from sorted(name for name in names if name is not None and name not in taken)


def _chosen(
    op: Operation,
    factors: Factors,
    given: Sequence[Sharding],
    assigned: Mapping[str, str],
    kept: Mapping[str, str],
    grid: Grid,
) -> ShardingChoice | None:
    """Return the placements by the grid axes of names; None if sizes are not divided."""
    pending = tuple(sorted(kept.items()))
    operands = [
        Sharding() if labels is None else Sharding(_axes(labels, assigned), pending)
        for labels in factors.operands
    ]
    reduced = {assigned[n]: kind for n, kind in factors.reduced.items() if n in assigned}
    after = tuple(sorted({**kept, **reduced}.items()))
    if reduced.keys() & kept.keys() or len({*reduced.values(), *kept.values()}) > 1:
        return None
    results = [Sharding(_axes(labels, assigned), after) for labels in factors.results]
    total = 0.0
    for value, labels, before, wanted in zip(op.operands, factors.operands, given, operands):
        if labels is not None:
            total += cost(tensor_type(value), before, wanted, grid)
    for result, placement in zip(op.results, results):
        local = placement.local(tensor_type(result), grid)
        if local is None:
            return None
        total += sum(bytes_sent("allreduce", weight(local), grid.axes[a]) for a in reduced)
    total += work(op, factors, assigned, grid) / FLOPS_PER_BYTE
    return (
        None if total == float("inf") else ShardingChoice(operands, results, total, factors.sizes)
    )


def work(op: Operation, factors: Factors, assigned: Mapping[str, str], grid: Grid) -> float:
    """Return about how many operations a rank computes: two for each point of all named dimensions and
    those of the results."""
    sizes: dict[str | int, Dim] = {}
    for value, labels in zip([*op.operands, *op.results], [*factors.operands, *factors.results]):
        if labels is None:
            continue
        is_result = isinstance(value, OpResult) and value.op is op
        for axis, (label, size) in enumerate(zip(labels, shape_of(value))):
            if label is not None or (is_result and value.index == 0):  # pyright: ignore
                sizes[axis if label is None else label] = size
    points = prod(float(evaluated(size, {})) for size in sizes.values() if size is not None)
    return 2 * points / prod(grid.axes[axis] for axis in assigned.values())


def _axes(labels: Labels, assigned: Mapping[str, str]) -> tuple[str | None, ...]:
    return tuple(None if label is None else assigned.get(label) for label in labels)
