"""Operations that compute lane by lane: how each is spelled with C's vector types.

    %p = arith.mulf %a, %b : vector<16xf32>
    %y = math.sqrt %p : vector<16xf32>
->
    const v16f32 y = sqrt_v16f32(a * b);

Operations without an operator in C are done lane by lane, as on scalars.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, VectorType
from xdsl.ir import Attribute, Block, Operation

from lowering.emit_c.helpers.vector_helpers import (
    choice_helper,
    lanes_helper,
    select_helper,
    widening_helper,
)
from lowering.emit_c.operations.c_integers import CMPI
from lowering.emit_c.operations.c_nibbles import with_nibbles
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.operations.ops import CMPF, SPELLINGS, spell
from lowering.emit_c.operations.vector_operands import (
    convert,
    define,
    is_number,
    lane_values,
    mask_as,
    pair,
    reinterpret,
    splat_of,
    type_of,
    whole,
)
from lowering.emit_c.syntax.c_expressions import CExpr, binary, call, conditional, number, unary
from lowering.emit_c.syntax.c_types import INTS, UINTS, literal
from lowering.emit_c.syntax.vector_types import CVector, is_mask, is_vector, lanes_of, vector_type
from lowering.ir.constants import known_float
from lowering.support.target import extreme as extreme_instructions
from lowering.support.target import widening
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import op_name

VectorSpelling = Callable[[FunctionBody, Operation], CExpr]


def operator(symbol: str) -> VectorSpelling:
    """`a * b`."""
    return lambda body, op: binary(symbol, *pair(body, op))


def integers(symbol: str) -> VectorSpelling:
    """`a + b` of indices, which are taken not to overflow, and of integers marked as not overflowing;
    otherwise of the unsigned numbers with the same bits, which wrap around."""

    def spelling(body: FunctionBody, op: Operation) -> CExpr:
        t = op.results[0].type
        assert isinstance(t, VectorType)
        no_wrap = "nsw" in str(op.properties.get("overflowFlags"))
        if no_wrap or isinstance(t.element_type, IndexType):
            return binary(symbol, *pair(body, op))
        v = type_of(body, op.results[0])
        a, b = (reinterpret(body, whole(body, operand), v.unsigned) for operand in op.operands)
        return reinterpret(body, binary(symbol, a, b), v)

    return spelling


def bitwise(symbol: str) -> VectorSpelling:
    """`a & b`; masks of different widths become alike."""

    def spelling(body: FunctionBody, op: Operation) -> CExpr:
        if not is_mask(op.results[0].type):
            return binary(symbol, *pair(body, op))
        target = max((type_of(body, v) for v in op.operands), key=lambda v: v.bytes)
        body.masks[op.results[0]] = target
        return binary(symbol, *(mask_as(body, v, target) for v in op.operands))

    return spelling


def shift(symbol: str, *, logical: bool = False) -> VectorSpelling:
    """`a << 23` by a constant number in range; lane by lane otherwise."""

    def spelling(body: FunctionBody, op: Operation) -> CExpr:
        v, by = type_of(body, op.results[0]), splat_of(body, op.operands[1])
        known = None if by is None else by.literal
        if known is None or not 0 <= known < v.element.bits:
            return by_lanes(body, op)
        a = whole(body, op.operands[0])
        if not logical:
            return binary(symbol, a, number(known))
        return reinterpret(body, binary(symbol, reinterpret(body, a, v.unsigned), number(known)), v)

    return spelling


def compare_floats(body: FunctionBody, op: Operation) -> CExpr:
    code = op.properties["predicate"].value.data  # pyright: ignore[reportAttributeAccessIssue]
    mask = type_of(body, op.operands[0]).signed
    body.masks[op.results[0]] = mask
    if code not in CMPF:
        body.file.helpers.use_vector(mask)
        none = CExpr(f"({mask.name}){{0}}")
        return unary("~", none) if code == 15 else none
    symbol, negated = CMPF[code]
    if symbol.startswith("is"):
        return by_lanes(body, op)
    result = binary(symbol, *pair(body, op))
    return unary("~", result) if negated else result


def compare_integers(body: FunctionBody, op: Operation) -> CExpr:
    code = op.properties["predicate"].value.data  # pyright: ignore[reportAttributeAccessIssue]
    a, b = op.operands
    if is_mask(a.type):
        v = max((type_of(body, x) for x in (a, b)), key=lambda v: v.bytes)
        left, right = (mask_as(body, x, v) for x in (a, b))
    else:
        v = type_of(body, a)
        left, right = pair(body, op) if code < 6 else (whole(body, a), whole(body, b))
    body.masks[op.results[0]] = v.signed
    if code >= 6:
        left, right = (reinterpret(body, e, v.unsigned) for e in (left, right))
    return binary(CMPI[code], left, right)


def select(body: FunctionBody, op: Operation) -> CExpr:
    condition, *choices = op.operands
    result = op.results[0]
    if is_mask(result.type):
        v = max((type_of(body, x) for x in choices), key=lambda v: v.bytes)
        body.masks[result] = v
        a, b = (mask_as(body, x, v) for x in choices)
    else:
        v = type_of(body, result)
        a, b = (whole(body, x) for x in choices)
    if not is_vector(condition.type):
        return conditional(body.expr(condition), a, b)
    for t in (v, v.signed):
        body.file.helpers.use_vector(t)
    return call(body.file.helpers.use(select_helper(v)), mask_as(body, condition, v.signed), a, b)


def conversion(*, signed: bool = True) -> VectorSpelling:
    """`__builtin_convertvector(a, v16f32)`, for unsigned numbers with a cast; narrow floats by lanes."""

    def spelling(body: FunctionBody, op: Operation) -> CExpr:
        operand, result = op.operands[0], op.results[0]
        source = type_of(body, operand)
        if is_mask(result.type):
            return _to_mask(body, op, source)
        target = type_of(body, result)
        if source.element.is_narrow or target.element.is_narrow:
            return by_lanes(body, op)
        e = whole(body, operand)
        if is_mask(operand.type) and not signed:
            e = binary("&", e, number(1))
        elif not signed:
            e = reinterpret(body, e, source.unsigned)
        are_integers = {source.element.kind, target.element.kind} == {"int"}
        is_wider = are_integers and source.element.bits < target.element.bits
        if is_wider and not is_mask(operand.type):
            return _widened(body, e, source if signed else source.unsigned, target)
        return (
            e
            if source == target and (signed or is_mask(operand.type))
            else convert(body, e, target)
        )

    return spelling


def _widened(body: FunctionBody, e: CExpr, source: CVector, target: CVector) -> CExpr:
    """Integers as wider ones, by an instruction, or so that they double at each step: gcc takes lanes apart
    that become four times as wide at once."""
    bits, signed = source.element.bits, source == source.signed
    types = INTS if signed else UINTS
    steps = [
        CVector(types[n], source.lanes) for n in (8, 16, 32) if bits <= n < target.element.bits
    ]
    for v in (*steps, target):
        body.file.helpers.use_vector(v)
    known = widening(bits, target.element.bits, target.bytes, signed=signed)
    return call(body.file.helpers.use(widening_helper(steps, target, known)), e)


def _to_mask(body: FunctionBody, op: Operation, source: CVector) -> CExpr:
    if not isinstance(op, arith.TruncIOp) or is_mask(op.input.type):
        raise RelaxError(f"C: {op.name} to {op.results[0].type} is not supported; compare instead")
    body.masks[op.results[0]] = source.signed
    return binary("!=", binary("&", whole(body, op.input), number(1)), number(0))


def bitcast(body: FunctionBody, op: Operation) -> CExpr:
    operand, result = op.operands[0], op.results[0]
    if is_mask(operand.type) or is_mask(result.type):
        raise RelaxError(
            f"C: {op.name} of {operand.type} to {result.type} is not supported: truth values have no "
            "bits; extend or compare them"
        )
    source, target = type_of(body, operand), type_of(body, result)
    e = whole(body, operand)
    return e if source == target else reinterpret(body, e, target)


def fma(body: FunctionBody, op: Operation) -> CExpr:
    """`c + a * b`, which is contracted to one operation if the machine has it."""
    return binary("+", whole(body, op.operands[2]), binary("*", *pair(body, op)))


def constant(body: FunctionBody, op: Operation) -> CExpr:
    """Return the lanes one by one."""
    value, t = op.properties["value"], op.results[0].type
    assert isinstance(value, DenseIntOrFPElementsAttr)
    v = vector_type(t)
    values = (-bool(lane) if is_mask(t) else lane for lane in lane_values(value))
    lanes = ", ".join(literal(lane, v.element).text for lane in values)
    body.file.helpers.use_vector(v)
    return CExpr(f"({v.name}){{{lanes}}}")


TAKES_SECOND = {
    "arith.maximumf": "(a < b) | (b != b)",
    "arith.minimumf": "(a > b) | (b != b)",
    "arith.maxnumf": "~(a > b) & (b == b)",
    "arith.minnumf": "~(a < b) & (b == b)",
}
"""The conditions for the second of two floats to be the extreme, with the scalars' choice for zeros and
NaN."""


def extreme(body: FunctionBody, op: Operation) -> CExpr:
    """Emit `maximumf_v16f32(a, b)`, by an instruction or a comparison of vectors: written lane by lane, gcc
    may leave it scalar in long code. A zero stays the same operand: the other may equal it with the
    opposite sign."""
    operands, kind = list(op.operands), op.name.removeprefix("arith.")
    if known_float(operands[0]) or (is_number(operands[0]) and "num" in kind):
        operands.reverse()
    v = type_of(body, op.results[0])
    for t in (v, v.signed):
        body.file.helpers.use_vector(t)
    known = is_number(operands[1])
    instructions = extreme_instructions(kind, v.element.bits, is_number=known)
    name = f"{kind}_number_{v.name}" if known else f"{kind}_{v.name}"
    helper = choice_helper(name, v, TAKES_SECOND[op.name], instructions)
    return call(body.file.helpers.use(helper), *(whole(body, operand) for operand in operands))


def by_lanes(body: FunctionBody, op: Operation) -> CExpr:
    """Return a call of a function that applies the scalar operation to each lane."""
    if op.name not in SPELLINGS or len(op.results) != 1 or op.regions:
        raise RelaxError(
            f"C: operation {op_name(op)} on vectors is not supported; supported are arith and math "
            "lane by lane, and vector.load, store, broadcast, fma, reduction, extract, "
            "insert, shuffle and bitcast"
        )
    (result,) = op.results
    operands = op.operands
    types = [type_of(body, v) for v in operands]
    target = type_of(body, result)
    twin = type(op).create(
        operands=Block(arg_types=[_element(v.type) for v in operands]).args,
        result_types=[_element(result.type)],
        properties=dict(op.properties),
    )
    lanes = [
        CExpr(f"{name}[i]") if not is_mask(v.type) else binary("!=", CExpr(f"{name}[i]"), number(0))
        for name, v in zip("abc", operands)
    ]
    element = spell(body.file.helpers, twin, lanes)
    twin.erase()
    if is_mask(result.type):
        element = unary("-", element)
    for t in (*types, target):
        body.file.helpers.use_vector(t)
    predicate = op.properties.get("predicate")
    code = "" if predicate is None else str(predicate.value.data)  # pyright: ignore
    kind = f"{op.name.partition('.')[2]}{code}"
    names = dict.fromkeys(t.name for t in (*types, target))
    called = body.file.helpers.use(
        lanes_helper("_".join((kind, *names)), types, target, element.text)
    )
    return call(called, *(whole(body, v) for v in operands))


def _element(t: Attribute) -> Attribute:
    assert isinstance(t, VectorType)
    lanes_of(t)
    return t.element_type


OPERATIONS: dict[str, VectorSpelling] = {
    "arith.constant": constant,
    "arith.addf": operator("+"),
    "arith.subf": operator("-"),
    "arith.mulf": operator("*"),
    "arith.divf": operator("/"),
    "arith.negf": lambda body, op: unary("-", whole(body, op.operands[0])),
    "arith.addi": integers("+"),
    "arith.subi": integers("-"),
    "arith.muli": integers("*"),
    "arith.andi": bitwise("&"),
    "arith.ori": bitwise("|"),
    "arith.xori": bitwise("^"),
    "arith.shli": with_nibbles(shift("<<")),
    "arith.shrsi": with_nibbles(shift(">>")),
    "arith.shrui": shift(">>", logical=True),
    "arith.cmpf": compare_floats,
    "arith.cmpi": compare_integers,
    "arith.select": select,
    "arith.bitcast": bitcast,
    "vector.bitcast": bitcast,
    "builtin.unrealized_conversion_cast": bitcast,
    "arith.extf": conversion(),
    "arith.truncf": conversion(),
    "arith.sitofp": with_nibbles(conversion()),
    "arith.uitofp": conversion(signed=False),
    "arith.extsi": conversion(),
    "arith.extui": conversion(signed=False),
    "arith.trunci": conversion(),
    "arith.index_cast": conversion(),
    "vector.fma": fma,
    **dict.fromkeys(TAKES_SECOND, extreme),
}
"""The C spelling of ops that compute lane by lane; the others are spelled by lanes, as on scalars."""

ON_NARROW = frozenset(
    [
        "arith.constant",
        "arith.select",
        "arith.bitcast",
        "vector.bitcast",
        "arith.extf",
        "arith.truncf",
    ]
)


def emit_lanes(body: FunctionBody, op: Operation) -> None:
    """An op that computes lane by lane."""
    if len(op.results) != 1:
        by_lanes(body, op)
    (result,) = op.results
    for value in (*op.operands, result):
        if is_vector(value.type):
            v = type_of(body, value)
            if v.element.is_narrow and op.name not in ON_NARROW:
                raise RelaxError(
                    f"C: {op.name} of {value.type}: expected operations on f32 or f64; run "
                    "relax-emulate-unsupported-floats first"
                )
    if splat_of(body, result) is not None:  # a constant
        body.values[result] = whole(body, result)
        return
    define(body, result, OPERATIONS.get(op.name, by_lanes)(body, op))
