"""The frames of functions: memory for the values that have an offset from `relax-plan-memory`."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.syntax.analysis import operations
from lowering.emit_c.syntax.c_expressions import CExpr, Prec, parenthesised
from lowering.emit_c.syntax.c_signature import size
from lowering.memory.in_place.memref_size_exprs import MOST_BYTES, magnitude
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim import signature
from relax_dialect.symbolic import Expr

FRAME = "frame"
"""The variable of a function that holds its frame, NULL if it has none."""


def has_place(buffer: SSAValue) -> bool:
    """Return whether a memref is an allocation in the frame of its function."""
    return isinstance(buffer.owner, memref.AllocOp) and signature.OFFSET in buffer.owner.attributes


def place(body: FunctionBody, alloc: memref.AllocOp) -> str | None:
    """Return the address of an allocation in the frame, as a C expression."""
    if not has_place(alloc.memref):
        return None
    if signature.FRAME not in body.op.attributes:
        raise RelaxError(
            f"C: memref.alloc: {signature.OFFSET}: expected {signature.FRAME} on the function, found "
            "none; run relax-plan-memory again"
        )
    at = _spelled(body, _bytes(body, alloc, signature.OFFSET))
    return (
        f"(void *)({FRAME} + {parenthesised(at, Prec.ADD)})"
        if at.literal != 0
        else f"(void *){FRAME}"
    )


def declaration(body: FunctionBody) -> str | None:
    """Return the declaration of a function's frame: NULL if it is too large for memory."""
    if signature.FRAME not in body.op.attributes:
        return None
    body.file.helpers.use_runtime("enter_frame")
    bytes = _bytes(body, body.op, signature.FRAME)
    most = magnitude([bytes, *_offsets(body)])
    entered = f"enter_frame({_spelled(body, bytes).text})"
    if most.value is not None:
        return f"char *const {FRAME} = {entered if most.value <= MOST_BYTES else 'NULL'};"
    names = body.signature.symbols
    bound = symbolic.to_c(most, lambda name: f"(double){names[name]}")
    return f"char *const {FRAME} = {bound} <= 0x1p50 ? {entered} : NULL;"


def before_call(body: FunctionBody, call: func.CallOp) -> None:
    """Emit the offset in the frame for the frames of the callee."""
    if signature.OFFSET in call.attributes and signature.FRAME in body.op.attributes:
        at = _spelled(body, _bytes(body, call, signature.OFFSET))
        body.file.helpers.use_runtime("call_at")
        body.line(f"call_at({FRAME}, {at.text});")


def _offsets(body: FunctionBody) -> Iterator[Expr]:
    for op in operations(body.op):
        if isinstance(op, memref.AllocOp | func.CallOp) and signature.OFFSET in op.attributes:
            yield _bytes(body, op, signature.OFFSET)


def _bytes(body: FunctionBody, op: Operation, name: str) -> Expr:
    """Return the number of bytes in an attribute."""
    text = op.attributes[name]
    found = symbolic.parse(text.data) if isinstance(text, StringAttr) else None
    known = body.signature.symbols
    if found is None or not known.keys() >= set(found.free_variables):
        raise RelaxError(
            f"C: {name}: expected a size in {', '.join(known) or 'no symbolic variables'}, found {text}; "
            "run relax-plan-memory again"
        )
    return found


def _spelled(body: FunctionBody, bytes: Expr) -> CExpr:
    return size(str(bytes), body.signature.symbols.__getitem__)
