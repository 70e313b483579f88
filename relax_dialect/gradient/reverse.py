"""Reverse mode over a sequence of ops: forward again with the values that the adjoint needs, then back.

```mlir
%y = relax.exp %x                      %y = relax.exp %x
%z = relax.multiply %y, %w      ->     %z = relax.multiply %y, %w
                                       %gw = relax.multiply %gz, %y
                                       %gy = relax.multiply %gz, %w
                                       %gx = relax.multiply %gy, %y
```

The rule of what is kept: the values of straight ops are. Of a branch, a turn of a loop and a call just
what goes in is kept, and the adjoint computes its inside anew before it goes back through it. So an op
inside of d branches, loops and calls is computed d + 1 times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.gradient import control
from relax_dialect.gradient.cotangents import Cotangents, Path, field, is_differentiable, leaves
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, Rule, expansion_of, reason_without, rule_of
from relax_dialect.gradient.sequences import captured, statements, terminator
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import MatchCastOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.loops import WhileOp


class Adjoints(Protocol):
    """Where the adjoints of functions are found, or asked for."""

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """The name of the function that gives the gradients of some parameters of another: its parameters
        are those of the function, then a cotangent for each tensor of floats in the result."""
        ...


class Reverse:
    """A sequence of the program, differentiated in the innermost open region of a builder."""

    def __init__(
        self,
        builder: BlockBuilder,
        adjoints: Adjoints,
        values: dict[SSAValue, Value],
        varied: Iterable[SSAValue],
    ):
        self.builder = builder
        self.adjoints = adjoints
        self.values = values
        """The values of the program, where the adjoint is computed."""
        self.varied = set(varied)
        """Those that depend on what is differentiated by."""
        self.cotangents = Cotangents(builder)
        self.terminator = terminator
        self.tapes: dict[Operation, Any] = {}
        """What was kept of each loop, turn by turn."""

    # Forward ---------------------------------------------------------------------------------

    def forward(self, block: Block) -> None:
        """Compute the ops of a block but its terminator."""
        for op_ in statements(block):
            if isinstance(op_, BlockOp):
                self.forward(op_.body.block)
                for result, value in zip(op_.results, op_.output.values):
                    self.define(result, self.values[value])
                    if value in self.varied:
                        self.varied.add(result)
                continue
            if isinstance(op_, WhileOp) and self.depends(op_):
                control.forward_loop(self, op_)
            else:
                self.copy(op_)
            if self.depends(op_):
                self.varied.update(r for r in op_.results if is_differentiable(r.type))

    def define(self, value: SSAValue, found: Value) -> None:
        self.values[value] = found

    def copy(self, op_: Operation) -> None:
        copy = op_.clone({old: new.value for old, new in self.values.items()})
        self.builder.emit(copy)
        for old, new in zip(op_.results, copy.results):
            new.name_hint = old.name_hint
            self.define(old, Value(new))

    def depends(self, op_: Operation) -> bool:
        return any(v in self.varied for v in captured(op_))

    # Backward --------------------------------------------------------------------------------

    def backward(self, block: Block) -> None:
        """Go back through the ops of a block, with cotangents of what it gives."""
        self.back_over(statements(block))

    def back_over(self, ops: Sequence[Operation]) -> None:
        """Go back through ops."""
        for op_ in reversed(ops):
            if isinstance(op_, BlockOp):
                for result, value in zip(op_.results, op_.output.values):
                    for path, found in self.cotangents.take(result).items():
                        self.add(value, path, found)
                self.backward(op_.body.block)
                continue
            given = [self.cotangents.take(r) for r in op_.results]
            if any(given):
                self._back_through(op_, given)

    def add(self, value: SSAValue, path: Path, found: Any) -> None:
        """Add to the cotangent of a tensor, if it depends on what is differentiated by."""
        if value in self.varied and found is not None:
            self.cotangents.add(value, path, field(self.values[value], path), found)

    def _back_through(self, op_: Operation, given: Sequence[dict[Path, Value]]) -> None:
        match op_:
            case TupleOp():
                for path, found in given[0].items():
                    self.add(op_.operands[path[0]], path[1:], found)
            case TupleGetItemOp():
                for path, found in given[0].items():
                    self.add(op_.operands[0], (op_.index, *path), found)
            case MatchCastOp():
                for path, found in given[0].items():
                    self.add(op_.operands[0], path, found)
            case IfOp():
                control.back_through_if(self, op_, given[0])
            case WhileOp():
                control.back_through_loop(self, op_, given)
            case CallOp():
                control.back_through_call(self, op_, given[0])
            case _:
                self._back_through_operator(op_, given)

    def _back_through_operator(self, op_: Operation, given: Sequence[dict[Path, Value]]) -> None:
        expansion = expansion_of(type(op_))
        if expansion is not None:
            self._back_through_expansion(op_, expansion, given)
            return
        rule = rule_of(type(op_))
        if rule is None:
            if reason_without(type(op_)) is not None:
                return
            raise GradientError(
                f"{op_.name}: expected an operator with an adjoint on the way from the target to the "
                f"result, found none; register one with relax_dialect.gradient.adjoint({type(op_).__name__}), "
                "or compute the value apart and pass it in"
            )
        cotangents = [
            self.materialized(r, found).get((), None) for r, found in zip(op_.results, given)
        ]
        gradients = rule(self._applied(op_), *cotangents)
        if not isinstance(gradients, tuple | list):
            gradients = (gradients,)
        for operand, found in zip(op_.operands, gradients):
            self.add(operand, (), found)

    def _applied(self, op_: Operation) -> Applied:
        """An operator for its rule."""
        return Applied(
            op_,
            [self.values[v] for v in op_.operands],
            [self.values[r] for r in op_.results],
            [v in self.varied for v in op_.operands],
        )

    def _back_through_expansion(
        self, op_: Operation, expansion: Rule, given: Sequence[dict[Path, Value]]
    ) -> None:
        """Compute what an operator is composed of, and go back through that."""
        inner = self.inside({})
        inner.cotangents = self.cotangents
        inner.values.update({new.value: new for new in self._applied(op_).inputs})
        inner.varied.update(
            self.values[v].value for v in op_.operands if v in self.varied
        )
        with self.builder.recorded() as placed:
            found = self.builder.emit(expansion(self._applied(op_)))
        for each in placed:
            inner.values.update({r: Value(r) for r in each.results})
            if inner.depends(each):
                inner.varied.update(r for r in each.results if is_differentiable(r.type))
        results = found if isinstance(found, tuple) else (found,)
        for result, cotangent in zip(results, given):
            for path, value in cotangent.items():
                inner.add(result.value, path, value)
        inner.back_over(placed)
        for operand in dict.fromkeys(op_.operands):
            new = self.values[operand].value
            if new is not operand:
                for path, value in self.cotangents.take(new).items():
                    self.add(operand, path, value)

    def materialized(self, value: SSAValue, found: dict[Path, Value]) -> dict[Path, Value]:
        """The cotangents of all tensors in a value, with zeros for those that are missing."""
        return {
            path: found[path]
            if path in found
            else self.builder.emit(op.zeros_like(field(self.values[value], path)))
            for path, _ in leaves(value.type)
        }

    def inside(self, arguments: dict[SSAValue, Value], varied: Iterable[SSAValue] = ()) -> Reverse:
        """The same for a region inside, whose arguments have some values."""
        values = {**self.values, **arguments}
        return Reverse(self.builder, self.adjoints, values, {*self.varied, *varied})

    def total(self, value: SSAValue, path: Path) -> Value:
        found = self.cotangents.of(value)
        if path in found:
            return found[path]
        return self.builder.emit(op.zeros_like(field(self.values[value], path)))
