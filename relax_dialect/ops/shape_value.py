"""Shapes and sizes as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from relax_dialect import symbolic
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import DimsAttr, ExprAttr, PrimType, ShapeType
from relax_dialect.ops import syntax
from relax_dialect.ops.base import RelaxOp
from relax_dialect.symbolic import Expr


@irdl_op_definition
class ShapeOp(RelaxOp):
    """A shape value of symbolic expressions: `relax.shape [n, 2 * m]`.

    (C1) Every size is a symbolic expression, none is `?`.
    """

    name = "relax.shape"

    sizes = prop_def(DimsAttr)
    result = result_def(ShapeType)

    TYPES_ARE_IMPLIED: ClassVar = True

    traits = traits_def(Pure())

    def __init__(self, sizes: Iterable[Expr | int | str]):
        self.init_inferred([], {"sizes": ShapeType(sizes).dims})

    def infer(self) -> Sequence[Attribute]:
        if self.sizes.data is None or None in self.sizes.data:
            self.fail(
                "sizes that are symbolic expressions (C1)",
                dims_text(self.sizes.data),
                "name every size",
            )
        return (ShapeType(self.sizes.data),)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        sizes = DimsAttr(syntax.parse_dims(parser))
        attributes = syntax.parse_attributes(parser)
        syntax.refuse_type(parser, cls.name)
        op = cls.create(
            properties={"sizes": sizes}, attributes=attributes, result_types=[ShapeType(sizes.data)]
        )
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {dims_text(self.sizes.data)}")
        syntax.print_attributes(printer, self, elided=("sizes",))


def has_moderate_numbers(expression: Expr) -> bool:
    """Return whether a sum of the expression's numbers with sizes stays in 64 bits."""
    largest = expression.fold(abs, lambda name: 0, lambda op, a, b: max(a, b))
    return largest <= 1 << 62


class ExpressionOp(RelaxOp):
    """The value of a symbolic expression, in brackets: `relax.symbolic_value [2 * n - 1]`."""

    expression = prop_def(ExprAttr)

    TYPES_ARE_IMPLIED: ClassVar = True

    traits = traits_def(Pure())

    TYPE_OF: ClassVar[Callable[[Expr], Attribute]]
    """The type of the result."""

    def __init__(self, expression: Expr | int | str):
        self.init_inferred([], {"expression": ExprAttr(symbolic.as_expr(expression))})

    def infer(self) -> Sequence[Attribute]:
        if not has_moderate_numbers(self.expression.data):
            found = str(self.expression.data)
            self.fail("numbers of at most 2^62 (C1)", found, "compute with arith on i64")
        return (type(self).TYPE_OF(self.expression.data),)

    def needed_symbols(self) -> tuple[str, ...]:
        return self.expression.data.free_variables

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        expression = ExprAttr(syntax.parse_expr(parser))
        attributes = syntax.parse_attributes(parser)
        syntax.refuse_type(parser, cls.name)
        result = cls.TYPE_OF(expression.data)
        return cls.create(
            properties={"expression": expression}, attributes=attributes, result_types=[result]
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" [{self.expression.data}]")
        syntax.print_attributes(printer, self, elided=("expression",))


@irdl_op_definition
class SymbolicValueOp(ExpressionOp):
    """The value of a symbolic expression, an i64: `relax.symbolic_value [2 * n - 1]`.

    (C1) No number in it is larger than 2^62, so that sums with sizes stay in 64 bits.
    """

    name = "relax.symbolic_value"

    result = result_def(IntegerType)

    TYPE_OF: ClassVar = staticmethod(lambda expression: i64)


@irdl_op_definition
class PrimValueOp(ExpressionOp):
    """The same as an i64 whose type has its value: `relax.prim_value [2 * n - 1]`, `relax.prim_value [5]`.

    A call that passes it knows the variables that the parameter `!relax.prim<k>` of the callee defines.

    (C1) No number in it is larger than 2^62, so that sums with sizes stay in 64 bits.
    """

    name = "relax.prim_value"

    result = result_def(PrimType)

    TYPE_OF: ClassVar = PrimType
