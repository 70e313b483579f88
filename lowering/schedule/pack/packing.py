"""Operands in panels: copied where a tile reads them, before the loops around, or at compile time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    MemRefType,
    Signedness,
    UnrealizedConversionCastOp,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.index_writer import Term, term
from lowering.ir.insertion import Inserter
from lowering.schedule.emit.materialize import place
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Derived, Leaf, Packed, TiledOperand, TiledStage
from lowering.schedule.kernels.tiles import branch, places
from lowering.schedule.match.contraction import walked
from lowering.schedule.memrefs.loop_invariance import invariant_loop
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.tile_views import PARALLEL, allocate
from lowering.schedule.memrefs.tiling import LoopTiles, Tiling


def pack(kernel: Kernel, leaf: Leaf, number: int, d: int, inside: int | None = None) -> None:
    """Copy the elements of an operand that a leaf reads along a loop to a panel before it."""
    kernel.lift(leaf)
    old, leaf = leaf, apart(kernel, leaf)
    access = leaf.stage.accesses[number]
    dims = _dims(access, leaf, d, inside)
    sizes = [kernel.extents[e] if e not in leaf.rooms else leaf.rooms[e] for e in dims]
    panel, made = room(kernel, access.value, _shape(kernel, sizes, inside), leaf.start, kernel.end)
    origin = {e: leaf.offsets[e] for e in dims}
    is_tile = d in leaf.rooms
    filled = {d: leaf.rooms[d]} if is_tile else {}
    packed = TiledOperand(panel, _map(kernel, dims, inside), origin, filled=filled)
    copies = _copy(kernel, leaf, access, packed, dims, d, inside)
    tiling, ops = kernel.tilings.get(d), [*made, *copies]
    record = Packed(access, d, leaf, ops, tiling, inside) if is_tile else None
    kernel.replace(old, [with_access(leaf, number, packed, record)])


def padded(kernel: Kernel, leaf: Leaf, access: TiledOperand, d: int, length: Term) -> TiledOperand:
    """Return a copy of an operand with zeros after its elements along a loop, which becomes so long."""
    assert access.map is not None
    dims = [e for e in _walked(access.map) if e is not None]
    sizes = [length if e == d else kernel.extents[e] for e in dims]
    memory, made = room(kernel, access.value, sizes, leaf.before, kernel.end, "padded")
    longer = TiledOperand(memory, _map(kernel, dims), dict.fromkeys(dims, 0))
    extent = kernel.extents[d]
    rest = _part(leaf, d, extent, kernel.writer(leaf.before).minus(length, extent))
    ops = [*made, *_place(kernel, rest, _zeros(kernel, leaf, longer, dims))]
    ops += _place(kernel, leaf, copy_stage(access, longer, dims))
    kernel.derived[memory] = Derived(access.value, ops, short=(d, extent))
    return replace(longer, origin={})


def hoist(kernel: Kernel, leaves: Sequence[Leaf], number: int) -> None:
    """Pack all panels of an operand in front of the loops that do not change them."""
    made: dict[object, _Panels] = {}
    all_packed = len(leaves) == len(kernel.leaves)
    for leaf in leaves:
        record = leaf.packed[number]
        at, d = record.leaf, record.loop
        scope = _scope(record)
        if scope is None:
            continue
        crossed = _crossed(record, scope)
        key = (
            scope.parent,
            *((at.offsets[e], at.sizes[e]) for e in _panel_loops(record) if e not in crossed),
        )
        if key not in made:
            made[key] = _all_panels(kernel, record, scope, crossed, all_packed)
        panels = made[key]
        kernel.lift(leaf)
        for op in reversed(record.ops):
            if op.parent is not None:  # tiles of a later step share a panel
                op.detach()
                op.erase(safe_erase=False)
        origin = {e: at.offsets[e] for e in panels.dims if e == d or e not in panels.crossed}
        lead = [*(at.offsets[e] for e in panels.outer), at.numbers[d] if all_packed else 0]
        filled = {d: at.rooms[d]}
        access = replace(panels.access, origin=origin, lead=lead, filled=filled)
        kernel.replace(leaf, [with_access(leaf, number, access)])


def pack_constant(
    kernel: Kernel, number: int, d: int, tiling: Tiling, inside: int | None = None
) -> bool:
    """Lay an operand out in panels ahead, if all calls pass constants: `[panel, ..., width]`,
    for each iteration of the loops that are tiled one by one."""
    access = kernel.leaves[0].stage.accesses[number]
    assert access.map is not None
    single = frozenset.intersection(*(leaf.single for leaf in kernel.leaves)) - {d}
    outer = sorted(access.map.used_dims() & single)
    between = sorted(access.map.used_dims() - single - {d, inside})
    dims = [*between, d]
    for leaf in kernel.leaves:
        kernel.lift(leaf)
    found = None
    accesses = [own.value for stage in kernel.leaves[0].stages for own in stage.accesses]
    if access.value.first_use is None and accesses.count(access.value) == 1:
        loops = [*outer, *dims, *([] if inside is None else [inside])]
        iterations = [_iterations_of(kernel, e) for e in loops]
        parts = list(tiling.parts(kernel.writer(kernel.end), kernel.extents[d]))
        places = [linear(expr) for expr in access.map.results]

        def layout(array: np.ndarray) -> np.ndarray:
            walked = _in_order(array, places, dict(zip(loops, iterations)))
            panels = _panels(walked, parts, len(outer), len(between))
            width = panels.shape[len(outer) + len(dims) :]
            return panels.reshape(*panels.shape[: len(outer) + len(dims)], prod(width))

        sizes = tuple((p.first, p.count, p.start, p.size, p.room) for p in parts)
        key = str(access.map), tuple(loops), tuple(iterations), len(outer), sizes
        found = kernel.packer.pack(kernel.function, access.value, key, layout)
    for leaf in kernel.leaves if found is not None else ():
        assert found is not None
        lead = [*(leaf.offsets[e] for e in outer), leaf.numbers[d]]
        origin = {d: leaf.offsets[d]}
        filled = {d: leaf.rooms[d]}
        panels = TiledOperand(found, _map(kernel, dims, inside), origin, lead, filled)
        leaf.stages = with_access(leaf, number, panels).stages
    return found is not None


def _in_order(
    array: np.ndarray, places: Sequence[tuple[Mapping[int, int], int]], extents: Mapping[int, int]
) -> np.ndarray:
    """Return the elements in the order of loops, an axis for each: a view where each loop walks an axis
    alone."""
    loops = [next(iter(own), -1) for own, _ in places]
    if sorted(loops) == sorted(extents) and places == [({e: 1}, 0) for e in loops]:
        part = array[tuple(slice(extents[e]) for e in loops)]
        return part.transpose([loops.index(e) for e in extents])
    steps = dict(zip(extents, np.ogrid[tuple(slice(n) for n in extents.values())]))
    at = [sum((steps[e] * f for e, f in own.items()), first) for own, first in places]
    return array[tuple(at)]


def _panels(array: np.ndarray, parts: Sequence[LoopTiles], outer: int, between: int) -> np.ndarray:
    """`[outer, between, columns, ...]` as `[outer, panel, between, width, ...]`, filled up with zeros."""
    count = sum(part.count for part in parts if isinstance(part.count, int))
    shape, own = array.shape, outer + between
    found = np.zeros(
        (*shape[:outer], count, *shape[outer:own], _room_of(parts), *shape[own + 1 :]), array.dtype
    )
    whole = slice(None)
    for part in parts:
        first, times, start, size = part.first, part.count, part.start, part.size
        assert isinstance(first, int) and isinstance(times, int)
        assert isinstance(start, int) and isinstance(size, int)
        for n in range(times):
            at = start + n * size
            panel = (*[whole] * outer, first + n, *[whole] * between, slice(size))
            found[panel] = array[(*[whole] * own, slice(at, at + size))]
    return found


def apart(kernel: Kernel, leaf: Leaf) -> Leaf:
    """Move the leaf to a separate insertion point, so that deallocations after the kernel stay after it."""
    return replace(leaf, before=kernel.mark(leaf.before)) if leaf.before is kernel.end else leaf


def _dims(access: TiledOperand, leaf: Leaf, d: int, inside: int | None = None) -> list[int]:
    """Return the loops of a panel, that along which it is one last, before the one inside."""
    assert access.map is not None
    return [*sorted(access.map.used_dims() - leaf.single - {d, inside}), d]


def _map(kernel: Kernel, dims: Sequence[int], inside: int | None = None) -> AffineMap:
    exprs: list[AffineExpr] = [AffineDimExpr(e) for e in dims]
    if inside is not None:
        exprs[-1] = exprs[-1] * _iterations_of(kernel, inside) + AffineDimExpr(inside)
    return AffineMap(kernel.count, 0, tuple(exprs))


def _shape(kernel: Kernel, sizes: Sequence[Term], inside: int | None) -> Sequence[Term]:
    """Return the sizes of panels, of their loops' sizes."""
    if inside is None:
        return sizes
    *others, width = sizes
    assert isinstance(width, int)
    return *others, width * _iterations_of(kernel, inside)


