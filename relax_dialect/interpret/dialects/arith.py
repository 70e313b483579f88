"""Scalar arithmetic in the type of its operands; on arrays the same, element by element.

i1 is a boolean that counts as -1 where it is signed. Undefined cases of MLIR (division by zero, floats
beyond an integer's range) have a value: see `numbers`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import ContainerType, UnrealizedConversionCastOp
from xdsl.interpreter import (
    InterpreterFunctions,
    PythonValues,
    register_impls,
)
from xdsl.ir import Attribute, Operation

from relax_dialect.interpret.op_semantics import computed, semantics
from relax_dialect.interpret.runtime_values import constant, convert, numpy_dtype
from relax_dialect.interpret.total_arithmetic import (
    ceil_quotient,
    maximum,
    minimum,
    signed,
    to_integer,
    truncated_quotient,
    unsigned,
)
from relax_dialect.ir.mlir.mlir_ops import RemFOp

Function = Callable[..., Any]


def element_dtype(type: Attribute) -> np.dtype[Any]:
    """Return the numpy type of a scalar type, or of the elements of a shaped one."""
    return numpy_dtype(type.get_element_type() if isinstance(type, ContainerType) else type)


def _read_as(reading: Function, op_type: type[Operation], function: Function) -> Any:
    """Register an op that reads its integers as `signed` or `unsigned`, and truncates to its result
    type."""

    def run(_: Any, op: Operation, args: PythonValues) -> PythonValues:
        result = function(*(reading(x) for x in args))
        return (truncate(result, element_dtype(op.results[0].type)),)

    return semantics(op_type)(run)


def truncate(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an integer cut to the bits of another type: the lowest one for a boolean."""
    return convert(np.asarray(x) & 1, dtype) if dtype == np.bool_ else convert(x, dtype)


def select(condition: Any, a: Any, b: Any) -> Any:
    """Return one of two values; element by element for an array as condition."""
    if np.ndim(condition) == 0:
        return a if condition else b
    return np.where(condition, a, b)


def _ordered(compare: Function) -> Function:
    """Return a comparison that is false if an operand is NaN."""
    return lambda a, b: compare(a, b) & (a == a) & (b == b)


def _unordered(compare: Function) -> Function:
    """Return a comparison that is true if an operand is NaN."""
    return lambda a, b: compare(a, b) | (a != a) | (b != b)


_COMPARE: list[Function] = [np.equal, np.greater, np.greater_equal, np.less, np.less_equal]
_CMPF: list[Function] = [
    lambda a, b: np.zeros(np.broadcast(a, b).shape, np.bool_)[()],  # false
    *map(_ordered, [*_COMPARE, np.not_equal, lambda a, b: True]),  # oeq ogt oge olt ole one ord
    *map(_unordered, [*_COMPARE, np.not_equal, lambda a, b: False]),  # ueq ... une uno
    lambda a, b: np.ones(np.broadcast(a, b).shape, np.bool_)[()],  # true
]
"""`arith.cmpf` by its predicate's number."""

_CMPI: list[tuple[Function, Function]] = [
    (signed, np.equal),
    (signed, np.not_equal),
    (signed, np.less),
    (signed, np.less_equal),
    (signed, np.greater),
    (signed, np.greater_equal),
    (unsigned, np.less),
    (unsigned, np.less_equal),
    (unsigned, np.greater),
    (unsigned, np.greater_equal),
]
"""`arith.cmpi` by its predicate's number: how to read the operands, and the comparison."""


