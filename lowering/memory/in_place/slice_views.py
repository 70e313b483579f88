"""Slices that are views of a value, if their uses support strided memrefs.

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

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, StridedLayoutAttr, i8
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from lowering.ir.deallocation import users_in
from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import VIEW_OPS, viewed_memref
from lowering.ir.slice_copies import ResultSlice, copied_slices
from lowering.memory.in_place.bytes import symbolic_bytes
from lowering.memory.in_place.lives import LOOKS, Lives
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import computed, frees_of
from lowering.memory.in_place.prim_func_variants import PrimFuncVariants
from lowering.memory.in_place.size_order import typical
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.walk import is_private
from relax_dialect.prim.signature import JOINS, RESULT, attribute_dicts
from relax_dialect.symbolic import Expr


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
    last: Operation | None = None
    """The last op that reads it."""


class SliceViews:
    """The functions of a module that copy slices, and their calls, which views replace."""

    def __init__(self, variants: PrimFuncVariants):
        self.variants = variants
        self.copies = {
            name: slices
            for name, function in variants.functions.items()
            if is_private(function) and (slices := copied_slices(function))
        }

    def copies_slices(self, call: func.CallOp) -> bool:
        return call.callee.string_value() in self.copies

    def replace(
        self, call: func.CallOp, sizes: SymbolicSizes, lives: Lives
    ) -> Mapping[func.CallOp, func.CallOp] | None:
        """Replace the slices that a call copies by views; return the new calls that take them by the old
        ones, or None if one of the slices has to stay a copy."""
        name = call.callee.string_value()
        functions = self.variants.functions
        found = [_view(call, slice, functions, sizes, lives) for slice in self.copies[name]]
        views = [view for view in found if view is not None]
        one = len({view.source for view in views}) == 1
        if len(views) < len(found) or not one or not _is_most(views, sizes):
            return None
        callees = self._callees(call, views)
        made = None if callees is None else _made(call, views, sizes)
        if callees is None or made is None:
            return None
        renewed: dict[func.CallOp, func.CallOp] = {}
        for user, callee in callees.items():
            at = lives.at(user)
            renewed[user] = self.variants.call(user, callee, user.operands)
            lives.set(renewed[user], at)
        self.variants.unused.add(name)
        _replace(call, made)
        _free_later(viewed_memref(views[0].source), lives)
        return renewed

    def _callees(
        self, call: func.CallOp, views: Sequence[SliceView]
    ) -> Mapping[func.CallOp, str] | None:
        """Return the functions for the calls that take views; None if one of these is impossible."""
        types: dict[func.CallOp, dict[int, MemRefType]] = defaultdict(dict)
        for view in views:
            for value, (type, _, _) in view.shapes.items():
                for use in value.uses:
                    if isinstance(user := use.operation, func.CallOp) and user is not call:
                        types[user][use.index] = type
        found: dict[func.CallOp, str] = {}
        for user, changed in types.items():
            name = self.variants.with_layouts(user.callee.string_value(), changed)
            if name is None:
                return None
            found[user] = name
        return found


def _view(
    call: func.CallOp,
    slice: ResultSlice,
    functions: Mapping[str, func.FuncOp],
    sizes: SymbolicSizes,
    lives: Lives,
) -> SliceView | None:
    """Return a slice that is read by calls of the block alone, and whose source is unchanged until then."""
    block = call.parent
    source, target = call.operands[slice.source], call.operands[slice.target]
    alloc = target.owner
    if block is None or not isinstance(alloc, memref.AllocOp) or alloc.parent is not block:
        return None
    whole = _known(source, sizes)
    if _known(target, sizes) is None or whole is None or not _is_plain(source.type):
        return None
    strides = _row_major(whole)
    try:
        start = symbolic.total(at * stride for at, stride in zip(slice.starts, strides))
    except SymbolicError:
        return None
    view = SliceView(alloc, source, start)
    work: list[tuple[SSAValue, Sequence[Expr]]] = [(target, strides)]
    while work:
        value, steps = work.pop()
        extents = _known(value, sizes)
        if extents is None:
            return None
        view.shapes[value] = _strided(value.type, steps), extents, steps
        for use in value.uses:
            op = use.operation
            if op is call or isinstance(op, memref.DeallocOp | memref.DimOp):
                continue
            if isinstance(op, memref.ReinterpretCastOp) and _is_plain(op.result.type):
                reshaped = _reshaped(extents, steps, _known(op.result, sizes))
                if reshaped is None:
                    return None
                work.append((op.result, reshaped))
            elif op.parent is not block or not _only_reads(op, use.index, functions):
                return None
            elif view.last is None or lives.at(view.last) < lives.at(op):
                view.last = op
    return view if view.last is not None and _stays(view, call, functions, lives) else None


def _known(value: SSAValue, sizes: SymbolicSizes) -> list[Expr] | None:
    """Return the sizes of a memref in the symbolic variables of its function."""
    found = [size for size in sizes.shape(value) if size is not None and sizes.is_of_symbols(size)]
    return found if len(found) == len(sizes.shape(value)) else None


def _stays(
    view: SliceView, call: func.CallOp, functions: Mapping[str, func.FuncOp], lives: Lives
) -> bool:
    """Return whether the source of a view is not written to until the view's last read."""
    block, root = call.parent, viewed_memref(view.source)
    assert block is not None and view.last is not None
    for value in (root, *_views_of(root)):
        for use in value.uses:
            op = use.operation
            if isinstance(op, (memref.DeallocOp, *LOOKS)):
                continue
            if op.parent is block and not lives.at(call) <= lives.at(op) <= lives.at(view.last):
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
    old: Sequence[Expr], strides: Sequence[Expr], shape: Sequence[Expr] | None
) -> list[Expr] | None:
    """Return the strides of a view under another shape: every dimension is split, or has size 1 and is
    added or dropped."""
    if shape is None:
        return None
    one, found = symbolic.const(1), list[Expr]()
    rest = [(size, stride) for size, stride in zip(old, strides) if size is not one]
    stride = one
    for new in reversed(shape):
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


