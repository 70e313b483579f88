"""Reverse mode over a sequence of ops: forward with the values that the adjoint needs, then back.

```mlir
%y = relax.exp %x                      %y = relax.exp %x
%z = relax.multiply %y, %w      ->     %z = relax.multiply %y, %w
                                       %gy = relax.multiply %gz, %w
                                       %gw = relax.multiply %gz, %y
                                       %gx = relax.multiply %gy, %y
```

The values of straight-line ops are kept, including those in callees (`forms`). For a branch, a segment of a
loop, and a call of a checkpoint or of a recursive function, only the operands are kept, and the backward
pass recomputes the values that it needs. While it goes back through the iterations of a segment, or through
a function with a single recursive call (`recursion`), it keeps their state, and for a segment the values
expensive to compute (`loop_tape`). So an op inside of b branches and checkpoints and l loops is computed at
most b + 2 * l + 1 times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.ir import Block, Operation

from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import control, tensor_programs
from relax_dialect.gradient.cotangents import (
    CotangentError,
    Path,
    is_differentiable,
    is_opaque,
    tensors,
)
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.free_values import statements
from relax_dialect.gradient.registry import (
    Applied,
    Rule,
    expansion_of,
    reason_without,
    rule_of,
)
from relax_dialect.gradient.sweep_state import Computed, Sweep
from relax_dialect.gradient.through_loops import loops
from relax_dialect.ir.order import describe
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.calls import CallOp, TirCallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import TupleGetItemOp, TupleOp
from relax_dialect.ops.loops import WhileOp


class Reverse(Sweep):
    """Reverse mode over a function."""

    # Forward ---------------------------------------------------------------------------------

    def trace(self, block: Block) -> None:
        """Find the values that depend on varied values, in a block and in the regions of its ops."""
        for operation in statements(block):
            if not self.depends(operation):
                continue
            _refuse_opaque(operation)
            self.vary(operation.results)
            for inner in blocks_of(operation):
                self.vary(inner.args)
                self.trace(inner)

    def forward(self, block: Block) -> None:
        """Compute all ops of a block, for the first time."""
        for operation in statements(block):
            self.compute(operation, first=True)

    def compute(self, operation: Operation, *, first: bool = False) -> None:
        keeps = self.keeps and self.depends(operation)
        if keeps and isinstance(operation, WhileOp):
            loops.forward_loop(self, operation, first=first)
        elif not (
            keeps
            and isinstance(operation, CallOp)
            and control.forward_call(self, operation, first=first)
        ):
            self.copy(operation, first=first)

    # Back ------------------------------------------------------------------------------------

    def back(self, block: Block) -> None:
        self._back_over(statements(block))

    def _back_over(self, operations: Sequence[Operation]) -> None:
        for operation in reversed(operations):
            given = [self.take(r) for r in operation.results]
            if any(given) and self.depends(operation):
                with self.builder.at(operation.location):
                    self._back_through(operation, given)

    def _back_through(self, operation: Operation, given: Sequence[dict[Path, Value]]) -> None:
        match operation:
            case TupleOp():
                for (index, *rest), found in given[0].items():
                    self.add(operation.operands[index], tuple(rest), found)
            case TupleGetItemOp():
                self.add_all(operation.operands[0], (operation.index,), given[0])
            case MatchOp():
                self.add_all(operation.operands[0], (), given[0], same_shape=True)
            case IfOp():
                control.back_through_if(self, operation, given[0])
            case WhileOp():
                loops.back_through_loop(self, operation, given)
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
            Computed(self, operation.operands),
            Computed(self, operation.results),
            self.builder,
            self.with_names,
        )
        if (expansion := expansion_of(type(operation))) is not None:
            self._back_through_expansion(applied, expansion, given)
        elif (rule := rule_of(type(operation))) is not None:
            cotangents = [
                self.every(result, found).get(()) for result, found in zip(operation.results, given)
            ]
            with _errors_of_rule(operation):
                found = rule(applied, *cotangents)
                gradients = found if isinstance(found, tuple | list) else (found,)
                _check_count(operation, gradients)
                self._add_each(operation, gradients)
        elif reason_without(type(operation)) is None:
            tensor_programs.back_through_definition(self, operation, given)

    def _add_each(self, operation: Operation, gradients: Sequence[Any]) -> None:
        """Add the results of the adjoint of an operator to the cotangents of its operands."""
        with self.builder.sharing():
            for index, (operand, gradient) in enumerate(zip(operation.operands, gradients)):
                try:
                    self.add(operand, (), gradient)
                except CotangentError as error:
                    raise GradientError(
                        f"{describe(operation)}: expected from its adjoint a gradient of operand {index} "
                        f"of type {operand.type}, or one that sums to it, found {error}; correct it"
                    ) from None

    def _back_through_expansion(
        self, applied: Applied, expansion: Rule, given: Sequence[dict[Path, Value]]
    ) -> None:
        """Compute the composition of an operator, and go back through it."""
        operands = list(dict.fromkeys(applied.op.operands))
        known = [self.value(v) for v in operands]
        own = [each.value for each in known]
        self.vary([new for new, old in zip(own, operands) if old in self.varied])
        with self.builder.recorded() as made, _errors_of_rule(applied.op):
            composed = expansion(applied)
            parts = composed if isinstance(composed, tuple) else (composed,)
            results = [self.builder.operand(part) for part in parts]
        with self.region(own, known):
            for each in made:
                self.know(each.operands, [Value(v) for v in each.operands])
                self.know(each.results, [Value(r) for r in each.results])
                if self.depends(each):
                    self.vary(each.results)
            for result, cotangents in zip(results, given):
                self.add_all(result, (), cotangents)
            self._back_over(made)
            found = [self.cotangents.take(new) for new in own]
        for old, cotangents in zip(operands, found):
            self.add_all(old, (), cotangents)


@contextmanager
def _errors_of_rule(operation: Operation) -> Iterator[None]:
    """Report errors of the ops that a rule composes as errors of the op that it differentiates."""
    try:
        yield
    except GradientError:
        raise
    except RelaxError as error:
        types = ", ".join(str(operand.type) for operand in operation.operands)
        raise GradientError(
            f"{describe(operation)}: expected operands that its gradient can be composed for, found "
            f"{types}: {error}"
        ) from error


def _check_count(operation: Operation, gradients: Sequence[object]) -> None:
    """Refuse too few gradients; trailing gradients of operands without floats may be omitted."""
    operands = operation.operands
    least = max((i + 1 for i, v in enumerate(operands) if is_differentiable(v.type)), default=0)
    if len(gradients) < least:
        raise GradientError(
            f"{describe(operation)}: expected a gradient for each of its {len(operands)} operands, found "
            f"{len(gradients)}; pass None for one that is zero"
        )


def _refuse_opaque(operation: Operation) -> None:
    """Refuse function values, objects and tensors of unknown element types computed from varied values:
    gradients would be lost."""
    for type in operation.result_types:
        if any(tensor.dtype is None for _, tensor in tensors(type)):
            raise GradientError(
                f"{describe(operation)}: expected tensors of known element types between the targets and "
                f"the result, found {type}; state it by a relax.match_cast"
            )
        if is_opaque(type):
            raise GradientError(
                f"{describe(operation)}: expected tensors between the targets and the result, "
                f"found {type}; pass it in as a parameter"
            )
