"""Reverse mode over a sequence of ops: forward with the values that the adjoint needs, then back.

```mlir
%y = relax.exp %x                      %y = relax.exp %x
%z = relax.multiply %y, %w      ->     %z = relax.multiply %y, %w
                                       %gy = relax.multiply %gz, %w
                                       %gw = relax.multiply %gz, %y
                                       %gx = relax.multiply %gy, %y
```

The rule of what is kept: the values of straight ops are. Of a branch, a turn of a loop and a call only
what goes in is kept, and the adjoint computes its inside anew before it goes back through it. So an op
inside of d branches, loops and calls is computed d + 1 times.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient import control
from relax_dialect.gradient.cotangents import Cotangents, Path, field, is_differentiable, leaves
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, Rule, expansion_of, reason_without, rule_of
from relax_dialect.gradient.sequences import captured, statements, terminator
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import MatchCastOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.effects import EffectOp
from relax_dialect.ops.loops import WhileOp


class Adjoints(Protocol):
    """Where the adjoints of functions are found, or asked for."""

    sizes: int
    """How many symbolic variables of our own there are."""

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """The function that gives the gradients of some parameters of another. Its parameters are those of
        the other one, then a cotangent for each tensor of floats in the result."""
        ...


class Reverse:
    """A region of the program, differentiated in the innermost open region of a builder."""

    def __init__(self, builder: BlockBuilder, adjoints: Adjoints):
        self.builder = builder
        self.adjoints = adjoints
        self.values: ChainMap[SSAValue, Value] = ChainMap()
        """The values of the program, as they are computed here."""
        self.varied: ChainMap[SSAValue, None] = ChainMap()
        """Those that depend on what is differentiated by."""
        self.cotangents = Cotangents(builder)
        self.tapes: dict[WhileOp, control.Tape] = {}
        """What was kept of each loop."""
        self.is_again = False
        """Whether it was computed before: then effects are left out."""

    def inside(self, arguments: Mapping[SSAValue, Value] = {}) -> Reverse:
        """The same for a region inside, computed once more, whose arguments have some values."""
        inner = Reverse(self.builder, self.adjoints)
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

    # Forward ---------------------------------------------------------------------------------

    def forward(self, block: Block) -> Sequence[SSAValue]:
        """Compute the ops of a block; gives the values that its terminator has in the program."""
        for operation in statements(block):
            if isinstance(operation, BlockOp):
                passed = self.forward(operation.body.block)
                for result, value in zip(operation.results, passed):
                    self.values[result] = self.values[value]
                self.vary(r for r, v in zip(operation.results, passed) if v in self.varied)
            elif not (self.is_again and isinstance(operation, EffectOp)):
                depends = self.depends(operation)
                if depends and isinstance(operation, WhileOp):
                    control.forward_loop(self, operation)
                else:
                    self._copy(operation)
                if depends:
                    self.vary(operation.results)
        return terminator(block).operands

    def _copy(self, operation: Operation) -> None:
        copy = operation.clone({v: self.values[v].value for v in captured(operation)})
        self.builder.emit(copy)
        for old, new in zip(operation.results, copy.results):
            new.name_hint = old.name_hint
            self.values[old] = Value(new)

    # Back ------------------------------------------------------------------------------------

    def back(self, block: Block) -> None:
        """Go back through the ops of a block, with the cotangents of what it gives."""
        self._back_over(statements(block))

    def _back_over(self, operations: Sequence[Operation]) -> None:
        for operation in reversed(operations):
            given = [self.cotangents.take(r) for r in operation.results]
            if isinstance(operation, BlockOp):
                for value, found in zip(operation.output.values, given):
                    self.add_all(value, (), found)
                self.back(operation.body.block)
            elif any(given):
                with self.builder.recorded() as made:
                    self._back_through(operation, given)
                inherit(made, operation.location)

    def _back_through(self, operation: Operation, given: Sequence[dict[Path, Value]]) -> None:
        match operation:
            case TupleOp():
                for (index, *rest), found in given[0].items():
                    self.add(operation.operands[index], tuple(rest), found)
            case TupleGetItemOp():
                self.add_all(operation.operands[0], (operation.index,), given[0])
            case MatchCastOp():
                self.add_all(operation.operands[0], (), given[0])
            case IfOp():
                control.back_through_if(self, operation, given[0])
            case WhileOp():
                control.back_through_loop(self, operation, given)
            case CallOp():
                control.back_through_call(self, operation, given[0])
            case _:
                self._back_through_operator(operation, given)

    def _back_through_operator(
        self, operation: Operation, given: Sequence[dict[Path, Value]]
    ) -> None:
        applied = Applied(
            operation,
            [self.values[v] for v in operation.operands],
            [self.values[r] for r in operation.results],
        )
        if (expansion := expansion_of(type(operation))) is not None:
            self._back_through_expansion(applied, expansion, given)
        elif (rule := rule_of(type(operation))) is not None:
            cotangents = [
                self.every(result, found).get(()) for result, found in zip(operation.results, given)
            ]
            found = rule(applied, *cotangents)
            gradients = found if isinstance(found, tuple | list) else (found,)
            for operand, gradient in zip(operation.operands, gradients):
                self.add(operand, (), gradient)
        elif reason_without(type(operation)) is None:
            raise GradientError(
                f"{describe(operation)}: expected an operator with an adjoint between the targets and the "
                "result, found none; register one with relax_dialect.gradient.adjoint"
                f"({type(operation).__name__}), or pass what it computes in as a parameter"
            )

    def _back_through_expansion(
        self, applied: Applied, expansion: Rule, given: Sequence[dict[Path, Value]]
    ) -> None:
        """Compute what an operator is composed of, and go back through that."""
        operands = dict.fromkeys(applied.op.operands)
        own = {self.values[v].value: v for v in operands}
        inner = self.inside({new: Value(new) for new in own})
        inner.vary(new for new, old in own.items() if old in self.varied)
        with self.builder.recorded() as made:
            composed = expansion(applied)
            parts = composed if isinstance(composed, tuple) else (composed,)
            results = [self.builder.operand(part) for part in parts]
        for each in made:
            inner.values.update({r: Value(r) for r in each.results})
            if inner.depends(each):
                inner.vary(each.results)
        for result, cotangents in zip(results, given):
            inner.add_all(result, (), cotangents)
        inner._back_over(made)
        for new, old in own.items():
            self.add_all(old, (), inner.cotangents.take(new))

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
