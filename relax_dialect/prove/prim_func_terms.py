"""Prim funcs as values: structured ops whose loops are all parallel, views, and constants everywhere.

    linalg.generic  (d0, d1) -> (d1, d0) and (d0, d1) -> (d0, d1)      y[i, j] is the body of x[j, i]

A prim func that has anything else is an operator of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.func import FuncOp as PrimFunc
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from relax_dialect.prove.index_maps import IndexMaps
from relax_dialect.prove.scalars.scalar_bodies import constant_term, is_known, yielded
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.value_terms import Index, Keys, TensorTerm, Value
from relax_dialect.prove.verdicts import Outside
from relax_dialect.symbolic import Expr, const, floordiv, floormod, maximum, minimum

VIEWS = (tensor.CollapseShapeOp, tensor.ExpandShapeOp, tensor.CastOp)
SIZES = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.FloorDivSIOp: floordiv,
    arith.RemSIOp: floormod,
    arith.MaxSIOp: maximum,
    arith.MinSIOp: minimum,
}
AFFINE = {
    AffineBinaryOpKind.Add: lambda a, b: a + b,
    AffineBinaryOpKind.Mul: lambda a, b: a * b,
    AffineBinaryOpKind.FloorDiv: floordiv,
    AffineBinaryOpKind.Mod: floormod,
}


def results_of(
    function: PrimFunc, operands: Sequence[Value], text: str, keys: Keys, views: IndexMaps
) -> Sequence[Value]:
    """Return the results of a function of tensors; `Outside` if it does anything but compute elements."""
    if len(function.body.blocks) != 1:
        raise Outside("a function without a body, or with branches")
    if len(operands) != len(function.args) or not all(isinstance(x, TensorTerm) for x in operands):
        raise Outside("arguments that are no tensors")
    for op in function.body.block.ops:
        _refuse_unknown(op)
    tensors = [x for x in operands if isinstance(x, TensorTerm)]
    return _PrimFuncTerms(function, tensors, text, keys, views).results()


def _owner_block(value: SSAValue) -> Any:
    return value.op.parent if isinstance(value, OpResult) else value.owner


def _refuse_unknown(op: Operation) -> None:
    if isinstance(op, GenericOp):
        if any(kind.data is not IteratorType.PARALLEL for kind in op.iterator_types):
            raise Outside(f"{op.name} that reduces")
        for inner in op.body.block.ops:
            if not is_known(inner):
                raise Outside(inner.name)
            if any(_owner_block(value) is not op.body.block for value in inner.operands):
                raise Outside("a value from outside of a body")
        return
    is_size = all(result.type in (IndexType(), IntegerType(1)) for result in op.results)
    known = (FillOp, ReturnOp, arith.ConstantOp, tensor.EmptyOp, AssertOp, *VIEWS)
    if not isinstance(op, known) and (op.regions or not is_size):
        raise Outside(op.name)


@dataclass
class _PrimFuncTerms:
    """The values of one call."""

    function: PrimFunc
    operands: Sequence[TensorTerm]
    text: str
    keys: Keys
    views: IndexMaps

    def __post_init__(self) -> None:
        self._tensors: dict[SSAValue, TensorTerm] = dict(zip(self.function.args, self.operands))
        self._numbers = {op: i for i, op in enumerate(self.function.body.block.ops)}

    def results(self) -> Sequence[Value]:
        last = self.function.body.block.last_op
        assert isinstance(last, ReturnOp)
        return [self.tensor(value) for value in last.arguments]

    def tensor(self, value: SSAValue) -> TensorTerm:
        """Return the value of a tensor, computed once."""
        if value not in self._tensors:
            assert isinstance(value, OpResult)
            self._tensors[value] = self._computed(value, value.op)
        return self._tensors[value]

    def _computed(self, value: OpResult, op: Operation) -> TensorTerm:
        key = self.keys.of(
            "prim", self.text, self._numbers[op], value.index, *(x.key for x in self.operands)
        )
        shape = self.shape(value)
        assert isinstance(value.type, BuiltinTensorType)
        element = ELEMENTS.get(type(op), _PrimFuncTerms._view)
        return TensorTerm(
            key, shape, value.type.element_type, element(self, op, value.index, shape)
        )

    def _filled(self, op: Any, number: int, shape: Index) -> Any:
        filling = op.inputs[0].owner
        if not isinstance(filling, arith.ConstantOp):
            raise Outside("a filling that is no constant")
        return lambda terms, index: constant_term(filling)

    def _generic(self, op: GenericOp, number: int, shape: Index) -> Any:
        maps = [each.data for each in op.get_indexing_maps()]
        inputs = [self.tensor(value) for value in op.inputs]
        output = maps[len(inputs) + number]

        def element(terms: Terms, index: Index) -> Any:
            counters = _counters(output.results, index, output.num_dims)
            args = [
                x.at(terms, tuple(_affine(expr, counters) for expr in map.results))
                for x, map in zip(inputs, maps)
            ]
            outputs = [None] * len(op.outputs)
            return yielded(op.body.block, terms, [*args, *outputs])[number]

        return element

    def _empty(self, op: Any, number: int, shape: Index) -> Any:
        def element(terms: Terms, index: Index) -> Any:
            raise Outside("an element that nothing writes")

        return element

    def _view(self, op: Any, number: int, shape: Index) -> Any:
        source = self.tensor(op.operands[0])
        return lambda terms, index: source.at(terms, self.views.view(index, shape, source.shape))

    def shape(self, value: SSAValue) -> Index:
        """Return the sizes of a tensor as expressions."""
        assert isinstance(value.type, BuiltinTensorType)
        static = value.type.get_shape()
        if DYNAMIC_INDEX not in static:
            return tuple(map(const, static))
        if value in self._tensors:
            return self._tensors[value].shape
        assert isinstance(value, OpResult)
        match value.op:
            case GenericOp() | FillOp() as op:
                return self.shape(op.outputs[value.index])
            case tensor.EmptyOp() as op:
                dynamic = iter(op.dynamic_sizes)
            case tensor.ExpandShapeOp() as op:
                dynamic = iter(op.dynamic_output_shape)
            case tensor.CollapseShapeOp() as op:
                old = self.shape(op.src)
                groups = ([old[axis.value.data] for axis in group] for group in op.reassociation)
                return tuple(_product(group) for group in groups)
            case tensor.CastOp() as op:
                return self.shape(op.source)
            case op:
                raise Outside(op.name)
        return tuple(
            self.size(next(dynamic)) if size == DYNAMIC_INDEX else const(size) for size in static
        )

    def size(self, value: SSAValue) -> Expr:
        """Return an index as an expression."""
        if not isinstance(value, OpResult):
            raise Outside("a size that is an argument")
        match value.op:
            case arith.ConstantOp(value=IntegerAttr() as attribute):
                return const(attribute.value.data)
            case tensor.DimOp() as op:
                axis = self.size(op.index).value
                assert axis is not None
                return self.shape(op.source)[axis]
            case op if type(op) in SIZES:
                return SIZES[type(op)](*map(self.size, op.operands))
            case op:
                raise Outside(op.name)


ELEMENTS = {
    FillOp: _PrimFuncTerms._filled,
    GenericOp: _PrimFuncTerms._generic,
    tensor.EmptyOp: _PrimFuncTerms._empty,
}
"""Readers of the elements of an op's result, for ops other than views."""


def _product(sizes: Sequence[Expr]) -> Expr:
    result = const(1)
    for size in sizes:
        result = result * size
    return result


def _counters(exprs: Sequence[AffineExpr], index: Index, count: int) -> list[Expr]:
    """Return the counters of the loops that write an element."""
    found: dict[int, Expr] = {}
    for expr, i in zip(exprs, index):
        if isinstance(expr, AffineDimExpr):
            found[expr.position] = i
        elif not (isinstance(expr, AffineConstantExpr) and expr.value == 0):
            raise Outside("a result that is written in strides")
    if len(found) < count:
        raise Outside("a result that is written more than once")
    return [found[loop] for loop in range(count)]


def _affine(expr: AffineExpr, counters: Sequence[Expr]) -> Expr:
    match expr:
        case AffineDimExpr(position=position):
            return counters[position]
        case AffineConstantExpr(value=number):
            return const(number)
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs) if kind in AFFINE:
            return AFFINE[kind](_affine(lhs, counters), _affine(rhs, counters))
        case _:
            raise Outside(f"the index {expr}")
