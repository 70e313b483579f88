"""Operands in panels: copied where a tile reads them, before the loops around, or at compile time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.index_writer import Term
from lowering.ir.insertion import Inserter
from lowering.schedule.kernel import Access, Kernel, Leaf, Packed, Stage
from lowering.schedule.tiling import Part, Tiling, places
from lowering.schedule.views import PARALLEL, allocate


def pack(kernel: Kernel, leaf: Leaf, number: int, d: int) -> None:
    """Copy what a leaf reads of an operand along a loop to a panel, in front of it."""
    kernel.lift(leaf)
    access = leaf.stage.accesses[number]
    dims = _dims(access, leaf, d)
    sizes = [kernel.extents[e] if e not in leaf.rooms else leaf.rooms[e] for e in dims]
    start = next((op for op, loop in leaf.scopes if loop is not None), leaf.before)
    panel, made = _room(kernel, access, sizes, start, kernel.end)
    origin = {e: leaf.offsets[e] for e in dims}
    packed = Access(panel, _map(kernel, dims), origin, filled=frozenset([d]))
    copies = _copy(kernel, leaf, access, packed, dims, d)
    record = Packed(access, d, leaf, [*made, *copies])
    kernel.replace(leaf, [_with(leaf, number, packed, record)])


def hoist(kernel: Kernel, leaves: Sequence[Leaf], number: int) -> None:
    """Pack all panels of an operand in front of the loops that do not change them."""
    made: dict[Block, tuple[Access, Sequence[int]]] = {}
    all_packed = len(leaves) == len(kernel.leaves)
    for leaf in leaves:
        record = leaf.packed[number]
        at, d = record.leaf, record.loop
        depth = _depth(record)
        if depth == len(at.scopes):
            continue
        scope = at.scopes[depth][0]
        block = scope.parent
        assert block is not None
        crossed = {d, *(loop for _, loop in at.scopes[depth:] if loop is not None)}
        if block not in made:
            made[block] = _all_panels(kernel, record, depth, crossed, all_packed)
        panels, dims = made[block]
        kernel.lift(leaf)
        for op in reversed(record.ops):
            op.detach()
            op.erase(safe_erase=False)
        origin = {e: at.offsets[e] for e in dims if e == d or e not in crossed}
        lead: Sequence[Term] = [at.numbers[d] if all_packed else 0]
        access = replace(panels, origin=origin, lead=lead)
        kernel.replace(leaf, [_with(leaf, number, access, None)])


def pack_constant(kernel: Kernel, number: int, d: int, tiling: Tiling) -> bool:
    """Lay an operand out in panels at compile time, if all calls pass constants for it."""
    access = kernel.leaves[0].stage.accesses[number]
    dims, extent = _dims(access, kernel.leaves[0], d), kernel.extents[d]
    assert isinstance(extent, int) and access.map is not None
    for leaf in kernel.leaves:
        kernel.lift(leaf)
    found = None
    accesses = [own.value for stage in kernel.leaves[0].stages for own in stage.accesses]
    if access.value.first_use is None and accesses.count(access.value) == 1:
        axes = [[*_walked(access.map)].index(e) for e in dims]
        parts = list(tiling.parts(kernel.writer(kernel.end), extent))

        def layout(array: np.ndarray) -> np.ndarray:
            return _panels(array.transpose(axes), parts)

        key = tuple(axes), tuple((p.first, p.count, p.start, p.size, p.room) for p in parts)
        found = kernel.packer.pack(kernel.function, access.value, key, layout)
    for leaf in kernel.leaves if found is not None else ():
        assert found is not None
        origin, lead = {d: leaf.offsets[d]}, [leaf.numbers[d]]
        panels = Access(found, _map(kernel, dims), origin, lead, frozenset([d]))
        leaf.stages = _with(leaf, number, panels, None).stages
    return found is not None


def _panels(array: np.ndarray, parts: Sequence[Part]) -> np.ndarray:
    """`[..., columns]` as `[panel, ..., width]`, filled up with zeros."""
    count = sum(part.count for part in parts if isinstance(part.count, int))
    found = np.zeros((count, *array.shape[:-1], max(p.room for p in parts)), array.dtype)
    for part in parts:
        first, times, start, size = part.first, part.count, part.start, part.size
        assert isinstance(first, int) and isinstance(times, int)
        assert isinstance(start, int) and isinstance(size, int)
        for n in range(times):
            at = start + n * size
            found[first + n, ..., :size] = array[..., at : at + size]
    return found


def _dims(access: Access, leaf: Leaf, d: int) -> list[int]:
    """The loops of a panel, that along which it is one last."""
    assert access.map is not None
    return [*sorted(access.map.used_dims() - leaf.single - {d}), d]


def _map(kernel: Kernel, dims: Sequence[int]) -> AffineMap:
    return AffineMap(kernel.count, 0, tuple(AffineDimExpr(e) for e in dims))


def _walked(map_: AffineMap) -> Iterator[int]:
    """The loop of each dimension, each of which one loop walks."""
    for expr in map_.results:
        assert isinstance(expr, AffineDimExpr)
        yield expr.position


def _depth(record: Packed) -> int:
    """How many of the scopes around stay around the panels: those up to the last that changes them, and up
    to the last branch."""
    scopes = record.leaf.scopes
    for depth, (_, loop) in reversed([*enumerate(scopes, 1)]):
        if loop is None or (loop != record.loop and record.access.walks(loop)):
            return depth
    return 0


def _all_panels(
    kernel: Kernel, record: Packed, depth: int, crossed: set[int], all_packed: bool
) -> tuple[Access, Sequence[int]]:
    """The panels of all tiles of a loop, in front of a scope."""
    at, d, access = record.leaf, record.loop, record.access
    scope = at.scopes[depth][0]
    root = replace(
        at,
        before=scope,
        scopes=at.scopes[:depth],
        offsets={**at.offsets, **dict.fromkeys(crossed, 0)},
        sizes={**at.sizes, **{e: kernel.extents[e] for e in crossed}},
        rooms={e: room for e, room in at.rooms.items() if e not in crossed},
    )
    dims, tiling = _dims(access, at, d), kernel.tilings[d]
    write = kernel.writer(scope)
    extent = kernel.extents[d]
    count = tiling.count(write, extent) if all_packed else 1
    sizes = [count, *(root.sizes[e] for e in dims[:-1]), _widest(tiling, kernel, extent)]
    block = scope.parent
    assert block is not None and block.last_op is not None
    end = kernel.end if block is kernel.end.parent else block.last_op
    room, _ = _room(kernel, access, sizes, scope, end)
    panels = Access(room, _map(kernel, dims), filled=frozenset([d]))
    for place in places(kernel, root, d, tiling):
        if all_packed or place.is_rest(d):
            origin = {e: place.offsets[e] for e in dims}
            lead: Sequence[Term] = [place.numbers[d] if all_packed else 0]
            _copy(kernel, place, access, replace(panels, origin=origin, lead=lead), dims, d)
    return panels, dims


def _widest(tiling: Tiling, kernel: Kernel, extent: Term) -> int:
    if isinstance(extent, int):
        return max(p.room for p in tiling.parts(kernel.writer(kernel.end), extent))
    return tiling.size


def _room(
    kernel: Kernel, access: Access, sizes: Sequence[Term], start: Operation, end: Operation
) -> tuple[SSAValue, Sequence[Operation]]:
    """Memory for panels, and the ops that allocate and free it."""
    assert isinstance(access.value.type, MemRefType)
    insert = Inserter(before=start)
    value = allocate(insert, access.value.type.element_type, sizes, "panels")
    Inserter(before=end).place(free := memref.DeallocOp.get(value))
    assert isinstance(value.owner, Operation)
    return value, [value.owner, free]


def _copy(
    kernel: Kernel, leaf: Leaf, source: Access, target: Access, dims: Sequence[int], d: int
) -> list[Operation]:
    """Place the copy of what a leaf reads, after zeros where that does not fill a panel."""
    assert isinstance(source.value.type, MemRefType)
    element = source.value.type.element_type
    stages: list[Stage] = []
    if leaf.is_rest(d):
        zero = Access(kernel.constants.get(kernel.zero(element)), None)
        stages.append(Stage(None, dims, (), (zero, target), 1, frozenset([d])))
    block = Block(arg_types=[element, element])
    block.add_op(linalg.YieldOp(block.args[0]))
    kinds = [PARALLEL] * len(dims)
    stages.append(Stage(Region(block), tuple(dims), kinds, (source, target), 1))
    place = replace(leaf, stages=tuple(stages), main=len(stages), ops=[])
    kernel.place(place)
    return place.ops


def _with(leaf: Leaf, number: int, access: Access, record: Packed | None) -> Leaf:
    """A leaf that reads an operand elsewhere."""
    main = leaf.stage
    accesses = [access if n == number else own for n, own in enumerate(main.accesses)]
    stages = [*leaf.stages]
    stages[leaf.main] = replace(main, accesses=tuple(accesses))
    packed = {n: own for n, own in leaf.packed.items() if n != number}
    if record is not None:
        packed[number] = record
    return replace(leaf, stages=tuple(stages), packed=packed, ops=[])
