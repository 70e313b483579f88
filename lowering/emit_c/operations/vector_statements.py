"""Statements of the vector dialect: reads, writes, joins and shuffles of lanes.

    %b = vector.load %B[%k, %c0] : memref<512x48xf32>, vector<16xf32>
    %a = memref.load %A[%i, %k] : memref<8x512xf32>
    %whole = vector.broadcast %a : f32 to vector<16xf32>
    %next = vector.fma %whole, %b, %sum : vector<16xf32>       // %sum is carried by the loop
->
    const v16f32 b = *(const v16f32_u *)&B[k * 48];
    const float a = A[i * 512 + k];
    sum += a * b;
"""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, VectorType
from xdsl.ir import Attribute, Block, Operation

from lowering.emit_c.helpers.vector_helpers import (
    halves_helper,
    pair_helper,
    register_helper,
    turning_helper,
)
from lowering.emit_c.operations.c_vectors import OPERATIONS, by_lanes
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.operations.ops import spell
from lowering.emit_c.operations.vector_operands import define, is_bool, type_of, whole
from lowering.emit_c.syntax.c_expressions import (
    CExpr,
    Prec,
    assignment,
    binary,
    call,
    number,
    unary,
)
from lowering.emit_c.syntax.vector_types import (
    CVector,
    is_mask,
    is_vector,
    require_contiguous,
    vector_type,
)
from lowering.support.target import LANE_BYTES
from relax_dialect.errors import RelaxError


def emit_broadcast(body: FunctionBody, op: Operation) -> None:
    """Emit only the scalar's variable: its users broadcast it."""
    assert isinstance(op, vector.BroadcastOp)
    if is_vector(op.source.type):
        raise RelaxError(
            f"C: vector.broadcast of {op.source.type} is not supported: expected a scalar"
        )
    vector_type(op.vector.type)
    use = op.vector.get_unique_use()
    following = op.next_op
    is_next = use is not None and use.operation is following
    if (
        not is_next
        or following is None
        or not following.name.startswith(("arith.", "math.", "vector."))
    ):
        body.atom(op.source)
    body.values[op.vector] = whole(body, op.vector)
    if body.values[op.vector].loads and op.source in body.values:  # pyright: ignore
        body.pending[op.source] = None


def emit_load(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, vector.LoadOp)
    require_contiguous(op.name, op.base.type, op.result.type)
    v = vector_type(op.result.type)
    body.file.helpers.use_vector(v, in_memory=True)
    element = body.buffer(op.base).at(body.exprs(op.indices))
    loaded = _in_memory(v, element, "const ")
    if _is_multiplied_often(op):
        loaded = call(body.file.helpers.use(register_helper(v)), loaded)
    define(body, op.result, loaded)


def _is_multiplied_often(op: vector.LoadOp) -> bool:
    """Return whether several sums of the same block use a vector: gcc reads it from memory for each of two
    or three, and for each of any number if it is short of registers."""
    users = {use.operation for use in op.result.uses}
    return len(users) > 1 and all(
        isinstance(user, vector.FMAOp) and user.parent is op.parent for user in users
    )


def emit_store(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, vector.StoreOp)
    require_contiguous(op.name, op.base.type, op.vector.type)
    v = vector_type(op.vector.type)
    body.file.helpers.use_vector(v, in_memory=True)
    value = whole(body, op.vector)
    element = body.buffer(op.base).at(body.exprs(op.indices))
    body.flush()
    body.line(assignment(_in_memory(v, element).text, value))


def _in_memory(v: CVector, first: CExpr, const: str = "") -> CExpr:
    """Return a vector that starts at an element: `*(v16f32_u *)&x[i]`."""
    return CExpr(f"*({const}{v.unaligned} *)&{first.text}", Prec.UNARY, loads=True)


def emit_extract(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, vector.ExtractOp)
    lane = _lane(body, op, op.vector.type)
    e = whole(body, op.vector)
    if not e.is_name_or_literal:
        e = body.declare(op.vector, e)
    element = CExpr(f"{e.text}[{lane.text}]")
    define(body, op.result, binary("!=", element, number(0)) if is_bool(op.result) else element)


def emit_insert(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, vector.InsertOp)
    lane = _lane(body, op, op.dest.type)
    v = type_of(body, op.dest)
    variable = body.fresh(op.result)
    body.file.helpers.use_vector(v)
    body.line(f"{v.name} {variable} = {whole(body, op.dest).text};")
    e = body.expr(op.source)
    e = unary("-", e) if is_bool(op.source) else e
    body.line(f"{variable}[{lane.text}] = {e.text};")
    body.values[op.result] = CExpr(variable)
    if is_mask(op.dest.type):
        body.masks[op.result] = v


