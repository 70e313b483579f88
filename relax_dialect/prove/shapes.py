"""The sizes of tensors and memrefs in prim funcs, as terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, ShapedType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from relax_dialect import symbolic
from relax_dialect.prim.signature import DIMS
from relax_dialect.prove.size_terms import facts, integer
from relax_dialect.prove.z3_package import z3


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """Numbers and values in one list, as offsets, sizes and strides are."""
    rest = iter(dynamic)
    return [next(rest) if number == DYNAMIC_INDEX else number for number in static]


class IntegerTerms(Protocol):
    """The interface of integer terms that sizes require."""

    facts: list[Any]
    unknown: set[int]

    def of(self, value: SSAValue) -> Any:
        """Return the term of a value."""
        ...


class Shapes:
    """The sizes of values; each that is not known is some number, at least 0."""

    def __init__(self, integers: IntegerTerms):
        self.integers = integers
        self._known: dict[SSAValue, list[Any]] = {}

    def size(self, value: SSAValue, axis: Any) -> Any:
        """Return the size along an axis that is a constant."""
        shape, axis = self.of(value), z3.simplify(axis)
        if z3.is_int_value(axis) and 0 <= axis.as_long() < len(shape):
            return shape[axis.as_long()]
        return z3.FreshInt("size")

    def of(self, value: SSAValue) -> list[Any]:
        """Return the size along each axis."""
        if value not in self._known:
            assert isinstance(value.type, ShapedType)
            static = value.type.get_shape()
            found = self._computed(value) if DYNAMIC_INDEX in static else None
            sizes = found or [None] * len(static)
            self._known[value] = [
                self._unknown()
                if size is None and number == DYNAMIC_INDEX
                else self._sized(number, size)
                for number, size in zip(static, sizes)
            ]
        return self._known[value]

    def _sized(self, static: int, size: Any) -> Any:
        if static != DYNAMIC_INDEX:
            return z3.IntVal(static)
        self.integers.facts.append(size >= 0)
        return size

    def _unknown(self) -> Any:
        found = z3.FreshInt("size")
        self.integers.facts.append(found >= 0)
        self.integers.unknown.add(found.get_id())
        return found

    def _computed(self, value: SSAValue) -> list[Any] | None:
        if isinstance(value, BlockArgument):
            return self._of_argument(value)
        assert isinstance(value, OpResult)
        return self._of_op(value.op, value.index)

    def _of_argument(self, value: BlockArgument) -> list[Any] | None:
        dims = self.argument_attributes(value).get(DIMS)
        if isinstance(dims, ArrayAttr):
            texts = [text.data for text in dims if isinstance(text, StringAttr)]
            return [None if text == "?" else self.named(text) for text in texts]
        loop = value.block.parent_op()
        if isinstance(loop, scf.ForOp) and value.index > 0:
            return self.of(loop.iter_args[value.index - 1])
        return None

    def named(self, text: str) -> Any:
        """Return a size by its expression, whose variables are at least 0."""
        expr = symbolic.parse(text)
        self.integers.facts += facts([expr])
        return integer(expr)

    def argument_attributes(self, value: BlockArgument) -> Mapping[str, Attribute]:
        """Return the attributes of a function's argument."""
        function = value.block.parent_op()
        if not isinstance(function, FuncOp) or function.arg_attrs is None:
            return {}
        return function.arg_attrs.data[value.index].data

    def _of_op(self, op: Operation, number: int) -> list[Any] | None:
        match op:
            case tensor.EmptyOp():
                return self._mixed(op.tensor.type, op.dynamic_sizes)
            case memref.AllocOp() | memref.AllocaOp():
                return self._mixed(op.memref.type, op.dynamic_sizes)
            case LinalgStructuredOperation():
                return self.of(op.outputs[number])
            case scf.ForOp():
                return self.of(op.iter_args[number])
            case tensor.InsertOp():
                return self.of(op.dest)
            case tensor.InsertSliceOp():
                return self.of(op.dest)
            case tensor.CastOp() | memref.CastOp():
                return self.of(op.source)
            case tensor.CollapseShapeOp() | memref.CollapseShapeOp():
                old = self.of(op.src)
                groups = ([old[axis.value.data] for axis in group] for group in op.reassociation)
                return [z3.Product(group) for group in groups]
            case tensor.ExpandShapeOp():
                sizes = op.static_output_shape.get_values()
                return [self.number(size) for size in mixed(sizes, op.dynamic_output_shape)]
            case memref.ExpandShapeOp():
                sizes = op.static_output_shape.get_values()
                return [self.number(size) for size in mixed(sizes, op.output_shape)]
            case tensor.ExtractSliceOp() | memref.SubviewOp():
                return self._sliced(op)
            case _:
                return None

    def _mixed(self, type: Any, dynamic: Sequence[SSAValue]) -> list[Any]:
        return [self.number(size) for size in mixed(type.get_shape(), dynamic)]

    def number(self, size: int | SSAValue) -> Any:
        """Return a number or value as a term."""
        return z3.IntVal(size) if isinstance(size, int) else self.integers.of(size)

    def _sliced(self, op: Any) -> list[Any] | None:
        """Return the sizes of a slice; axes of size 1 are left out where its rank is less."""
        sizes = mixed(op.static_sizes.get_values(), op.sizes)
        rank = op.result.type.get_num_dims()
        if rank < len(sizes):
            sizes = [size for size in sizes if size != 1]
        return [self.number(size) for size in sizes] if len(sizes) == rank else None
