"""Operations on integers and truth values as C expressions: none is undefined except on sizes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation

from lowering.emit_c.helpers.scalar_helpers import scalar_helper
from lowering.emit_c.helpers.used_helpers import UsedHelpers
from lowering.emit_c.operations.c_spelling import (
    Spelling,
    as_unsigned,
    back,
    helper,
    operand_type,
    result_type,
    unsigned,
)
from lowering.emit_c.syntax.c_expressions import CExpr, binary, call, name, unary
from lowering.emit_c.syntax.c_types import BOOL, literal
from lowering.ir.integer_ranges import is_never_zero


def arithmetic(operator: str, helper: str) -> Spelling:
    """`a operator b` of index (taken not to overflow); other integers wrap on overflow."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        a, b = args
        t = result_type(op)
        flags = op.properties.get("overflowFlags")
        no_wrap = isinstance(op.results[0].type, IndexType) or "nsw" in str(flags)
        if t is BOOL:
            return binary("&&", a, b) if operator == "*" else differ(a, b)
        if a.literal is not None and b.literal is not None:
            exact = {"+": a.literal + b.literal, "-": a.literal - b.literal}
            return literal(exact.get(operator, a.literal * b.literal), t)
        if no_wrap and t.bits == 64:
            return binary(operator, a, b)
        if t.bits < 32:
            return back(binary(operator, a, b), t)
        if no_wrap or t.kind == "uint":
            return binary(operator, a, b)
        return call(helpers.use(scalar_helper(helper, t)), a, b)

    return spell


def differ(a: CExpr, b: CExpr) -> CExpr:
    """Exclusive or of truth values."""
    if a.text == b.text:
        return name("false")
    return unary("!", a) if b.text == "true" else binary("!=", a, b)


def is_total(op: Operation, divisor: CExpr, *fatal: int) -> bool:
    """Return whether the C operator of an operation is defined for all its values: if the divisor is a
    constant other than `fatal`, or an index that is never 0, as indices are taken to be in range."""
    if divisor.literal is not None:
        return divisor.literal not in fatal
    return isinstance(op.results[0].type, IndexType) and is_never_zero(op.operands[1])


def division(operator: str, safe: str) -> Spelling:
    """Signed division: `a / b`; narrow types are widened by C and taken back."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        if t is not BOOL and not is_total(op, args[1], 0, -1):
            return call(helpers.use(scalar_helper(f"safe_{safe}", t)), *args)
        result = binary(operator, *args)
        return back(result, t) if t.bits < 32 else result

    return spell


def rounding_division(kind: str, *, as_unsigned_type: bool = False) -> Spelling:
    """`floordiv_i64(a, b)`, or its variant that is safe for any divisor."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        fatal = (0,) if as_unsigned_type else (0, -1)
        name = kind if is_total(op, args[1], *fatal) else f"safe_{kind}"
        return helper(name, as_unsigned_type=as_unsigned_type)(helpers, op, args)

    return spell


def unsigned_division(operator: str, safe: str) -> Spelling:
    """`(T)((U)a operator (U)b)`."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        if is_total(op, args[1], 0):
            return unsigned(operator)(helpers, op, args)
        return helper(f"safe_{safe}", as_unsigned_type=True)(helpers, op, args)

    return spell


def shift(operator: str, safe: str, *, as_unsigned_type: bool) -> Spelling:
    """`a operator b`, with all bits gone where b is out of range."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        by = args[1].literal
        in_range = by is not None and 0 <= by < t.bits
        if not in_range and not isinstance(op.results[0].type, IndexType):
            return helper(safe, as_unsigned_type=safe.endswith("u"))(helpers, op, args)
        if as_unsigned_type:
            return unsigned(operator, cast_right=False)(helpers, op, args)
        result = binary(operator, *args)
        return back(result, t) if t.bits < 32 else result

    return spell


def logical(bool_operator: str, operator: str) -> Spelling:
    """`a & b`; of truth values `a && b`."""

    def spell(_: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        if t is BOOL:
            return differ(*args) if bool_operator == "!=" else binary(bool_operator, *args)
        result = binary(operator, *args)
        return back(result, t) if t.bits < 32 else result

    return spell


CMPI = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""The C operators by predicate: eq ne slt sle sgt sge ult ule ugt uge."""


NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def compare_integers(op: Operation, args: Sequence[CExpr], *, negate: bool = False) -> CExpr:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    code = predicate.value.data
    operator = CMPI[code]
    t = operand_type(op)
    if (known := _known_comparison(code, *args)) is not None:
        return name("true" if known != negate else "false")
    if code >= 6:
        args = [as_unsigned(a, t) for a in args]
    elif code >= 2 and t is BOOL:  # true is minus one
        args = [args[1], args[0]]
    return binary(NEGATED[operator] if negate else operator, args[0], args[1])


def _known_comparison(code: int, a: CExpr, b: CExpr) -> bool | None:
    """Return the outcome of a comparison that a compiler would warn of: with itself, unsigned with 0."""
    if a.text == b.text:
        return CMPI[code] in ("==", "<=", ">=")
    if code >= 6 and b.literal == 0 and CMPI[code] in ("<", ">="):
        return CMPI[code] == ">="
    if code >= 6 and a.literal == 0 and CMPI[code] in (">", "<="):
        return CMPI[code] == "<="
    return None
