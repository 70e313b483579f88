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

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.gradient import control, tensor_programs
from relax_dialect.gradient.cotangents import Path, is_opaque
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import (
    Applied,
    Rule,
    expansion_of,
    reason_without,
    rule_of,
)
from relax_dialect.gradient.sequences import captured, statements, terminator
from relax_dialect.gradient.sweep import Sweep
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ops.calls import CallOp, TirCallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import MatchCastOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.effects import EffectOp
from relax_dialect.ops.loops import WhileOp


class Reverse(Sweep):
    """Reverse mode over a region of the program."""

    # Forward ---------------------------------------------------------------------------------

    def forward(self, block: Block) -> Sequence[SSAValue]:
        for operation in statements(block):
            if not (self.is_again and isinstance(operation, EffectOp)):
                depends = self.depends(operation)
                if depends and isinstance(operation, WhileOp):
                    control.forward_loop(self, operation)
                else:
                    self._copy(operation)
                if depends:
                    _refuse_opaque(operation)
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
        self._back_over(statements(block))

    def _back_over(self, operations: Sequence[Operation]) -> None:
        for operation in reversed(operations):
            given = [self.cotangents.take(r) for r in operation.results]
            if any(given):
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
            case TirCallOp():
                tensor_programs.back_through_call_tir(self, operation, given)
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
            tensor_programs.back_through_definition(self, operation, given)

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


def _refuse_opaque(operation: Operation) -> None:
    """Refuse function values and objects made of what is differentiated: gradients would be lost."""
    for type in operation.result_types:
        if is_opaque(type):
            raise GradientError(
                f"{describe(operation)}: expected tensors between the targets and the result, "
                f"found {type}; remove function values by relax-lambda-lift and relax-defunctionalize, "
                "or pass the object in as a parameter"
            )
