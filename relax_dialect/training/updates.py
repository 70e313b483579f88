"""The updates of a training step, each scheduled as soon as the old value of its parameter is dead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import TupleType, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import tuple_type
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import K_BROADCAST
from relax_dialect.training.clipping import Clip
from relax_dialect.training.errors import TrainingError
from relax_dialect.training.optimizers import Numbers, Optimizer
from relax_dialect.training.trees import field, parts, put_together


class Updates:
    """The updates of some weights by an optimizer and its state. The values they share are emitted here,
    before the gradients are computed."""

    def __init__(
        self, builder: BlockBuilder, optimizer: Optimizer, weights: Sequence[Value], state: Value
    ):
        self._builder = builder
        self._optimizer = optimizer
        self._type = tuple_type(each.type for each in weights)
        self._weights = [part for each in weights for part in parts(builder, each)]
        self._whole = {each.value for each in weights if not isinstance(each.type, TupleType)}
        """The weights that are read under no other name."""
        count, *slots = (field(builder, state, i) for i in range(1 + len(optimizer.slots)))
        self._kept = list(zip(*(parts(builder, each) for each in slots))) or [()] * len(
            self._weights
        )
        done = builder.emit(count.astype(f64))
        self._count = builder.emit(count + 1, "steps")
        self._numbers = self._shared(done)

    def _shared(self, done: Value) -> Mapping[Attribute | None, Numbers]:
        """Return the numbers of a step, for every element type of weights."""
        emit, optimizer = self._builder.emit, self._optimizer
        name = type(optimizer).__name__
        with _blaming(f"{name}: lr"):
            rate = emit(optimizer.rate(done), "rate")
        if rate.type != done.type:
            raise TrainingError(
                f"{name}: lr: expected a rate of type {done.type}, as that of the "
                f"steps done is, found {rate.type}; convert it, or take its only element"
            )
        found = optimizer.numbers(rate, emit(done + 1.0))
        if not isinstance(found, Mapping):
            raise TrainingError(
                f"{name}.numbers: expected expressions by name, in a dict, found {found!r}; correct it"
            )
        with _blaming(f"{name}.numbers"):
            wide = {name: emit(number, name) for name, number in found.items()}
        dtypes = dict.fromkeys(w.dtype for w in self._weights)
        return {
            t: wide if t == f64 else {n: emit(v.astype(t), n) for n, v in wide.items()}
            for t in dtypes
        }

    def emit(self, gradients: Value, clip: Clip | None) -> tuple[Value, Value]:
        """Return the new weights and the new state."""
        builder = self._builder
        found: Sequence[Value] = list(parts(builder, gradients))
        if clip is not None:
            found = self._clipped(found, clip)
        rows: list[Sequence[Value]] = []
        moved: list[_Update] = []
        for w, gradient, kept in zip(self._weights, found, self._kept, strict=True):
            with builder.recorded() as made:
                row = self._updated(w, gradient, kept)
            row[0].value.name_hint = w.name
            rows.append(row)
            if w.value in self._whole:
                moved.append(_Update(w.value, gradient.value, row[1:], made))
        _move_up(moved)
        new = [put_together(builder, self._type, iter(column)) for column in zip(*rows)]
        return new[0], builder.emit((self._count, *new[1:]))

    def _updated(self, w: Value, gradient: Value, kept: Sequence[Value]) -> Sequence[Value]:
        """Emit the new value of a parameter, and those of its state."""
        where, emit = f"{type(self._optimizer).__name__}.update", self._builder.emit
        with _blaming(where):
            given = self._optimizer.update(emit, w, gradient, kept, self._numbers[w.dtype])
            row = [emit(each) for each in given] if isinstance(given, tuple | list) else None
        if row is None or [each.type for each in row] != [w.type] * (1 + len(kept)):
            found = repr(given) if row is None else ", ".join(str(each.type) for each in row)
            raise TrainingError(
                f"{where}: expected a tuple of a new parameter and {len(kept)} new values of what is "
                f"kept, of type {w.type}, found {found or 'none'}; correct it"
            )
        return row

    def _clipped(self, gradients: Sequence[Value], clip: Clip) -> Sequence[Value]:
        with _blaming("clip"):
            given = clip(self._builder, gradients)
            found = [self._builder.emit(each) for each in (() if given is None else given)]
        if [each.type for each in found] != [each.type for each in gradients]:
            wanted, types = (", ".join(str(g.type) for g in group) for group in (gradients, found))
            raise TrainingError(
                f"clip: expected as many gradients as it gets, of the same types ({wanted}), found "
                f"{types or 'none'}; correct it"
            )
        return found


@contextmanager
def _blaming(what: str) -> Iterator[None]:
    """Prefix errors of the ops that a part of a step emits with the name of the part."""
    try:
        yield
    except TrainingError:
        raise
    except RelaxError as error:
        raise TrainingError(f"{what}: {error}") from error


@dataclass(frozen=True)
class _Update:
    """The ops of one weight's update."""

    weight: SSAValue
    gradient: SSAValue
    kept: Sequence[Value]
    made: Sequence[Operation]

    def parts(self) -> tuple[list[Operation], list[Operation]]:
        """Return the ops that compute the kept state, and the ops used for the new weight only."""
        wanted = {each.value for each in self.kept}
        kept: list[Operation] = []
        rest: list[Operation] = []
        for op in reversed(self.made):
            is_kept = not wanted.isdisjoint(op.results)
            (kept if is_kept else rest).insert(0, op)
            if is_kept:
                wanted.update(op.operands)
        return kept, rest

    def move(self, number: Mapping[Operation, int]) -> None:
        """Move the ops of the kept state after the gradient, and the new weight after the last use of
        the old one, whose buffer it can then reuse; most optimizers no longer need the gradient for it."""
        if not isinstance(known := self.gradient.owner, Operation):
            return  # it comes from outside: nothing is held any longer at the end
        kept, rest = self.parts()
        looks = [op for op in _users(self.weight, number) if op not in set(self.made)]
        looks = [known, *(_followed(op, number) for op in looks)]
        after, last = _put(kept, known), max(looks, key=number.__getitem__)
        _put(rest, after if last is known else last)


def _move_up(updates: Iterable[_Update]) -> None:
    """Move each update after its gradient and the last use of its weight, so that as few gradients as
    possible are live, and they are still in the caches."""
    updates = [update for update in updates if update.made]
    blocks = {op.parent for update in updates for op in update.made}
    number = {op: i for block in blocks if block is not None for i, op in enumerate(block.ops)}
    for update in updates:
        update.move(number)


def _put(ops: Iterable[Operation], after: Operation) -> Operation:
    """Move ops after another one; returns the last of them."""
    for op in ops:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.after(after))
        after = op
    return after


def _followed(op: Operation, number: Mapping[Operation, int]) -> Operation:
    """Return the last elementwise operator of the single-use chain that begins at an op. The chain may
    become one kernel, which runs at the position of its last op."""
    while len(op.results) == 1 and len(users := list(_users(op.results[0], number))) == 1:
        (user,) = users
        if user.parent is not op.parent or not isinstance(user, OperatorOp):
            break
        if user.PATTERN_KIND > K_BROADCAST:
            break
        op = user
    return op


def _users(value: SSAValue, number: Mapping[Operation, int]) -> Iterable[Operation]:
    """Yield the ops of the function's own block that look at a value, or hold ops that do."""
    for use in value.uses:
        op: Operation | None = use.operation
        while op is not None and op not in number:
            op = op.parent_op()
        if op is not None:
            yield op