def _iterations_of(kernel: Kernel, d: int) -> int:
    iterations = kernel.extents[d]
    assert isinstance(iterations, int)
    return iterations


def _walked(map_: AffineMap) -> Iterator[int | None]:
    """Yield the loop of each dimension; None for a dimension that is read at 0."""
    for expr in map_.results:
        yield expr.position if isinstance(expr, AffineDimExpr) else None


def _scope(record: Packed) -> Operation | None:
    """Return the outermost loop around a panel that does not change it: one around the kernel that leaves
    the operand alone, or one of its own after the last branch; None if there is none."""
    scopes = record.leaf.scopes
    start = scopes[0][0] if scopes else record.leaf.before
    is_version = any(loop is None for _, loop in scopes)
    is_known = record.access.map is not None and walked(record.access.map) is not None
    around = invariant_loop(start, record.access.value) if is_known and not is_version else None
    if around is not None:
        return around
    for depth, (_, loop) in reversed([*enumerate(scopes, 1)]):
        if loop is None or (loop != record.loop and record.access.walks(loop)):
            return scopes[depth][0] if depth < len(scopes) else None
    return scopes[0][0] if scopes else None


@dataclass(frozen=True)
class _Panels:
    """All panels of an operand, `[outer, panel, ..., width]`."""

    access: TiledOperand
    outer: Sequence[int]
    """The loops that have panels of their own in each iteration."""
    dims: Sequence[int]
    crossed: frozenset[int]
    """The loops that no longer enclose the panels."""


