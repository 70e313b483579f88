"""Tensors computed by their elements: run as what they expand to."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import cf
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from relax_dialect.interpret.dialects.func import call_prim, reported_at
from relax_dialect.interpret.machine import frame_of, machine
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.order import describe
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.compute import ComputeOp
from relax_dialect.prim.signature import signature
from relax_dialect.te.raising.compute_op import expanded


@register_impls
class ComputeFunctions(InterpreterFunctions):
    """The macro of `relax_dialect.ops.compute`; its region is part of it."""

    @impl(ComputeOp)
    def run_compute(
        self, interpreter: Interpreter, op: ComputeOp, args: PythonValues
    ) -> PythonValues:
        own, frame = machine(interpreter), frame_of(interpreter)
        if (function := own.expanded.get(op)) is None:
            function = own.expanded[op] = expanded(op)
        sizes = [frame.sizes[name] for name in signature(function).unbound]
        arrays = [np.asarray(arg) for arg in args]
        has_checks = any(isinstance(inner, cf.AssertOp) for inner in walk_ops(function))
        with reported_at(prefixed(frame.located(describe(op)), op.location)):
            return tuple(call_prim(own, function, (*arrays, *sizes), has_checks))
