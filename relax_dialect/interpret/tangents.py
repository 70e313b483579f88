"""Forward dual numbers: an interpreter whose values carry tangents, without gradient rules.

A tensor that moves is a `Dual`, an array with its tangent. Branches, loops, calls and closures pass it on
like any other array. For every other op the tangents are the slopes of its results along the tangents of
its operands (`slopes.py`): only the operator is perturbed, so that errors do not accumulate over a program,
and branches and trip counts are those of the primal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.interpreter import Interpreter, OpImplResult, PythonValues
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from relax_dialect.errors import ExecutionError
from relax_dialect.interpret.control import Closure, PartialFunction
from relax_dialect.interpret.machine import Implementations, frame_of
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.slopes import slopes
from relax_dialect.interpret.type_matching import kind_of
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import is_pure
from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.backward import NoGradOp
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import CallClosureOp, MakeClosureOp
from relax_dialect.ops.core import MatchCastOp, MatchShapeOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import LetOp

HANDING_ON = (
    *(TupleOp, TupleGetItemOp, LetOp, MatchCastOp, MatchShapeOp, MakeClosureOp),
    *(FromBuiltinOp, ToBuiltinOp),
)
"""Ops that forward their operands."""


class Dual(np.ndarray[Any, Any]):
    """An array that moves, with its tangent."""

    tangent: Array


def dual(value: Array, tangent: Array) -> Dual:
    """Return a value with its tangent."""
    result = np.asarray(value).view(Dual)
    result.tangent = tangent
    return result


def plain(value: Any) -> Any:
    """Return a value without tangents."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.view(np.ndarray) if isinstance(value, Dual) else value


def tangent_of(value: Any) -> Any:
    """Return the tangent of a value, a tuple for a tuple; None for values without one, as integers."""
    if isinstance(value, tuple):
        return tuple(map(tangent_of, value))
    if isinstance(value, Dual):
        return value.tangent
    return np.zeros_like(value) if _is_float(value) else None


def with_tangent(where: str, value: Any, tangent: Any) -> Any:
    """Return an argument that moves along a tangent, or the argument itself for None. Raises
    `ExecutionError` for a tangent of another form."""
    if tangent is None:
        return value
    if isinstance(value, tuple):
        if not isinstance(tangent, tuple | list) or len(tangent) != len(value):
            raise ExecutionError(
                f"{where}: expected a tuple of {len(value)} tangents, found {kind_of(tangent)}; pass None "
                "for a field that does not move"
            )
        pairs = enumerate(zip(value, tangent))
        return tuple(with_tangent(f"{where}, field {i}", v, t) for i, (v, t) in pairs)
    if not _is_float(value):
        raise ExecutionError(
            f"{where}: expected no tangent, as only arrays of floats move, found one of "
            f"{kind_of(value)}; pass None"
        )
    along = np.asarray(tangent)
    if along.shape != value.shape or along.dtype.kind not in "fiu":
        raise ExecutionError(
            f"{where}: expected a tangent of shape {list(value.shape)}, found {kind_of(tangent)}; pass an "
            "array of that shape, or None"
        )
    return dual(value, along.astype(value.dtype))


class Tangents(Implementations):
    """Semantics of all ops on values that may carry tangents."""

    def run(self, interpreter: Interpreter, op: Operation, args: tuple[Any, ...]) -> OpImplResult:
        if not any(map(_moves, args)) or _hands_on(interpreter, op, args):
            return super().run(interpreter, op, args)
        still = plain(args)
        found = super().run(interpreter, op, still)
        if isinstance(op, NoGradOp) or next(floats(found.values), None) is None:
            return found
        what = frame_of(interpreter).located(describe(op))
        if not is_pure(op):
            raise ExecutionError(
                f"{what}: expected an op without effects where values move, as it is computed again for "
                "its slope, found one that may have some; take it out of what is differentiated"
            )

        def moved(step: float) -> Array:
            values = super(Tangents, self).run(interpreter, op, _along(args, step)).values
            parts = list(floats(values))
            if [p.shape for p in parts] != shapes:
                raise ExecutionError(
                    f"{what}: expected sizes of the result that do not depend on floats that move, found "
                    "others a step away"
                )
            return _joined(parts)

        parts = list(floats(found.values))
        shapes = [p.shape for p in parts]
        here = _joined(parts)
        scale = _scale(args)
        usable = 0 < scale < np.inf
        tangents = slopes(moved, here, scale) if usable else np.full_like(here, scale)
        if usable and np.any(wrong := np.isnan(tangents) & np.isfinite(here)):
            raise ExecutionError(
                f"{what}: expected a point with a derivative, found a kink, a jump or an end of its domain "
                f"at {np.count_nonzero(wrong)} of {wrong.size} elements; move the arguments a little"
            )
        rest = iter(np.split(tangents, np.cumsum([p.size for p in parts])[:-1]))
        return OpImplResult(_with(found.values, rest), found.terminator_value)


def _hands_on(interpreter: Interpreter, op: Operation, args: PythonValues) -> bool:
    """Return whether an op forwards its operands, or results computed by ops inside of it or of its
    callee."""
    if isinstance(op, CallOp):
        return not isinstance(interpreter.get_op_for_symbol(op.callee), func.FuncOp)
    if isinstance(op, CallClosureOp):
        return isinstance(args[0], Closure | PartialFunction)
    return isinstance(op, HANDING_ON) or bool(op.regions) or has_trait(op, IsTerminator)


def _is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64


def _moves(value: Any) -> bool:
    return any(map(_moves, value)) if isinstance(value, tuple) else isinstance(value, Dual)


def floats(value: Any) -> Iterator[Array]:
    """Yield the arrays of floats in a value."""
    if isinstance(value, tuple):
        for part in value:
            yield from floats(part)
    elif _is_float(value):
        yield value


def _joined(parts: list[Array]) -> Array:
    return np.concatenate([part.ravel() for part in parts])


def _along(value: Any, step: float) -> Any:
    """Return values a step along their tangents."""
    if isinstance(value, tuple):
        return tuple(_along(v, step) for v in value)
    if isinstance(value, Dual):
        return np.asarray(plain(value) + step * value.tangent)
    return value


def _scale(args: PythonValues) -> float:
    """Return a step by which values change about as much as their magnitude; 0 if nothing moves, NaN if a
    tangent is not finite."""
    duals = [part for part in floats(args) if isinstance(part, Dual)]
    largest = max(np.max(np.abs(d.tangent), initial=0) for d in duals)
    if not 0 < largest < np.inf:
        return 0.0 if largest == 0 else np.nan
    values = (plain(d)[d.tangent != 0] for d in duals)
    size = max(np.max(np.abs(v), initial=1, where=np.isfinite(v)) for v in values)
    return float(2.0 ** np.round(np.log2(size / largest)))


def _with(values: PythonValues, tangents: Iterator[Array]) -> PythonValues:
    """Return values with the tangents of the arrays of floats in them, one after the other."""

    def each(value: Any) -> Any:
        if isinstance(value, tuple):
            return _with(value, tangents)
        return dual(value, next(tangents).reshape(value.shape)) if _is_float(value) else value

    return tuple(map(each, values))
