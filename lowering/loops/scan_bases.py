"""Running sums of f32 as the sum of their block plus the total of all blocks before it: a part of
relax-linalg-to-loops.

    linalg.generic ins(%x) outs(%running, %init) {
    ^bb0(%x: f32, %out: f32, %acc: f32):
      %s = arith.addf %acc, %x : f32
      linalg.yield %s, %s : f32, f32
    }
->
    %base = memref.alloc()                                           // filled with 0
    linalg.generic ins(%x, %base) outs(%running, %init) {
    ^bb0(%x: f32, %base: f32, %out: f32, %acc: f32):
      %s = arith.addf %acc, %x : f32
      %all = arith.addf %base, %s : f32
      linalg.yield %all, %s : f32, f32
    }

`memory_sums` cuts the loop into blocks, and moves the sum of each to the base. Scans of at most
`running_sums.BLOCK` iterations stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, MemRefType, f32
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter
from lowering.ir.memref_sizes import MemrefSizes
from lowering.ir.side_memory import side_memory
from lowering.loops import running_sums
from relax_dialect.ir.walk import walk_ops

Bases = Mapping[int, SSAValue]
"""The memory of the initial values of blocks, by the number of the output that holds the sum."""


def add_bases(
    function: FuncOp, constants: ConstantPool, sizes: MemrefSizes
) -> Mapping[Operation, Bases]:
    """Add bases to the long running sums of a function, in place; return the ops with their bases."""
    found: dict[Operation, Bases] = {}
    for op in list(walk_ops(function)):
        if isinstance(op, linalg.GenericOp) and (numbers := list(_scans(op))):
            op = _long_version(op, constants, sizes)
            bases = {number: _memory(op, number, constants, sizes) for number in numbers}
            found[_with_bases(op, bases)] = bases
    return found


def _long_version(
    op: linalg.GenericOp, constants: ConstantPool, sizes: MemrefSizes
) -> linalg.GenericOp:
    """Return a copy of an op for long scans, beside the op for short ones; the op if it is known to be
    long."""
    d = _scanned(op)
    operands = zip(op.operands, op.get_indexing_maps())
    places = [
        (value, n)
        for value, attribute in operands
        if isinstance(value.type, MemRefType)
        for n, expr in enumerate(attribute.data.results)
        if expr == AffineDimExpr(d)
    ]
    bound = sizes.bound(places, op)
    if known_integer(bound) is not None:
        return op
    insert, copy = Inserter(before=op), op.clone()
    is_long = insert(arith.CmpiOp(bound, constants.index(running_sums.BLOCK), "sgt"), "long")
    short = Block()
    branch = scf.IfOp(is_long, [], Region(Block([copy, scf.YieldOp()])), Region(short))
    insert.place(branch)
    op.detach()
    short.add_ops([op, scf.YieldOp()])
    return copy


def _scanned(op: linalg.GenericOp) -> int:
    """Return the only loop that reduces, -1 if there are others."""
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    found = [d for d, kind in enumerate(kinds) if kind != "parallel"]
    return found[0] if len(found) == 1 else -1


def _scans(op: linalg.GenericOp) -> Iterator[int]:
    """Yield the outputs that hold a long sum whose partial sums are results too."""
    if (scanned := _scanned(op)) < 0 or 0 <= _extent(op, scanned) <= running_sums.BLOCK:
        return
    body = op.body.block
    last = body.last_op
    assert last is not None
    maps = [attribute.data for attribute in op.get_indexing_maps()][len(op.inputs) :]
    for number, (acc, total) in enumerate(zip(body.args[len(op.inputs) :], last.operands)):
        is_sum = isinstance(total.owner, arith.AddfOp) and acc in total.owner.operands
        is_running = not (acc.has_one_use() and total.has_one_use())
        exprs = maps[number].results
        places = {e.position for e in exprs if isinstance(e, AffineDimExpr)}
        if (
            (is_sum and is_running and acc.type == f32)
            and len(places) == len(exprs)
            and scanned not in places
        ):
            yield number


def _extent(op: linalg.GenericOp, d: int) -> int:
    """Return the trip count of a loop, negative if it is not known."""
    found = [-1]
    for operand, attribute in zip(op.operands, op.get_indexing_maps()):
        if isinstance(operand.type, MemRefType):
            sizes = zip(operand.type.get_shape(), attribute.data.results)
            found += [size for size, expr in sizes if expr == AffineDimExpr(d)]
    return max(found)


def _memory(
    op: linalg.GenericOp, number: int, constants: ConstantPool, sizes: MemrefSizes
) -> SSAValue:
    """Memory like that of an output, filled with zeros."""
    out, insert = op.outputs[number], Inserter(before=op)
    assert isinstance(out.type, MemRefType)
    bounds = [sizes.bound([(out, d)], op) for d in range(out.type.get_num_dims())]
    base = side_memory(f32, bounds, op, constants, "base")
    insert.place(linalg.FillOp([constants.get(FloatAttr(0.0, f32))], [base], []))
    return base


def _with_bases(op: linalg.GenericOp, bases: Bases) -> linalg.GenericOp:
    """Replace an op by a version with bases added to all running sums that are results."""
    maps, count = list(op.indexing_maps), len(op.inputs)
    own = [maps[count + number] for number in bases]
    body = op.detach_region(op.body)
    block = body.block
    last = block.last_op
    assert last is not None
    for place, number in enumerate(bases):
        acc, total = block.args[count + place + number], last.operands[number]
        base = block.insert_arg(f32, count + place)
        base.name_hint = "base"
        made = total.owner
        assert isinstance(made, Operation)
        for value in (acc, total):
            others = [u for u in value.uses if u.operation not in (last, made)]
            others += [u for u in value.uses if u.operation is last and u.index != number]
            if others:
                before = made.next_op if value is total else block.first_op
                assert before is not None
                whole = Inserter(before=before)(arith.AddfOp(base, value), value.name_hint)
                for use in others:
                    use.operation.operands[use.index] = whole
    new = linalg.GenericOp(
        [*op.inputs, *bases.values()],
        op.outputs,
        body,
        [*maps[:count], *own, *maps[count:]],
        op.iterator_types,
    )
    Inserter(before=op).place(new)
    op.detach()
    op.erase()
    return new
