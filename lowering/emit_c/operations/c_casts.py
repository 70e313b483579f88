"""Conversions between types, as C expressions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from lowering.emit_c.helpers.conversions import (
    bitcast_helper,
    has_narrow_helper,
    narrow_helpers,
    saturating_helper,
)
from lowering.emit_c.helpers.used_helpers import UsedHelpers
from lowering.emit_c.operations.c_spelling import as_unsigned, back, operand_type, result_type
from lowering.emit_c.syntax.c_expressions import CExpr, binary, call, cast, number, unary
from lowering.emit_c.syntax.c_types import BOOL, FLOAT, UINTS
from relax_dialect.errors import RelaxError


def convert(_: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)a`."""
    source, target = operand_type(op), result_type(op)
    if source is target:
        return args[0]
    return cast(target.name, args[0])


def convert_float(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)a`; to and from a narrow type by a helper, f32 between it and others."""
    e, source, target = args[0], operand_type(op), result_type(op)
    direct = has_narrow_helper(source, target) or not (source.is_narrow or target.is_narrow)
    for step in (target,) if direct else (FLOAT, target):
        if has_narrow_helper(source, step):
            *needed, last = narrow_helpers(source, step)
            for known in needed:
                helpers.use(known)
            e = call(helpers.use(last), e)
        elif source is not step:
            e = cast(step.name, e)
        source = step
    return e


def convert_signed(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)a`; true is minus one."""
    if operand_type(op) is BOOL:
        if result_type(op) is BOOL:
            return args[0]
        return cast(result_type(op).name, unary("-", args[0]))
    return convert(helpers, op, args)


def convert_unsigned(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)(U)a`."""
    source, target = operand_type(op), result_type(op)
    if source is target:
        return args[0]
    return cast(target.name, as_unsigned(args[0], source))


def saturate(
    helpers: UsedHelpers, op: Operation, args: Sequence[CExpr], *, sign: bool = True
) -> CExpr:
    """Return a float as an integer; an unsigned one is held in a signed one."""
    t = result_type(op)
    if t is BOOL:
        return cast(t.name, args[0])
    target = t if sign else UINTS[t.bits]
    e = call(helpers.use(saturating_helper(operand_type(op), target)), *args)
    return e if target is t else back(e, t)


def to_unsigned(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    return saturate(helpers, op, args, sign=False)


def truncate(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    if result_type(op) is BOOL and operand_type(op) is not BOOL:
        return binary("!=", binary("&", args[0], number(1)), number(0))
    return convert(helpers, op, args)


def bitcast(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    source, target = operand_type(op), result_type(op)
    if source is target:
        return args[0]
    if "float" not in (source.kind, target.kind):
        return args[0] if source.name == target.name else cast(target.name, args[0])
    return call(helpers.use(bitcast_helper(source, target)), args[0])


def reinterpret(_: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    source, target = operand_type(op), result_type(op)
    if source.kind == "float" or source.bits != target.bits or BOOL in (source, target):
        raise RelaxError(
            "C: builtin.unrealized_conversion_cast: expected integers of one width, found "
            f"{op.operands[0].type} and {op.results[0].type}"
        )
    return args[0] if source is target else cast(target.name, args[0])
