"""Loops that do nothing but convert a row between f16 and f32: calls of a function that uses the machine's
own conversions.

    for (int64_t l = 0; l < n; ++l)
        row[l] = f16_to_f32(x[i * m + l]);
->
    f16_row_to_f32(&x[i * m], row, n);
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith, memref, scf
from xdsl.ir import SSAValue

from lowering.emit_c.helpers.conversions import narrow_helpers, row_helper
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.syntax.c_expressions import number, unary
from lowering.emit_c.syntax.c_types import F16, FLOAT, scalar_type
from lowering.ir.constants import known_integer
from lowering.ir.memref_views import is_contiguous


class RowConversion(NamedTuple):
    """A conversion of `count` elements."""

    load: memref.LoadOp
    first: SSAValue | None
    """The last index of the first element that is read; None for 0."""
    store: memref.StoreOp
    start: SSAValue | None
    """The same of the written row."""
    count: SSAValue


def conversion_of_row(loop: scf.ForOp) -> RowConversion | None:
    """Return the row that a loop converts, if it does nothing else."""
    block = loop.body.block
    counter, ops = block.args[0], list(block.ops)[:-1]
    sums: dict[SSAValue, arith.AddiOp] = {
        op.result: op for op in ops if isinstance(op, arith.AddiOp)
    }
    rest = [op for op in ops if not isinstance(op, arith.AddiOp)]
    if loop.iter_args or known_integer(loop.lb) != 0 or known_integer(loop.step) != 1:
        return None
    if len(rest) != 3 or len(sums) > 1:
        return None
    load, conversion, store = rest
    if not (
        isinstance(load, memref.LoadOp)
        and isinstance(conversion, arith.ExtFOp | arith.TruncFOp)
        and isinstance(store, memref.StoreOp)
        and conversion.input is load.res
        and store.value is conversion.result
        and load.res.has_one_use()
        and load.memref is not store.memref
        and not isinstance(load.memref.owner, memref.GetGlobalOp)  # it may be one number
        and {scalar_type(value.type) for value in (load.res, store.value)} == {F16, FLOAT}
    ):
        return None
    starts: list[SSAValue | None] = []
    for op in (load, store):
        if not op.indices or not is_contiguous(op.memref.type):
            return None
        *outer, last = op.indices
        if counter in outer or any(index in sums for index in outer):
            return None
        if last is counter:
            starts.append(None)
        elif last in sums and counter in (pair := sums[last].operands):
            start = pair[1] if pair[0] is counter else pair[0]
            if start is counter:
                return None
            starts.append(start)
        else:
            return None
    return RowConversion(load, starts[0], store, starts[1], loop.ub)


def emit_row(body: FunctionBody, row: RowConversion) -> None:
    """Print the call."""
    source, target = (scalar_type(value.type) for value in (row.load.res, row.store.value))
    for helper in narrow_helpers(source, target):
        body.file.helpers.use(helper)
    name = body.file.helpers.use(row_helper(source, target))
    pointers: list[str] = []
    for op, start in ((row.load, row.first), (row.store, row.start)):
        last = number(0) if start is None else body.atom(start)
        buffer = body.buffer(op.memref)
        at = buffer.at([*(body.atom(index) for index in op.indices[:-1]), last])
        pointers.append(unary("&", at).text)
    count = body.atom(row.count)
    body.flush()
    body.line(f"{name}({', '.join((*pointers, count.text))});")
