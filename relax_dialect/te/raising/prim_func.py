"""A prim func on tensors as a graph of tensor expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Any

from xdsl.dialects import func, linalg, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.ir import Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.order import describe
from relax_dialect.prim.signature import attribute_dicts, symbol_of
from relax_dialect.symbolic import Expr, product
from relax_dialect.te import intrinsics as f
from relax_dialect.te.assemble import part
from relax_dialect.te.compute import compute
from relax_dialect.te.dtypes import kind
from relax_dialect.te.pad import pad
from relax_dialect.te.raising.raised_generic import raise_generic
from relax_dialect.te.raising.raised_values import Blank, Filled, Shape, Tensors
from relax_dialect.te.raising.scalars import RaisingError, Scalars, as_index
from relax_dialect.te.reshape import reshape
from relax_dialect.te.scalar import Scalar, ScalarConstant
from relax_dialect.te.tensor import Stage, Tensor


def raised(
    function: func.FuncOp,
    inputs: Sequence[Tensor],
    sizes: Mapping[str, Expr],
    origins: dict[Stage, tuple[Operation, list[Tensor]]] | None = None,
    given: Mapping[SSAValue, Tensor] | None = None,
) -> list[Tensor]:
    """Return the tensors that a prim func on tensors computes from some inputs.

    `origins` records for each stage the linalg op that it comes from, and all tensors of that op; `given`
    maps results of such ops to known tensors, which are then not computed.

    `sizes` are the symbols that it is passed as `index` arguments. It may consist of `linalg.generic` and
    named ops of its kind, fills, copies, slices, reshapes, and arithmetic on elements and sizes: everything
    `te.create_prim_func` emits for `te.compute`, `te.pad`, `te.reshape` and `te.assemble`. Raises
    `RaisingError` for anything else, loops in particular.
    """
    return Raiser(function, {} if origins is None else origins, given).read(inputs, sizes)


class Raiser:
    """Reads the ops of a function, one after the other."""

    def __init__(
        self,
        function: func.FuncOp,
        origins: dict[Stage, tuple[Operation, list[Tensor]]],
        given: Mapping[SSAValue, Tensor] | None = None,
    ):
        self.function, self.origins, self.given = function, origins, given or {}
        self.tensors = Tensors(self.fail)
        self.scalars = Scalars(self.fail, self._load)

    def fail(self, op: Operation) -> RaisingError:
        return RaisingError(
            f"@{self.function.sym_name.data}: expected linalg.generic, linalg's named ops, fills, slices, "
            f"reshapes and arithmetic, as te.compute makes them, found {describe(op)}"
        )

    def _load(self, value: SSAValue, indices: tuple[Scalar, ...]) -> Scalar:
        """Return an element in the type of registers."""
        return self.tensors.whole(value)[indices]

    def read(self, inputs: Sequence[Tensor], sizes: Mapping[str, Expr]) -> list[Tensor]:
        """Return the tensors that the function computes."""
        if self.function.is_declaration or len(self.function.body.blocks) != 1:
            raise self.fail(self.function)
        block, rest = self.function.body.block, iter(inputs)
        given = attribute_dicts(self.function.arg_attrs, len(block.args))
        for argument, attributes in zip(block.args, given):
            if (symbol := symbol_of(attributes)) is not None:
                self.scalars.values[argument] = as_index(sizes[symbol])
            elif (known := next(rest, None)) is not None:
                self.tensors.set(argument, known)
            else:  # a prim func on memrefs has output parameters
                raise self.fail(self.function)
        *ops, end = block.ops
        for op in ops:
            self.read_op(op)
        if not isinstance(end, func.ReturnOp):
            raise self.fail(end)
        return [self.tensors.whole(value) for value in end.operands]

    def read_op(self, op: Operation) -> None:
        """Compute the expressions of an op's results from those of its operands."""
        match op:
            case tensor.DimOp():
                dim = self.scalars.size(op.index, op).value
                if dim is None:
                    raise self.fail(op)
                self.scalars.values[op.result] = as_index(self.tensors.shape(op.source)[dim])
            case tensor.EmptyOp():
                self.tensors.set(op.tensor, Blank(self._shape(op, op.tensor, op.dynamic_sizes)))
            case linalg.ops.FillOp():
                self._fill(op)
            case linalg.ops.CopyOp():
                self.tensors.set(op.results[0], self.tensors.value(op.inputs[0]))
            case linalg.ops.GenericOp() | NamedOperation():
                found = raise_generic(op, self.tensors, self.scalars)
                every = [made for made in found if isinstance(made, Tensor)]
                for result, made in zip(op.results, found):
                    self.tensors.set(result, self.given.get(result, made))
                    if isinstance(made, Tensor) and made.stage is not None:
                        self.origins[made.stage] = op, every
            case tensor.CollapseShapeOp():
                old, groups = self.tensors.shape(op.src), op.reassociation
                sizes = [product(old[i.value.data] for i in group) for group in groups]
                self._reshape(op, op.src, sizes)
            case tensor.ExpandShapeOp():
                self._reshape(op, op.src, self._shape(op, op.result, op.dynamic_output_shape))
            case tensor.CastOp():
                old, given = self.tensors.shape(op.source), op.dest.type.get_shape()  # pyright: ignore
                sizes = [o if n == DYNAMIC_INDEX else symbolic.const(n) for o, n in zip(old, given)]
                self._reshape(op, op.source, sizes)
            case tensor.InsertSliceOp():
                self._insert(op)
            case tensor.ExtractSliceOp():
                self._extract(op)
            case _ if any(hasattr(r.type, "get_shape") for r in op.results) or op.regions:
                raise self.fail(op)
            case _:
                self.scalars.read_op(op)

    def _shape(self, op: Operation, result: SSAValue, dynamic: Sequence[SSAValue]) -> Shape:
        """Return the sizes of a type whose dynamic ones are values."""
        rest = iter(dynamic)
        return tuple(
            self.scalars.size(next(rest), op) if size == DYNAMIC_INDEX else symbolic.const(size)
            for size in result.type.get_shape()  # pyright: ignore
        )

    def _fill(self, op: linalg.ops.FillOp) -> None:
        shape, value = self.tensors.shape(op.outputs[0]), self.scalars.values.get(op.inputs[0])
        if value is None:
            raise self.fail(op)
        dtype = op.results[0].type.get_element_type()  # pyright: ignore
        if isinstance(value, ScalarConstant) and kind(dtype) != "unsigned":
            self.tensors.set(op.results[0], Filled(shape, value))
        else:
            self.tensors.set(op.results[0], compute(shape, lambda *_: value, "filled"))

    def _reshape(self, op: Any, source: SSAValue, sizes: Sequence[Expr]) -> None:
        whole = self.tensors.whole(source)
        same = tuple(sizes) == whole.shape
        self.tensors.set(op.results[0], whole if same else reshape(whole, sizes, _name(op)))

    # Slices

    def _entries(self, op: Any, name: str) -> list[Expr]:
        """Return the offsets, sizes or strides of a slice."""
        rest = iter(getattr(op, name))
        return [
            self.scalars.size(next(rest), op) if number == DYNAMIC_INDEX else symbolic.const(number)
            for number in getattr(op, f"static_{name}").get_values()
        ]

    def _insert(self, op: tensor.InsertSliceOp) -> None:
        source, dest = self.tensors.whole(op.source), self.tensors.value(op.dest)
        at, sizes, steps = (self._entries(op, n) for n in ("offsets", "sizes", "strides"))
        if any(step.value != 1 for step in steps):
            raise self.fail(op)
        if source.shape != tuple(sizes):
            source = reshape(source, sizes, source.name)
        match dest:
            case Blank():
                parts = (*dest.parts, part(source, at))
                self.tensors.set(op.result, Blank(dest.shape, parts))
            case Filled() if all(size.value is not None or size.is_variable for size in at):
                self.tensors.set(
                    op.result, pad(source, dest.shape, at, dest.value.value, _name(op))
                )
            case _:
                below = self.tensors.whole(op.dest)
                self.tensors.set(op.result, _overlaid(below, source, at, _name(op)))

    def _extract(self, op: tensor.ExtractSliceOp) -> None:
        source = self.tensors.whole(op.source)
        start, sizes, steps = (self._entries(op, n) for n in ("offsets", "sizes", "strides"))
        taken = compute(
            sizes,
            lambda *i: source[
                tuple(_at(first, place, step) for first, place, step in zip(start, i, steps))
            ],
            _name(op),
        )
        taken.stage.checked = False
        self.tensors.set(op.result, taken)
        result = op.result.type.get_shape()  # pyright: ignore
        if len(result) < len(sizes):
            kept = list(sizes)
            for dim in [d for d, size in enumerate(sizes) if size.value == 1][
                : len(sizes) - len(result)
            ]:
                kept[dim] = None  # pyright: ignore
            self._reshape(op, op.result, [size for size in kept if size is not None])


def _at(first: Expr, place: Any, step: Expr) -> Any:
    """Return an index of a slice."""
    moved = place if step.value == 1 else place * step
    return moved if first.value == 0 else moved + first


def _overlaid(below: Tensor, source: Tensor, at: Sequence[Expr], name: str) -> Tensor:
    """Return a tensor with a part of it replaced."""

    def element(*i: Any) -> Any:
        inner = tuple(place if first.value == 0 else place - first for place, first in zip(i, at))
        inside = [
            test
            for place, size, whole in zip(inner, source.shape, below.shape)
            if size is not whole
            for test in (place >= 0, place < size)
        ]
        return (
            f.if_then_else(reduce(and_, inside), source[inner], below[i])
            if inside
            else source[inner]
        )

    found = compute(below.shape, element, name)
    found.stage.checked = False
    return found


def _name(op: Operation) -> str:
    return op.results[0].name_hint or "t"