def _panel_loops(record: Packed) -> Sequence[int]:
    """Return the loops that the packed operand is read along."""
    assert record.access.map is not None
    return sorted(record.access.map.used_dims())


def _depth(record: Packed, scope: Operation) -> int | None:
    """Return the depth of a scope among the kernel's own; None for a scope around all of it."""
    scopes = (number for number, (op, _) in enumerate(record.leaf.scopes) if op is scope)
    return next(scopes, None)


def _crossed(record: Packed, scope: Operation) -> frozenset[int]:
    """Return the loops that no longer enclose panels inserted before a scope."""
    depth = _depth(record, scope)
    own = _panel_loops(record) if depth is None else [record.loop]
    inside = (loop for _, loop in record.leaf.scopes[depth or 0 :] if loop is not None)
    return frozenset([*own, *inside])


def _all_panels(
    kernel: Kernel,
    record: Packed,
    scope: Operation,
    crossed: frozenset[int],
    all_packed: bool,
) -> _Panels:
    """Return the panels of all tiles of a loop, in front of a scope."""
    at, d, access = record.leaf, record.loop, record.access
    assert access.map is not None
    depth = _depth(record, scope)
    is_around = depth is None
    extents = _before(kernel, access, scope) if is_around else kernel.extents
    root = replace(
        at,
        before=scope,
        scopes=at.scopes[: depth or 0],
        offsets={**at.offsets, **dict.fromkeys(crossed, 0)},
        sizes={**at.sizes, **{e: extents[e] for e in crossed if e in extents}},
        rooms={e: room for e, room in at.rooms.items() if e not in crossed},
    )
    outer = sorted((access.map.used_dims() & at.single & crossed) - {d})
    inside = record.inside
    dims, tiling = _dims(access, at, d, inside), record.tiling
    assert tiling is not None, "hoist asks for tiles"
    write = kernel.writer(scope)
    count = tiling.count(write, extents[d]) if all_packed else 1
    widest = _widest(tiling, kernel, extents[d])
    sizes = [*(extents[e] for e in outer), count, *(root.sizes[e] for e in dims[:-1]), widest]
    shape, end = _shape(kernel, sizes, inside), _end(kernel, scope, is_around)
    memory, _ = room(kernel, access.value, shape, scope, end)
    panels = TiledOperand(memory, _map(kernel, dims, inside))
    for iteration in _iterations(kernel, root, outer):
        for tile in places(kernel, iteration, d, tiling):
            if all_packed or tile.is_rest(d):
                origin = {e: tile.offsets[e] for e in dims}
                lead = [*(tile.offsets[e] for e in outer), tile.numbers[d] if all_packed else 0]
                target = replace(panels, origin=origin, lead=lead)
                _copy(kernel, tile, access, target, dims, d, inside)
    return _Panels(panels, outer, dims, crossed)


