"""Pure scalar operations: how each is spelled in C, as one table by operation name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Operation

from lowering.emit_c.expressions import (
    CExpr,
    binary,
    call,
    cast,
    conditional,
    name,
    number,
    unary,
)
from lowering.emit_c.helpers import bitcast_helper, scalar_helper
from lowering.emit_c.types import BOOL, FLOAT, CType, literal, scalar_type
from relax_dialect.errors import RelaxError


class Toolbox(Protocol):
    """What spelling an operation may need of the file that it stands in."""

    def use_helper(self, helper: tuple[str, str]) -> str: ...


Spelling = Callable[[Toolbox, Operation, Sequence[CExpr]], CExpr]


def result_type(op: Operation) -> CType:
    return scalar_type(op.results[0].type)


def operand_type(op: Operation) -> CType:
    return scalar_type(op.operands[0].type)


def _is_literal(e: CExpr) -> bool:
    return e.literal is not None or not re.match(r"[-(]*[A-Za-z_]", e.text)


def as_unsigned(e: CExpr, t: CType) -> CExpr:
    return e if t.kind in ("uint", "bool") else cast(t.unsigned, e)


def back(e: CExpr, t: CType) -> CExpr:
    """An unsigned result (or one that C has widened to int) as the type itself."""
    return cast(t.name, e)


def plain(operator: str) -> Spelling:
    """`a operator b`."""
    return lambda _, op, args: binary(operator, args[0], args[1])


def arithmetic(operator: str, helper: str) -> Spelling:
    """`a operator b` of index (taken not to overflow); other integers wrap on overflow."""

    def spell(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
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
        return call(box.use_helper(scalar_helper(helper, t)), a, b)

    return spell


def differ(a: CExpr, b: CExpr) -> CExpr:
    """Exclusive or of truth values."""
    if a.text == b.text:
        return name("false")
    return unary("!", a) if b.text == "true" else binary("!=", a, b)


def division(operator: str) -> Spelling:
    """Signed division: `a / b`; narrow types are widened by C and taken back."""

    def spell(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        result = binary(operator, *args)
        return back(result, t) if t.bits < 32 else result

    return spell


def unsigned(operator: str, *, cast_right: bool = True) -> Spelling:
    """`(T)((U)a operator (U)b)`."""

    def spell(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        right = as_unsigned(args[1], t) if cast_right else args[1]
        return back(binary(operator, as_unsigned(args[0], t), right), t)

    return spell


def helper(kind: str, *, as_unsigned_type: bool = False) -> Spelling:
    """`kind_i32(a, b)`, for an unsigned operation with casts."""

    def spell(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        if t is BOOL:
            either = kind.startswith("max") == as_unsigned_type
            return binary("||" if either else "&&", *args)
        if not as_unsigned_type or t.kind == "uint":
            return call(box.use_helper(scalar_helper(kind, t)), *args)
        u = CType(t.unsigned, t.suffix.replace("i", "u"), t.bits, "uint", t.dtype)
        function = box.use_helper(scalar_helper(kind, u))
        return back(call(function, *(as_unsigned(a, t) for a in args)), t)

    return spell


def extremum(kind: str) -> Spelling:
    """`maximum_f32(a, b)`: a constant goes second, where its test for NaN folds away."""

    def spell(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
        a, b = args
        if _is_literal(a):
            a, b = b, a
        return call(box.use_helper(scalar_helper(kind, result_type(op))), a, b)

    return spell


def logical(bool_operator: str, operator: str) -> Spelling:
    """`a & b`; of truth values `a && b`."""

    def spell(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
        t = result_type(op)
        if t is BOOL:
            return differ(*args) if bool_operator == "!=" else binary(bool_operator, *args)
        result = binary(operator, *args)
        return back(result, t) if t.bits < 32 else result

    return spell


def math(function: str) -> Spelling:
    """A function of <math.h>, with the suffix of its type."""

    def spell(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
        return call(function + ("f" if result_type(op) is FLOAT else ""), *args)

    return spell


def rsqrt(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    return binary("/", literal(1.0, result_type(op)), math("sqrt")(box, op, args))


def convert(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)a`."""
    source, target = operand_type(op), result_type(op)
    if source is target:
        return args[0]
    return cast(target.name, args[0])


