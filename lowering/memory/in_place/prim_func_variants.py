"""Prim funcs for calls of other kinds: results written over arguments, arguments with another layout.

    func.func private @exp(%n: index, %x: memref<?xf32>, %y: memref<?xf32> {relax.result})
    ->
    func.func private @exp_in_place(%n: index, %y: memref<?xf32> {relax.result})
    func.func private @exp_strided(%n: index, %x: memref<?xf32, strided<[3], offset: ?>>, ...)

In place one argument serves as both, so that compilers of the loops see the aliasing. With another layout,
tiles and casts follow; ops that need contiguous elements (dimensions collapsed across a gap, vectors along
a stride) are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func, memref, vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
)
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from lowering.ir.in_place_safety import may_overwrite
from lowering.ir.memref_views import VIEW_OPS, is_contiguous, strides
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import is_private, unique_name
from relax_dialect.prim.signature import RESULT, attribute_dicts

Pair = tuple[int, int]
"""The numbers of an argument and of the result that is written over it."""

Types = Mapping[int, MemRefType]
"""Arguments by their numbers, with their new types."""


@dataclass
class PrimFuncVariants:
    """The variants of a module's prim funcs, created on demand."""

    functions: dict[str, func.FuncOp]
    pairs: dict[str, Sequence[Pair]] = field(default_factory=dict)
    in_place: dict[tuple[str, tuple[Pair, ...]], str] = field(default_factory=dict)
    strided: dict[tuple[str, tuple[tuple[int, MemRefType], ...]], str | None] = field(
        default_factory=dict
    )
    unused: set[str] = field(default_factory=set)
    """The functions that may have no call any more, or none yet."""

    def pairs_of(self, call: func.CallOp) -> Sequence[Pair]:
        """Return the pairs of a callee's arguments that may be written over and the results written over
        them."""
        name = call.callee.string_value()
        if name not in self.pairs:
            callee = self.functions.get(name)
            self.pairs[name] = [] if callee is None else list(_possible(callee))
        return self.pairs[name]

    def call_in_place(self, call: func.CallOp, pairs: tuple[Pair, ...]) -> func.CallOp:
        """Call a function that has one argument for each of some pairs."""
        name = call.callee.string_value()
        if (name, pairs) not in self.in_place:
            self.in_place[name, pairs] = self._make_in_place(self.functions[name], pairs)
        dropped = {source for source, _ in pairs}
        operands = [v for i, v in enumerate(call.operands) if i not in dropped]
        return self.call(call, self.in_place[name, pairs], operands)

    def call(self, call: func.CallOp, name: str, operands: Sequence[SSAValue]) -> func.CallOp:
        """Call another function instead."""
        new = func.CallOp(name, operands, call.result_types)
        new.attributes |= call.attributes
        new.location = call.location
        self.unused.add(call.callee.string_value())
        Rewriter.replace_op(call, new)
        return new

    def with_layouts(self, name: str, types: Types) -> str | None:
        """Return the function that takes some arguments in another layout; None if that is impossible."""
        key = name, tuple(sorted(types.items()))
        if key not in self.strided:
            self.strided[key] = self._make_strided(name, types)
        return self.strided[key]

    def _make_in_place(self, function: func.FuncOp, pairs: tuple[Pair, ...]) -> str:
        found, dropped = function.clone(), dict(pairs)
        block = found.body.block
        for source, target in pairs:
            block.args[source].replace_all_uses_with(block.args[target])
        assert found.arg_attrs is not None
        found.arg_attrs = ArrayAttr(a for i, a in enumerate(found.arg_attrs) if i not in dropped)
        for source in sorted(dropped, reverse=True):
            block.erase_arg(block.args[source])
        for target in dropped.values():
            _share_tiles(block.args[target - sum(s < target for s in dropped)])
        return self._add(function, found, "in_place")

    def _make_strided(self, name: str, types: Types) -> str | None:
        function = self.functions.get(name)
        if function is None or not is_private(function):
            return None
        found = function.clone()
        args = found.body.block.args
        if not all(_retype(args[index], type) for index, type in types.items()):
            return None
        made = self._add(function, found, "strided")
        self.unused.add(made)
        return made

    def _add(self, function: func.FuncOp, found: func.FuncOp, suffix: str) -> str:
        """Insert a variant of a function behind it; return its symbol."""
        name = unique_name(f"{function.sym_name.data}_{suffix}", module_symbols(function))
        types = [argument.type for argument in found.body.block.args]
        found.function_type = FunctionType.from_lists(types, found.function_type.outputs.data)
        found.sym_name, found.sym_visibility = StringAttr(name), StringAttr("private")
        found.location = function.location
        assert function.parent is not None
        function.parent.insert_op_after(found, function)
        self.functions[name] = found
        return name


