"""Prim funcs for arguments with another memory layout.

    func.func private @f(%x: memref<?x64xf32>, ...)
    ->
    func.func private @f_strided(%x: memref<?x64xf32, strided<[192, 1], offset: ?>>, ...)

Tiles and casts follow; ops that need contiguous elements (dimensions collapsed across a gap, vectors along
a stride) are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import func, memref, vector
from xdsl.dialects.builtin import FunctionType, MemRefType, NoneAttr, StridedLayoutAttr, StringAttr
from xdsl.ir import SSAValue

from lowering.ir.memref_views import is_contiguous, strides
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import is_private, unique_name

Types = tuple[tuple[int, MemRefType], ...]
"""Arguments by their numbers, with their new types."""


@dataclass
class StridedFunctions:
    """The functions of a module for other layouts, created on demand."""

    functions: dict[str, func.FuncOp]
    made: dict[tuple[str, Types], str | None] = field(default_factory=dict)

    def of(self, name: str, types: Types) -> str | None:
        """Return the function that takes some arguments in another layout; None if that is impossible."""
        if (name, types) not in self.made:
            self.made[name, types] = self._make(name, types)
        return self.made[name, types]

    def _make(self, name: str, types: Types) -> str | None:
        function = self.functions.get(name)
        if function is None or not is_private(function):
            return None
        found = function.clone()
        block = found.body.block
        for index, type in types:
            if not _retype(block.args[index], type):
                return None
        outputs = found.function_type.outputs.data
        found.function_type = FunctionType.from_lists([a.type for a in block.args], outputs)
        fresh = unique_name(f"{name}_strided", module_symbols(function))
        found.sym_name = StringAttr(fresh)
        found.location = function.location
        assert function.parent is not None
        function.parent.insert_op_after(found, function)
        self.functions[fresh] = found
        return fresh


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


def as_types(types: Mapping[int, MemRefType]) -> Types:
    return tuple(sorted(types.items()))