@register_impls
class ArithFunctions(InterpreterFunctions):
    """The arith dialect."""

    addf = computed(arith.AddfOp, operator.add)
    subf = computed(arith.SubfOp, operator.sub)
    mulf = computed(arith.MulfOp, operator.mul)
    divf = computed(arith.DivfOp, np.divide)
    negf = computed(arith.NegfOp, operator.neg)
    maximumf = computed(arith.MaximumfOp, maximum)
    minimumf = computed(arith.MinimumfOp, minimum)
    remf = computed(RemFOp, np.fmod)
    maxnumf = computed(arith.MaxnumfOp, np.fmax)
    minnumf = computed(arith.MinnumfOp, np.fmin)
    select = computed(arith.SelectOp, select)
    andi = computed(arith.AndIOp, operator.and_)
    ori = computed(arith.OrIOp, operator.or_)
    xori = computed(arith.XOrIOp, operator.xor)

    addi = _read_as(signed, arith.AddiOp, operator.add)
    subi = _read_as(signed, arith.SubiOp, operator.sub)
    muli = _read_as(signed, arith.MuliOp, operator.mul)
    divsi = _read_as(signed, arith.DivSIOp, truncated_quotient)
    divui = _read_as(unsigned, arith.DivUIOp, np.floor_divide)
    floordivsi = _read_as(signed, arith.FloorDivSIOp, np.floor_divide)
    ceildivsi = _read_as(signed, arith.CeilDivSIOp, ceil_quotient)
    ceildivui = _read_as(unsigned, arith.CeilDivUIOp, ceil_quotient)
    remsi = _read_as(signed, arith.RemSIOp, np.fmod)
    remui = _read_as(unsigned, arith.RemUIOp, np.remainder)
    maxsi = _read_as(signed, arith.MaxSIOp, np.maximum)
    minsi = _read_as(signed, arith.MinSIOp, np.minimum)
    maxui = _read_as(unsigned, arith.MaxUIOp, np.maximum)
    minui = _read_as(unsigned, arith.MinUIOp, np.minimum)
    shli = _read_as(unsigned, arith.ShLIOp, np.left_shift)
    shrui = _read_as(unsigned, arith.ShRUIOp, np.right_shift)
    shrsi = _read_as(signed, arith.ShRSIOp, np.right_shift)

    extsi = _read_as(signed, arith.ExtSIOp, lambda x: x)
    extui = _read_as(unsigned, arith.ExtUIOp, lambda x: x)
    trunci = _read_as(signed, arith.TruncIOp, lambda x: x)
    index_cast = _read_as(signed, arith.IndexCastOp, lambda x: x)
    sitofp = _read_as(signed, arith.SIToFPOp, lambda x: x)
    uitofp = _read_as(unsigned, arith.UIToFPOp, lambda x: x)

    @semantics(arith.ConstantOp)
    def run_constant(self, op: arith.ConstantOp, args: PythonValues) -> PythonValues:
        return (constant(op.value),)

    @semantics(arith.CmpiOp)
    def run_cmpi(self, op: arith.CmpiOp, args: PythonValues) -> PythonValues:
        reading, compare = _CMPI[op.predicate.value.data]
        return (compare(reading(args[0]), reading(args[1])),)

    @semantics(arith.CmpfOp)
    def run_cmpf(self, op: arith.CmpfOp, args: PythonValues) -> PythonValues:
        return (_CMPF[op.predicate.value.data](*args),)

    @semantics(arith.ExtFOp)
    def run_extf(self, op: arith.ExtFOp, args: PythonValues) -> PythonValues:
        return (convert(args[0], element_dtype(op.result.type)),)

    @semantics(arith.TruncFOp)
    def run_truncf(self, op: arith.TruncFOp, args: PythonValues) -> PythonValues:
        return (convert(args[0], element_dtype(op.result.type)),)

    @semantics(arith.FPToSIOp)
    def run_fptosi(self, op: arith.FPToSIOp, args: PythonValues) -> PythonValues:
        dtype = element_dtype(op.result.type)
        whole = to_integer(args[0], np.dtype(np.int8) if dtype == np.bool_ else dtype)
        return (truncate(whole, dtype),)

    @semantics(arith.FPToUIOp)
    def run_fptoui(self, op: arith.FPToUIOp, args: PythonValues) -> PythonValues:
        dtype = element_dtype(op.result.type)
        return (truncate(to_integer(args[0], np.dtype(f"u{dtype.itemsize}")), dtype),)

    @semantics(arith.BitcastOp)
    def run_bitcast(self, op: arith.BitcastOp, args: PythonValues) -> PythonValues:
        return (np.asarray(args[0]).view(element_dtype(op.result.type))[()],)

    @semantics(UnrealizedConversionCastOp)
    def run_cast(self, op: UnrealizedConversionCastOp, args: PythonValues) -> PythonValues:
        """Cast between the unsigned integers of memory and the signless ones of registers."""
        return tuple(
            np.asarray(arg).view(element_dtype(result.type))[()]
            for arg, result in zip(args, op.results, strict=True)
        )
