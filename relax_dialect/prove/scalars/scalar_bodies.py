"""Bodies of structured ops on scalars: `arith` and `math` as the operators that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Block, Operation, SSAValue

from relax_dialect.ir.mlir.mlir_ops import ErfcOp
from relax_dialect.prove.scalars.scalar_casts import cast
from relax_dialect.prove.scalars.scalar_ops import TABLES, apply
from relax_dialect.prove.scalars.scalar_types import ScalarType, number, scalar_type
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.verdicts import Outside
from relax_dialect.prove.z3_package import z3

NAMES: Mapping[type[Operation], str] = {
    **dict.fromkeys((arith.AddfOp, arith.AddiOp), "add"),
    **dict.fromkeys((arith.SubfOp, arith.SubiOp), "subtract"),
    **dict.fromkeys((arith.MulfOp, arith.MuliOp), "multiply"),
    **dict.fromkeys((arith.DivfOp, arith.DivSIOp, arith.DivUIOp), "divide"),
    **dict.fromkeys((arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp), "maximum"),
    **dict.fromkeys((arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp), "minimum"),
    **dict.fromkeys((arith.RemSIOp, arith.RemUIOp), "mod"),
    arith.FloorDivSIOp: "floor_divide",
    arith.NegfOp: "negative",
    arith.AndIOp: "bitwise_and",
    arith.OrIOp: "bitwise_or",
    arith.XOrIOp: "bitwise_xor",
    arith.ShLIOp: "left_shift",
    **dict.fromkeys((arith.ShRSIOp, arith.ShRUIOp), "right_shift"),
    **dict.fromkeys((math.AbsFOp, math.AbsIOp), "abs"),
    math.CeilOp: "ceil",
    math.FloorOp: "floor",
    math.TruncOp: "trunc",
    math.RoundEvenOp: "round",
    math.SqrtOp: "sqrt",
    math.PowFOp: "power",
    math.IPowIOp: "power",
    ErfcOp: "erfc",
    **{
        op: op.name.removeprefix("math.")
        for op in (
            *(math.AcosOp, math.AcoshOp, math.AsinOp, math.AsinhOp, math.AtanOp, math.Atan2Op),
            *(
                math.AtanhOp,
                math.CbrtOp,
                math.CosOp,
                math.CoshOp,
                math.ErfOp,
                math.ExpOp,
                math.Exp2Op,
            ),
            *(math.ExpM1Op, math.LogOp, math.Log10Op, math.Log1pOp, math.Log2Op, math.RsqrtOp),
            *(math.SinOp, math.SinhOp, math.TanOp, math.TanhOp, math.FmaOp, math.CopySignOp),
        )
    },
}
"""The operators of scalars by their op."""

UNSIGNED = (arith.DivUIOp, arith.MaxUIOp, arith.MinUIOp, arith.RemUIOp, arith.ShRUIOp)
"""Ops that read their integers without signs."""

CASTS = (
    *(arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.UIToFPOp, arith.FPToSIOp, arith.FPToUIOp),
    *(arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp),
)

COMPARED = ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
CMPI = (
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("less", "less_equal", "greater", "greater_equal"),
)


def is_known(op: Operation) -> bool:
    """Return whether an op on scalars has a term."""
    others = (arith.ConstantOp, arith.SelectOp, arith.CmpiOp, arith.CmpfOp, YieldOp)
    return type(op) in NAMES or isinstance(op, (*CASTS, *others, UnrealizedConversionCastOp))


def unsigned(type: ScalarType) -> ScalarType:
    """Return an integer type read without signs."""
    return type if type.kind == "bool" else replace(type, kind="unsigned")


def yielded(block: Block, terms: Terms, inputs: Sequence[Any]) -> Sequence[Any]:
    """Return the terms that a body yields, from the terms of its arguments."""
    known: dict[SSAValue, Any] = dict(zip(block.args, inputs))
    for op in block.ops:
        if isinstance(op, YieldOp):
            return [known[value] for value in op.operands]
        known[op.results[0]] = _term(op, terms, [known[value] for value in op.operands])
    raise Outside("a body without linalg.yield")


def _term(op: Operation, terms: Terms, args: Sequence[Any]) -> Any:
    match op:
        case arith.ConstantOp():
            return constant_term(op)
        case arith.SelectOp():
            return z3.If(*args)
        case UnrealizedConversionCastOp():
            return args[0]
        case arith.CmpfOp():
            return _cmpf(terms, scalar_type(op.lhs.type), op.predicate.value.data, *args)
        case arith.CmpiOp():
            number = op.predicate.value.data
            type = _integer(op.lhs.type)
            type = unsigned(type) if number >= len(COMPARED) else type
            return apply(terms, CMPI[number], type, *args)
        case _ if isinstance(op, CASTS):
            return _cast(op, args[0])
        case _:
            return _operator(op, terms, args)


def constant_term(op: arith.ConstantOp) -> Any:
    """Return the term of a constant."""
    attribute = op.value
    assert isinstance(attribute, IntegerAttr | FloatAttr)
    if isinstance(attribute, FloatAttr):
        return number(attribute.value.data, scalar_type(attribute.type))
    type, value = _integer(attribute.type), attribute.value.data
    return z3.BoolVal(value % 2 == 1) if type.kind == "bool" else z3.BitVecVal(value, type.width)


def _integer(type: Any) -> ScalarType:
    if isinstance(type, IndexType):
        raise Outside("an index among the elements")
    return scalar_type(type)


def _operator(op: Operation, terms: Terms, args: Sequence[Any]) -> Any:
    name, type = NAMES[op.__class__], _integer(op.operands[0].type)
    if isinstance(op, UNSIGNED):
        type = unsigned(type)
    if name in TABLES[type.kind]:
        return apply(terms, name, type, *args)
    header = (name, (), tuple(str(operand.type) for operand in op.operands))
    return terms.function(header, args, _integer(op.results[0].type).sort)


def _cmpf(terms: Terms, type: ScalarType, predicate: int, a: Any, b: Any) -> Any:
    """Return a comparison by its number: for a NaN operand ordered ones are false, the others true."""
    is_nan = z3.Or(z3.fpIsNaN(a), z3.fpIsNaN(b))
    if predicate in (0, 15):
        return z3.BoolVal(predicate == 15)
    is_ordered, which = predicate < 8, (predicate - 1) % 7
    if which == len(COMPARED):
        return z3.Not(is_nan) if is_ordered else is_nan
    found = apply(terms, COMPARED[which], type, a, b)
    return z3.And(found, z3.Not(is_nan)) if is_ordered else z3.Or(found, is_nan)


def _cast(op: Operation, x: Any) -> Any:
    source, target = (_integer(value.type) for value in (op.operands[0], op.results[0]))
    if isinstance(op, arith.ExtUIOp | arith.UIToFPOp):
        source = unsigned(source)
    elif source.kind == "bool":  # read with a sign, true is -1
        if isinstance(op, arith.ExtSIOp):
            return z3.If(x, z3.BitVecVal(-1, target.width), z3.BitVecVal(0, target.width))
        return z3.If(x, number(-1, target), number(0, target))
    if isinstance(op, arith.FPToUIOp):
        target = unsigned(target)
    if target.kind == "bool":
        return _lowest_bit(op, x, source)
    return cast(x, source, target)


def _lowest_bit(op: Operation, x: Any, source: ScalarType) -> Any:
    if source.is_float:
        raise Outside(op.name)
    return z3.Extract(0, 0, x) == 1