def _iterations(kernel: Kernel, leaf: Leaf, outer: Sequence[int]) -> Sequence[Leaf]:
    """Return the leaves inside single iterations of some loops."""
    leaves = [leaf]
    for d in outer:
        leaves = [tile for own in leaves for tile in places(kernel, own, d, Tiling(1))]
    return leaves


def _before(kernel: Kernel, access: TiledOperand, scope: Operation) -> Mapping[int, Term]:
    """Return the trip counts of an operand's loops, as values that are known before an op."""
    assert access.map is not None
    return {
        d: term(kernel.memref_sizes.bound([(access.value, dimension)], scope))
        if isinstance(extent := kernel.extents[d], SSAValue)
        else extent
        for dimension, d in enumerate(_walked(access.map))
        if d is not None
    }


def _end(kernel: Kernel, scope: Operation, is_around: bool) -> Operation:
    """Return the op before which panels in front of a scope are freed."""
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


def _room_of(parts: Iterable[LoopTiles]) -> int:
    """Return the widest of some pieces, of known sizes."""
    return max(part.room for part in parts if isinstance(part.room, int))


def room(
    kernel: Kernel,
    like: SSAValue,
    sizes: Sequence[Term],
    start: Operation,
    end: Operation,
    hint: str = "panels",
) -> tuple[SSAValue, Sequence[Operation]]:
    """Allocate memory for elements like those of a memref; return it with the ops that allocate and free
    it."""
    assert isinstance(like.type, MemRefType)
    insert = Inserter(before=start)
    value = allocate(insert, like.type.element_type, sizes, hint)
    Inserter(before=end).place(free := memref.DeallocOp.get(value))
    assert isinstance(value.owner, Operation)
    return value, [value.owner, free]


def _copy(
    kernel: Kernel,
    leaf: Leaf,
    source: TiledOperand,
    target: TiledOperand,
    dims: Sequence[int],
    d: int,
    inside: int | None = None,
) -> list[Operation]:
    """Insert the copy of the part that a leaf reads, after zeros if it does not fill a panel; data copied
    by earlier steps is copied from its source."""
    loops = dims if inside is None else [*dims, inside]
    ops: list[Operation] = []
    if leaf.is_rest(d):
        zeros = replace(_zeros(kernel, leaf, target, loops), filled=frozenset([d]))
        ops += _place(kernel, leaf, zeros)
    body: Region | None = None
    short: tuple[int, Term] | None = None
    while (copy := kernel.derived.get(source.value)) is not None:
        if copy.short is not None and _group(kernel, leaf, source, copy.short[0], inside) is None:
            break
        body, short = body or copy.body, short or copy.short
        source = replace(source, value=copy.source)
    stage = copy_stage(source, target, loops, body)
    if short is None:
        return ops + _place(kernel, leaf, stage)
    e, length = short
    group = _group(kernel, leaf, source, e, inside)
    assert group is not None
    write = kernel.writer(leaf.before)
    full, left = write.unsigned_quotient(length, group), write.remainder(length, group)
    if group == 1:  # zeros first: a fill of every other element writes the elements between, too
        rest = _part(leaf, e, length, write.minus(leaf.sizes[e], length))
        ops += _place(kernel, rest, _zeros(kernel, leaf, target, loops))
        return ops + _place(kernel, _part(leaf, e, 0, full), stage)
    ops += _place(kernel, _part(leaf, e, 0, full), stage)
    if left == 0:
        return ops
    assert inside is not None
    last = _part(leaf, e, full, 1)
    if isinstance(left, SSAValue):
        last = branch(write, last, e, left)
        ops.append(last.scopes[-1][0])
    placed = _place(kernel, last, _zeros(kernel, last, target, loops))
    placed += _place(kernel, _part(last, inside, 0, left), stage)
    return ops + (placed if last.before is leaf.before else [])