def _made(
    call: func.CallOp, views: Sequence[SliceView], sizes: SymbolicSizes
) -> Mapping[SSAValue, SSAValue] | None:
    """Return the views that replace allocations and their reshapes; None if a size is known only after a
    check."""
    found: dict[SSAValue, SSAValue] = {}
    for view in views:
        for value, (type, extents, strides) in view.shapes.items():
            op = _cast(Inserter(before=call), view, type, [view.start, *extents, *strides], sizes)
            if op is None:
                return None
            op.result.name_hint = value.name_hint
            sizes.shapes[op.result] = extents
            found[value] = op.result
    return found


def _cast(
    insert: Inserter,
    view: SliceView,
    type: MemRefType,
    numbers: Sequence[Expr],
    sizes: SymbolicSizes,
) -> memref.ReinterpretCastOp | None:
    """Insert the view of a type whose offset, sizes and strides are some numbers."""
    static = [DYNAMIC_INDEX, *type.get_shape(), *(type.get_strides() or ())]
    missing = [n for n, s in zip(numbers, static) if s in (None, DYNAMIC_INDEX)]
    dynamic = computed(
        insert, MemRefType(i8, [DYNAMIC_INDEX] * len(missing)), missing, sizes.symbols
    )
    if dynamic is None:
        return None
    rest = iter(dynamic)
    found = [next(rest) if s in (None, DYNAMIC_INDEX) else s for s in static]
    end = 1 + type.get_num_dims()
    op = memref.ReinterpretCastOp.from_dynamic(
        view.source, found[:1], found[1:end], found[end:], type
    )
    insert.place(op)
    return op


def _replace(call: func.CallOp, made: Mapping[SSAValue, SSAValue]) -> None:
    """Replace allocations and their reshapes by views, which leaves a call without results."""
    Rewriter.erase_op(call)
    for old, new in made.items():
        for free in [u.operation for u in old.uses if isinstance(u.operation, memref.DeallocOp)]:
            Rewriter.erase_op(free)
        old.replace_all_uses_with(new)
    for old in reversed([*made]):
        assert isinstance(old.owner, Operation)
        Rewriter.erase_op(old.owner)
    for new in made.values():  # except for memrefs made to be reshaped
        if new.first_use is None:
            assert isinstance(new.owner, Operation)
            Rewriter.erase_op(new.owner)


def _free_later(root: SSAValue, lives: Lives) -> None:
    """Move the deallocation of memory behind its last use, including later views."""
    for free in frees_of(root):
        block = free.parent
        assert block is not None
        last = max((op for op in users_in(root, block)), key=lives.at, default=free)
        if last is not free:
            at = lives.at(last)
            free.detach()
            block.insert_op_after(free, last)
            lives.set(free, at)
