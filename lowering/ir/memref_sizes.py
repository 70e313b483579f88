"""The sizes of memref dimensions: constants, symbols, and only then `memref.dim`."""

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue

from lowering.ir.argument_attributes import dims_of, symbol_arguments
from lowering.ir.constants import ConstantPool
from relax_dialect.prim.signature import attribute_dicts

Dimension = tuple[SSAValue, int]
"""One dimension of a memref value."""


class MemrefSizes:
    """The sizes of a function's memrefs, the same value for equal `relax.dims`."""

    def __init__(self, function: FuncOp, constants: ConstantPool):
        block = function.body.blocks[0]
        attributes = attribute_dicts(function.arg_attrs, len(function.function_type.inputs))
        self.constants = constants
        self.symbols: dict[str | Dimension, SSAValue] = {**symbol_arguments(function, block)}
        self.dims: dict[SSAValue, tuple[str, ...]] = {
            argument: dims
            for argument, entry in zip(block.args, attributes)
            if (dims := dims_of(entry)) is not None
        }
        self.arguments = set(block.args)
        self.read: dict[str | Dimension, SSAValue] = {}
        self.last_read: Operation | None = None

    def extent(self, dimensions: Sequence[Dimension]) -> int:
        """Return the constant that equal dimensions are, `DYNAMIC_INDEX` if none of them is constant."""
        shapes = ((memref_before_casts(value).type, dim) for value, dim in dimensions)
        static = [t.get_shape()[dim] for t, dim in shapes if isinstance(t, MemRefType)]
        return max(static, default=DYNAMIC_INDEX)

    def bound(self, dimensions: Sequence[Dimension], before: Operation) -> SSAValue:
        """Return the size of equal dimensions, as a value that can be used from `before` on."""
        if (static := self.extent(dimensions)) != DYNAMIC_INDEX:
            return self.constants.index(static)
        for dimension in dimensions:
            if (known := self._known(*dimension)) is not None:
                return known
        value, dim = next((d for d in dimensions if d[0] in self.arguments), dimensions[0])
        dim_op = memref.DimOp(value, self.constants.index(dim))
        if value not in self.arguments:
            block = before.parent
            assert block is not None
            block.insert_op_before(dim_op, before)
            return dim_op.result
        return self._read_at_entry(value, dim, dim_op)

    def are_equal(self, a: Dimension, b: Dimension) -> bool:
        """Return whether two dimensions are known to be equal, without reading any memref."""
        sizes = self.extent([a]), self.extent([b])
        if DYNAMIC_INDEX not in sizes:
            return sizes[0] == sizes[1]
        known = self._known(*a)
        return sizes[0] == sizes[1] and known is not None and known is self._known(*b)

    def _known(self, value: SSAValue, dim: int) -> SSAValue | None:
        """Return the size as the function already knows it, without reading it from the memref."""
        value = memref_before_casts(value)
        if value in self.arguments:
            name = self._name(value, dim)
            return self.symbols.get(name) or self.read.get(name)
        if not isinstance(value, OpResult) or not isinstance(value.type, MemRefType):
            return None
        dynamic = [d for d, size in enumerate(value.type.get_shape()) if size == DYNAMIC_INDEX]
        match value.op:
            case memref.AllocOp() | memref.AllocaOp() as op if dim in dynamic:
                return op.dynamic_sizes[dynamic.index(dim)]
            case memref.ExpandShapeOp() as op if dim in dynamic:
                return op.output_shape[dynamic.index(dim)]
            case memref.SubviewOp() as op if len(op.sizes) == len(dynamic) and dim in dynamic:
                return op.sizes[dynamic.index(dim)]
        return None

    def _read_at_entry(self, value: SSAValue, dim: int, dim_op: memref.DimOp) -> SSAValue:
        """Read a size of an argument once, at the top of the function, after the constants."""
        after = self.last_read or self.constants.last
        assert after is not None
        self.constants.entry.insert_op_after(dim_op, after)
        self.last_read = dim_op
        self.read[self._name(value, dim)] = dim_op.result
        return dim_op.result

    def _name(self, value: SSAValue, dim: int) -> str | Dimension:
        """Return the name of an argument's dimension in `relax.dims`; the dimension itself if it has
        none."""
        text = self.dims[value][dim] if value in self.dims else "?"
        return (value, dim) if text == "?" else text


def memref_before_casts(value: SSAValue) -> SSAValue:
    """Return the memref that a chain of `memref.cast` starts from, whose type may have more static
    sizes."""
    while isinstance(value, OpResult) and isinstance(value.op, memref.CastOp):
        value = value.op.source
    return value
