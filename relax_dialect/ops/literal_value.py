"""Strings and element types as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AnyAttr, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.types import OBJECT
from relax_dialect.ops import syntax
from relax_dialect.ops.base import RelaxOp


@irdl_op_definition
class LiteralOp(RelaxOp):
    """A string or an element type as an object: `relax.literal "text"`, `relax.literal f32`.

    The interpreter has it as Python's `str` or numpy's dtype. It is not compiled: compiled code has objects
    of external functions only, to which literals are passed as arguments.

    (C1) The value is a string or an element type.
    """

    name = "relax.literal"

    value = prop_def(AnyAttr())
    result = result_def(OBJECT)

    TYPES_ARE_IMPLIED: ClassVar = True

    traits = traits_def(Pure())

    def __init__(self, value: Attribute | str):
        attribute = StringAttr(value) if isinstance(value, str) else value
        self.init_inferred([], {"value": attribute})

    def infer(self) -> Sequence[Attribute]:
        if not (isinstance(self.value, StringAttr) or is_element_type(self.value)):
            self.fail(
                "a string or an element type (C1)",
                str(self.value),
                "write numbers with relax.constant or relax.prim_value",
            )
        return (OBJECT,)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parser.parse_attribute()
        attributes = syntax.parse_attributes(parser)
        syntax.refuse_type(parser, cls.name)
        return cls.create(properties={"value": value}, attributes=attributes, result_types=[OBJECT])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.value)
        syntax.print_attributes(printer, self, elided=("value",))


OPS: list[type[Operation]] = [LiteralOp]
