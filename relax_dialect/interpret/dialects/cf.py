"""Run-time checks and jumps between blocks."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith, cf
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

from relax_dialect import symbolic
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret.machine import RelaxInterpreter, machine
from relax_dialect.prim.run_time_checks import (
    SIDES,
    VALUES,
    compared,
    compares_unsigned,
    filled,
    placed_message,
)


@register_impls
class CfFunctions(InterpreterFunctions):
    """The cf dialect."""

    @impl(cf.AssertOp)
    def run_assert(
        self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues
    ) -> PythonValues:
        if not np.all(args[0]):
            raise ExecutionError(_message(machine(interpreter), op))
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

    @impl_terminator(cf.SwitchOp)
    def run_switch(
        self, interpreter: Interpreter, op: cf.SwitchOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        flag, *rest = args
        values = () if op.case_values is None else op.case_values.get_values()
        first = len(op.default_operands)
        for value, block, operands in zip(values, op.case_blocks, op.case_operand):
            if int(flag) == value:
                return Successor(block, tuple(rest[first : first + len(operands)])), ()
            first += len(operands)
        return Successor(op.default_block, tuple(rest[: len(op.default_operands)])), ()


def _message(interpreter: RelaxInterpreter, op: cf.AssertOp) -> str:
    """Return the message of a check, with the values it shows."""
    is_direct = isinstance(op.arg.owner, arith.CmpiOp) and op.arg.has_one_use()
    if VALUES not in op.attributes and not is_direct:
        return placed_message(op)
    sides = _sides(interpreter, op)
    if VALUES not in op.attributes:
        return f"{placed_message(op)} ({sides['%0']} vs {sides['%1']})"
    sizes = interpreter.frame.sizes

    def value(what: str) -> str:
        return sides[what] if what in sides else str(symbolic.parse(what).evaluate(sizes))

    return filled(placed_message(op), value)


def _sides(interpreter: RelaxInterpreter, op: cf.AssertOp) -> dict[str, str]:
    """Return the texts of the sides of the comparison that a check shows."""
    if (comparison := compared(op)) is None:
        return dict.fromkeys(SIDES, "?")
    failed = np.unravel_index(np.argmin(holds := interpreter.scope[op.arg]), np.shape(holds))
    a, b = (
        np.broadcast_to(interpreter.scope[v], np.shape(holds))[failed] for v in comparison.operands
    )
    if isinstance(comparison, arith.CmpfOp):
        return dict(zip(SIDES, (f"{v:g}" for v in (a, b, min(a, b), max(a, b)))))
    a, b = int(a), int(b)
    if compares_unsigned(comparison):
        a, b = (v % 2**64 for v in (a, b))
    return dict(zip(SIDES, map(str, (a, b, min(a, b), max(a, b)))))
