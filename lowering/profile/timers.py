"""Timers around the calls of kernels.

%y = func.call @softmax(%x, %m) : ...     ->     func.call @relax_timer_start(%k) : (i64) -> ()
                                                 %y = func.call @softmax(%x, %m) : ...
                                                 func.call @relax_timer_stop(%k) : (i64) -> ()
"""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from lowering.memory.functions.external_declarations import declaration
from lowering.memory.functions.external_forms import SCALAR, PackedForm
from relax_dialect.ir.walk import symbol_name, walk_ops

START, STOP = "relax.timer_start", "relax.timer_stop"
C_FUNCTIONS = {START: "relax_timer_start", STOP: "relax_timer_stop"}
"""The C functions of timers.c, by the names of external functions."""

MOST = 65536
"""The number of timers that timers.c has."""

_PREFIX = "timer "


def tag(op: Operation, number: int) -> None:
    """Number a call; lowering keeps the location, and with it the number."""
    op.location = NameLoc(StringAttr(f"{_PREFIX}{number}"), op.location or NoneAttr())


def _number(location: LocationAttr) -> int | None:
    name = location.desc.data if isinstance(location, NameLoc) else ""
    return int(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None


def insert_timers(module: ModuleOp) -> None:
    """Insert timers around the tagged calls of functions of a lowered module, in place."""
    defined = {
        symbol_name(op) for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks
    }
    for call in list(walk_ops(module)):
        if isinstance(call, func.CallOp) and call.callee.string_value() in defined:
            number = _number(call.location)
            if number is not None and number < MOST:
                _insert(call, number)
    for name, symbol in C_FUNCTIONS.items():
        form = PackedForm(name, (SCALAR,))
        module.body.block.add_op(declaration(symbol, form, [i64], []))


def _insert(call: func.CallOp, number: int) -> None:
    timer = arith.ConstantOp(IntegerAttr(number, i64))
    start, stop = (func.CallOp(symbol, [timer.result], []) for symbol in C_FUNCTIONS.values())
    Rewriter.insert_op([timer, start], InsertPoint.before(call))
    Rewriter.insert_op(stop, InsertPoint.after(call))
