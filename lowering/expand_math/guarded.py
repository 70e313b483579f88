"""Sine, cosine and tangent in loops: less arithmetic where every argument of a loop is small.

    scf.for %i = ... {
      %a = memref.load %x[%i]
      %y = math.tan %a : f64
      memref.store %y, %out[%i]
    }
->
    %large = scf.for %i = ... iter_args(%any = 0) -> (i64) {
      %a = memref.load %x[%i]
      scf.yield %any | (|%a| >= 2**30)
    }
    scf.if %large == 0 {
      scf.for %i = ... { ... the arithmetic for small arguments ... }
    } else {
      ... the loop as it was ...
    }

A reduction that does for arguments of any size costs much: twice the rest for f32, far more for f64, where
C's library does it. Large ones are rare.
"""

from __future__ import annotations

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, f32, f64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import is_speculatable

from lowering.constants import ConstantPool
from lowering.expand_math.coefficients import LARGE
from lowering.insertion import Inserter, is_whole, open_loop
from relax_dialect.call_graph import ops_inside

CIRCULAR = (math.SinOp, math.CosOp, math.TanOp)

_FLAG = {f32: IntegerType(32), f64: IntegerType(64)}
"""What says that an argument is large: of the width of the arguments."""


def guard_loops(function: FuncOp) -> list[Operation]:
    """Put loops for small arguments beside those of a function that take sines; the sines, cosines and
    tangents in there."""
    loops = dict.fromkeys(op.parent_op() for op in ops_inside(function) if _is_circular(op))
    work = [loop for loop in loops if isinstance(loop, scf.ForOp) and _can_be_tested(loop)]
    constants = ConstantPool(function) if work else None
    return [op for loop in work if constants for op in _guard(loop, constants)]


def is_coarse(op: Operation) -> bool:
    """Whether an op takes f16 and gives it."""
    flags = op.properties.get("fastmath")
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data


def _is_circular(op: Operation) -> bool:
    return isinstance(op, CIRCULAR) and op.operands[0].type in (f32, f64) and not is_coarse(op)


def _sines(loop: scf.ForOp) -> list[Operation]:
    return [op for op in loop.body.block.ops if _is_circular(op)]


def _can_be_tested(loop: scf.ForOp) -> bool:
    """Whether the arguments of the sines in a loop can be computed before it: nothing is carried, and
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
    """The ops of a loop that the arguments of its sines are computed by, in order."""
    wanted: set[SSAValue] = set()
    found: list[Operation] = []
    for op in reversed(list(loop.body.block.ops)):
        if _is_circular(op):
            wanted.update(op.operands)
        if wanted.intersection(op.results):
            wanted.update(op.operands)
            found.append(op)
    return found[::-1]


def _guard(loop: scf.ForOp, constants: ConstantPool) -> list[Operation]:
    """Choose between a loop and its copy; the sines of the copy, and those that the test needs."""
    flag_type = _FLAG[_sines(loop)[0].operands[0].type]
    zero = constants.get(IntegerAttr(0, flag_type))
    insert = Inserter(before=loop)
    test = open_loop(insert, loop.lb, loop.ub, loop.step, None, [zero])
    values: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: test.counter}
    copies = [op.clone(values) for op in _needed(loop)]
    for copy in copies:
        test.place(copy)
    (flag,) = test.carried
    for op in _sines(loop):
        size = test(math.AbsFOp(values.get(op.operands[0], op.operands[0])))
        assert isinstance(size.type, AnyFloat)
        bound = constants.get(FloatAttr(LARGE, size.type))
        is_large = test(arith.CmpfOp(size, bound, "oge"))
        flag = test(arith.OrIOp(flag, test(arith.ExtUIOp(is_large, flag_type))))
    (large,) = test.close(flag)
    large.name_hint = "large"
    none = insert(arith.CmpiOp(large, zero, "eq"))
    branch = scf.IfOp(none, [], Region(Block()), Region(Block()))
    insert.place(branch)
    small = loop.clone()
    loop.detach()
    for region, chosen in zip(branch.regions, (small, loop)):
        region.block.add_ops([chosen, scf.YieldOp()])
    return [op for op in copies if _is_circular(op)] + _sines(small)