# In place


def _possible(function: func.FuncOp) -> Iterator[Pair]:
    """Yield the arguments of a prim func that its results may be written over."""
    entries = attribute_dicts(function.arg_attrs, len(function.body.block.args))
    arguments = list(enumerate(function.body.block.args))
    memrefs = [(i, a) for i, a in arguments if isinstance(a.type, MemRefType)]
    for i, target in memrefs:
        for j, source in memrefs:
            if (
                RESULT in entries[i]
                and RESULT not in entries[j]
                and source.type == target.type
                and may_overwrite(source, target)
            ):
                yield j, i


def _share_tiles(buffer: SSAValue) -> None:
    """Merge equal views of a buffer within one block: compilers see at once that both alias."""
    work = [buffer]
    while work:
        value = work.pop()
        seen: dict[object, SSAValue] = {}
        views = {u.operation: None for u in value.uses if isinstance(u.operation, VIEW_OPS)}
        for view in sorted(views, key=lambda op: list(op.parent.ops).index(op) if op.parent else 0):
            what = (
                *view.properties.items(),
                *view.result_types,
            )  # the types show which axes are left out
            key = (type(view), view.parent, *view.operands, *what)
            if key in seen:
                Rewriter.replace_op(view, [], [seen[key]])
            else:
                seen[key] = view.results[0]
                work.append(view.results[0])


# Layouts


def _retype(value: SSAValue, type: MemRefType) -> bool:
    """Change a memref and its views to types of another layout, if all their uses allow it."""
    work = [(value, type)]
    while work:
        value, type = work.pop()
        value._type = type  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage]
        for use in value.uses:
            op = use.operation
            match op:
                case memref.DimOp() | memref.LoadOp():
                    pass
                case vector.LoadOp() if is_contiguous(type):
                    pass
                case memref.CopyOp() if use.index == 0:
                    pass
                case memref.CastOp() if _may_cast(type, op.dest.type):
                    pass
                case memref.SubviewOp():
                    work.append((op.result, _part(op, type)))
                case _:
                    return False
    return True


def _part(op: memref.SubviewOp, type: MemRefType) -> MemRefType:
    """Return the type of a tile of a memref, with the dimensions that it had before."""
    assert isinstance(op.result.type, MemRefType)
    shape, found = op.result.type.get_shape(), strides(type)
    assert found is not None
    kept: list[int | None] = []
    steps = op.static_strides.get_values()
    for size, stride, step in zip(op.static_sizes.get_values(), found, steps, strict=True):
        if len(kept) < len(shape) and shape[len(kept)] == size:
            kept.append(None if stride is None or step < 0 else stride * step)
    layout = StridedLayoutAttr(kept, None)
    return MemRefType(type.element_type, shape, layout)


def _may_cast(source: MemRefType, dest: object) -> bool:
    """Return whether a memref may be cast to a type, whose strides must agree with those of the memref."""
    if not isinstance(dest, MemRefType) or isinstance(dest.layout, NoneAttr):
        return False
    pairs = zip(strides(source) or (), strides(dest) or (), strict=True)
    return dest.get_offset() is None and all(b is None or a == b for a, b in pairs)
