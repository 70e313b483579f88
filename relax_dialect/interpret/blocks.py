"""The blocks of a function body; variables bound inside stay bound after the block.

A `relax.graph` never gets here: a function that holds one is evaluated in A-normal form.
"""

from __future__ import annotations

from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)

from relax_dialect.interpret.machine import machine
from relax_dialect.interpret.op_semantics import forwarding
from relax_dialect.ops.blocks import BindingBlockOp, DataflowOp, OutputOp


@register_impls
class BlockFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.blocks`."""

    @impl(DataflowOp)
    def run_dataflow(
        self, interpreter: Interpreter, op: DataflowOp, args: PythonValues
    ) -> PythonValues:
        return machine(interpreter).run_in_order(op.body, (), "dataflow")

    @impl(BindingBlockOp)
    def run_binding_block(
        self, interpreter: Interpreter, op: BindingBlockOp, args: PythonValues
    ) -> PythonValues:
        return interpreter.run_ssacfg_region(op.body, (), "binding_block")

    run_output = forwarding(OutputOp)
