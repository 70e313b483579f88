"""Pure scalar operations: how each is spelled in C, as one table by operation name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation

from lowering.emit_c.helpers.scalar_helpers import scalar_helper
from lowering.emit_c.helpers.used_helpers import UsedHelpers
from lowering.emit_c.operations.c_casts import (
    bitcast,
    convert_float,
    convert_signed,
    convert_unsigned,
    reinterpret,
    saturate,
    to_unsigned,
    truncate,
)
from lowering.emit_c.operations.c_integers import (
    arithmetic,
    compare_integers,
    division,
    logical,
    rounding_division,
    shift,
    unsigned_division,
)
from lowering.emit_c.operations.c_spelling import (
    Spelling,
    helper,
    plain,
    result_type,
)
from lowering.emit_c.syntax.c_expressions import (
    CExpr,
    binary,
    call,
    conditional,
    name,
    number,
    unary,
)
from lowering.emit_c.syntax.c_types import FLOAT, literal, scalar_type
from lowering.ir.constants import known_float
from relax_dialect.errors import RelaxError


def extremum(kind: str) -> Spelling:
    """`maximum_f32(a, b)`: a constant is the second operand, where its test for NaN folds away, except for
    a zero, which the other operand may equal with the opposite sign."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        a, b = args
        if known_float(op.operands[0]):
            a, b = b, a
        return call(helpers.use(scalar_helper(kind, result_type(op))), a, b)

    return spell


def math(function: str) -> Spelling:
    """Return a function of <math.h>, with the suffix of its type."""

    def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
        return call(function + ("f" if result_type(op) is FLOAT else ""), *args)

    return spell


def rsqrt(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    return binary("/", literal(1.0, result_type(op)), math("sqrt")(helpers, op, args))


def constant(_: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    value = op.properties["value"]
    if isinstance(value, IntegerAttr | FloatAttr):
        return literal(value.value.data, result_type(op))
    raise RelaxError(f"C: arith.constant of type {op.results[0].type}: expected a scalar or vector")


def select(_: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    scalar_type(op.results[0].type)
    return conditional(args[0], args[1], args[2])


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


def compare_floats(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
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


SPELLINGS: dict[str, Spelling] = {
    "arith.constant": constant,
    "arith.addi": arithmetic("+", "add"),
    "arith.subi": arithmetic("-", "sub"),
    "arith.muli": arithmetic("*", "mul"),
    "arith.divsi": division("/", "div"),
    "arith.remsi": division("%", "rem"),
    "arith.divui": unsigned_division("/", "divu"),
    "arith.remui": unsigned_division("%", "remu"),
    "arith.floordivsi": rounding_division("floordiv"),
    "arith.ceildivsi": rounding_division("ceildiv"),
    "arith.ceildivui": rounding_division("ceildivu", as_unsigned_type=True),
    "arith.maxsi": helper("max"),
    "arith.minsi": helper("min"),
    "arith.maxui": helper("max", as_unsigned_type=True),
    "arith.minui": helper("min", as_unsigned_type=True),
    "arith.andi": logical("&&", "&"),
    "arith.ori": logical("||", "|"),
    "arith.xori": logical("!=", "^"),
    "arith.shli": shift("<<", "safe_shl", as_unsigned_type=True),
    "arith.shrui": shift(">>", "safe_shru", as_unsigned_type=True),
    "arith.shrsi": shift(">>", "safe_shr", as_unsigned_type=False),
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
    "arith.extf": convert_float,
    "arith.truncf": convert_float,
    "arith.sitofp": convert_signed,
    "arith.uitofp": convert_unsigned,
    "arith.fptosi": saturate,
    "arith.fptoui": to_unsigned,
    "math.absi": helper("abs"),
    "math.ctlz": helper("clz"),
    "math.cttz": helper("ctz"),
    "math.ctpop": helper("popcount"),
    "math.ipowi": helper("ipow"),
    "math.rsqrt": rsqrt,
    "builtin.unrealized_conversion_cast": reinterpret,
}


SAME_NAME = frozenset(
    re.findall(
        r"\w+",
        """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1
        floor fma log log10 log1p log2 round sin sinh sqrt tan tanh trunc""",
    )
)


LIBM: dict[str, str] = {
    **{f"math.{f}": f for f in sorted(SAME_NAME)},
    "arith.remf": "fmod",
    "math.absf": "fabs",
    "math.powf": "pow",
    "math.fpowi": "pow",
    "math.roundeven": "rint",  # in the default rounding mode
}
SPELLINGS |= {op: math(function) for op, function in LIBM.items()}

ON_NARROW = frozenset(["constant", "select", "bitcast", "extf", "truncf"])
"""The ops of `arith` that work on f16 and bf16 without conversion."""


def spell(helpers: UsedHelpers, op: Operation, args: Sequence[CExpr]) -> CExpr:
    """Return an operation as a C expression; C has no arithmetic on narrow floats."""
    if op.name.removeprefix("arith.") not in ON_NARROW:
        for value in (*op.operands, *op.results):
            if scalar_type(value.type).is_narrow:
                raise RelaxError(
                    f"C: {op.name} of {value.type}: expected operations on f32 or f64; run "
                    "relax-emulate-unsupported-floats first"
                )
    return SPELLINGS[op.name](helpers, op, args)


def library_functions(op_name: str) -> tuple[str, ...]:
    """Return the C library's functions and macros that an operation may be spelled with."""
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
