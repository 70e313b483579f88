"""What is known of sizes and indices: their expressions in the function's symbols, and their signs."""

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.memref_sizes import behind_casts
from lowering.ir.prim_func import dims_of, symbol_arguments
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim_func import SYMBOL, attribute_dicts
from relax_dialect.symbolic import Expr


class IndexSizes:
    """What a function on memrefs says about its sizes. Equal expressions are one object."""

    def __init__(self, function: FuncOp):
        block = function.body.blocks[0]
        attributes = attribute_dicts(function.arg_attrs, len(function.function_type.inputs))
        self._values = {
            value: symbolic.var(name) for name, value in symbol_arguments(function, block).items()
        }
        self._dims: dict[SSAValue, Sequence[str]] = {
            argument: dims
            for argument, entry in zip(block.args, attributes)
            if (dims := dims_of(entry)) is not None
        }

    def value(self, value: SSAValue) -> Expr | None:
        """A product of constants, symbols and sizes; None for anything else."""
        if (known := known_integer(value)) is not None:
            return symbolic.const(known)
        if value in self._values:
            return self._values[value]
        op = value.owner
        if isinstance(op, arith.MuliOp):
            factors = [self.value(op.lhs), self.value(op.rhs)]
            return None if None in factors else symbolic.product(f for f in factors if f)
        if isinstance(op, memref.DimOp) and (dim := known_integer(op.index)) is not None:
            return self.size(op.source, dim)
        return None

    def size(self, buffer: SSAValue, dim: int) -> Expr | None:
        """How long a dimension of a memref is."""
        buffer = behind_casts(buffer)
        assert isinstance(buffer.type, MemRefType)
        shape = buffer.type.get_shape()
        if shape[dim] != DYNAMIC_INDEX:
            return symbolic.const(shape[dim])
        if (dims := self._dims.get(buffer)) is not None:
            try:
                return symbolic.parse(dims[dim])
            except (RelaxError, ValueError):
                return None
        if isinstance(op := buffer.owner, memref.AllocOp | memref.AllocaOp):
            position = sum(size == DYNAMIC_INDEX for size in shape[:dim])
            return self.value(op.dynamic_sizes[position])
        if isinstance(op, memref.SubviewOp) and len(op.sizes) == shape.count(DYNAMIC_INDEX):
            return self.value(op.sizes[shape[:dim].count(DYNAMIC_INDEX)])
        return None


class Signs:
    """Which values of type index are never negative."""

    def __init__(self, function: FuncOp):
        attributes = attribute_dicts(function.arg_attrs, len(function.function_type.inputs))
        self.known: set[SSAValue] = {
            argument
            for argument, entry in zip(function.body.blocks[0].args, attributes)
            if SYMBOL in entry
        }

    def never_negative(self, value: SSAValue) -> bool:
        """Whether a value is provably never below zero."""
        if value in self.known:
            return True
        if self._is_positive_or_zero(value):
            self.known.add(value)
            return True
        return False

    def _is_positive_or_zero(self, value: SSAValue) -> bool:
        if (known := known_integer(value)) is not None:
            return known >= 0
        op = value.owner
        if isinstance(op, Block):
            loop = op.parent_op()
            if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
                return False
            return self.never_negative(loop.lb)
        if isinstance(op, memref.DimOp):
            return True
        if isinstance(op, arith.SelectOp):
            return all(map(self.never_negative, op.operands[1:]))
        if isinstance(op, arith.MaxSIOp):
            return any(map(self.never_negative, op.operands))
        if isinstance(op, arith.RemSIOp):
            return self.never_negative(op.lhs)
        kinds = arith.AddiOp | arith.MuliOp | arith.MinSIOp | arith.DivSIOp | arith.FloorDivSIOp
        return isinstance(op, kinds) and all(map(self.never_negative, op.operands))