def _group(
    kernel: Kernel, leaf: Leaf, source: TiledOperand, e: int, inside: int | None
) -> int | None:
    """Return the number of elements along a dimension that one iteration of a loop takes, with those of one
    inside; None if the leaf lacks some of them."""
    assert source.map is not None
    for d in {e, e if inside is None else inside}:
        if leaf.offsets[d] != 0 or leaf.sizes[d] != kernel.extents[d]:
            return None
    (own,) = [o for expr in source.map.results if e in (o := linear(expr)[0])]
    if own == {e: 1}:
        return 1
    return own[e] if inside is not None and own == {e: kernel.extents[inside], inside: 1} else None


def _part(leaf: Leaf, d: int, start: Term, size: Term) -> Leaf:
    """Some iterations of a loop that the leaf has all of."""
    return replace(leaf, offsets={**leaf.offsets, d: start}, sizes={**leaf.sizes, d: size})


def copy_stage(
    source: TiledOperand, target: TiledOperand, loops: Sequence[int], body: Region | None = None
) -> TiledStage:
    """Return the copy of the elements that some loops walk, or of a body's results for them."""
    assert isinstance(source.value.type, MemRefType)
    element = source.value.type.element_type
    if body is None:
        body = Region(block := Block(arg_types=[element, element]))
        block.add_op(linalg.YieldOp(block.args[0]))
    return TiledStage(body, tuple(loops), [PARALLEL] * len(loops), (source, target), 1)


def reading(stage: TiledStage, value: SSAValue, local: TiledOperand) -> TiledStage:
    """Return a stage that reads a tile in memory of its own instead of a result."""
    inputs = [
        local if access.value is value else access for access in stage.accesses[: stage.inputs]
    ]
    return replace(stage, accesses=(*inputs, *stage.outputs))


def _place(kernel: Kernel, leaf: Leaf, stage: TiledStage) -> list[Operation]:
    """Insert one op at a leaf."""
    alone = replace(leaf, stages=(stage,), main=1, ops=[])
    place(kernel, alone)
    return alone.ops


def _zeros(kernel: Kernel, leaf: Leaf, target: TiledOperand, loops: Sequence[int]) -> TiledStage:
    """Return the stage that fills memory with zeros."""
    zero = zero_of(kernel, target.value, Inserter(before=leaf.before))
    return TiledStage(None, loops, (), (TiledOperand(zero, None), target), 1)


def zero_of(kernel: Kernel, value: SSAValue, insert: Inserter) -> SSAValue:
    """Return the zero of the elements of a memref."""
    assert isinstance(value.type, MemRefType)
    element = value.type.element_type
    if isinstance(element, IntegerType) and element.signedness.data != Signedness.SIGNLESS:
        bits = kernel.constants.get(IntegerAttr(0, element.width.data))
        return insert(UnrealizedConversionCastOp.get([bits], [element]))
    return kernel.constants.get(kernel.zero(element))


def with_access(
    leaf: Leaf, number: int, access: TiledOperand, record: Packed | None = None
) -> Leaf:
    """Return a leaf that reads an operand elsewhere."""
    main = leaf.stage
    accesses = [access if n == number else own for n, own in enumerate(main.accesses)]
    stages = [*leaf.stages]
    stages[leaf.main] = replace(main, accesses=tuple(accesses))
    packed = {n: own for n, own in leaf.packed.items() if n != number}
    if record is not None:
        packed[number] = record
    return replace(leaf, stages=tuple(stages), packed=packed, ops=[])
