"""Vectors as operands and results of statements: which are variables, which are inlined, and which are
scalars in C.

Every vector has a variable where it is computed, unless the next operation is its only use: compilers keep
the variables in registers. If a loop carries the vector, the variable is the carried one, provided the old
value has no later use: `sum += a * b`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    VectorType,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from lowering.emit_c.operations.function_body import LONGEST_INLINED, FunctionBody
from lowering.emit_c.syntax.c_expressions import CExpr, assignment, binary, call, cast, unary
from lowering.emit_c.syntax.c_types import BOOL, literal, numbers, scalar_type
from lowering.emit_c.syntax.vector_types import CVector, is_mask, is_vector, vector_type


def type_of(body: FunctionBody, value: SSAValue) -> CVector:
    """Return the C type of a vector; a mask is as wide as the compared vectors."""
    return body.masks.get(value) or vector_type(value.type)


def lane_values(dense: DenseIntOrFPElementsAttr) -> Sequence[Any]:
    """Return the lanes of a constant; a NaN keeps its bits."""
    element = dense.get_element_type()
    if not isinstance(element, Float32Type | Float64Type):
        return dense.get_values()
    return numbers(np.frombuffer(dense.data.data, f"<f{element.compile_time_size}"))


def splat_of(body: FunctionBody, value: SSAValue) -> CExpr | None:
    """Return the scalar in all lanes of a vector, if that is known."""
    match value.owner:
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            if value not in body.splats:
                body.splats[value] = _constant_splat(value.type, dense)
            return body.splats[value]
        case vector.BroadcastOp(source=source) if not is_vector(source.type):
            e, element = body.expr(source), vector_type(value.type).element
            if is_bool(source):
                return cast(element.name, unary("-", e))
            widened = element.bits < 32 and not e.is_name_or_literal  # C computes with int
            return cast(element.name, e) if widened else e
        case _:
            return None


def _constant_splat(type: Attribute, dense: DenseIntOrFPElementsAttr) -> CExpr | None:
    if not dense.is_splat():
        return None
    assert isinstance(type, VectorType)
    lane = lane_values(dense)[0]
    is_truth = scalar_type(type.element_type) is BOOL
    return literal(-bool(lane) if is_truth else lane, vector_type(type).element)


def is_number(value: SSAValue) -> bool:
    """Return whether no lane is NaN: a constant is none, nor the greatest or least number so far."""
    match value.owner:
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense) if dense.is_splat():
            lane = dense.get_values()[0]
            return lane == lane
        case arith.ConstantOp(value=FloatAttr() as scalar):
            return scalar.value.data == scalar.value.data
        case vector.BroadcastOp(source=source):
            return is_number(source)
        case _:
            return isinstance(value, BlockArgument) and _begins_with_number(value)


def _begins_with_number(carried: BlockArgument) -> bool:
    """Return whether a loop carries the greatest or least number so far."""
    loop, last = carried.block.parent_op(), carried.block.last_op
    if not isinstance(loop, scf.ForOp) or last is None or carried.index == 0:
        return False
    step = last.operands[carried.index - 1].owner
    keeps = isinstance(step, arith.MaxnumfOp | arith.MinnumfOp) and carried in step.operands
    return keeps and is_number(loop.iter_args[carried.index - 1])


def is_bool(value: SSAValue) -> bool:
    return scalar_type(value.type) is BOOL


def whole(body: FunctionBody, value: SSAValue) -> CExpr:
    """Return a vector as a whole: `a - (v16f32){0}` has the scalar a in all lanes, whatever its sign."""
    e = splat_of(body, value)
    if e is None:
        return body.expr(value)
    v = vector_type(value.type)
    body.file.helpers.use_vector(v)
    zeros = CExpr(f"({v.name}){{0}}")
    return zeros if e.text in ("0", "0.0f", "0.0") else binary("-", e, zeros)


def mask_as(body: FunctionBody, value: SSAValue, target: CVector) -> CExpr:
    """Return a mask with lanes of another width."""
    e, known = whole(body, value), type_of(body, value)
    return e if known == target else convert(body, e, target)


def convert(body: FunctionBody, e: CExpr, target: CVector) -> CExpr:
    body.file.helpers.use_vector(target)
    return call("__builtin_convertvector", e, CExpr(target.name))


def reinterpret(body: FunctionBody, e: CExpr, target: CVector) -> CExpr:
    body.file.helpers.use_vector(target)
    return cast(target.name, e)


def pair(body: FunctionBody, op: Operation) -> tuple[CExpr, CExpr]:
    """Two operands for an operator, of which at most one is spelled as a scalar."""
    a, b = op.operands[:2]
    left, right = splat_of(body, a), splat_of(body, b)
    if left is not None and right is not None:
        left = None
    return (
        left if left is not None else whole(body, a),
        right if right is not None else body.expr(b),
    )


# Results


def define(body: FunctionBody, value: SSAValue, e: CExpr) -> None:
    """Declare a variable, or inline an expression used only by the next operation."""
    if (carried := body.updates.get(value)) is not None:
        body.line(assignment(carried, e))
        body.assigned[carried] += 1
        body.values[value] = CExpr(carried)
        return
    if value.first_use is None:
        return
    op, use = value.owner, value.get_unique_use()
    assert isinstance(op, Operation)
    following = op.next_op
    is_next = use is not None and use.operation is following
    if (
        is_next
        and following is not None
        and not following.regions
        and len(e.text) <= LONGEST_INLINED
    ):
        body.values[value] = e
        if e.loads:
            body.pending[value] = None
    else:
        body.declare(value, e)


def find_updates(body: FunctionBody, loop: scf.ForOp, names: Sequence[Sequence[str]]) -> None:
    """Record the vectors that are computed into the variable that carries them to the next iteration: its
    old value has no later use."""
    block = loop.body.block
    terminator = block.last_op
    if not isinstance(terminator, scf.YieldOp) or not any(map(is_vector, terminator.operand_types)):
        return
    order = {op: i for i, op in enumerate(block.ops)}

    def place(op: Operation) -> int:
        while op.parent is not block:
            parent = op.parent_op()
            assert parent is not None
            op = parent
        return order[op]

    for argument, variables, value in zip(block.args[1:], names, terminator.operands):
        made_by = value.owner
        if (
            is_vector(value.type)
            and not is_mask(value.type)
            and len(variables) == 1
            and isinstance(made_by, Operation)
            and made_by.parent is block
            and not made_by.regions
            and not isinstance(made_by, arith.ConstantOp | vector.BroadcastOp | vector.InsertOp)
            and value.has_one_use()
            and all(place(use.operation) <= order[made_by] for use in argument.uses)
        ):
            body.updates[value] = variables[0]
