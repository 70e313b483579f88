"""Statements of references to objects."""

from __future__ import annotations

from xdsl.ir import Operation

from lowering.emit_c.operations.function_body import FunctionBody
from relax_dialect.ops.objects import ReleaseOp, RetainOp


def emit_retain(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, RetainOp)
    body.line(f"{body.objects[op.result]} = retain_object({body.expr(op.object).text});")


def emit_release(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, ReleaseOp)
    body.flush()
    body.line(f"release_object(&{body.expr(op.object).text});")


STATEMENTS = {"relax.retain": emit_retain, "relax.release": emit_release}
