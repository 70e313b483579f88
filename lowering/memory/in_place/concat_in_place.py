"""relax-concat-in-place: the parts of a concatenation are written directly to its result.

    %a = memref.alloc(%n) : memref<?xf32>         %out = memref.alloc(%bytes) : memref<?xi8>
    func.call @f(%n, %x, %a)                      %a = memref.view %out[%c0][%n] : ... to memref<?xf32>
    %b = memref.alloc(%m) : memref<?xf32>         func.call @f(%n, %x, %a)
    func.call @f(%m, %y, %b)               ->     %b = memref.view %out[%start][%m] : ... to memref<?xf32>
    %out = memref.alloc(%sum) : memref<?xf32>     func.call @f(%m, %y, %b)
    func.call @concat(%n, %m, %a, %b, %out)       %all = memref.view %out[%c0][%sum] : ... to memref<?xf32>
    memref.dealloc %a
    memref.dealloc %b

A part needs no buffer of its own if it has no use after the concatenation. Other parts (parameters,
constants, operands that occur twice) are copied. `relax.part` distinguishes the views of one result. The
prim func declares that its result is the concatenation of its arguments (`relax.joins`). The parts that a
loop appends to a tensor that it carries are written behind that (`append_in_place.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import uncast
from lowering.memory.in_place.append_in_place import (
    grow_in_place,
    growing_state,
    loop_around,
    memrefs_of,
)
from lowering.memory.in_place.bytes import BYTES, as_bytes, dynamic_sizes, symbolic_bytes, tensor_at
from lowering.memory.in_place.call_graph import calls_of, functions_of
from lowering.memory.in_place.lives import Lives
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.memory.in_place.owned_buffers import computed, frees_of, index, own_part
from lowering.memory.in_place.size_order import typical
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.prim.signature import JOINS, PART


def concat_in_place(module: ModuleOp) -> None:
    """Make the functions of a module write the parts of concatenations to the result."""
    functions = functions_of(module)
    joins = {name for name, function in functions.items() if JOINS in function.attributes}
    for function in functions.values() if joins else ():
        found = [call for _, call in calls_of(function) if call.callee.string_value() in joins]
        for call in found:
            loop = loop_around(call)
            if loop is not None and (state := growing_state(call, loop)) is not None:
                grow_in_place(call, loop, state, SymbolicSizes(function, functions))
        rest = [call for call in found if call.parent is not None]
        sizes = SymbolicSizes(function, functions) if rest else None
        for call in rest:
            assert sizes is not None
            if (join := _join(call, sizes)) is not None:
                _place(join, sizes)


@dataclass
class Join:
    """A call that joins parts, the parts that need no buffer of their own, and the start of each."""

    call: func.CallOp
    parts: Sequence[SSAValue]
    made: memref.AllocOp
    """The allocation of the result."""
    written: Mapping[int, memref.AllocOp]
    """The allocations of the parts that may be written to the result at once."""
    starts: Sequence[SSAValue]
    first: Operation
    """The first of all these allocations, before which the starts are computed."""


def _join(call: func.CallOp, sizes: SymbolicSizes) -> Join | None:
    """Return a call with parts that may be written to the result at once; None if there is none of them."""
    *parts, out = memrefs_of(call)
    made, lives = uncast(out).owner, Lives()
    if not isinstance(made, memref.AllocOp) or made.parent is not call.parent:
        return None
    if not lives.is_first_use(call, made.memref):
        return None
    written = {
        i: alloc
        for i, part in enumerate(parts)
        if (alloc := own_part(part, call, lives, sizes)) is not None
    }
    if not written or not _is_most(parts, written, sizes):
        return None
    first = min([made, *written.values()], key=lives.at)
    starts = _starts(parts, sizes, first)
    return None if starts is None else Join(call, parts, made, written, starts, first)


def _is_most(parts: Sequence[SSAValue], written: Iterable[int], sizes: SymbolicSizes) -> bool:
    """Return whether the parts to be written at once are half of the result or more: it is needed from the
    first of them on, before the others are made."""
    counts = [symbolic_bytes(part.type, sizes.shape(part)) for part in parts]  # pyright: ignore
    found = [0 if count is None else typical(count) for count in counts]
    return 2 * sum(found[i] for i in written) >= sum(found)


def _starts(
    parts: Sequence[SSAValue], sizes: SymbolicSizes, first: Operation
) -> Sequence[SSAValue] | None:
    """Return the byte at which each part begins, computed before an op."""
    at: Size = symbolic.const(0)
    found: list[SSAValue] = []
    for part in parts:
        assert isinstance(part.type, MemRefType)
        start = computed(Inserter(before=first), BYTES, [at], sizes.symbols)
        count = symbolic_bytes(part.type, sizes.shape(part))
        if start is None or count is None:
            return None
        found += start
        try:
            at = at + count
        except SymbolicError:
            return None
    return found


def _place(join: Join, sizes: SymbolicSizes) -> None:
    """Make the parts views of the result, and copy the others there."""
    room = as_bytes(join.made, sizes, before=join.first)
    if room is None:
        return
    room.name_hint = join.made.memref.name_hint
    for free in frees_of(join.made.memref):
        Inserter(before=free).place(memref.DeallocOp.get(room))
        Rewriter.erase_op(free)
    insert = Inserter(before=join.call)
    for i, (part, start) in enumerate(zip(join.parts, join.starts)):
        if (alloc := join.written.get(i)) is None:
            assert isinstance(part.type, MemRefType)
            to = tensor_at(insert, room, start, part.type, dynamic_sizes(insert, part))
            insert.place(memref.CopyOp(part, to))
            continue
        (free,) = frees_of(alloc.memref)
        Rewriter.erase_op(free)
        _become(alloc, room, start, sizes, i)
    Rewriter.erase_op(join.call)
    zero = index(Inserter(before=join.made), 0)
    _become(join.made, room, zero, sizes)


def _become(
    alloc: memref.AllocOp,
    room: SSAValue,
    start: SSAValue,
    sizes: SymbolicSizes,
    part: int | None = None,
) -> None:
    """Replace an allocation by a view."""
    type = alloc.memref.type
    assert isinstance(type, MemRefType)
    new = tensor_at(Inserter(before=alloc), room, start, type, alloc.dynamic_sizes)
    if part is not None:
        assert isinstance(new.owner, Operation)
        new.owner.attributes[PART] = IntegerAttr(part, i64)
    new.name_hint = alloc.memref.name_hint
    sizes.shapes[new] = sizes.shape(alloc.memref)
    alloc.memref.replace_all_uses_with(new)
    Rewriter.erase_op(alloc)


class ConcatInPlacePass(ModulePass):
    """The parts of a concatenation are written straight to its result, see the module docstring."""

    name = "relax-concat-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        concat_in_place(op)
