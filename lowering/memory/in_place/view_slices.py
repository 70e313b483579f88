"""relax-view-slices: slices of a value are views of it, if their uses support strided memrefs.

    func.call @split(%n, %x, %a, %b)
    func.call @f(%n, %b, %out) : (index, memref<?x64xf32>, ...)
    ->
    %v = memref.reinterpret_cast %x to offset: [64], sizes: [%n, 64], strides: [128, 1]
        : memref<?x128xf32> to memref<?x64xf32, strided<[128, 1], offset: ?>>
    func.call @f_strided(%n, %v, %out) : (index, memref<?x64xf32, strided<[128, 1], offset: ?>>, ...)

A view extends the live range of its source: the memory is freed after the last of its views. A slice that
is handed over (a result, the state of a loop, an external call) or written to stays a copy, and so does a
small part of much memory, which would have to be kept for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    i8,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.ir.deallocation import users_in
from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import VIEW_OPS, viewed_memref
from lowering.ir.slice_copies import ResultSlice, copied_slices
from lowering.memory.in_place.bytes import symbolic_bytes
from lowering.memory.in_place.call_frames import calls_of, functions_of
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import computed, frees_of
from lowering.memory.in_place.size_order import typical
from lowering.memory.in_place.strided_args import StridedFunctions, as_types
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.walk import is_private
from relax_dialect.prim.signature import JOINS, RESULT, attribute_dicts
from relax_dialect.symbolic import Expr
from relax_dialect.transform.dead_code import remove_unused_functions


def view_slices(module: ModuleOp) -> None:
    """Make views of the slices that the functions of a module copy."""
    functions = functions_of(module)
    copies = {
        name: slices
        for name, function in functions.items()
        if is_private(function) and (slices := copied_slices(function))
    }
    strided = StridedFunctions(functions)
    replaced: set[str] = set()
    for function in list(functions.values()) if copies else ():
        calls = [c for _, c in calls_of(function) if c.callee.string_value() in copies]
        sizes = SymbolicSizes(function, functions) if calls else None
        for call in calls:
            assert sizes is not None
            slices = copies[call.callee.string_value()]
            if (views := _views(call, slices, functions, strided, sizes)) is not None:
                replaced |= _place(call, views, sizes)
    made = {name for name in strided.made.values() if name is not None}
    remove_unused_functions(module, replaced | made)


@dataclass
class SliceView:
    """A slice as a view: the allocation that it replaces, its begin, and its uses."""

    alloc: memref.AllocOp
    source: SSAValue
    start: Expr
    shapes: dict[SSAValue, tuple[MemRefType, Sequence[Expr], Sequence[Expr]]] = field(
        default_factory=dict
    )
    """The allocation and its reshapes, with the type, the sizes and the strides of the view."""
    callees: dict[func.CallOp, str] = field(default_factory=dict)
    """The functions to call instead."""
    last: Operation | None = None
    """The last op that reads it."""


def _views(
    call: func.CallOp,
    slices: Sequence[ResultSlice],
    functions: Mapping[str, func.FuncOp],
    strided: StridedFunctions,
    sizes: SymbolicSizes,
) -> list[SliceView] | None:
    """Return the views that replace the slices a call copies; None if one of these has to stay a copy."""
    found = [_view(call, slice, functions, sizes) for slice in slices]
    views = [view for view in found if view is not None]
    one = len({view.source for view in views}) == 1
    if len(views) < len(found) or not one or not _is_most(views, sizes):
        return None
    types: dict[func.CallOp, dict[int, MemRefType]] = {}
    for view in views:
        for value, (type, _, _) in view.shapes.items():
            for use in value.uses:
                if isinstance(user := use.operation, func.CallOp) and user is not call:
                    types.setdefault(user, {})[use.index] = type
    for user, changed in types.items():
        name = strided.of(user.callee.string_value(), as_types(changed))
        if name is None:
            return None
        for view in views:
            view.callees[user] = name
    return views


def _view(
    call: func.CallOp,
    slice: ResultSlice,
    functions: Mapping[str, func.FuncOp],
    sizes: SymbolicSizes,
) -> SliceView | None:
    """Return a slice that is read by calls of the block alone, and whose source is unchanged until then."""
    block = call.parent
    source, target = call.operands[slice.source], call.operands[slice.target]
    alloc = target.owner
    if block is None or not isinstance(alloc, memref.AllocOp) or alloc.parent is not block:
        return None
    shape, whole = sizes.shape(target), sizes.shape(source)
    known = [size for size in whole if size is not None]
    if None in shape or len(known) < len(whole) or not _is_plain(source.type):
        return None
    strides = _row_major(known)
    try:
        start = symbolic.total(at * stride for at, stride in zip(slice.starts, strides))
    except SymbolicError:
        return None
    view = SliceView(alloc, source, start)
    work: list[tuple[SSAValue, Sequence[Expr]]] = [(target, strides)]
    while work:
        value, steps = work.pop()
        extents = [size for size in sizes.shape(value) if size is not None]
        if len(extents) < len(steps):
            return None
        view.shapes[value] = _strided(value.type, steps), extents, steps
        for use in value.uses:
            op = use.operation
            if op is call or isinstance(op, memref.DeallocOp | memref.DimOp):
                continue
            if isinstance(op, memref.ReinterpretCastOp) and _is_plain(op.result.type):
                reshaped = _reshaped(extents, steps, sizes.shape(op.result))
                if reshaped is None:
                    return None
                work.append((op.result, reshaped))
            elif op.parent is not block or not _only_reads(op, use.index, functions):
                return None
            elif view.last is None or view.last.is_before_in_block(op):
                view.last = op
    return view if view.last is not None and _stays(view, call, functions) else None


def _stays(view: SliceView, call: func.CallOp, functions: Mapping[str, func.FuncOp]) -> bool:
    """Return whether the source of a view is not written to until the view's last read."""
    block, root = call.parent, viewed_memref(view.source)
    assert block is not None and view.last is not None
    for value in (root, *_views_of(root)):
        for use in value.uses:
            op = use.operation
            if isinstance(op, (memref.DeallocOp, memref.DimOp, *VIEW_OPS)):
                continue
            if op.parent is block and (
                op.is_before_in_block(call) or view.last.is_before_in_block(op)
            ):
                continue
            if not _only_reads(op, use.index, functions):
                return False
    return all(free.parent is block for free in frees_of(root))


