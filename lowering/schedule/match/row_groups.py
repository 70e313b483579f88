"""Consecutive ops that work on the rows of the same arrays: a softmax, a norm, the scores of an attention.

linalg.generic {(i, j) -> (i)}      max of %x into %m          all four have a loop over the rows, and what
linalg.generic {(i, j), (i)}        exp(%x - %m) into %p  ->   one of them writes in iteration i of it,
linalg.generic {(i, j) -> (i)}      sum of %p into %s          the others read and write there only:
linalg.generic {(i, j), (i)}        %p / %s into %out          the loops may be one
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.traits import is_side_effect_free, is_speculatable

from lowering.ir.memref_views import VIEW_OPS, viewed_memref
from relax_dialect.ir.walk import walk_ops

Stage = linalg.GenericOp | linalg.FillOp
"""One step of the work on a row."""


@dataclass(frozen=True)
class StageAccess:
    """The access of a stage to a memref: the subscript of every dimension."""

    value: SSAValue
    subscripts: Sequence[AffineExpr]
    writes: bool

    @property
    def type(self) -> MemRefType:
        assert isinstance(self.value.type, MemRefType)
        return self.value.type


def accesses(op: Stage) -> list[StageAccess]:
    """Return the memrefs of a stage, inputs first."""
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    outputs = len(op.operands) - len(op.outputs)
    return [
        StageAccess(value, map_.results, number >= outputs)
        for number, (value, map_) in enumerate(zip(op.operands, maps, strict=True))
        if isinstance(value.type, MemRefType)
    ]


def parallel_loops(op: Stage) -> list[int]:
    """Return the loops of a stage whose iterations may run in any order."""
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    return [loop for loop, kind in enumerate(kinds) if kind == "parallel"]


def reduces_an_array(op: Stage) -> bool:
    """Return whether a reduction reads every element of an array once; in contractions, iterations share
    elements."""
    count = len(op.get_iterator_types())
    reads = (a.subscripts for a in accesses(op) if not a.writes)
    every = {AffineDimExpr(loop) for loop in range(count)}
    return len(parallel_loops(op)) < count and any(every <= {*subscripts} for subscripts in reads)


@dataclass(frozen=True)
class RowGroup:
    """Stages that follow each other, and the loops that they have in common, outermost first."""

    stages: tuple[Stage, ...]
    loops: tuple[tuple[int, ...], ...]
    """For each common loop its number in every stage."""

    def of(self, number: int) -> tuple[int, ...]:
        """Return the common loops as stage `number` counts them."""
        return tuple(loop[number] for loop in self.loops)


def is_harmless(op: Operation) -> bool:
    """Return whether an op neither reads nor writes elements; a deallocation can be delayed."""
    kinds = (memref.AllocOp, memref.AllocaOp, memref.DeallocOp, memref.DimOp, *VIEW_OPS)
    return isinstance(op, kinds) or (not op.regions and is_speculatable(op))


def between(first: linalg.GenericOp, last: linalg.GenericOp) -> Sequence[Stage] | Operation:
    """Return the stages from one op to another in the same block, or an op between them that is no stage
    and prevents reordering."""
    found: list[Stage] = []
    op: Operation | None = first
    while op is not None:
        if isinstance(op, Stage) and not op.results:
            found.append(op)
        elif not is_harmless(op):
            return op
        if op is last:
            return found
        op = op.next_op
    return last


def with_fills(stages: Sequence[Stage], loops: Sequence[int]) -> Sequence[Stage]:
    """Return the stages, preceded by the fills of their memory with the same common loops."""
    op = stages[0].prev_op
    while op is not None and (isinstance(op, linalg.FillOp) or is_harmless(op)):
        if isinstance(op, linalg.FillOp):
            if isinstance(group((op, *stages), loops), str):
                break
            stages = (op, *stages)
        op = op.prev_op
    return stages


def common(
    stages: Sequence[Stage], known: Mapping[Stage, Sequence[StageAccess]] | None = None
) -> RowGroup | None:
    """Return the group of the stages with all loops that may be common to all, by their known accesses."""
    if len(stages) < 2:
        return None
    all_of = [accesses(op) if known is None else known[op] for op in stages]
    if not _are_buffers_apart(stages, all_of):
        return None
    found = [_followed(stages, all_of, loop) for loop in parallel_loops(stages[-1])]
    loops = [loop for loop in found if loop is not None]
    while unfit := _unfit(all_of, loops):
        loops.remove(unfit)
    return RowGroup(tuple(stages), tuple(loops)) if loops else None


def group(stages: Sequence[Stage], loops: Sequence[int]) -> RowGroup | str:
    """Return the stages with these loops of the last one in common, or why they cannot be."""
    all_of = [accesses(op) for op in stages]
    if not _are_buffers_apart(stages, all_of):
        return (
            "expected memory that all stages know by one name if one of them writes it, and that none "
            "reads from within, found other; leave a stage out"
        )
    found: list[tuple[int, ...]] = []
    for loop in loops:
        if (followed := _followed(stages, all_of, loop)) is None:
            return (
                f"expected a loop that all stages have, and in whose iterations they read and write the "
                f"same part of what is written, found d{loop}; take another loop, or leave a stage out"
            )
        found.append(followed)
    if (unfit := _unfit(all_of, found)) is not None:
        return (
            "expected a loop that cuts arrays into parts that lie together in memory, found "
            f"d{unfit[-1]}; leave it out"
        )
    return RowGroup(tuple(stages), tuple(found))


_READS = (memref.LoadOp, linalg.IndexOp, linalg.YieldOp, scf.YieldOp)
"""The ops that the body of a stage may contain besides side-effect-free ones."""


def _are_buffers_apart(stages: Sequence[Stage], all_of: Sequence[Sequence[StageAccess]]) -> bool:
    """Return whether no stage writes a buffer that another one knows by another name, or reads from
    within."""
    names: dict[SSAValue, set[SSAValue]] = {}
    written: set[SSAValue] = set()
    for found in all_of:
        for access in found:
            buffer = viewed_memref(access.value)
            names.setdefault(buffer, set()).add(access.value)
            if access.writes:
                written.add(buffer)
    inside = [inner for op in stages for inner in walk_ops(op) if inner is not op]
    read = {viewed_memref(inner.memref) for inner in inside if isinstance(inner, memref.LoadOp)}
    return (
        all(len(names[buffer]) == 1 for buffer in written)
        and read.isdisjoint(written)
        and all(isinstance(op, _READS) or is_side_effect_free(op) for op in inside)
    )


def _followed(
    stages: Sequence[Stage], all_of: Sequence[Sequence[StageAccess]], loop: int
) -> tuple[int, ...] | None:
    """Return the loop of every stage that corresponds to one of the last: written values have the same
    subscripts."""
    written = {a.value for found in all_of for a in found if a.writes}
    loops: dict[int, int] = {len(stages) - 1: loop}
    dimensions: dict[SSAValue, int] = {}
    while True:
        known = len(loops), len(dimensions)
        for number, own in loops.items():
            for access in all_of[number]:
                if access.value not in written:
                    continue
                at = [d for d, e in enumerate(access.subscripts) if e == AffineDimExpr(own)]
                if not at or dimensions.setdefault(access.value, at[0]) not in at:
                    return None
        for number, found in enumerate(all_of):
            for access in found:
                if access.value not in dimensions:
                    continue
                subscript = access.subscripts[dimensions[access.value]]
                if not isinstance(subscript, AffineDimExpr):
                    return None
                if loops.setdefault(number, subscript.position) != subscript.position:
                    return None
        if (len(loops), len(dimensions)) == known:
            break
    if len(loops) < len(stages) or dimensions.keys() != written:
        return None
    if any(own not in parallel_loops(op) for (_, own), op in zip(sorted(loops.items()), stages)):
        return None
    return tuple(loops[number] for number in range(len(stages)))


def _unfit(
    all_of: Sequence[Sequence[StageAccess]], loops: Sequence[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """Return a common loop along which some array cannot be cut, or only across what is contiguous."""
    for loop in loops:
        for number, found in enumerate(all_of):
            common = {each[number] for each in loops}
            if any(_is_crossed(access, loop[number], common) for access in found):
                return loop
    return None


def _is_crossed(access: StageAccess, loop: int, common: set[int]) -> bool:
    inner = False
    for expr in access.subscripts:
        used = expr.used_dims()
        if loop in used and not isinstance(expr, AffineDimExpr) and not used <= common:
            return True
        inner = inner or not used <= common
    last = access.subscripts[-1] if access.subscripts else AffineConstantExpr(0)
    return inner and last == AffineDimExpr(loop)
