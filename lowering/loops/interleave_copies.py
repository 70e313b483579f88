"""Copies to neighbouring parts of a buffer, and fills of them, share the loops around them.

    %left = memref.subview %out[0, 0] [%n, 3] [1, 1]
    %right = memref.subview %out[0, 3] [%n, 5] [1, 1]
    memref.copy %a, %left
    memref.copy %b, %right
->
    scf.for %i = %c0 to %n step %c1 {
      memref.copy (row %i of %a), (row %i of %left)
      memref.copy (row %i of %b), (row %i of %right)
    }

So the buffer is written from its beginning to its end, and once, where parts are shorter than a cache line.
Fusion of sibling loops in MLIR, `compute_with` in Halide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from lowering.ir.constants import ConstantPool
from lowering.ir.insertion import Inserter, open_loop
from lowering.ir.part_copies import PartCopy, part_of
from lowering.schedule.memrefs.tile_views import window
from relax_dialect.ir.walk import walk_ops

COUNTERS = "ijklpqrs"


def interleave_copies(function: FuncOp, constants: ConstantPool) -> None:
    """Merge the loops of a function's copies, in place."""
    ops = [op for op in walk_ops(function) if isinstance(op, memref.CopyOp | FillOp)]
    parts = {op: part for op in ops if (part := part_of(op)) is not None}
    for run in list(_runs(ops, parts)):
        _share(Inserter(before=run[-1].op), run, (), constants)


def _runs(
    ops: Sequence[memref.CopyOp | FillOp], parts: Mapping[memref.CopyOp | FillOp, PartCopy]
) -> Iterator[list[PartCopy]]:
    """Copies to one buffer with nothing between them that knows memory."""
    run: list[PartCopy] = []
    for op in ops:
        part = parts.get(op)
        follows = run and part is not None and part.whole is run[-1].whole
        if not follows or not _is_next(run[-1].op, op):
            if len(run) > 1:
                yield run
            run = []
        if part is not None:
            run.append(part)
    if len(run) > 1:
        yield run


def _is_next(first: Operation, second: Operation) -> bool:
    op = first.next_op
    while op is not None and op is not second and is_side_effect_free(op):
        op = op.next_op
    return op is second


def _share(
    insert: Inserter,
    parts: Sequence[PartCopy],
    indices: Sequence[SSAValue],
    constants: ConstantPool,
) -> None:
    """Copy the elements at some indices, in a shared loop for neighbours at the same position of a
    dimension."""
    depth = len(indices)
    rank = len(parts[0].sizes)
    groups = [[parts[i] for i in own] for own in _alike(parts, depth)] if depth < rank else []
    for group in groups or [[part] for part in parts]:
        if len(group) == 1:
            if indices:
                _copy_at(insert, group[0], indices, constants)
        elif (size := group[0].sizes[depth]) == 1:
            _share(insert, group, (*indices, constants.index(0)), constants)
        else:
            stop = constants.index(size) if isinstance(size, int) else size
            bounds = constants.index(0), stop, constants.index(1)
            name = COUNTERS[depth % len(COUNTERS)]
            loop = open_loop(insert, *bounds, name, parallel=True)
            _share(loop, group, (*indices, loop.counter), constants)
            loop.close()


def _alike(parts: Sequence[PartCopy], depth: int) -> list[list[int]]:
    """Return the numbers of neighbours at the same position of a dimension."""
    numbers = range(len(parts))
    return [list(own) for _, own in groupby(numbers, lambda i: parts[i].place(depth))]


def _copy_at(
    insert: Inserter, part: PartCopy, indices: Sequence[SSAValue], constants: ConstantPool
) -> None:
    """Copy the elements at some indices only."""
    op, depth = part.op, len(indices)
    target = part.view.result
    rest = part.sizes[depth:]
    if all(size == 1 for size in rest):
        at = [*indices, *(constants.index(0) for _ in rest)]
        is_number = isinstance(op, FillOp)
        value = part.source if is_number else insert(memref.LoadOp.get(part.source, at))
        insert.place(memref.StoreOp.get(value, target, at))
    else:
        offsets, sizes = [*indices, *(0 for _ in rest)], [*(1 for _ in indices), *rest]
        kept = range(depth, len(sizes))
        views = [part.source, target]
        for number, value in enumerate(views):
            if isinstance(value.type, MemRefType):
                views[number] = window(insert, value, offsets, sizes, kept)
        insert.place(
            FillOp(views[:1], views[1:], res=())
            if isinstance(op, FillOp)
            else memref.CopyOp(*views)
        )
    op.detach()
    op.erase()
