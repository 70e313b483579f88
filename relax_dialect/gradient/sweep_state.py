"""The state shared by the forward and the backward pass: values, activity, cotangents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, overload

from xdsl.ir import Block, Operation, OpResult, SSAValue

from relax_dialect import symbolic
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.adjoint_provider import Adjoints
from relax_dialect.gradient.cotangents import (
    Cotangents,
    Path,
    field,
    is_differentiable,
    leaves,
    tensor_at,
)
from relax_dialect.gradient.free_values import Captures, statements
from relax_dialect.gradient.through_loops.append_detection import appending
from relax_dialect.gradient.through_loops.tapes import Tape
from relax_dialect.ir.symbol_scopes import candidate_symbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.loops import WhileOp


class Sweep(ABC):
    """A sweep over a function, computed in the innermost open region of a builder: first from start to
    end, then values are recomputed where needed."""

    def __init__(self, builder: BlockBuilder, adjoints: Adjoints):
        self.builder = builder
        self.adjoints = adjoints
        self.captured = Captures()
        self.varied: set[SSAValue] = set()
        """The differentiable values of the program that depend on the targets."""
        self.cotangents = Cotangents(builder)
        """The cotangents found in the innermost region."""
        self.intermediate: dict[SSAValue, Mapping[Path, Value]] = {}
        """The cotangents of intermediate values that are differentiated by."""
        self.tapes: dict[WhileOp, Tape] = {}
        """The tapes of the loops of the innermost region."""
        self.recorded: list[WhileOp] = []
        """The loops that keep something."""
        self.kept: dict[CallOp, Sequence[Value]] = {}
        """The values kept by the calls of the innermost region."""
        self.keeping: list[tuple[CallOp, CallOp, bool]] = []
        """The calls that return kept values, the calls that they replace, and whether they are the
        first."""
        self.keeps = True
        """Whether computed values are differentiated later, so that loops keep their states."""
        self._values: dict[SSAValue, Value] = {}
        self._computed: list[SSAValue] = []

    @contextmanager
    def region(
        self, values: Sequence[SSAValue] = (), known: Sequence[Value] = ()
    ) -> Iterator[None]:
        """Open an inner region with known values of the program; it has separate cotangents, and the
        values computed in it are not visible outside."""
        outer = self._computed, self.cotangents, self.tapes, self.kept
        self._computed, self.cotangents, self.tapes, self.kept = (
            [],
            Cotangents(self.builder),
            {},
            {},
        )
        try:
            self.know(values, known)
            yield
        finally:
            for value in self._computed:
                del self._values[value]
            self._computed, self.cotangents, self.tapes, self.kept = outer

    # Values ----------------------------------------------------------------------------------

    def know(self, values: Sequence[SSAValue], computed: Sequence[Value]) -> None:
        """Record the values of the program that are known in this region."""
        new = {v: c for v, c in zip(values, computed) if v not in self._values}
        self._values.update(new)
        self._computed.extend(new)

    def is_known(self, value: SSAValue) -> bool:
        """Return whether a value of the program is computed already."""
        return value in self._values

    def value(self, wanted: SSAValue) -> Value:
        """Return a value of the program; it is computed here, with its operands, unless it is known."""
        if wanted not in self._values:
            assert isinstance(wanted, OpResult)
            pending: list[Operation] = [wanted.op]
            while pending:
                if wanted in self._values:
                    break
                missing = [v for v in self.captured(pending[-1]) if v not in self._values]
                for each in reversed(missing):
                    assert isinstance(each, OpResult)
                    pending.append(each.op)
                if missing:
                    continue
                if (operation := pending.pop()).results[0] not in self._values:
                    self.compute(operation)
        return self._values[wanted]

    def define_symbols(self, block: Block) -> None:
        """Compute the definitions of symbolic variables in a block: any op may refer to them, except for
        those in append-only state."""
        unread = appending(block)
        for operation in statements(block):
            if candidate_symbols(operation) and operation not in unread:
                self.value(operation.results[0])

    @abstractmethod
    def compute(self, operation: Operation, *, first: bool = False) -> None:
        """Compute an op from known values. Its effects occur only if it is computed first."""

    @abstractmethod
    def back(self, block: Block) -> None:
        """Go back through the ops of a block, with the cotangents of its results."""

    def copy(self, operation: Operation, *, first: bool = False) -> None:
        """Compute an op as it is."""
        copy = operation.clone({v: self._values[v].value for v in self.captured(operation)})
        if not first:
            self.adjoints.silence(copy)
        self.builder.emit(copy)
        for old, new in zip(operation.results, copy.results):
            new.name_hint = old.name_hint
        self.know(operation.results, [Value(r) for r in copy.results])

    def once_more(
        self,
        block: Block,
        arguments: Mapping[int, Value],
        wanted: Iterable[SSAValue],
        *,
        first: bool,
    ) -> list[Value]:
        """Compute some values of a region of a loop from its arguments. Nothing in it is kept."""
        outer, self.keeps = self.keeps, False
        with self.region([block.args[i] for i in arguments], [*arguments.values()]):
            if first:
                for operation in statements(block):
                    self.copy(operation, first=True)
            else:
                self.define_symbols(block)
            found = [self.value(each) for each in wanted]
        self.keeps = outer
        return found

    def fresh(self, name: str) -> str:
        """Return a fresh symbolic variable."""
        return self.adjoints.fresh_size(name)

    def named(self, value: Value, axis: int) -> Value:
        """Return a tensor whose size along an axis has a name."""
        assert isinstance(value.type, TensorType) and value.type.shape is not None
        sizes = list(value.type.shape)
        sizes[axis] = symbolic.var(self.fresh("rows"))
        return self.builder.match_cast(value, TensorType(sizes, value.type.dtype))

    def lacks_names(self, value: Value) -> bool:
        """Return whether a value is a tensor of known rank with sizes that are not known."""
        type = value.type
        return isinstance(type, TensorType) and type.shape is not None and None in type.shape

    def with_names(self, value: Value) -> Value:
        """Return a value; if it is a tensor of known rank its sizes all have names."""
        if not self.lacks_names(value):
            return value
        assert isinstance(value.type, TensorType) and value.type.shape is not None
        sizes = [self.fresh("size") if size is None else size for size in value.type.shape]
        return self.builder.match_cast(value, TensorType(sizes, value.type.dtype))

    def note_recorded(self, results: Sequence[Value]) -> None:
        """Add an emitted loop, identified by its results, to the loops that keep values."""
        loop = results[0].value.owner
        assert isinstance(loop, WhileOp)
        self.recorded.append(loop)

    # Activity analysis -----------------------------------------------------------------------

    def vary(self, values: Sequence[SSAValue]) -> None:
        """Record values that depend on the targets, if they are differentiable."""
        self.varied.update(v for v in values if is_differentiable(v.type))

    def depends(self, operation: Operation) -> bool:
        """Return whether an op, or one inside it, uses a value that depends on the targets."""
        return any(v in self.varied for v in self.captured(operation))

    def wanted(self, call: CallOp) -> tuple[int, ...]:
        """Return the numbers of the arguments of a call that its gradients are for."""
        return tuple(i for i, v in enumerate(call.operands) if v in self.varied)

    # Cotangents ------------------------------------------------------------------------------

    def keep(self, values: Iterable[SSAValue]) -> None:
        """Keep the cotangents of intermediate values."""
        self.intermediate.update((value, {}) for value in values)

    def take(self, result: SSAValue) -> dict[Path, Value]:
        """The cotangents of the result of an op, which nothing adds to any more."""
        found = self.cotangents.take(result)
        if result in self.intermediate:
            self.intermediate[result] = found
        return found

    def add(self, value: SSAValue, path: Path, found: Any, *, same_shape: bool = False) -> None:
        """Add to the cotangent of a tensor in a value, if the value depends on the targets."""
        if value in self.varied and found is not None:
            like = None if same_shape else lambda: field(self.value(value), path)
            self.cotangents.add(value, path, like, found)

    def add_all(
        self,
        value: SSAValue,
        path: Path,
        found: Mapping[Path, Value],
        *,
        same_shape: bool = False,
    ) -> None:
        """Add to the cotangents of the tensors at a path in a value."""
        for rest, cotangent in found.items():
            self.add(value, (*path, *rest), cotangent, same_shape=same_shape)

    def total(self, value: SSAValue, path: Path) -> Value:
        """The cotangent of a tensor in a value, zeros where nothing was added to it."""
        found = self.intermediate.get(value) or self.cotangents.of(value)
        return self.every(value, found, [path])[path]

    def every(
        self, value: SSAValue, found: Mapping[Path, Value], paths: Sequence[Path] | None = None
    ) -> dict[Path, Value]:
        """Return the cotangents of tensors in a value, by default of all; zeros if none was added."""
        wanted = [path for path, _ in leaves(value.type)] if paths is None else paths
        return {path: found[path] if path in found else self._zeros(value, path) for path in wanted}

    def _zeros(self, value: SSAValue, path: Path) -> Value:
        type = tensor_at(value.type, path)
        if value in self._values or type.shape is None or None in type.shape or type.dtype is None:
            return self.builder.emit(op.zeros_like(field(self.value(value), path)))
        return self.builder.emit(op.zeros(type.shape, type.dtype))


class Computed(Sequence[Value]):
    """Values of the program, each computed on demand."""

    def __init__(self, sweep: Sweep, values: Sequence[SSAValue]):
        self._sweep = sweep
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> Value: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Value]: ...

    def __getitem__(self, index: int | slice) -> Value | Sequence[Value]:
        if isinstance(index, slice):
            return [self._sweep.value(v) for v in self._values[index]]
        return self._sweep.value(self._values[index])
