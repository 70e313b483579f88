"""Runs prim funcs made by `te.create_prim_func` in every way that there is: each has to agree.

The text is read back first; then the interpreter runs it on tensors, on memrefs and on loops, and the
emitted C runs last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from optional import LIGHTLY
from prim_funcs import PrimFuncs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import interpret, symbolic, te
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops import core
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.parsing import parse
from relax_dialect.prim.signature import signature

STRICT = ("-Wall", "-Wextra", "-Werror")
FLAGS = (*LIGHTLY, *STRICT, "-fsanitize=undefined", "-fno-sanitize-recover=all")

LOOPS = ("relax-linalg-to-loops",)


def read_back(function: FuncOp) -> ModuleOp:
    """A module of the function, from its text; that is the same when printed again."""
    text = str(ModuleOp([function.clone()]))
    module = parse(text)
    assert str(module) == text
    return module


class TePrograms:
    """Some prim funcs, by their names; `run` calls one in every way."""

    def __init__(self, functions: Mapping[str, Sequence[te.Tensor]]):
        self.functions: dict[str, FuncOp] = {}
        module = ModuleOp([])
        for name, tensors in functions.items():
            made = te.create_prim_func(tensors, f"te_{name}")
            (function,) = (op for op in read_back(made).ops if isinstance(op, FuncOp))
            self.functions[name] = function
            module.body.block.add_ops([function.clone(), entry(name, function)])
        lowering.lower(bufferized := module.clone(), ["relax-bufferize"], verify_each=True)
        lowering.lower(loops := bufferized.clone(), LOOPS, verify_each=True)
        self.modules = {"tensors": module, "memrefs": bufferized, "loops": loops}
        self._mlir: PrimFuncs | None = None

    @cached_property
    def compiled(self) -> CompiledModule:
        return lowering.compile(self.modules["tensors"], extra_flags=FLAGS)

    def run(self, name: str, *arrays: np.ndarray, **sizes: int) -> list[np.ndarray]:
        """The results, which are the same up to rounding whoever computes them."""
        symbols = signature(self.functions[name]).unbound
        shapes = [tuple(sizes[s] for s in symbols)] if symbols else []
        before = [array.copy() for array in arrays]
        found = {
            level: as_list(interpret.run(module, name, *arrays, *shapes))
            for level, module in self.modules.items()
        }
        found["C"] = as_list(self.compiled[name](*arrays, *shapes))
        expected = found.pop("tensors")
        for level, results in found.items():
            assert len(results) == len(expected)
            for result, reference in zip(results, expected):
                assert (result.dtype, result.shape) == (reference.dtype, reference.shape), level
                np.testing.assert_allclose(result, reference, rtol=1e-5, atol=1e-6, err_msg=level)
        for array, copy in zip(arrays, before):
            np.testing.assert_array_equal(array, copy, "an argument was written to")
        return expected

    def check_mlir(self, name: str, *arrays: np.ndarray) -> None:
        """MLIR's own loops and code generation compute what the interpreter does."""
        if self._mlir is None:
            self._mlir = PrimFuncs(
                [f for f in self.functions.values() if "ui8" not in str(f.function_type)]
            )
        expected = as_list(interpret.run(self.modules["tensors"], name, *arrays))
        for found, reference in zip(self._mlir.run(f"te_{name}", *arrays), expected, strict=True):
            np.testing.assert_allclose(found, reference, rtol=1e-5, atol=1e-6)


def as_list(result: Any) -> list[np.ndarray]:
    return list(result) if isinstance(result, tuple) else [result]


def entry(name: str, function: FuncOp) -> core.FuncOp:
    """A function of the graph level that calls a prim func."""
    found = signature(function)
    symbols = [symbolic.var(s) for s in found.unbound]
    types = [*found.params, *([ShapeType(symbols)] if symbols else [])]
    block = Block(arg_types=types)
    call = CallTirOp(function, list(block.args[: len(found.params)]), symbols)
    block.add_op(call)
    if len(call.results) > 1:
        block.add_op(made := core.TupleOp(*call.results))
        block.add_op(core.ReturnOp(made.results[0]))
    else:
        block.add_op(core.ReturnOp(call.results[0]))
    terminator = block.last_op
    assert terminator is not None
    return core.FuncOp(name, types, terminator.operands[0].type, Region(block))
