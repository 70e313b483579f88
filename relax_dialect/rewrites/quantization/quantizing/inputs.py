"""The inputs that a module is calibrated on: read, checked, and one tuple of arguments for each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import dtype_name, numpy_dtype
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.text.array_archives import read_npz

Calibration: TypeAlias = Mapping[str, Any] | Iterable[Sequence[Any]]
"""Arrays by the names of the parameters, or the arguments of one run after the other."""


def failure(what: str, expected: str, found: str, mend: str) -> RelaxError:
    """Return an error of the pass."""
    return RelaxError(f"relax-quantize: {what}: expected {expected}, found {found}; {mend}")


def load_calibration(path: str) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of an .npz file."""
    try:
        return read_npz(path)
    except (OSError, ValueError) as error:
        raise failure(
            path, "a readable .npz file of arrays", f"none: {error}", "write one with numpy.savez"
        ) from None


def entry_function(module: ModuleOp, name: str) -> FuncOp:
    """Return the function that is run on the inputs."""
    symbols = CallGraph.of(module).symbols
    found = symbols.get(name)
    if not isinstance(found, FuncOp):
        known = ", ".join(f"@{n}" for n, f in symbols.items() if isinstance(f, FuncOp))
        expected = f"a function of the module ({known or 'it has none'})"
        raise failure(
            f"@{name}", expected, "no relax.func of that name", "correct the option entry"
        )
    return found


def calibration_runs(func: FuncOp, calibration: Calibration) -> list[tuple[Any, ...]]:
    """Return the arguments of each run, of the parameters' types as far as these are known.

    An array in a mapping is one argument; if all have an axis more than their parameters, each is a stack
    of arguments. Raises `RelaxError` for an input that is missing, empty or of another type.
    """
    where, params = f"@{func.sym_name.data}", func.body.block.args
    if isinstance(calibration, Mapping):
        runs = _from_arrays(where, params, cast(Mapping[str, Any], calibration))
    else:
        runs = _from_tuples(where, params, calibration)
    if not runs:
        mend = "pass at least one, of the kind that the module will see"
        raise failure(where, "calibration inputs", "none", mend)
    for run in runs:
        for param, value in zip(params, run):
            _check(f"{where}: {_shown(param)}", param, value)
    return runs


def _from_arrays(
    where: str, params: Sequence[BlockArgument], arrays: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    found: list[np.ndarray[Any, Any]] = []
    for param in params:
        if not isinstance(param.type, TensorType):
            mend = "call quantize from Python with tuples of arguments"
            raise failure(
                f"{where}: {_shown(param)}", "a tensor to read from arrays", str(param.type), mend
            )
        if param.name_hint is None or param.name_hint not in arrays:
            has = ", ".join(f"'{name}'" for name in arrays) or "none at all"
            expected = "an array of that name among the calibration inputs"
            mend = "save it under the parameter's name"
            raise failure(f"{where}: {_shown(param)}", expected, has, mend)
        found.append(np.asarray(arrays[param.name_hint]))
    if not found or not all(map(_is_stack, params, found)):
        return [tuple(found)] if found else [()]
    if len({len(array) for array in found}) > 1:
        lengths = ", ".join(f"{len(a)} of '{p.name_hint}'" for p, a in zip(params, found))
        mend = "pass as many for each parameter"
        raise failure(where, "stacks of as many arguments", lengths, mend)
    return list(zip(*found))


def _is_stack(param: BlockArgument, array: np.ndarray[Any, Any]) -> bool:
    assert isinstance(param.type, TensorType)
    return param.type.rank is not None and array.ndim == param.type.rank + 1


def _from_tuples(
    where: str, params: Sequence[BlockArgument], runs: Iterable[Sequence[Any]]
) -> list[tuple[Any, ...]]:
    if isinstance(runs, np.ndarray | str | bytes) or not isinstance(runs, Iterable):
        expected = "arrays by name, or tuples of arguments"
        mend = "write {'x': array} or [(array,)]"
        raise failure(where, expected, f"one {type(runs).__name__}", mend)
    found: list[tuple[Any, ...]] = []
    for place, run in enumerate(runs):
        what, names = f"{where}: calibration input #{place}", ", ".join(map(_shown, params))
        if not isinstance(run, tuple | list):
            kind, mend = type(run).__name__, "write (x,) for one argument"
            raise failure(what, f"a tuple of arguments ({names})", kind, mend)
        if len(run) != len(params):
            expected, mend = f"{len(params)} arguments ({names})", "pass one for each parameter"
            raise failure(what, expected, str(len(run)), mend)
        found.append(tuple(run))
    return found


def _shown(param: BlockArgument) -> str:
    return f"parameter '{param.name_hint or f'#{param.index}'}'"


def _check(what: str, param: BlockArgument, value: Any) -> None:
    """Refuse an array of a wrong element type, rank or size, or without elements."""
    type = param.type
    if not isinstance(type, TensorType):
        return
    array = np.asarray(value)
    if type.dtype is not None and numpy_dtype(type.dtype) != array.dtype:
        mend = "convert the array with astype"
        raise failure(what, f"element type {type.dtype}", dtype_name(array.dtype), mend)
    sizes = [None] * array.ndim if type.shape is None else type.shape
    fits = len(sizes) == array.ndim and all(
        dim is None or dim.value in (None, size) for dim, size in zip(sizes, array.shape)
    )
    if not fits:
        mend = "reshape the array, or stack arguments along an axis in front"
        raise failure(what, f"shape {dims_text(type.shape)}", str(list(array.shape)), mend)
    if not array.size:
        mend = "pass at least one sample"
        raise failure(what, "elements to calibrate on", f"shape {list(array.shape)}", mend)
