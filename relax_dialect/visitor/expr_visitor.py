"""`ExprVisitor`: a walk over a program that leaves it as it is."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.visitor.expr_functor import ExprFunctor


class ExprVisitor(ExprFunctor):
    """Visits every binding, expression and variable of a program in textual order.

    An overridden handler that does not call that of `super()` prunes the walk below: the operands and
    regions of the op. Items it schedules itself are visited after it returns.

    The variables are those of the program's bindings: a value that `relax.output` passes out is
    defined once, by its op inside the block, and not again by the block's result.
    """

    def _visit_statement(self, op: Operation) -> None:
        if isinstance(op, BlockOp) or has_trait(op, IsTerminator):
            self.visit_expr(op)
        elif not op.regions:
            self.visit_binding(op)
            self._define_results(op)
        else:
            self.schedule(self.visit_binding, [op])
            self.schedule(self._define_results, [op])

    def _define_results(self, op: Operation) -> None:
        for result in op.results:
            self._define(result)

    def visit_block(self, block: BlockOp) -> Any:
        self.schedule(self.visit_seq, [block.body])

    def visit_op(self, op: Operation) -> Any:
        for operand in op.operands:
            self._use(operand)
        if op.regions:
            self.schedule(self.visit_seq, op.regions)

    def visit_var(self, var: SSAValue) -> Any:
        """Visit a use of a variable; dataflow variables too, unless they have their handler."""
