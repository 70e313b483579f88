"""Shape values as tensors of numbers, and back."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator
from relax_dialect.interpret.machine import frame_of
from relax_dialect.interpret.op_semantics import semantics
from relax_dialect.ops.shape_value import ExpressionOp, PrimValueOp, SymbolicValueOp
from relax_dialect.ops.shapes import ScalarToTensorOp, ShapeToTensorOp, TensorToShapeOp
from relax_dialect.prim.run_time_checks import large_size, negative_size
from relax_dialect.symbolic import MAX_EXTENT


def _value(interpreter: Interpreter, op: ExpressionOp) -> np.int64:
    return np.int64(op.expression.data.evaluate(frame_of(interpreter).sizes, as_size=True))


@register_impls
class ShapeFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.shapes`."""

    shape_to_tensor = operator(ShapeToTensorOp, lambda sizes: np.array(sizes, np.int64))

    scalar_to_tensor = operator(ScalarToTensorOp, lambda value: value)

    @impl(SymbolicValueOp)
    def run_symbolic_value(
        self, interpreter: Interpreter, op: SymbolicValueOp, args: PythonValues
    ) -> PythonValues:
        return (_value(interpreter, op),)

    @impl(PrimValueOp)
    def run_prim_value(
        self, interpreter: Interpreter, op: PrimValueOp, args: PythonValues
    ) -> PythonValues:
        return (_value(interpreter, op),)

    @semantics(TensorToShapeOp)
    def run_tensor_to_shape(self, op: TensorToShapeOp, args: PythonValues) -> PythonValues:
        sizes = tuple(map(int, args[0]))
        if wrong := negative_size(sizes):
            raise RelaxError(wrong)
        for dimension, size in enumerate(sizes):
            if size > MAX_EXTENT:
                raise RelaxError(large_size(size, dimension))
        return (sizes,)
