"""The buffers of a parallel loop: scratch that each range of iterations needs for itself, and shared ones.

%row = memref.alloca() : memref<512xf32>           // scratch: every iteration writes all of it
scf.for %i = %c0 to %n step %c1 {
  ... memref.store %v, %row[%j]
  ... memref.store %w, %out[%i, %j]                // shared: iterations write different elements
} {relax.parallel}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import func, memref, scf, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from lowering.ir.memref_views import VIEW_OPS, buffer_of, viewed_memref
from lowering.memory.in_place.call_graph import callees_first
from relax_dialect.ir.mlir.mlir_ops import PrefetchOp
from relax_dialect.ir.walk import walk_ops

Written = Mapping[str, frozenset[int]]
"""The arguments that functions may write, by their numbers."""

READS = (memref.LoadOp, vector.LoadOp, memref.DimOp, PrefetchOp)
"""Ops that only read a memref."""

ALLOCATIONS = (memref.AllocOp, memref.AllocaOp)


@dataclass(frozen=True)
class _Write:
    """A write of elements of a memref, with its subscripts."""

    memref: SSAValue
    subscripts: tuple[SSAValue, ...] = ()


def written_arguments(functions: Mapping[str, func.FuncOp]) -> Written:
    """Return the arguments that each function writes, itself or through calls."""
    found: dict[str, frozenset[int]] = {}
    for name in callees_first(functions):
        function = functions[name]
        arguments = list(function.body.block.args)
        buffers = {viewed_memref(w.memref) for op in walk_ops(function) for w in _writes(op, found)}
        found[name] = frozenset(i for i, a in enumerate(arguments) if a in buffers)
    return found


def calls_only(loop: scf.ForOp, functions: Mapping[str, func.FuncOp]) -> bool:
    """Return whether a loop calls only functions with a body, and passes memrefs to known ops alone."""
    for op in walk_ops(loop):
        if isinstance(op, func.CallOp):
            if op.callee.string_value() not in functions:
                return False
        elif not isinstance(op, (*READS, *VIEW_OPS, *ALLOCATIONS)) and not _is_known(op):
            return False
    return True


def _is_known(op: Operation) -> bool:
    """Return whether an op writes memrefs in a known way, or has none."""
    if isinstance(op, memref.StoreOp | vector.StoreOp | memref.CopyOp | memref.DeallocOp):
        return True
    has_memref = any(isinstance(v.type, MemRefType) for v in (*op.operands, *op.results))
    return not has_memref or isinstance(op, memref.GetGlobalOp)


def scratch_of(loop: scf.ForOp, written: Written) -> list[Operation] | None:
    """Return the allocations outside of a loop that are scratch of an iteration; None if iterations may
    write the same elements of another buffer."""
    varying = _varying(loop)
    inside = set(walk_ops(loop))
    scratch: dict[Operation, None] = {}
    for op in inside:
        for write in _writes(op, written):
            root = buffer_of(write.memref)
            owner = None if root is None else root.owner
            if isinstance(owner, Operation) and owner in inside:
                continue
            if root is not None and not varying.isdisjoint(_subscripts(write)):
                continue
            if not isinstance(owner, ALLOCATIONS) or not _is_only_inside(owner, inside):
                return None
            scratch[owner] = None
    return list(scratch)


def _writes(op: Operation, written: Written) -> Iterator[_Write]:
    match op:
        case memref.StoreOp():
            yield _Write(op.memref, tuple(op.indices))
        case vector.StoreOp():
            yield _Write(op.base, tuple(op.indices))
        case memref.CopyOp():
            yield _Write(op.destination)
        case func.CallOp():
            known = written.get(op.callee.string_value())
            for number, operand in enumerate(op.operands):
                if isinstance(operand.type, MemRefType) and (known is None or number in known):
                    yield _Write(operand)
        case _:
            pass


def _subscripts(write: _Write) -> Iterator[SSAValue]:
    """Yield the subscripts of a write, and the offsets of the views that it is made through."""
    yield from write.subscripts
    value = write.memref
    while isinstance(view := value.owner, VIEW_OPS):
        if isinstance(view, memref.SubviewOp | memref.ReinterpretCastOp):
            yield from view.offsets
        elif isinstance(view, memref.ViewOp):
            yield view.byte_shift
        value = view.operands[0]


def _varying(loop: scf.ForOp) -> set[SSAValue]:
    """Return the values in a loop that depend on its counter, except through trip counts."""
    found: set[SSAValue] = {loop.body.block.args[0]}
    for op in walk_ops(loop):
        if isinstance(op, scf.ForOp):
            if op.lb in found:
                found.add(op.body.block.args[0])
        elif not found.isdisjoint(op.operands):
            found.update(op.results)
    return found


def _is_only_inside(allocation: Operation, inside: set[Operation]) -> bool:
    """Return whether a buffer is used inside a loop only, except for its deallocation."""
    work = [allocation.results[0]]
    while work:
        for use in work.pop().uses:
            op = use.operation
            if isinstance(op, VIEW_OPS):
                work.append(op.results[0])
            elif op not in inside and not isinstance(op, memref.DeallocOp):
                return False
    return True