def _views_of(root: SSAValue) -> Iterator[SSAValue]:
    work = [root]
    while work:
        for use in work.pop().uses:
            if isinstance(use.operation, VIEW_OPS):
                yield use.operation.results[0]
                work.append(use.operation.results[0])


def _only_reads(op: Operation, index: int, functions: Mapping[str, func.FuncOp]) -> bool:
    """Return whether an op only reads one of its operands during a call. Concatenation does not count as
    reading: `relax-concat-in-place` has its arguments written to the result."""
    if not isinstance(op, func.CallOp):
        return False
    callee = functions.get(op.callee.string_value())
    if callee is None or op.results or JOINS in callee.attributes:
        return False
    return RESULT not in attribute_dicts(callee.arg_attrs, len(op.operands))[index]


def _is_plain(type: object) -> bool:
    return isinstance(type, MemRefType) and isinstance(type.layout, NoneAttr)


def _is_most(views: Sequence[SliceView], sizes: SymbolicSizes) -> bool:
    """Return whether slices are half of their source or more, or the source is not ours to free."""
    (source,) = {view.source for view in views}
    if not frees_of(viewed_memref(source)):
        return True
    counts = [
        symbolic_bytes(value.type, sizes.shape(value))  # pyright: ignore[reportArgumentType]
        for value in (source, *(view.alloc.memref for view in views))
    ]
    known = [typical(count) for count in counts if count is not None]
    return len(known) == len(counts) and 2 * sum(known[1:]) >= known[0]


# Strides


def _row_major(shape: Sequence[Expr]) -> list[Expr]:
    found = [symbolic.const(1)]
    for size in reversed(shape[1:]):
        found.append(found[-1] * size)
    return found[::-1] if shape else []


