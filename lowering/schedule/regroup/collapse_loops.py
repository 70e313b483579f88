"""Neighbouring loops of a contraction as one, if they are contiguous in memory (loop collapsing, as in
OpenMP).

    linalg.generic {(t, n, k), (j, k) -> (t, n, j)} ins(%x, %w : memref<?x?x128xf32>, ...) outs(%out)
->
    %x_1 = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x128xf32> into memref<?x128xf32>
    %out_1 = memref.collapse_shape %out [[0, 1], [2]] : memref<?x?x512xf32> into memref<?x512xf32>
    linalg.generic {(m, k), (j, k) -> (m, j)} ins(%x_1, %w) outs(%out_1)

So the rows of many small matrices fill the tiles of one large one; columns likewise. The fill of the output
before and the elementwise ops after it change with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import is_dense
from lowering.schedule.match.contraction import Contraction, epilogue_of, loops_of
from lowering.schedule.memrefs.tile_views import collapse_shape


def pair_of(found: Contraction) -> tuple[int, int] | None:
    """Two loops of a contraction that may be one, so that its tiles are fuller."""
    for inner in (found.row, found.column):
        place = found.out.dimension(inner)
        outer = found.out.loops[place - 1] if place else None
        if outer is None or found.extent(outer) == 1:
            continue
        if _places_of(found.op, found.epilogue, outer, inner) is not None:
            return outer, inner
    return None


def collapse_loops(
    main: linalg.GenericOp,
    fill: linalg.FillOp | None,
    epilogue: Sequence[linalg.GenericOp],
    outer: int,
    inner: int,
) -> linalg.GenericOp | None:
    """Replace an op, the fill of its output and its epilogue by ops in which the outer loop is part of the
    inner one; return None without changes if they are not contiguous in memory."""
    places = _places_of(main, epilogue, outer, inner)
    if places is None:
        return None
    items = dict.fromkeys(item for own, _ in places.values() for item in own.items())
    views = {item: _view(*item) for item in items}
    out, (own, _) = main.outputs[0], places[main]
    if fill is not None and out in own:
        fill.operands = [views[out, own[out]] if value is out else value for value in fill.operands]
    new = [
        _collapsed(op, *pair, {value: views[value, d] for value, d in own.items()})
        for op, (own, pair) in places.items()
    ]
    return new[0]


def first_pair(op: linalg.GenericOp) -> tuple[int, int] | None:
    """Return the first two neighbouring loops of an op that may be one."""
    return next((p for p in pairwise(range(len(op.get_iterator_types()))) if are_one(op, *p)), None)


def are_one(op: linalg.GenericOp, outer: int, inner: int) -> bool:
    """Return whether two loops of an op may be one, also in the elementwise ops after a reduction."""
    return _places_of(op, followers(op), outer, inner) is not None


def followers(op: linalg.GenericOp) -> Sequence[linalg.GenericOp]:
    """Return the elementwise ops that follow a reduction, and are collapsed with it."""
    reduces = "reduction" in {kind.data.value for kind in op.get_iterator_types()}
    return list(epilogue_of(op, op.outputs[0])) if reduces else []


def _places_of(
    main: linalg.GenericOp, epilogue: Sequence[linalg.GenericOp], outer: int, inner: int
) -> Mapping[linalg.GenericOp, tuple[Mapping[SSAValue, int], tuple[int, int]]] | None:
    """For each op, the dimension of the outer loop in its operands, and its own two loops."""
    kinds = [kind.data.value for kind in main.get_iterator_types()]
    if kinds[outer] == kinds[inner] == "reduction":  # the ops before and after know nothing of them
        places = _places(main, outer, inner)
        return {main: (places, (outer, inner))} if places and inner == outer + 1 else None
    loops = next((own for value, own in loops_of(main) if value is main.outputs[0]), ())
    if (outer, inner) not in pairwise(loops):
        return None
    place = loops.index(outer)
    pairs = {main: (outer, inner), **dict.fromkeys(epilogue, (place, place + 1))}
    found = {op: (_places(op, *pair), pair) for op, pair in pairs.items()}
    known = {op: (own, pair) for op, (own, pair) in found.items() if own is not None}
    return known if len(known) == len(pairs) else None


def _places(op: linalg.GenericOp, outer: int, inner: int) -> Mapping[SSAValue, int] | None:
    """Return the dimension of the outer loop in the operands that two loops walk; None if an operand has
    them in another order, with something between, or only one of them."""
    found: dict[SSAValue, int] = {}
    if len(loops_of(op)) < len(op.operands):
        return None  # an operand is walked by sums of loops
    for value, loops in loops_of(op):
        if outer not in loops and inner not in loops:
            continue
        type, pair = value.type, (outer, inner)
        places = [d for d, two in enumerate(pairwise(loops)) if two == pair]
        if not places or not isinstance(type, MemRefType):
            return None
        if found.setdefault(value, places[0]) != places[0]:
            return None
        if not is_dense(type, places[0], places[0] + 1):
            return None
    return found


def _view(value: SSAValue, dimension: int) -> SSAValue:
    """Return the memref with two of its dimensions as one, created next to the memref."""
    assert isinstance(value.type, MemRefType)
    owner = value.owner
    first = owner.first_op if isinstance(owner, Block) else owner.next_op
    assert first is not None
    sizes = [1] * (value.type.get_num_dims() - 1)
    sizes[dimension] = 2
    return collapse_shape(Inserter(before=first), value, *sizes)


def _collapsed(
    op: linalg.GenericOp, outer: int, inner: int, views: Mapping[SSAValue, SSAValue]
) -> linalg.GenericOp:
    """Return the op on the views, without the outer loop."""
    kinds = list(op.get_iterator_types())
    numbers = {loop: n for n, loop in enumerate(n for n in range(len(kinds)) if n != outer)}

    def walk(loop: int | None) -> AffineExpr:
        return AffineConstantExpr(0) if loop is None else AffineDimExpr(numbers[loop])

    maps = [
        AffineMapAttr(
            AffineMap(len(numbers), 0, tuple(map(walk, (n for n in loops if n != outer))))
        )
        for _, loops in loops_of(op)
    ]
    operands = [views[value] if inner in loops else value for value, loops in loops_of(op)]
    count = len(op.inputs)
    new = linalg.GenericOp(
        operands[:count],
        operands[count:],
        op.detach_region(op.body),
        maps,
        [kinds[n] for n in numbers],
    )
    assert op.parent is not None
    op.parent.insert_op_before(new, op)
    op.detach()
    op.erase()
    return new
