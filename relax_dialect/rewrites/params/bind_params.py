"""relax-bind-params{file=weights.npz func=main}: parameters become constants, found by their names.

```mlir
relax.func @main(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k], f32>) -> ... {
  %y = relax.multiply %x, %w : ...
->                                             (weights.npz holds an array `w` of two elements)
relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> ... {
  %w = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = relax.multiply %x, %w : ...
```

A symbolic variable determined by an array's shape becomes that size everywhere in the function. The
constants are at the top of the body, outside of its blocks, so that they are visible in all of them; the
blocks keep their ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import dtype_name, numpy_dtype
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.storage import mask_error
from relax_dialect.ir.types import Dim, TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.rewrites.algebra.fold_constant import constant_of
from relax_dialect.symbolic import Expr
from relax_dialect.text.array_archives import read_npz
from relax_dialect.transform.binding import FunctionRemaker
from relax_dialect.transform.regions import function_named

Arrays = Mapping[str, np.ndarray[Any, Any]]
ELEMENTS = {"f16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}
"""The element types of arrays in files."""


def _fail(what: str, expected: str, found: str, mend: str) -> RelaxError:
    return RelaxError(f"relax-bind-params: {what}: expected {expected}, found {found}; {mend}")


def uncalled_function(module: ModuleOp, name: str, pass_name: str, mend: str) -> FuncOp:
    """Return the function that the option `func` of a pass names, for a change of its parameters; an
    error if there is none, or if something in the module uses it."""
    func = function_named(module, name, pass_name)
    graph = CallGraph.of(module)
    callers = [n for n, callees in graph.callees.items() if name in callees]
    if callers or name in graph.rooted:
        raise RelaxError(
            f"{pass_name}: @{name}: expected a function that is called from outside only, found uses in "
            f"{', '.join(f'@{n}' for n in callers) or 'the module'}; {mend}"
        )
    return func


def _parameters(func: FuncOp, arrays: Arrays) -> dict[str, SSAValue]:
    """Return the parameters to be bound, by name."""
    named: dict[str, list[SSAValue]] = {}
    for param in func.body.block.args:
        if param.name_hint is not None:
            named.setdefault(param.name_hint, []).append(param)
    where = f"@{func.sym_name.data}"
    for name in arrays:
        if len(named.get(name, ())) != 1:
            raise _fail(
                where,
                f"names of parameters ({', '.join(named) or 'none has a name'})",
                f"'{name}', which {'none' if name not in named else 'more than one'} has",
                "rename the array or the parameter",
            )
    return {name: named[name][0] for name in arrays}


def _checked_type(where: str, param: SSAValue, array: np.ndarray[Any, Any]) -> TensorType:
    """Return the static type of an array, which its parameter can have."""
    type = param.type
    what = f"{where}: parameter '{param.name_hint}'"
    if not isinstance(type, TensorType):
        raise _fail(what, "a tensor", f"{type}", "leave the array out")
    element = dtype_name(array.dtype)
    if element not in ELEMENTS or (
        type.dtype is not None and numpy_dtype(type.dtype) != array.dtype
    ):
        wanted = f"element type {type.dtype}" if type.dtype else "a number as element type"
        raise _fail(what, wanted, element, "convert the array with astype")
    if type.rank not in (None, array.ndim):
        raise _fail(
            what, f"shape {dims_text(type.shape)}", str(list(array.shape)), "reshape the array"
        )
    return TensorType(array.shape, type.dtype if type.dtype is not None else element)


def _sizes(where: str, found: Mapping[SSAValue, TensorType]) -> dict[str, Expr]:
    """Return the variables determined by the arrays' shapes."""
    patterns: list[Dim] = []
    values: list[Dim] = []
    for param, type in found.items():
        assert isinstance(param.type, TensorType) and type.shape is not None
        if param.type.shape is not None:
            patterns += param.type.shape
            values += type.shape
    defined = symbolic.definitions(patterns).keys()
    solvable = [
        (p, v) for p, v in zip(patterns, values) if p is None or defined >= set(p.free_variables)
    ]
    try:
        solution = symbolic.solve([p for p, _ in solvable], [v for _, v in solvable], {})
    except symbolic.SymbolicError as error:
        raise RelaxError(
            f"relax-bind-params: {where}: expected arrays of the parameters' sizes: {error}; "
            "correct the arrays"
        ) from None
    return solution.bindings


def bind_params(module: ModuleOp, arrays: Arrays, func: str = "main") -> None:
    """Bind the parameters of a function that have the names of the arrays."""
    function = uncalled_function(
        module, func, "relax-bind-params", "inline the callers or bind the parameters of a copy"
    )
    where = f"@{func}"
    for name, array in arrays.items():
        if wrong := mask_error(array):
            raise RelaxError(f"relax-bind-params: {where}: parameter '{name}': {wrong}")
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    params = _parameters(function, arrays)
    types = {param: _checked_type(where, param, arrays[name]) for name, param in params.items()}
    remaker = FunctionRemaker(function, _sizes(where, types), ModuleSymbols(function))
    by_param = {param: name for name, param in params.items()}
    for param in function.body.block.args:
        if (name := by_param.get(param)) is None:
            remaker.keep_parameter(param)
        else:
            remaker.bind_parameter(param, constant_of(arrays[name], types[param]))
    remaker.finish()


def load_arrays(path: str) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of an .npz file."""
    try:
        return read_npz(path)
    except (OSError, ValueError) as error:
        raise _fail(
            path, "a readable .npz file of arrays", f"none: {error}", "write one with numpy.savez"
        ) from None


@dataclass(frozen=True)
class BindParamsPass(ModulePass):
    """Bind parameters to the arrays of an .npz file."""

    name = "relax-bind-params"

    file: str
    func: str = "main"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bind_params(op, load_arrays(self.file), self.func)
