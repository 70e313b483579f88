"""Runs prim funcs on numpy arrays: our bufferization, then MLIR's own loops and code generation."""

from collections.abc import Sequence

import numpy as np
from mlir_oracle import Oracle, lower_and_load
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.ir.argument_attributes import leading_symbols
from lowering.memory.bufferize.relax_bufferize import bufferize_prim_func
from relax_dialect import symbolic
from relax_dialect.ir.types import Dims
from relax_dialect.prim.signature import PrimSignature, signature

DTYPES = {"i1": "bool", "f16": "float16", "f32": "float32", "f64": "float64"}


def dtype_of(element: object) -> np.dtype:
    """The numpy type of an element type."""
    text = str(element)
    return np.dtype(DTYPES.get(text, text.replace("i", "int")))


class PrimFuncs:
    """Some prim funcs on tensors, compiled together; `run` calls one."""

    def __init__(self, functions: Sequence[FuncOp]):
        functions = [function.clone() for function in functions]
        self.signatures: dict[str, PrimSignature] = {}
        self.symbols: dict[str, list[str]] = {}
        for function in functions:
            name = function.sym_name.data
            assert name not in self.signatures
            self.signatures[name] = signature(function)
            self.symbols[name] = leading_symbols(function)
            bufferize_prim_func(function)
        module = ModuleOp(functions)
        module.verify()
        self.oracle: Oracle = lower_and_load(module)

    def run(self, name: str, *inputs: np.ndarray, **sizes: int) -> list[np.ndarray]:
        """The results for some inputs; `sizes` gives the symbols that no input has as a size."""
        found = self.signatures[name]
        values = dict(sizes)
        for parameter, array in zip(found.params, inputs, strict=True):
            for dim, size in zip(parameter.shape or (), array.shape, strict=True):
                if dim is not None and dim.name is not None:
                    assert values.setdefault(dim.name, size) == size
        outputs = [
            np.zeros(_evaluate(result.shape, values), dtype_of(result.dtype))
            for result in found.results
        ]
        arrays = [np.ascontiguousarray(array).reshape(array.shape) for array in inputs]
        symbols = [values[symbol] for symbol in self.symbols[name]]
        self.oracle.call(name, symbols, [*arrays, *outputs])
        return outputs


def _evaluate(shape: Dims | None, values: dict[str, int]) -> list[int]:
    assert shape is not None
    return [symbolic.as_expr(dim).evaluate(values) for dim in shape if dim is not None]