def convert_signed(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)a`; true is minus one."""
    if operand_type(op) is BOOL:
        if result_type(op) is BOOL:
            return args[0]
        return cast(result_type(op).name, unary("-", args[0]))
    return convert(box, op, args)


def convert_unsigned(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """`(T)(U)a`."""
    source, target = operand_type(op), result_type(op)
    if source is target:
        return args[0]
    return cast(target.name, as_unsigned(args[0], source))


def to_unsigned(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """A float as an unsigned integer, held in a signed one."""
    t = result_type(op)
    e = cast(t.unsigned if t is not BOOL else t.name, args[0])
    return e if t.kind in ("uint", "bool") else cast(t.name, e)


def truncate(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    if result_type(op) is BOOL and operand_type(op) is not BOOL:
        return binary("!=", binary("&", args[0], number(1)), number(0))
    return convert(box, op, args)


def bitcast(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    source, target = operand_type(op), result_type(op)
    if source is target:
        return args[0]
    if "float" not in (source.kind, target.kind):
        return cast(target.name, args[0])
    return call(box.use_helper(bitcast_helper(source, target)), args[0])


def constant(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    value = op.properties["value"]
    if isinstance(value, IntegerAttr | FloatAttr):
        return literal(value.value.data, result_type(op))
    raise RelaxError(f"C: arith.constant of type {op.results[0].type}: expected a scalar")


def select(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    scalar_type(op.results[0].type)
    return conditional(args[0], args[1], args[2])


CMPI = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""By predicate: eq ne slt sle sgt sge ult ule ugt uge."""

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
    """The outcome of a comparison that a compiler would warn of: with itself, unsigned with 0."""
    if a.text == b.text:
        return CMPI[code] in ("==", "<=", ">=")
    if code >= 6 and b.literal == 0 and CMPI[code] in ("<", ">="):
        return CMPI[code] == ">="
    if code >= 6 and a.literal == 0 and CMPI[code] in (">", "<="):
        return CMPI[code] == "<="
    return None


CMPF: dict[int, tuple[str, bool]] = {
    # predicate: (operator, negated)
    1: ("==", False),
    2: (">", False),
    3: (">=", False),
    4: ("<", False),
    5: ("<=", False),
    6: ("islessgreater", False),
    7: ("isunordered", True),
    8: ("islessgreater", True),
    9: ("<=", True),
    10: ("<", True),
    11: (">=", True),
    12: (">", True),
    13: ("!=", False),
    14: ("isunordered", False),
}


def compare_floats(box: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    code = predicate.value.data
    if code not in CMPF:
        return name("true" if code == 15 else "false")
    operator, negated = CMPF[code]
    if operator.startswith("is"):
        if operator == "isunordered" and op.operands[0] is op.operands[1]:
            result = call("isnan", args[0])
        else:
            result = call(operator, *args)
        result = binary("!=", result, number(0)) if not negated else result
    else:
        result = binary(operator, *args)
    return unary("!", result) if negated else result


def reinterpret(_: Toolbox, op: Operation, args: Sequence[CExpr]) -> CExpr:
    source, target = operand_type(op), result_type(op)
    if source.kind == "float" or source.bits != target.bits or BOOL in (source, target):
        raise RelaxError(
            "C: builtin.unrealized_conversion_cast: expected integers of one width, found "
            f"{op.operands[0].type} and {op.results[0].type}"
        )
    return args[0] if source is target else cast(target.name, args[0])


SPELLINGS: dict[str, Spelling] = {
    "arith.constant": constant,
    "arith.addi": arithmetic("+", "add"),
    "arith.subi": arithmetic("-", "sub"),
    "arith.muli": arithmetic("*", "mul"),
    "arith.divsi": division("/"),
    "arith.remsi": division("%"),
    "arith.divui": unsigned("/"),
    "arith.remui": unsigned("%"),
    "arith.floordivsi": helper("floordiv"),
    "arith.ceildivsi": helper("ceildiv"),
    "arith.ceildivui": helper("ceildivu", as_unsigned_type=True),
    "arith.maxsi": helper("max"),
    "arith.minsi": helper("min"),
    "arith.maxui": helper("max", as_unsigned_type=True),
    "arith.minui": helper("min", as_unsigned_type=True),
    "arith.andi": logical("&&", "&"),
    "arith.ori": logical("||", "|"),
    "arith.xori": logical("!=", "^"),
    "arith.shli": unsigned("<<", cast_right=False),
    "arith.shrui": unsigned(">>", cast_right=False),
    "arith.shrsi": division(">>"),
    "arith.cmpi": lambda _, op, args: compare_integers(op, args),
    "arith.cmpf": compare_floats,
    "arith.select": select,
    "arith.addf": plain("+"),
    "arith.subf": plain("-"),
    "arith.mulf": plain("*"),
    "arith.divf": plain("/"),
    "arith.negf": lambda _, op, args: unary("-", args[0]),
    "arith.maximumf": extremum("maximum"),
    "arith.minimumf": extremum("minimum"),
    "arith.maxnumf": extremum("maxnum"),
    "arith.minnumf": extremum("minnum"),
    "arith.bitcast": bitcast,
    "arith.index_cast": convert_signed,
    "arith.extsi": convert_signed,
    "arith.extui": convert_unsigned,
    "arith.trunci": truncate,
    "arith.extf": convert,
    "arith.truncf": convert,
    "arith.sitofp": convert_signed,
    "arith.uitofp": convert_unsigned,
    "arith.fptosi": convert,
    "arith.fptoui": to_unsigned,
    "math.absi": helper("abs"),
    "math.ipowi": helper("ipow"),
    "math.rsqrt": rsqrt,
    "builtin.unrealized_conversion_cast": reinterpret,
}

SAME_NAME = frozenset(
    re.findall(
        r"\w+",
        """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf exp exp2 expm1
        floor fma log log10 log1p log2 round sin sinh sqrt tan tanh trunc""",
    )
)

LIBM: dict[str, str] = {
    **{f"math.{f}": f for f in sorted(SAME_NAME)},
    "math.absf": "fabs",
    "math.powf": "pow",
    "math.fpowi": "pow",
    "math.roundeven": "rint",  # in the default rounding mode
}
SPELLINGS |= {op: math(function) for op, function in LIBM.items()}


def library_functions(op_name: str) -> tuple[str, ...]:
    """The C library's functions and macros that an operation may be spelled with."""
    match op_name:
        case "arith.cmpf":
            return ("isnan", "isunordered", "islessgreater")
        case "memref.copy":
            return ("memcpy",)
        case "math.rsqrt":
            return ("sqrt", "sqrtf")
        case _ if op_name in LIBM:
            return (LIBM[op_name], f"{LIBM[op_name]}f")
        case _:
            return ()
