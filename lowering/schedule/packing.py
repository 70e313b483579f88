"""Operands in panels: copied where a tile reads them, before the loops around, or at compile time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.index_writer import Term, term
from lowering.ir.insertion import Inserter
from lowering.schedule.contraction import walked
from lowering.schedule.invariant import invariant_loop
from lowering.schedule.kernel import Access, Kernel, Leaf, Packed, Stage
from lowering.schedule.tiling import Part, Tiling, places
from lowering.schedule.views import PARALLEL, allocate


def pack(kernel: Kernel, leaf: Leaf, number: int, d: int) -> None:
    """Copy what a leaf reads of an operand along a loop to a panel, in front of it."""
    kernel.lift(leaf)
    access = leaf.stage.accesses[number]
    dims = _dims(access, leaf, d)
    sizes = [kernel.extents[e] if e not in leaf.rooms else leaf.rooms[e] for e in dims]
    panel, made = room(kernel, access.value, sizes, leaf.start, kernel.end)
    origin = {e: leaf.offsets[e] for e in dims}
    packed = Access(panel, _map(kernel, dims), origin, filled=frozenset([d]))
    copies = _copy(kernel, leaf, access, packed, dims, d)
    record = Packed(access, d, leaf, [*made, *copies])
    kernel.replace(leaf, [with_access(leaf, number, packed, record)])


def hoist(kernel: Kernel, leaves: Sequence[Leaf], number: int) -> None:
    """Pack all panels of an operand in front of the loops that do not change them."""
    made: dict[Block, _Panels] = {}
    all_packed = len(leaves) == len(kernel.leaves)
    for leaf in leaves:
        record = leaf.packed[number]
        at, d = record.leaf, record.loop
        scope = _scope(record)
        if scope is None:
            continue
        block = scope.parent
        assert block is not None
        if block not in made:
            made[block] = _all_panels(kernel, record, scope, all_packed)
        panels = made[block]
        kernel.lift(leaf)
        for op in reversed(record.ops):
            op.detach()
            op.erase(safe_erase=False)
        origin = {e: at.offsets[e] for e in panels.dims if e == d or e not in panels.crossed}
        lead = [*(at.offsets[e] for e in panels.outer), at.numbers[d] if all_packed else 0]
        access = replace(panels.access, origin=origin, lead=lead)
        kernel.replace(leaf, [with_access(leaf, number, access)])


def pack_constant(kernel: Kernel, number: int, d: int, tiling: Tiling) -> bool:
    """Lay an operand out in panels ahead, if all calls pass constants: `[panel, ..., width]`,
    for each turn of the loops that are tiled one by one."""
    access = kernel.leaves[0].stage.accesses[number]
    extent = kernel.extents[d]
    assert isinstance(extent, int) and access.map is not None
    single = frozenset.intersection(*(leaf.single for leaf in kernel.leaves)) - {d}
    outer = sorted(access.map.used_dims() & single)
    dims = [*sorted(access.map.used_dims() - single - {d}), d]
    for leaf in kernel.leaves:
        kernel.lift(leaf)
    found = None
    accesses = [own.value for stage in kernel.leaves[0].stages for own in stage.accesses]
    if access.value.first_use is None and accesses.count(access.value) == 1:
        loops = [*_walked(access.map)]
        places = tuple(slice(None) if loop is not None else 0 for loop in loops)
        own = [loop for loop in loops if loop is not None]
        axes = [own.index(e) for e in (*outer, *dims)]
        parts = list(tiling.parts(kernel.writer(kernel.end), extent))

        def layout(array: np.ndarray) -> np.ndarray:
            return _panels(array[places].transpose(axes), parts, len(outer))

        sizes = tuple((p.first, p.count, p.start, p.size, p.room) for p in parts)
        key = tuple(loops), tuple(axes), len(outer), sizes
        found = kernel.packer.pack(kernel.function, access.value, key, layout)
    for leaf in kernel.leaves if found is not None else ():
        assert found is not None
        lead = [*(leaf.offsets[e] for e in outer), leaf.numbers[d]]
        origin = {d: leaf.offsets[d]}
        panels = Access(found, _map(kernel, dims), origin, lead, frozenset([d]))
        leaf.stages = with_access(leaf, number, panels).stages
    return found is not None


def _panels(array: np.ndarray, parts: Sequence[Part], outer: int) -> np.ndarray:
    """`[outer, ..., columns]` as `[outer, panel, ..., width]`, filled up with zeros."""
    count = sum(part.count for part in parts if isinstance(part.count, int))
    around, between = array.shape[:outer], array.shape[outer:-1]
    found = np.zeros((*around, count, *between, _room_of(parts)), array.dtype)
    for part in parts:
        first, times, start, size = part.first, part.count, part.start, part.size
        assert isinstance(first, int) and isinstance(times, int)
        assert isinstance(start, int) and isinstance(size, int)
        for n in range(times):
            place = (slice(None),) * outer + (first + n,)
            at = start + n * size
            found[place][..., :size] = array[..., at : at + size]
    return found


def _dims(access: Access, leaf: Leaf, d: int) -> list[int]:
    """The loops of a panel, that along which it is one last."""
    assert access.map is not None
    return [*sorted(access.map.used_dims() - leaf.single - {d}), d]


def _map(kernel: Kernel, dims: Sequence[int]) -> AffineMap:
    return AffineMap(kernel.count, 0, tuple(AffineDimExpr(e) for e in dims))


def _walked(map_: AffineMap) -> Iterator[int | None]:
    """The loop of each dimension; None for one that is read at 0."""
    for expr in map_.results:
        yield expr.position if isinstance(expr, AffineDimExpr) else None


def _scope(record: Packed) -> Operation | None:
    """The outermost loop around a panel that does not change it: one around the kernel that leaves the
    operand alone, or one of its own after the last branch; None if there is none."""
    scopes = record.leaf.scopes
    place = scopes[0][0] if scopes else record.leaf.before
    is_version = any(loop is None for _, loop in scopes)
    is_known = record.access.map is not None and walked(record.access.map) is not None
    around = invariant_loop(place, record.access.value) if is_known and not is_version else None
    if around is not None:
        return around
    for depth, (_, loop) in reversed([*enumerate(scopes, 1)]):
        if loop is None or (loop != record.loop and record.access.walks(loop)):
            return scopes[depth][0] if depth < len(scopes) else None
    return scopes[0][0] if scopes else None


@dataclass(frozen=True)
class _Panels:
    """All panels of an operand, `[outer, panel, ..., width]`."""

    access: Access
    outer: Sequence[int]
    """The loops that have panels of their own in each turn."""
    dims: Sequence[int]
    crossed: frozenset[int]
    """The loops that the panels do not stand in any more."""


def _all_panels(kernel: Kernel, record: Packed, scope: Operation, all_packed: bool) -> _Panels:
    """The panels of all tiles of a loop, in front of a scope."""
    at, d, access = record.leaf, record.loop, record.access
    assert access.map is not None
    depths = {op: number for number, (op, _) in enumerate(at.scopes)}
    is_around, depth = scope not in depths, depths.get(scope, 0)
    own = access.map.used_dims() if is_around else {d}
    crossed = frozenset(own | {loop for _, loop in at.scopes[depth:] if loop is not None})
    extents = _before(kernel, access, scope) if is_around else kernel.extents
    root = replace(
        at,
        before=scope,
        scopes=at.scopes[:depth],
        offsets={**at.offsets, **dict.fromkeys(crossed, 0)},
        sizes={**at.sizes, **{e: extents[e] for e in crossed if e in extents}},
        rooms={e: room for e, room in at.rooms.items() if e not in crossed},
    )
    outer = sorted((access.map.used_dims() & at.single & crossed) - {d})
    dims, tiling = _dims(access, at, d), kernel.tilings[d]
    write = kernel.writer(scope)
    count = tiling.count(write, extents[d]) if all_packed else 1
    widest = _widest(tiling, kernel, extents[d])
    sizes = [*(extents[e] for e in outer), count, *(root.sizes[e] for e in dims[:-1]), widest]
    memory, _ = room(kernel, access.value, sizes, scope, _end(kernel, scope, is_around))
    panels = Access(memory, _map(kernel, dims), filled=frozenset([d]))
    for place in _turns(kernel, root, outer):
        for tile in places(kernel, place, d, tiling):
            if all_packed or tile.is_rest(d):
                origin = {e: tile.offsets[e] for e in dims}
                lead = [*(tile.offsets[e] for e in outer), tile.numbers[d] if all_packed else 0]
                _copy(kernel, tile, access, replace(panels, origin=origin, lead=lead), dims, d)
    return _Panels(panels, outer, dims, crossed)


def _turns(kernel: Kernel, leaf: Leaf, outer: Sequence[int]) -> Sequence[Leaf]:
    """Where some loops are done one by one."""
    leaves = [leaf]
    for d in outer:
        leaves = [place for own in leaves for place in places(kernel, own, d, Tiling(1))]
    return leaves


def _before(kernel: Kernel, access: Access, scope: Operation) -> Mapping[int, Term]:
    """How long the loops of an operand are, as values that are known in front of an op."""
    assert access.map is not None
    return {
        d: term(kernel.memref_sizes.bound([(access.value, dimension)], scope))
        if isinstance(extent := kernel.extents[d], SSAValue)
        else extent
        for dimension, d in enumerate(_walked(access.map))
        if d is not None
    }


def _end(kernel: Kernel, scope: Operation, is_around: bool) -> Operation:
    """What panels in front of a scope are freed before."""
    block = scope.parent
    assert block is not None and block.last_op is not None
    if is_around:
        assert scope.next_op is not None
        return scope.next_op
    return kernel.end if block is kernel.end.parent else block.last_op


def _widest(tiling: Tiling, kernel: Kernel, extent: Term) -> int:
    if isinstance(extent, int):
        return _room_of(tiling.parts(kernel.writer(kernel.end), extent))
    return tiling.size


def _room_of(parts: Iterable[Part]) -> int:
    """The widest of some pieces, of known sizes."""
    return max(part.room for part in parts if isinstance(part.room, int))


def room(
    kernel: Kernel,
    like: SSAValue,
    sizes: Sequence[Term],
    start: Operation,
    end: Operation,
    hint: str = "panels",
) -> tuple[SSAValue, Sequence[Operation]]:
    """Memory for elements like those of a memref, and the ops that allocate and free it."""
    assert isinstance(like.type, MemRefType)
    insert = Inserter(before=start)
    value = allocate(insert, like.type.element_type, sizes, hint)
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
    stages.append(copy_stage(source, target, dims))
    place = replace(leaf, stages=tuple(stages), main=len(stages), ops=[])
    kernel.place(place)
    return place.ops


def copy_stage(source: Access, target: Access, loops: Sequence[int]) -> Stage:
    """The copy of the elements that some loops walk."""
    assert isinstance(source.value.type, MemRefType)
    element = source.value.type.element_type
    block = Block(arg_types=[element, element])
    block.add_op(linalg.YieldOp(block.args[0]))
    kinds = [PARALLEL] * len(loops)
    return Stage(Region(block), tuple(loops), kinds, (source, target), 1)


def with_access(leaf: Leaf, number: int, access: Access, record: Packed | None = None) -> Leaf:
    """A leaf that reads an operand elsewhere."""
    main = leaf.stage
    accesses = [access if n == number else own for n, own in enumerate(main.accesses)]
    stages = [*leaf.stages]
    stages[leaf.main] = replace(main, accesses=tuple(accesses))
    packed = {n: own for n, own in leaf.packed.items() if n != number}
    if record is not None:
        packed[number] = record
    return replace(leaf, stages=tuple(stages), packed=packed, ops=[])
