"""Elements and slices of tensors in `relax-bufferize`: loads, stores and views of memrefs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import linalg, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import SSAValue

from lowering.memory.bufferize.bufferizer import Bufferizer
from lowering.memory.bufferize.tensor_flow import is_empty, is_slice


def rewrite_insert(b: Bufferizer, op: tensor.InsertOp) -> None:
    destination = b.destination(op.result, op.dest)
    b.emit(memref.StoreOp.get(op.scalar, destination, op.indices))


def rewrite_insert_slice(b: Bufferizer, op: tensor.InsertSliceOp) -> None:
    """Emit a copy to the slice, or fill the slice in place."""
    view = _slice(b, op, b.destination(op.result, op.dest), op.source)
    fill = op.source.owner
    if isinstance(fill, linalg.ops.FillOp) and _is_filled_in_place(fill):
        b.emit(linalg.ops.FillOp(fill.inputs, [view], res=()))
    else:
        b.emit(memref.CopyOp(b.memref_of(op.source), view))


def rewrite_fill(b: Bufferizer, op: linalg.ops.FillOp) -> None:
    """Emit a fill, unless its result is only inserted: then it needs no memory of its own."""
    if not _is_filled_in_place(op):
        b.rewrite_destination(op)


def _is_filled_in_place(op: linalg.ops.FillOp) -> bool:
    """Return whether a fill of an empty tensor is the source of slices that are inserted, and nothing
    else."""
    (result,) = op.results
    users = [use.operation for use in result.uses]
    return is_empty(op.outputs[0]) and all(
        isinstance(user, tensor.InsertSliceOp) and user.dest is not result for user in users
    )


def rewrite_extract_slice(b: Bufferizer, op: tensor.ExtractSliceOp) -> None:
    if is_slice(op.source):
        raise b.unsupported(op, "take the slice of a whole tensor")
    view = _slice(b, op, b.memref_of(op.source), op.result)
    view.name_hint = op.result.name_hint
    b.views.append(view)
    b.memrefs[op.result] = view
    dynamic, static = iter(op.sizes), op.static_sizes.get_values()
    sizes = [next(dynamic) if size == DYNAMIC_INDEX else size for size in static]
    kept = _kept_dimensions(static, op.result.type.get_num_dims())
    b.sizes[op.result] = [sizes[dimension] for dimension in kept]


def _slice(
    b: Bufferizer, op: tensor.InsertSliceOp | tensor.ExtractSliceOp, whole: SSAValue, part: SSAValue
) -> SSAValue:
    """Return the view of the part of a row-major memref that is inserted or extracted."""
    assert isinstance(whole.type, MemRefType)
    view = memref.SubviewOp.build(
        operands=[whole, op.offsets, op.sizes, op.strides],
        result_types=[_slice_type(whole.type, op, part)],
        properties={
            name: op.properties[name]
            for name in ("static_offsets", "static_sizes", "static_strides")
        },
    )
    b.emit(view)
    return view.result


def _slice_type(
    whole: MemRefType, op: tensor.InsertSliceOp | tensor.ExtractSliceOp, part: SSAValue
) -> MemRefType:
    """Return the type of the part of a row-major memref that is inserted or extracted."""
    shape = part.type.get_shape()  # pyright: ignore
    steps = op.static_strides.get_values()
    own = _row_major(whole.get_shape())
    strides = [_times(a, b) for a, b in zip(own, steps)]
    kept = _kept_dimensions(op.static_sizes.get_values(), len(shape))
    places = op.static_offsets.get_values()
    parts = [0 if place == 0 else _times(place, stride) for place, stride in zip(places, own)]
    offset = None if DYNAMIC_INDEX in parts else sum(parts)
    layout = StridedLayoutAttr([_known(strides[d]) for d in kept], offset)
    return MemRefType(whole.element_type, shape, layout)


def _row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, _times(strides[0], size))
    return strides[: len(shape)]


def _times(a: int, b: int) -> int:
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (a, b) else a * b


def _known(stride: int) -> int | None:
    return None if stride == DYNAMIC_INDEX else stride


def _kept_dimensions(sizes: Sequence[int], rank: int) -> list[int]:
    """Return the dimensions of a slice that its source of a smaller rank has: the first ones of size 1
    go."""
    kept: list[int] = []
    dropped = len(sizes) - rank
    for dimension, size in enumerate(sizes):
        if size == 1 and dropped:
            dropped -= 1
        else:
            kept.append(dimension)
    return kept
