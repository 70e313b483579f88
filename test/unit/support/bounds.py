"""Accesses of memrefs that are out of bounds for sure, and shapes that contradict each other, in any IR of ours.

%v = memref.load %x[%i] : memref<8xf32>                            // in a loop of %i from 0 to 9
memref.expand_shape %x [[0, 1]] : memref<8xf32> into memref<3x4xf32>

Each would verify. Subscripts are sums of multiples of the counters of static loops; whatever stands in a branch, or
in a loop that may have no iteration, may never run and is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from lowering.ir.constants import known_integer
from lowering.ir.linear_forms import linear
from lowering.ir.part_copies import mixed
from relax_dialect.ir.walk import walk_ops
from relax_dialect.symbolic.interval import OPERATIONS, Interval, point

Entry = SSAValue | int


def faults(module: ModuleOp) -> Iterator[str]:
    """What is wrong, an op in each."""
    for op in walk_ops(module):
        check = CHECKS.get(type(op))
        if check is not None and _runs(op):
            yield from (f"{why}: {op}"[:500] for why in check(op))


def _runs(op: Operation) -> bool:
    """Whether an op of a function is executed whenever the function is."""
    while (parent := op.parent_op()) is not None and not isinstance(parent, FuncOp):
        if not isinstance(parent, scf.ForOp) or not _iterations(parent):
            return False
        op = parent
    return True


def _iterations(loop: scf.ForOp) -> Sequence[int]:
    """The values of the counter of a loop whose ends are known; none of others."""
    ends = [known_integer(value) for value in (loop.lb, loop.ub, loop.step)]
    return () if None in ends else range(*ends)  # pyright: ignore


def _interval(value: Entry) -> Interval | None:
    """Between which values an index lies, both of which it has; None if that is not known."""
    form = linear([(value, 1)])
    found = point(form.constant)
    for counter, times in form.terms.items():
        loop = counter.owner.parent_op() if not isinstance(counter.owner, Operation) else None
        if not isinstance(loop, scf.ForOp) or counter is not loop.body.block.args[0]:
            return None
        if not (turns := _iterations(loop)):
            return None
        ends = sorted((times * turns[0], times * turns[-1]))
        found = OPERATIONS["+"](found, Interval(*ends))
    return found


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, MemRefType)
    return value.type.get_shape()


def _outside(first: Sequence[Entry], lengths: Sequence[int], shape: Sequence[int]) -> Iterator[str]:
    """For each dimension where elements begin, and how many there are."""
    for d, (entry, length, size) in enumerate(zip(first, lengths, shape)):
        if (found := _interval(entry)) is None or length == 0:
            continue
        if found.low < 0 or (size != DYNAMIC_INDEX and found.high + max(length, 1) > size):
            yield f"subscript {d} is in [{found.low}, {found.high}], of {length} elements, in {size}"


def _element(op: memref.LoadOp | memref.StoreOp) -> Iterator[str]:
    return _outside(op.indices, [1] * len(op.indices), _shape(op.memref))


def _vector(op: vector.LoadOp | vector.StoreOp) -> Iterator[str]:
    value = op.result if isinstance(op, vector.LoadOp) else op.vector
    assert isinstance(value.type, VectorType)
    own = value.type.get_shape()
    lengths = [1] * (len(op.indices) - len(own)) + [*own]
    return _outside(op.indices, lengths, _shape(op.base))


def _subview(op: memref.SubviewOp) -> Iterator[str]:
    offsets = mixed(op.static_offsets.get_values(), op.offsets)
    sizes = [
        entry if isinstance(entry, int) else known_integer(entry)
        for entry in mixed(op.static_sizes.get_values(), op.sizes)
    ]
    steps = op.static_strides.get_values()
    if any(size is not None and size < 0 for size in sizes):
        yield f"sizes are {sizes}"
    reach = [0 if n is None or n <= 0 else (n - 1) * s + 1 for n, s in zip(sizes, steps)]
    yield from _outside(offsets, reach, _shape(op.source))


def _grouped(op: memref.ExpandShapeOp | memref.CollapseShapeOp) -> Iterator[str]:
    many, few = _shape(op.src), _shape(op.result)
    if isinstance(op, memref.ExpandShapeOp):
        many, few = few, many
    groups = [[d.value.data for d in group] for group in op.reassociation]
    if [d for group in groups for d in group] != [*range(len(many))] or len(groups) != len(few):
        yield f"groups {groups} are not those of {len(many)} dimensions in {len(few)}"
        return
    for group, size in zip(groups, few):
        own = [many[d] for d in group]
        known = prod(n for n in own if n != DYNAMIC_INDEX)
        if DYNAMIC_INDEX in own:
            if size != DYNAMIC_INDEX and known and size % known:
                yield f"{own} are not {size} elements"
        elif size not in (known, DYNAMIC_INDEX):
            yield f"{own} are not {size} elements"


def _verified(op: Operation) -> Iterator[str]:
    """Whether the loops of an op, which are as long as the dimensions that they walk, stay in all operands."""
    try:
        op.verify_()
    except VerifyException as error:
        yield str(error)


def _same_shape(op: memref.CopyOp) -> Iterator[str]:
    for d, (a, b) in enumerate(zip(_shape(op.source), _shape(op.destination), strict=True)):
        if DYNAMIC_INDEX not in (a, b) and a != b:
            yield f"dimension {d} is {a} and {b} long"


CHECKS: Mapping[type[Operation], Callable[..., Iterator[str]]] = {
    memref.LoadOp: _element,
    memref.StoreOp: _element,
    vector.LoadOp: _vector,
    vector.StoreOp: _vector,
    memref.SubviewOp: _subview,
    memref.ExpandShapeOp: _grouped,
    memref.CollapseShapeOp: _grouped,
    memref.CopyOp: _same_shape,
    linalg.GenericOp: _verified,
}