def _lane(body: FunctionBody, op: vector.ExtractOp | vector.InsertOp, t: Attribute) -> CExpr:
    """Return the one lane that an op is about."""
    position = op.static_position.get_values()
    if len(position) != 1:
        raise RelaxError(f"C: {op.name}: expected the position of one lane of {t}")
    lanes = vector_type(t).lanes
    if position[0] == DYNAMIC_INDEX:
        return body.expr(op.dynamic_position[0])
    if not 0 <= position[0] < lanes:
        raise RelaxError(
            f"C: {op.name}: expected a lane from 0 to {lanes - 1}, found {position[0]}"
        )
    return number(position[0])


COMBINED: dict[str, tuple[type[Operation], type[Operation]]] = {
    # kind: the op on integers, on floats
    "add": (arith.AddiOp, arith.AddfOp),
    "mul": (arith.MuliOp, arith.MulfOp),
    "minui": (arith.MinUIOp, arith.MinUIOp),
    "minsi": (arith.MinSIOp, arith.MinSIOp),
    "maxui": (arith.MaxUIOp, arith.MaxUIOp),
    "maxsi": (arith.MaxSIOp, arith.MaxSIOp),
    "and": (arith.AndIOp, arith.AndIOp),
    "or": (arith.OrIOp, arith.OrIOp),
    "xor": (arith.XOrIOp, arith.XOrIOp),
    "minnumf": (arith.MinnumfOp, arith.MinnumfOp),
    "maxnumf": (arith.MaxnumfOp, arith.MaxnumfOp),
    "minimumf": (arith.MinimumfOp, arith.MinimumfOp),
    "maximumf": (arith.MaximumfOp, arith.MaximumfOp),
}


EXTREMES = frozenset(["minnumf", "maxnumf", "minimumf", "maximumf"])
"""The operations that have instructions for vectors of one lane only."""


def emit_reduction(body: FunctionBody, op: Operation) -> None:
    """Emit the reduction of lanes half by half, combined with the carried value."""
    assert isinstance(op, vector.ReductionOp)
    t, of = op.dest.type, op.vector.type
    assert isinstance(of, VectorType)
    v, kind = type_of(body, op.vector), op.kind.data.value
    if is_mask(op.vector.type) or v.element.is_narrow:
        raise RelaxError(
            f"C: vector.reduction of {op.vector.type} is not supported; convert it first"
        )
    joined = COMBINED[kind][v.element.kind == "float"]
    twin = joined(*Block(arg_types=[t, t]).args)
    e = call(reduction(body, kind, joined, of), whole(body, op.vector))
    if op.acc is not None:
        e = spell(body.file.helpers, twin, [body.expr(op.acc), e])
    twin.erase()
    define(body, op.dest, e)


def reduction(
    body: FunctionBody, kind: str, joined: type[Operation], t: VectorType[Attribute]
) -> str:
    """Return the function that joins the lanes of a vector half by half."""
    v = vector_type(t)
    body.file.helpers.use_vector(v)
    name = f"reduce_{kind}_{v.name}"
    if v.lanes <= 2:
        pair = joined(*Block(arg_types=[t.element_type] * 2).args)
        lanes = [CExpr("a[0]"), CExpr("a[1]")]
        e = spell(body.file.helpers, pair, lanes) if v.lanes == 2 else lanes[0]
        return body.file.helpers.use(pair_helper(name, v, e.text))
    is_short = kind in EXTREMES and v.bytes <= LANE_BYTES
    half = t if is_short else VectorType(t.element_type, [v.lanes // 2])
    halves = joined(*Block(arg_types=[half, half]).args)
    for value, text in zip(halves.operands, ("low", "high")):
        body.values[value] = CExpr(text)
    e = OPERATIONS.get(halves.name, by_lanes)(body, halves)
    if is_short:
        return body.file.helpers.use(turning_helper(name, v, e.text))
    of_half = reduction(body, kind, joined, half)
    return body.file.helpers.use(halves_helper(name, v, vector_type(half), of_half, e.text))


def emit_shuffle(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, vector.ShuffleOp)
    a, b = (type_of(body, v) for v in (op.v1, op.v2))
    if a != b or is_mask(op.result.type):
        raise RelaxError(
            f"C: vector.shuffle of {op.v1.type} and {op.v2.type} is not supported: expected two "
            "vectors of numbers of one type"
        )
    body.file.helpers.use_vector(vector_type(op.result.type))
    lanes = [number(lane) for lane in op.mask.get_values()]
    define(
        body,
        op.result,
        call("__builtin_shufflevector", whole(body, op.v1), whole(body, op.v2), *lanes),
    )


STATEMENTS = {
    "vector.broadcast": emit_broadcast,
    "vector.load": emit_load,
    "vector.store": emit_store,
    "vector.extract": emit_extract,
    "vector.insert": emit_insert,
    "vector.reduction": emit_reduction,
    "vector.shuffle": emit_shuffle,
}
