"""Whether a prim func may write a result over an argument: each element, once it has been read."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.builtin import VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.memref_views import accessed
from relax_dialect.ops import blocks, calls, control, core, graph, loops, manipulate


def may_overwrite(source: SSAValue, target: SSAValue) -> bool:
    """Whether two memref arguments of a function on loops may be one buffer.

    They may where all accesses to both stand in one block, each of its points touches an element of
    its own, and reads it before it writes it:

        scf.for %i = ... {
          scf.for %j = ... {
            %a = memref.load %source[%i, %j]
            ...
            memref.store %b, %target[%i, %j]

    The accesses may be of vectors, if the last counter steps by their length.
    """
    used = [part for value in (source, target) for part in _uses(value)]
    accesses = [op for op, _ in used]
    if len({groups for _, groups in used}) > 1:
        return False
    if not accesses:
        return True
    if not all(isinstance(op, LOADS | STORES) for op in accesses):
        return False
    block, places = accesses[0].parent, {_place(op) for op in accesses}
    if block is None or len(places) > 1 or any(op.parent is not block for op in accesses):
        return False
    ((indices, lanes),) = places
    counters = _counters(block)
    if counters is None or sorted(map(id, indices)) != sorted(map(id, counters)):
        return False
    if lanes > 1 and (known_integer(counters[indices[-1]]) or 0) < lanes:
        return False
    return _reads_first(block, source, target)


def _uses(
    value: SSAValue, groups: tuple[str, ...] = ()
) -> Iterator[tuple[Operation, tuple[str, ...]]]:
    """The uses of a memref and of views of all of it, with how these join its dimensions."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, memref.CollapseShapeOp):
            yield from _uses(op.result, (*groups, str(op.reassociation)))
        elif not isinstance(op, memref.DimOp):
            yield op, groups


LOADS, STORES = memref.LoadOp | vector.LoadOp, memref.StoreOp | vector.StoreOp


def _place(op: Operation) -> tuple[tuple[SSAValue, ...], int]:
    """The indices of an access, and how many elements it is of."""
    assert isinstance(op, memref.LoadOp | memref.StoreOp | vector.LoadOp | vector.StoreOp)
    if isinstance(op, vector.LoadOp | vector.StoreOp):
        value = op.result if isinstance(op, vector.LoadOp) else op.vector
        assert isinstance(value.type, VectorType)
        return tuple(op.indices), prod(value.type.get_shape())
    return tuple(op.indices), 1


def _counters(block: Block) -> dict[SSAValue, SSAValue] | None:
    """The counters of the loops around a block up to its function, with their steps; None if other ops are
    there."""
    counters: dict[SSAValue, SSAValue] = {}
    for parent in _parents(block):
        if not isinstance(parent, scf.ForOp):
            return None
        counters[parent.body.block.args[0]] = parent.step
    return counters


def _parents(block: Block) -> Iterator[Operation]:
    """The ops around a block, but the function."""
    op = block.parent_op()
    while op is not None and not isinstance(op, FuncOp):
        yield op
        op = op.parent_op()


def _reads_first(block: Block, source: SSAValue, target: SSAValue) -> bool:
    """Whether the source is only read before a write, and the target only behind one."""
    written = False
    for op in block.ops:
        if isinstance(op, STORES):
            written = written or _whole(accessed(op)) in (source, target)
        elif isinstance(op, LOADS) and _whole(accessed(op)) is (source if written else target):
            return False
    return True


def _whole(value: SSAValue) -> SSAValue:
    """The memref that a view of all of it looks at."""
    while isinstance(value.owner, memref.CollapseShapeOp):
        value = value.owner.src
    return value


FRESH = (calls.TirCallOp, calls.CallOp, calls.PackedOp, control.IfOp, loops.WhileOp)
"""Ops whose results are buffers of their own that the function owns."""


def is_last_use(value: SSAValue) -> bool:
    """Whether a value that one of the `FRESH` ops made, or a loop gave its body, has no use but the
    one asked for; a loop around that use may still ask for it once more.

    Ops that give a value on under another name are looked through; where it may be known in other
    places too (a tuple, a parameter, a constant) the answer is no.
    """
    while value.get_unique_use() is not None:
        owner = value.owner
        if isinstance(owner, Block):
            return isinstance(owner.parent_op(), loops.WhileOp)
        if isinstance(owner, FRESH):
            return True
        if isinstance(owner, graph.LetOp | core.MatchCastOp | core.MatchShapeOp):
            value = owner.value
        elif isinstance(owner, manipulate.ReshapeOp):
            value = owner.x
        elif isinstance(owner, blocks.BlockOp):
            assert isinstance(value, OpResult)
            value = owner.output.operands[value.index]
        else:
            return False
    return False
