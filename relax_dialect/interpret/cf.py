"""Run-time checks and jumps between blocks."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import cf
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    Successor,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)

from relax_dialect.errors import ExecutionError


@register_impls
class CfFunctions(InterpreterFunctions):
    """The cf dialect."""

    @impl(cf.AssertOp)
    def run_assert(
        self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues
    ) -> PythonValues:
        if not np.all(args[0]):
            raise ExecutionError(op.msg.data)
        return ()

    @impl_terminator(cf.BranchOp)
    def run_branch(
        self, interpreter: Interpreter, op: cf.BranchOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return Successor(op.successor, args), ()

    @impl_terminator(cf.ConditionalBranchOp)
    def run_conditional_branch(
        self, interpreter: Interpreter, op: cf.ConditionalBranchOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        condition, *rest = args
        count = len(op.then_arguments)
        if condition:
            return Successor(op.then_block, tuple(rest[:count])), ()
        return Successor(op.else_block, tuple(rest[count:])), ()
