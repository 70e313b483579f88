"""The digest of a prim func: equal for equal kernels, whatever their values are called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from xdsl.dialects import arith, linalg
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.walk import walk_ops


def digest(function: FuncOp) -> str:
    """Return the digest of the structured ops of a prim func on memrefs, as an identifier."""
    text = "\n".join(_lines(function))
    return f"k{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _lines(function: FuncOp) -> Iterator[str]:
    numbers: dict[SSAValue, int] = {}
    for op in walk_ops(function):
        if isinstance(op, linalg.ops.GenericOp | linalg.ops.FillOp):
            for each in (op, *op.body.block.ops):
                if not isinstance(each, arith.ConstantOp):
                    yield _line(each, numbers)


def _line(op: Operation, numbers: dict[SSAValue, int]) -> str:
    """Return an op in terms of its attributes, the types of its operands, and which of them are the
    same."""
    attributes = sorted((k, str(v)) for k, v in {**op.properties, **op.attributes}.items())
    operands = [(_operand(value, numbers), str(value.type)) for value in op.operands]
    return f"{op.name} {attributes} {operands}"


def _operand(value: SSAValue, numbers: dict[SSAValue, int]) -> str:
    """Return the number of a value in the order of uses, or what it is if it is a constant: equal ones may
    be one op or several."""
    if isinstance(value.owner, arith.ConstantOp):
        return str(value.owner.value)
    return str(numbers.setdefault(value, len(numbers)))
