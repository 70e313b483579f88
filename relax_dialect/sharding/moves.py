"""Parts of tensors moved between ranks: from one placement to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from xdsl.ir import Operation

from relax_dialect import symbolic
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.memory import byte_count
from relax_dialect.sharding.cost import Kind, Move, bytes_sent, weight
from relax_dialect.sharding.value_sharding import Grid, Sharding


@dataclass(frozen=True)
class ReshardingStep:
    """A change of a placement along one grid axis; a slice moves nothing."""

    kind: Kind | Literal["slice"]
    axis: str
    before: Sharding
    after: Sharding

    @property
    def reduction(self) -> str:
        """The reduction that is pending before."""
        return self.before.pending(self.axis) or "sum"


def steps(before: Sharding, after: Sharding, grid: Grid) -> Iterator[ReshardingStep]:
    """Yield the changes from one placement to another: reductions first, of parts, and slices last."""
    waiting: list[tuple[str, int]] = []
    for axis in sorted(grid.axes, key=lambda axis: before.pending(axis) is None):
        old, new = before.where(axis), after.where(axis)
        is_pending = before.pending(axis) is not None
        if old == new and (not is_pending or after.pending(axis) is not None):
            continue
        if new is not None and not is_pending and old is None:
            waiting.append((axis, new))
            continue
        blocked = new is not None and before.dims[new] not in (None, axis)
        first = None if blocked or new is None else new
        moved = before.moved(axis, first)
        yield ReshardingStep(_kind(is_pending, old, first), axis, before, moved)
        before = moved
        if blocked and new is not None:
            waiting.append((axis, new))
    for axis, dimension in waiting:
        moved = before.moved(axis, dimension)
        yield ReshardingStep("slice", axis, before, moved)
        before = moved


def _kind(is_pending: bool, old: int | None, new: int | None) -> Kind:
    if is_pending:
        return "allreduce" if new is None else "reduce_scatter"
    return "allgather" if new is None else "all_to_all"


def cost(type: TensorType, before: Sharding, after: Sharding, grid: Grid) -> float:
    """Return the bytes that a rank sends to change the placement of a tensor; infinite if its sizes are
    not divided."""
    total = 0.0
    for step in steps(before, after, grid):
        sides = [p.local(type, grid) for p in (step.before, step.after)]
        if None in sides:
            return float("inf")
        size = max(weight(side) for side in sides if side is not None)
        total += 0 if step.kind == "slice" else bytes_sent(step.kind, size, grid.axes[step.axis])
    return total


@dataclass
class Mover:
    """Emits the ops that change placements, and records them."""

    builder: BlockBuilder
    grid: Grid
    moves: list[Move] = field(default_factory=list[Move])
    _ranks: dict[str, symbolic.Expr] = field(default_factory=dict[str, symbolic.Expr])

    def moved(self, value: Value, before: Sharding, after: Sharding) -> Value:
        """Return the part of a value that another placement gives this rank."""
        for step in steps(before, after, self.grid):
            value = self._step(value, step)
        return value

    def _step(self, value: Value, step: ReshardingStep) -> Value:
        axis, arguments = step.axis, self.grid.arguments(step.axis)
        ranks, old, new = self.grid.axes[axis], step.before.where(axis), step.after.where(axis)
        if step.kind == "slice":
            return self._sliced(value, axis, new)
        made: dict[Kind, Callable[[], Any]] = {
            "allreduce": lambda: op.ccl.allreduce(value, step.reduction, **arguments),
            "reduce_scatter": lambda: op.ccl.reduce_scatter(
                value, ranks, step.reduction, axis=new or 0, **arguments
            ),
            "allgather": lambda: op.ccl.allgather(value, ranks, axis=old or 0, **arguments),
            "all_to_all": lambda: op.ccl.all_to_all(value, ranks, new or 0, old or 0, **arguments),
        }
        found = made[step.kind]()
        result = self.builder.emit(found, value.value.name_hint)
        self.record(step.kind, axis, value, result)
        return result

    def record(self, kind: Kind, axis: str, before: Value, after: Value) -> None:
        """Record a collective, with the bytes of the larger of its operand and result."""
        larger = before if kind == "reduce_scatter" else after
        assert isinstance(larger.type, TensorType)
        self.moves.append(Move(kind, axis, byte_count(larger.type), _name(before)))

    def _sliced(self, value: Value, axis: str, dimension: int | None) -> Value:
        """Return the part of this rank of a value that it has whole."""
        assert dimension is not None and value.shape is not None
        whole = value.shape[dimension]
        assert whole is not None
        size = symbolic.exact_quotient(whole, symbolic.const(self.grid.axes[axis]))
        assert size is not None
        start = self.rank(axis) * size
        found = op.strided_slice(value, [dimension], [start], [start + size], assume_inbound=True)
        return self.builder.emit(found, value.value.name_hint)

    def rank(self, axis: str) -> symbolic.Expr:
        """Return the number of this rank along a grid axis."""
        if axis not in self._ranks:
            name = f"{axis}_rank"
            while name in self.builder.defined_variables:
                name += "_"
            number = self.builder.emit(op.ccl.rank(**self.grid.arguments(axis)), axis)
            self.builder.match_shape(number, [name])
            self._ranks[axis] = symbolic.var(name)
        return self._ranks[axis]


def _name(value: Value) -> str:
    """Return a value as the report names it: its name, or that of its op."""
    owner = value.value.owner
    return value.value.name_hint or (owner.name if isinstance(owner, Operation) else "a parameter")
