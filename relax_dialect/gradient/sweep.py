"""What the ways forward and back through a region share: values, what varies, cotangents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Cotangents, Path, field, is_differentiable, leaves
from relax_dialect.gradient.sequences import captured
from relax_dialect.ops.loops import WhileOp


class Adjoints(Protocol):
    """Where the adjoints of functions are found, or asked for."""

    sizes: int
    """How many symbolic variables of our own there are."""

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """The function that gives the gradients of some parameters of another. Its parameters are those of
        the other one, then a cotangent for each tensor of floats in the result."""
        ...

    def prim_func(self, name: str) -> func.FuncOp:
        """The prim func that a call names."""
        ...


@dataclass
class Tape:
    """What a loop leaves for the way back."""

    turns: Value
    """How many turns it took, an i64."""
    states: dict[int, Value]
    """The values of parts of the state at the start of every turn, along a new first axis."""


class Sweep(ABC):
    """A region of the program, computed in the innermost open region of a builder."""

    def __init__(self, builder: BlockBuilder, adjoints: Adjoints):
        self.builder = builder
        self.adjoints = adjoints
        self.values: ChainMap[SSAValue, Value] = ChainMap()
        """The values of the program, as they are computed here."""
        self.varied: ChainMap[SSAValue, None] = ChainMap()
        """Those that depend on what is differentiated by."""
        self.cotangents = Cotangents(builder)
        self.tapes: dict[WhileOp, Tape] = {}
        """What was kept of each loop."""
        self.is_again = False
        """Whether it was computed before: then effects are left out."""

    def inside(self, arguments: Mapping[SSAValue, Value] = {}) -> Self:
        """The same for a region inside, computed once more, whose arguments have some values."""
        inner = type(self)(self.builder, self.adjoints)
        inner.values = self.values.new_child(dict(arguments))
        inner.varied = self.varied.new_child()
        inner.is_again = True
        return inner

    def vary(self, values: Iterable[SSAValue]) -> None:
        """Note values that depend on what is differentiated by, as far as they have gradients."""
        self.varied.update(dict.fromkeys(v for v in values if is_differentiable(v.type)))

    def depends(self, operation: Operation) -> bool:
        """Whether an op, or one inside it, uses what depends on what is differentiated by."""
        return any(v in self.varied for v in captured(operation))

    @abstractmethod
    def forward(self, block: Block) -> Sequence[SSAValue]:
        """Compute the ops of a block; gives the values that its terminator has in the program."""

    @abstractmethod
    def back(self, block: Block) -> None:
        """Go back through the ops of a block, with the cotangents of what it gives."""

    # Cotangents ------------------------------------------------------------------------------

    def add(self, value: SSAValue, path: Path, found: Any) -> None:
        """Add to the cotangent of a tensor in a value, if that depends on what is differentiated by."""
        if value in self.varied and found is not None:
            self.cotangents.add(value, path, field(self.values[value], path), found)

    def add_all(self, value: SSAValue, path: Path, found: Mapping[Path, Value]) -> None:
        """Add to the cotangents of the tensors at a place of a value."""
        for rest, cotangent in found.items():
            self.add(value, (*path, *rest), cotangent)

    def total(self, value: SSAValue, path: Path) -> Value:
        """The cotangent of a tensor in a value, zeros where nothing was added to it."""
        return self.every(value, self.cotangents.of(value), [path])[path]

    def every(
        self, value: SSAValue, found: Mapping[Path, Value], paths: Sequence[Path] | None = None
    ) -> dict[Path, Value]:
        """The cotangents of tensors in a value, all unless some are named; zeros where none was found."""
        wanted = [path for path, _ in leaves(value.type)] if paths is None else paths
        return {
            path: found[path]
            if path in found
            else self.builder.emit(op.zeros_like(field(self.values[value], path)))
            for path in wanted
        }
