"""Parts of the spellings of scalar operations in C."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation

from lowering.emit_c.helpers.scalar_helpers import scalar_helper
from lowering.emit_c.helpers.used_helpers import UsedHelpers
from lowering.emit_c.syntax.c_expressions import CExpr, binary, call, cast
from lowering.emit_c.syntax.c_types import BOOL, CType, scalar_type

Spelling = Callable[[UsedHelpers, Operation, Sequence[CExpr]], CExpr]
"""The C expression of an operation, from its operands; helpers that it calls are added."""


def result_type(op: Operation) -> CType:
    return scalar_type(op.results[0].type)


def operand_type(op: Operation) -> CType:
    return scalar_type(op.operands[0].type)


def as_unsigned(e: CExpr, t: CType) -> CExpr:
    return e if t.kind in ("uint", "bool") else cast(t.unsigned, e)


def back(e: CExpr, t: CType) -> CExpr:
    """Convert an unsigned result, or a result widened to int by C, back to the type itself."""
    return cast(t.name, e)


def plain(operator: str) -> Spelling:
    """`a operator b`."""
    return lambda _, op, args: binary(operator, args[0], args[1])


def unsigned(operator: str, *, cast_right: bool = True) -> Spelling:
    """`(T)((U)a operator (U)b)`."""

    def spell(_: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        right = as_unsigned(args[1], t) if cast_right else args[1]
        return back(binary(operator, as_unsigned(args[0], t), right), t)

    return spell


def helper(kind: str, *, as_unsigned_type: bool = False) -> Spelling:
    """`kind_i32(a, b)`, for an unsigned operation with casts."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        if t is BOOL:
            either = kind.startswith("max") == as_unsigned_type
            return binary("||" if either else "&&", *args)
        if not as_unsigned_type or t.kind == "uint":
            return call(helpers.use(scalar_helper(kind, t)), *args)
        u = CType(t.unsigned, t.suffix.replace("i", "u"), t.bits, "uint", t.dtype)
        function = helpers.use(scalar_helper(kind, u))
        return back(call(function, *(as_unsigned(a, t) for a in args)), t)

    return spell
