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

Support for all arguments is expensive: twice the rest for angles of f32, far more for those of f64, where
C's library computes it; as much as the rest for powers; half of it for logarithms. If one argument of a
loop is unusual, the test is wasted: it takes a quarter of the loop's time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    f64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import is_speculatable

from lowering.ir.arith_emitter import ArithEmitter, Bool, Float
from lowering.ir.constants import ConstantPool
from lowering.ir.insertion import Inserter, open_loop
from lowering.ir.memref_views import accessed, buffer_of
from lowering.loops.expand_math import circular, logarithms, powers
from relax_dialect.ir.walk import walk_ops

IS_UNUSUAL: dict[type[Operation], Callable[..., Bool]] = {
    **dict.fromkeys((math.SinOp, math.CosOp, math.TanOp), circular.is_large),
    **dict.fromkeys((math.LogOp, math.Log2Op, math.Log10Op), logarithms.is_unusual),
    math.PowFOp: powers.is_unusual,
}
"""Whether the arguments of an op are unusual, as a function for each."""

_FLAG: dict[Attribute, IntegerType] = {f32: IntegerType(32), f64: IntegerType(64)}
"""The type of the flag that an argument is unusual: as wide as the arguments."""

_LOADS, _STORES = memref.LoadOp | vector.LoadOp, memref.StoreOp | vector.StoreOp


def guard_loops(function: FuncOp) -> list[Operation]:
    """Add loops for usual arguments to a function that has such ops; return the ops in the new loops."""
    loops = dict.fromkeys(op.parent_op() for op in walk_ops(function) if _is_guarded(op))
    work = [loop for loop in loops if isinstance(loop, scf.ForOp) and _can_be_tested(loop)]
    constants = ConstantPool(function) if work else None
    return [op for loop in work if constants for op in _guard(loop, constants)]


def is_coarse(op: Operation) -> bool:
    """Return whether an op computes from f16 to f16."""
    flags = op.properties.get("fastmath")
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data


def _is_guarded(op: Operation) -> bool:
    return type(op) in IS_UNUSUAL and _element(op) in (f32, f64) and not is_coarse(op)


def _shape(op: Operation) -> VectorType | None:
    """Return the vector type of an op, None for numbers."""
    t = op.operands[0].type
    return t if isinstance(t, VectorType) else None


def _element(op: Operation) -> Attribute:
    t = op.operands[0].type
    return t.element_type if isinstance(t, VectorType) else t


def _guarded(loop: scf.ForOp) -> list[Operation]:
    return [op for op in loop.body.block.ops if _is_guarded(op)]


def _can_be_tested(loop: scf.ForOp) -> bool:
    """Return whether the arguments of those ops in a loop can be computed before it: nothing is carried,
    and the memory that they are read from is not written."""
    body = loop.body.block
    if loop.iter_args or any(op.regions for op in body.ops):
        return False
    if len({shape and shape.shape for shape in map(_shape, _guarded(loop))}) > 1:
        return False
    needed = _needed(loop)
    read = {buffer_of(accessed(op)) for op in needed if isinstance(op, _LOADS)}
    written = {buffer_of(accessed(op)) for op in body.ops if isinstance(op, _STORES)}
    others = (op for op in body.ops if not isinstance(op, _LOADS | _STORES | scf.YieldOp))
    return (
        None not in read | written
        and not read & written
        and all(is_speculatable(op) for op in others)
    )


def _needed(loop: scf.ForOp) -> list[Operation]:
    """Return the ops of a loop that compute those arguments, in order."""
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
    """Choose between a loop and its copy; return the guarded ops in the copy, and the ops that the test
    needs."""
    first = _guarded(loop)[0]
    shape, number = _shape(first), _FLAG[_element(first)]
    none_of = zero = constants.get(IntegerAttr(0, number))
    flag_type: Any = number
    if shape is not None:
        flag_type = VectorType(number, shape.shape, shape.scalable_dims)
        none_of = constants.get(DenseIntOrFPElementsAttr.from_list(flag_type, [0]))
    insert = Inserter(before=loop)
    test = open_loop(insert, loop.lb, loop.ub, loop.step, None, [none_of])
    values: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: test.counter}
    copies = [op.clone(values) for op in _needed(loop)]
    for copy in copies:
        test.place(copy)
    (flag,) = test.carried
    end = scf.YieldOp(flag)
    test.place(end)
    for op in _guarded(loop):
        real: Any = _element(op)
        emitter = ArithEmitter(end, constants, shape, real)
        arguments = (Float(emitter, values.get(value, value)) for value in op.operands)
        unusual = emitter.emit(arith.ExtUIOp(IS_UNUSUAL[type(op)](*arguments).ssa, flag_type))
        flag = emitter.emit(arith.OrIOp(flag, unusual))
    end.operands[0] = flag
    (any_unusual,) = test.loop.results
    if shape is not None:
        any_unusual = insert(
            vector.ReductionOp.create(
                operands=[any_unusual],
                result_types=[number],
                properties={
                    "kind": vector.CombiningKindAttr(vector.CombiningKindFlag.OR),
                    "fastmath": FastMathFlagsAttr("none"),
                },
            )
        )
    any_unusual.name_hint = "unusual"
    none = insert(arith.CmpiOp(any_unusual, zero, "eq"))
    branch = scf.IfOp(none, [], Region(Block()), Region(Block()))
    insert.place(branch)
    usual = loop.clone()
    loop.detach()
    for region, chosen in zip(branch.regions, (usual, loop)):
        region.block.add_ops([chosen, scf.YieldOp()])
    return [op for op in copies if _is_guarded(op)] + _guarded(usual)