def _reshaped(
    old: Sequence[Expr], strides: Sequence[Expr], shape: Sequence[Expr | None]
) -> list[Expr] | None:
    """Return the strides of a view under another shape: every dimension is split, or has size 1 and is
    added or dropped."""
    one, found = symbolic.const(1), list[Expr]()
    rest = [(size, stride) for size, stride in zip(old, strides) if size is not one]
    stride = one
    for new in reversed(shape):
        if new is None:
            return None
        if new is one:
            found.append(stride)
            continue
        if not rest:
            return None
        size, stride = rest.pop()
        found.append(stride)
        if size is not new:
            if size.value is None or new.value is None or new.value == 0 or size.value % new.value:
                return None
            rest.append((symbolic.const(size.value // new.value), stride * new.value))
        stride = stride * new
    return found[::-1] if not rest else None


def _strided(type: object, strides: Sequence[Expr]) -> MemRefType:
    assert isinstance(type, MemRefType)
    layout = StridedLayoutAttr([stride.value for stride in strides], None)
    return MemRefType(type.element_type, type.get_shape(), layout)


# Ops


def _place(call: func.CallOp, views: Sequence[SliceView], sizes: SymbolicSizes) -> set[str]:
    """Replace slices by views; return the functions that were called with the slices."""
    made: list[tuple[SSAValue, SSAValue]] = []
    for view in views:
        for value in view.shapes:
            if (op := _made(Inserter(before=call), view, value, sizes)) is None:
                return set()
            made.append((value, op))
    replaced = {call.callee.string_value()}
    for user, name in views[0].callees.items():
        replaced.add(user.callee.string_value())
        new = func.CallOp(name, user.operands, user.result_types)
        new.attributes |= user.attributes
        new.location = user.location
        Rewriter.replace_op(user, new)
    Rewriter.erase_op(call)
    for old, _ in made:
        for free in [u.operation for u in old.uses if isinstance(u.operation, memref.DeallocOp)]:
            Rewriter.erase_op(free)
    for old, new in made:
        old.replace_all_uses_with(new)
    for old, _ in reversed(made):
        assert isinstance(old.owner, Operation)
        Rewriter.erase_op(old.owner)
    for _, new in made:  # except for memrefs made to be reshaped
        if new.first_use is None:
            assert isinstance(new.owner, Operation)
            Rewriter.erase_op(new.owner)
    _free_later(viewed_memref(views[0].source))
    return replaced


def _made(
    insert: Inserter, view: SliceView, value: SSAValue, sizes: SymbolicSizes
) -> SSAValue | None:
    type, extents, strides = view.shapes[value]
    numbers = [view.start, *extents, *strides]
    static = [DYNAMIC_INDEX, *type.get_shape(), *(type.get_strides() or ())]
    missing = [n for n, s in zip(numbers, static) if s in (None, DYNAMIC_INDEX)]
    dynamic = computed(
        insert, MemRefType(i8, [DYNAMIC_INDEX] * len(missing)), missing, sizes.symbols
    )
    if dynamic is None:
        return None
    rest = iter(dynamic)
    found = [next(rest) if s in (None, DYNAMIC_INDEX) else s for s in static]
    rank = len(extents)
    op = memref.ReinterpretCastOp.from_dynamic(
        view.source, found[:1], found[1 : rank + 1], found[rank + 1 :], type
    )
    return insert(op, value.name_hint)


def _free_later(root: SSAValue) -> None:
    """Move the deallocation of memory behind its last use, including later views."""
    for free in frees_of(root):
        block = free.parent
        assert block is not None
        last = max(
            (op for op in users_in(root, block) if op is not free),
            key=list(block.ops).index,
            default=free,
        )
        if free.is_before_in_block(last):
            free.detach()
            block.insert_op_after(free, last)


class ViewSlicesPass(ModulePass):
    """Slices that are views, see the module docstring."""

    name = "relax-view-slices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        view_slices(op)
