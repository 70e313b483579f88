"""Sines, powers and logarithms in loops: less arithmetic where every argument of a loop is usual.

    scf.for %i = ... {
      %a = memref.load %x[%i]
      %y = math.tan %a : f64
      memref.store %y, %out[%i]
    }
->
    %unusual = scf.for %i = ... iter_args(%any = 0) -> (i64) {
      %a = memref.load %x[%i]
      scf.yield %any | (|%a| >= 2**30)
    }
    scf.if %unusual == 0 {
      scf.for %i = ... { ... the arithmetic for usual arguments ... }
    } else {
      ... the loop as it was ...
    }

| op                              | usual arguments                                       |
|---------------------------------|-------------------------------------------------------|
| `math.sin math.cos math.tan`    | less than 2**30                                       |
| `math.powf`                     | normal positive numbers, whose power is normal too    |
| `math.log math.log2 math.log10` | normal positive numbers                               |

What does for all arguments costs much: twice the rest for angles of f32, far more for those of f64, where
C's library does it; as much as the rest for powers; half of it for logarithms. Where one argument of a loop
is unusual, the test is in vain: it takes a quarter of the loop's time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import IntegerAttr, IntegerType, f32, f64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import is_speculatable

from lowering.arith_emitter import ArithEmitter, Bool, Float
from lowering.constants import ConstantPool
from lowering.expand_math import circular, logarithms, powers
from lowering.insertion import Inserter, is_whole, open_loop
from relax_dialect.call_graph import ops_inside

IS_UNUSUAL: dict[type[Operation], Callable[..., Bool]] = {
    **dict.fromkeys((math.SinOp, math.CosOp, math.TanOp), circular.is_large),
    **dict.fromkeys((math.LogOp, math.Log2Op, math.Log10Op), logarithms.is_unusual),
    math.PowFOp: powers.is_unusual,
}
"""What asks of the arguments of an op whether they are unusual."""

_FLAG = {f32: IntegerType(32), f64: IntegerType(64)}
"""What says that an argument is unusual: of the width of the arguments."""


def guard_loops(function: FuncOp) -> list[Operation]:
    """Put loops for usual arguments beside those of a function that have such ops; the ops in there."""
    loops = dict.fromkeys(op.parent_op() for op in ops_inside(function) if _is_guarded(op))
    work = [loop for loop in loops if isinstance(loop, scf.ForOp) and _can_be_tested(loop)]
    constants = ConstantPool(function) if work else None
    return [op for loop in work if constants for op in _guard(loop, constants)]


def is_coarse(op: Operation) -> bool:
    """Whether an op takes f16 and gives it."""
    flags = op.properties.get("fastmath")
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data


def _is_guarded(op: Operation) -> bool:
    return type(op) in IS_UNUSUAL and op.operands[0].type in (f32, f64) and not is_coarse(op)


def _guarded(loop: scf.ForOp) -> list[Operation]:
    return [op for op in loop.body.block.ops if _is_guarded(op)]


def _can_be_tested(loop: scf.ForOp) -> bool:
    """Whether the arguments of those ops in a loop can be computed before it: nothing is carried, and
    what they are read from is not written."""
    body = loop.body.block
    if loop.iter_args or any(op.regions for op in body.ops):
        return False
    needed = _needed(loop)
    read = {op.memref for op in needed if isinstance(op, memref.LoadOp)}
    written = {op.memref for op in body.ops if isinstance(op, memref.StoreOp)}
    others = (
        op for op in body.ops if not isinstance(op, memref.LoadOp | memref.StoreOp | scf.YieldOp)
    )
    return (
        not read & written
        and all(map(is_whole, read | written))
        and all(is_speculatable(op) for op in others)
    )


def _needed(loop: scf.ForOp) -> list[Operation]:
    """The ops of a loop that those arguments are computed by, in order."""
    wanted: set[SSAValue] = set()
    found: list[Operation] = []
    for op in reversed(list(loop.body.block.ops)):
        if _is_guarded(op):
            wanted.update(op.operands)
        if wanted.intersection(op.results):
            wanted.update(op.operands)
            found.append(op)
    return found[::-1]


def _guard(loop: scf.ForOp, constants: ConstantPool) -> list[Operation]:
    """Choose between a loop and its copy; its ops in the copy, and those that the test needs."""
    flag_type = _FLAG[_guarded(loop)[0].operands[0].type]
    zero = constants.get(IntegerAttr(0, flag_type))
    insert = Inserter(before=loop)
    test = open_loop(insert, loop.lb, loop.ub, loop.step, None, [zero])
    values: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: test.counter}
    copies = [op.clone(values) for op in _needed(loop)]
    for copy in copies:
        test.place(copy)
    (flag,) = test.carried
    end = scf.YieldOp(flag)
    test.place(end)
    for op in _guarded(loop):
        real: Any = op.operands[0].type
        emitter = ArithEmitter(end, constants, None, real)
        arguments = (Float(emitter, values.get(value, value)) for value in op.operands)
        unusual = emitter.emit(arith.ExtUIOp(IS_UNUSUAL[type(op)](*arguments).ssa, flag_type))
        flag = emitter.emit(arith.OrIOp(flag, unusual))
    end.operands[0] = flag
    (any_unusual,) = test.loop.results
    any_unusual.name_hint = "unusual"
    none = insert(arith.CmpiOp(any_unusual, zero, "eq"))
    branch = scf.IfOp(none, [], Region(Block()), Region(Block()))
    insert.place(branch)
    usual = loop.clone()
    loop.detach()
    for region, chosen in zip(branch.regions, (usual, loop)):
        region.block.add_ops([chosen, scf.YieldOp()])
    return [op for op in copies if _is_guarded(op)] + _guarded(usual)
