"""Ops of `arith` on vectors and tensors, which xDSL 0.74 has for scalars only: comparisons, `select` by a
condition for each element, and conversions from and to integers.

    %m = arith.cmpf olt, %a, %b : vector<4xf32>
    %y = arith.select %m, %a, %b : vector<4xi1>, vector<4xf32>
    %n = arith.fptosi %x : tensor<?xf32> to tensor<?xi32>

`install` lets their classes accept vectors and tensors of their scalar types, as `linalg_syntax` does it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    IndexType,
    IntegerType,
    TensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrConstraint, EqAttrConstraint, OperandDef, ResultDef, base
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

INTEGER: AttrConstraint[Any] = base(IntegerType)
INTEGER_OR_INDEX: AttrConstraint[Any] = base(IntegerType) | base(IndexType)
FLOAT: AttrConstraint[Any] = AnyFloatConstr

CONVERSIONS: dict[type[Operation], tuple[AttrConstraint[Any], AttrConstraint[Any]]] = {
    # from, to
    arith.FPToSIOp: (FLOAT, INTEGER),
    arith.FPToUIOp: (FLOAT, INTEGER),
    arith.SIToFPOp: (INTEGER, FLOAT),
    arith.UIToFPOp: (INTEGER, FLOAT),
    arith.TruncIOp: (INTEGER, INTEGER),
    arith.ExtSIOp: (INTEGER, INTEGER),
    arith.ExtUIOp: (INTEGER, INTEGER),
    arith.IndexCastOp: (INTEGER_OR_INDEX, INTEGER_OR_INDEX),
}
"""The element types that conversions take and return."""


def _shaped(element: AttrConstraint[Any]) -> AttrConstraint[Any]:
    """Return the constraint of scalars, and vectors and tensors of them."""
    return element | VectorType.constr(element) | TensorType.constr(element)


def _widen(
    op: type[Operation], source: AttrConstraint[Any], target: AttrConstraint[Any] | None
) -> None:
    """Allow vectors and tensors as the first operand and the result of an op."""
    definition: Any = op.get_irdl_definition()  # pyright: ignore
    name, _ = definition.operands[0]
    definition.operands[0] = (name, OperandDef(_shaped(source)))
    if target is not None:
        name, _ = definition.results[0]
        definition.results[0] = (name, ResultDef(_shaped(target)))


def _shape(t: Attribute) -> Any:
    if isinstance(t, TensorType):
        return TensorType, t.shape, t.encoding
    return (VectorType, t.shape, t.scalable_dims) if isinstance(t, VectorType) else None


def _element(t: Attribute) -> Attribute:
    return t.element_type if isinstance(t, VectorType | TensorType) else t


def _verify_conversion(stock: Callable[[Any], None], op: Operation) -> None:
    source, target = op.operands[0].type, op.results[0].type
    if _shape(source) != _shape(target):
        raise VerifyException(
            f"{op.name}: expected an operand and a result of one shape, found {source} and {target}"
        )
    if not isinstance(source, VectorType | TensorType):
        stock(op)
        return
    a, b = (getattr(_element(t), "width", None) for t in (source, target))
    narrows = isinstance(op, arith.TruncIOp)
    if (narrows or isinstance(op, arith.ExtSIOp | arith.ExtUIOp)) and a is not None:
        assert b is not None
        if not (b.data < a.data if narrows else b.data > a.data):
            raise VerifyException(
                f"Destination bit-width must be {'smaller' if narrows else 'larger'} than the input "
                "bit-width"
            )


def _truth_of_elements(operand: Attribute) -> Attribute:
    if isinstance(operand, TensorType):
        return TensorType(i1, operand.shape, operand.encoding)
    if not isinstance(operand, VectorType):
        return i1
    return VectorType(i1, operand.shape, operand.scalable_dims)


def _making(stock: Callable[..., None]) -> Callable[..., None]:
    """Return the constructor of a comparison, whose result has a boolean for each element."""

    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        stock(self, *args, **kwargs)
        self.result._type = _truth_of_elements(self.lhs.type)

    return make


def _verify_comparison(self: arith.CmpiOp | arith.CmpfOp) -> None:
    expected = _truth_of_elements(self.lhs.type)
    if self.lhs.type != self.rhs.type or self.result.type != expected:
        raise VerifyException(
            f"{self.name}: expected operands of one type, and {expected} as result, found {self.lhs.type}, "
            f"{self.rhs.type} and {self.result.type}"
        )


def _verify_select(self: arith.SelectOp) -> None:
    if self.cond.type == i1 or _shape(self.cond.type) == _shape(self.result.type):
        return
    raise VerifyException(
        f"arith.select: expected a condition of i1, or one for each element of {self.result.type}, found "
        f"{self.cond.type}"
    )


def _parse_select(cls: type[arith.SelectOp], parser: Parser) -> arith.SelectOp:
    operands = [parser.parse_unresolved_operand()]
    for _ in range(2):
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    condition, type = i1, parser.parse_type()
    if parser.parse_optional_punctuation(","):
        condition, type = type, parser.parse_type()
    values = parser.resolve_operands(operands, [condition, type, type], parser.pos)
    return cls.create(operands=values, result_types=[type], attributes=attributes)


def _print_select(self: arith.SelectOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(self.operands, printer.print_operand)
    printer.print_op_attributes(self.attributes)
    printer.print_string(" : ")
    if self.cond.type != i1:
        printer.print_attribute(self.cond.type)
        printer.print_string(", ")
    printer.print_attribute(self.result.type)


def install() -> None:
    """Install parsing, verification and printing of these ops on vectors and tensors."""
    for op, (source, target) in CONVERSIONS.items():
        _widen(op, source, target)
        stock: Any = op.verify_
        op.verify_ = lambda self, stock=stock: _verify_conversion(stock, self)  # pyright: ignore
    for comparison in (arith.CmpiOp, arith.CmpfOp):
        definition: Any = comparison.get_irdl_definition()
        bits = EqAttrConstraint(i1)
        definition.results[0] = ("result", ResultDef(_shaped(bits)))
        comparison.__init__ = _making(comparison.__init__)
        comparison.verify_ = _verify_comparison
    _widen(arith.SelectOp, EqAttrConstraint(i1), None)
    arith.SelectOp.verify_ = _verify_select
    arith.SelectOp.parse = classmethod(_parse_select)  # pyright: ignore[reportAttributeAccessIssue]
    arith.SelectOp.print = _print_select
