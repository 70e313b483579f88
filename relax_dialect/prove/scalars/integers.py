"""Integers of prim funcs as terms: indices, sizes, conditions; an unknown is any number of its type.

An `index` is assumed not to overflow. A fixed-width integer is exact if it fits, and any number otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from relax_dialect.prim.signature import SYMBOL
from relax_dialect.prove.scalars.terms import constants_in
from relax_dialect.prove.shapes import Shapes
from relax_dialect.prove.size_terms import floordiv, floormod
from relax_dialect.prove.z3_package import z3

INDEX_WIDTH = 64
"""The bits of an index."""

Binary = Callable[[Any, Any], Any]


def truncdiv(a: Any, b: Any) -> Any:
    """Return the quotient rounded towards zero."""
    magnitude = z3.If(a >= 0, a, -a) / z3.If(b >= 0, b, -b)
    return z3.If((a >= 0) == (b >= 0), magnitude, -magnitude)


def _total(divide: Binary) -> Binary:
    return lambda a, b: z3.If(b == 0, 0, divide(a, b))


def _least(a: Any, b: Any) -> Any:
    return z3.If(a <= b, a, b)


def _most(a: Any, b: Any) -> Any:
    return z3.If(a >= b, a, b)


SIGNED: Mapping[type[Operation], Binary] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: _total(truncdiv),
    arith.FloorDivSIOp: _total(floordiv),
    arith.CeilDivSIOp: _total(lambda a, b: -floordiv(-a, b)),
    arith.RemSIOp: _total(lambda a, b: a - b * truncdiv(a, b)),
    arith.MinSIOp: _least,
    arith.MaxSIOp: _most,
}
UNSIGNED: Mapping[type[Operation], Binary] = {
    arith.DivUIOp: _total(floordiv),
    arith.CeilDivUIOp: _total(lambda a, b: -floordiv(-a, b)),
    arith.RemUIOp: _total(floormod),
    arith.MinUIOp: _least,
    arith.MaxUIOp: _most,
}
"""Operations on integers; unsigned ones are known if no operand is negative."""

LOGICAL: Mapping[type[Operation], Binary] = {
    arith.AndIOp: lambda a, b: z3.And(a, b),
    arith.OrIOp: lambda a, b: z3.Or(a, b),
    arith.XOrIOp: lambda a, b: z3.Xor(a, b),
}
COMPARISONS: Mapping[str, Binary] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class Integers:
    """The terms of the integers of one function."""

    def __init__(self) -> None:
        self.shapes = Shapes(self)
        self.facts: list[Any] = []
        """Facts about the terms, valid at every position."""
        self.unknown: set[int] = set()
        """The numbers of the terms of which only the type is known."""
        self.elements: dict[SSAValue, tuple[Sequence[Any], Any]] = {}
        """Of tensors that are computed by elements the variables of an index, and the element there."""
        self._known: dict[SSAValue, Any] = {}

    def element(self, value: SSAValue, index: Sequence[Any]) -> Any | None:
        """Return an element of a tensor, None if it is not known."""
        if value not in self.elements:
            return None
        counters, term = self.elements[value]
        return z3.substitute(term, *zip(counters, index))

    def set_element(self, value: SSAValue, counters: Sequence[Any], term: Any) -> None:
        """Record the elements of a tensor as a term, unless the term has unknown parts."""
        if not constants_in(term) & self.unknown:
            self.elements[value] = counters, term

    def set(self, value: SSAValue, term: Any) -> None:
        """Record a value as a term."""
        self._known[value] = term

    def of(self, value: SSAValue) -> Any:
        """Return the term of a value."""
        if value not in self._known:
            self._known[value] = self._computed(value)
        return self._known[value]

    def any(self, type: Attribute, name: str = "any", is_loop: bool = False) -> Any:
        """Return a term of which only the type is known."""
        if type == IntegerType(1):
            found = z3.FreshBool(name)
        else:
            found = z3.FreshInt(name)
            if isinstance(type, IntegerType):
                self.facts.append(_within(found, type))
        if not is_loop:
            self.unknown.add(found.get_id())
        return found

    def _computed(self, value: SSAValue) -> Any:
        if isinstance(value, BlockArgument):
            symbol = self.shapes.argument_attributes(value).get(SYMBOL)
            if isinstance(symbol, StringAttr):
                return self.shapes.named(symbol.data)
            return self.any(value.type)
        assert isinstance(value, OpResult)
        found = self._of_op(value.op, value.type)
        return self.any(value.type) if found is None else found

    def _of_op(self, op: Operation, type: Attribute) -> Any | None:
        kind: Any = op.__class__
        is_truth = type == IntegerType(1)
        match op:
            case arith.ConstantOp(value=IntegerAttr(value=number)):
                return z3.BoolVal(bool(number.data)) if is_truth else z3.IntVal(number.data)
            case tensor.DimOp() | memref.DimOp():
                return self.shapes.size(op.source, self.of(op.index))
            case tensor.ExtractOp():
                return self.element(op.tensor, [self.of(index) for index in op.indices])
            case arith.SelectOp() if not isinstance(type, IndexType | IntegerType):
                return None
            case arith.SelectOp():
                return z3.If(self.of(op.cond), self.of(op.lhs), self.of(op.rhs))
            case arith.CmpiOp() if isinstance(op.lhs.type, IndexType | IntegerType):
                return self._compared(op)
            case arith.IndexCastOp() if INDEX_WIDTH in (_width(type), _width(op.input.type)):
                return self.of(op.input)
            case arith.IndexCastOp() | arith.ExtSIOp() | arith.TruncIOp():
                return None if is_truth else self._fitting(self.of(op.operands[0]), type)
            case _ if kind in LOGICAL and is_truth:
                return LOGICAL[kind](*map(self.of, op.operands))
            case _ if kind in SIGNED and not is_truth:
                return self._fitting(SIGNED[kind](*map(self.of, op.operands)), type)
            case _ if kind in UNSIGNED and not is_truth:
                a, b = map(self.of, op.operands)
                return z3.If(z3.And(a >= 0, b >= 0), UNSIGNED[kind](a, b), self.any(type))
            case _:
                return None

    def _compared(self, op: arith.CmpiOp) -> Any:
        a, b = self.of(op.lhs), self.of(op.rhs)
        name = PREDICATES[op.predicate.value.data]
        if op.lhs.type == IntegerType(1):
            return {"eq": a == b, "ne": a != b}.get(name, self.any(op.result.type))
        found = COMPARISONS[name[-2:]](a, b)
        if name.startswith("u"):
            return z3.If(z3.And(a >= 0, b >= 0), found, self.any(op.result.type))
        return found

    def _fitting(self, term: Any, type: Attribute) -> Any:
        """Return a number of a type, any one where the term is beyond it."""
        if not isinstance(type, IntegerType):
            return term
        if z3.is_int_value(term):
            return term
        return z3.If(_within(term, type), term, self.any(type))


def _width(type: Attribute) -> int:
    return type.width.data if isinstance(type, IntegerType) else 0


def _within(term: Any, type: IntegerType) -> Any:
    half = 2 ** (type.width.data - 1)
    return z3.And(term >= -half, term < half)
