"""The loads and stores of an argument of a function, through the tiles that they are made in.

%tile = memref.subview %x[%t, 0] [%rows, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<...>>
%v = memref.load %tile[%i, %j]                           // %x[%t + %i, %j]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, VectorType
from xdsl.ir import Operation, SSAValue

from lowering.ir.linear_forms import LinearForm, linear
from lowering.ir.memref_views import VIEW_OPS, kept_dimensions
from lowering.ir.part_copies import mixed

Offset = list[tuple[SSAValue | int, int]]
"""A sum of multiples of values and numbers."""


@dataclass(frozen=True)
class Access:
    """A load or store of elements of a memref."""

    op: Operation
    subscripts: tuple[LinearForm, ...]
    """The subscript of the first element, for each dimension of the memref."""
    lengths: tuple[int, ...]
    """The number of elements along each dimension."""
    groups: tuple[str, ...]
    """The reassociations of the reshapes between the argument and the memref."""

    @property
    def is_write(self) -> bool:
        return isinstance(self.op, memref.StoreOp | vector.StoreOp)


@dataclass(frozen=True)
class _Tile:
    """A view: where it begins, and along which dimension of the memref each of its own goes, by how
    much."""

    start: tuple[Offset, ...]
    along: tuple[tuple[int, int], ...]
    groups: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        steps = tuple((dim, 1) for dim in range(len(self.start)))
        return self.along == steps and not any(self.start)


def accesses(argument: SSAValue) -> list[Access] | None:
    """Return all reads and writes of a memref; None if it has other uses."""
    assert isinstance(argument.type, MemRefType)
    found: list[Access] = []
    work = [(argument, _all_of(argument.type))]
    while work:
        value, tile = work.pop()
        for use in value.uses:
            op = use.operation
            if isinstance(op, memref.DimOp):
                continue
            if (view := _viewed(op, tile)) is not None:
                work.append((op.results[0], view))
            elif (access := _access(op, use.index, tile)) is not None:
                found.append(access)
            else:
                return None
    return found


@dataclass(frozen=True)
class Use:
    """A use of a memref or of a view of it: the op and the operand's number."""

    op: Operation
    index: int
    first: tuple[LinearForm, ...] | None = None
    """The subscripts of the first element used, None if they are not known."""
    lengths: tuple[int, ...] = ()
    """The number of elements along each dimension, negative if it is not known."""


def uses(buffer: SSAValue) -> list[Use]:
    """Return the uses of a memref and its views by ops that are no views."""
    assert isinstance(buffer.type, MemRefType)
    found: list[Use] = []
    work: list[tuple[SSAValue, _Tile | None]] = [(buffer, _all_of(buffer.type))]
    while work:
        value, tile = work.pop()
        for use in value.uses:
            if isinstance(use.operation, VIEW_OPS):
                view = None if tile is None else _viewed(use.operation, tile)
                work.append((use.operation.results[0], view))
            elif tile is None:
                found.append(Use(use.operation, use.index))
            else:
                found.append(_use(use.operation, use.index, value, tile))
    return found


def _use(op: Operation, index: int, value: SSAValue, tile: _Tile) -> Use:
    if (access := _access(op, index, tile)) is not None:
        return Use(op, index, access.subscripts, access.lengths)
    assert isinstance(value.type, MemRefType)
    lengths = [1] * len(tile.start)
    for (dim, step), size in zip(tile.along, value.type.get_shape()):
        lengths[dim] = size if step == 1 else DYNAMIC_INDEX
    return Use(op, index, tuple(map(linear, tile.start)), tuple(lengths))


def _all_of(type: MemRefType, groups: tuple[str, ...] = ()) -> _Tile:
    rank = type.get_num_dims()
    return _Tile(tuple([] for _ in range(rank)), tuple((dim, 1) for dim in range(rank)), groups)


def _viewed(op: Operation, tile: _Tile) -> _Tile | None:
    """Return the tile that the result of an op views if its operand views `tile`; None for other views."""
    match op:
        case memref.CastOp():
            return tile
        case memref.CollapseShapeOp() if tile.is_whole and isinstance(op.result.type, MemRefType):
            return _all_of(op.result.type, (*tile.groups, str(op.reassociation)))
        case memref.SubviewOp():
            return _part(op, tile)
        case _:
            return None


def _part(op: memref.SubviewOp, tile: _Tile) -> _Tile | None:
    assert isinstance(op.result.type, MemRefType)
    strides = op.static_strides.get_values()
    kept = kept_dimensions(op)
    if DYNAMIC_INDEX in strides or kept is None:
        return None
    start = [list(offset) for offset in tile.start]
    for offset, (dim, step) in zip(mixed(op.static_offsets.get_values(), op.offsets), tile.along):
        if offset != 0:
            start[dim].append((offset, step))
    whole = [(dim, stride * step) for stride, (dim, step) in zip(strides, tile.along)]
    return _Tile(tuple(start), tuple(whole[d] for d in kept), tile.groups)


def _access(op: Operation, index: int, tile: _Tile) -> Access | None:
    """Return the load or store that an op is of its operand of that number."""
    match op:
        case memref.LoadOp() | memref.StoreOp():
            lengths: Sequence[int] = ()
            is_accessed = op.operands[index] is op.memref
        case (
            vector.LoadOp(result=SSAValue(type=VectorType() as type))
            | vector.StoreOp(vector=SSAValue(type=VectorType() as type))
        ):
            lengths = type.get_shape()
            is_accessed = op.operands[index] is op.base
        case _:
            return None
    if not is_accessed or (
        any(step != 1 for _, step in tile.along[-len(lengths) or None :]) and lengths
    ):
        return None
    subscripts = [list(offset) for offset in tile.start]
    for subscript, (dim, step) in zip(op.indices, tile.along, strict=True):
        subscripts[dim].append((subscript, step))
    counts = [1] * len(subscripts)
    for (dim, _), length in zip(reversed(tile.along), reversed(lengths)):
        counts[dim] = length
    return Access(op, tuple(map(linear, subscripts)), tuple(counts), tile.groups)
