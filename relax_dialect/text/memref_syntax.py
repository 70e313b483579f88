"""The custom forms of `memref` ops that xDSL 0.74 reads and prints in the generic form alone.

    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    %b = memref.cast %a : memref<4xf32> to memref<?xf32>
    memref.global "private" constant @table : memref<4xf32> = dense<0.0> {alignment = 64 : i64}

`install` lets their classes read and print the forms of mlir-opt.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.printer import Printer


def _parse_copy(cls: type[memref.CopyOp], parser: Parser) -> memref.CopyOp:
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    target = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    types = _types_to(parser)
    op = cls(parser.resolve_operand(source, types[0]), parser.resolve_operand(target, types[1]))
    op.attributes |= attributes
    return op


def _print_copy(self: memref.CopyOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(self.operands, printer.print_operand)
    printer.print_op_attributes(self.attributes)
    _print_types_to(printer, self.source.type, self.destination.type)


def _parse_cast(cls: type[memref.CastOp], parser: Parser) -> memref.CastOp:
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    given, wanted = _types_to(parser)
    value = parser.resolve_operand(source, given)
    return cls.create(operands=[value], result_types=[wanted], attributes=attributes)


def _print_cast(self: memref.CastOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_operand(self.source)
    printer.print_op_attributes(self.attributes)
    _print_types_to(printer, self.source.type, self.dest.type)


def _types_to(parser: Parser) -> tuple[Attribute, Attribute]:
    """`: T1 to T2`."""
    parser.parse_punctuation(":")
    first = parser.parse_type()
    parser.parse_keyword("to")
    return first, parser.parse_type()


def _print_types_to(printer: Printer, first: Attribute, second: Attribute) -> None:
    printer.print_string(" : ")
    printer.print_attribute(first)
    printer.print_string(" to ")
    printer.print_attribute(second)


def _parse_global(cls: type[memref.GlobalOp], parser: Parser) -> memref.GlobalOp:
    visibility = parser.parse_optional_str_literal()
    constant = parser.parse_optional_keyword("constant") is not None
    name = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    position = parser.pos
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error(
            f"memref.global: expected a memref type, found {type}", position, parser.pos
        )
    properties: dict[str, Attribute] = {"sym_name": name, "type": type, "initial_value": UnitAttr()}
    if parser.parse_optional_punctuation("=") is not None:
        if parser.parse_optional_keyword("uninitialized") is None:
            tensor = TensorType(type.element_type, type.shape)
            parser.parse_keyword("dense")
            properties["initial_value"] = parser.parse_dense_int_or_fp_elements_attr(tensor)
    else:
        parser.raise_error(
            "memref.global: expected a value, found none: what is declared elsewhere cannot be linked; "
            "write = dense<...>, or = uninitialized"
        )
    attributes = parser.parse_optional_attr_dict()
    if "alignment" in attributes:
        properties["alignment"] = attributes.pop("alignment")
    properties["sym_visibility"] = StringAttr("public" if visibility is None else visibility)
    if constant:
        properties["constant"] = UnitAttr()
    return cls.create(properties=properties, attributes=attributes)


def _print_global(self: memref.GlobalOp, printer: Printer) -> None:
    printer.print_string(" ")
    if self.sym_visibility.data != "public":
        printer.print_string_literal(self.sym_visibility.data)
        printer.print_string(" ")
    if self.constant is not None:
        printer.print_string("constant ")
    printer.print_symbol_name(self.sym_name.data)
    printer.print_string(" : ")
    printer.print_attribute(self.type)
    printer.print_string(" = ")
    if isinstance(self.initial_value, DenseIntOrFPElementsAttr):
        self.initial_value.print_without_type(printer)
    else:
        printer.print_string("uninitialized")
    alignment = {} if self.alignment is None else {"alignment": self.alignment}
    printer.print_op_attributes({**alignment, **self.attributes})


FORMS: dict[type[Operation], tuple[Callable[..., Operation], Callable[..., None]]] = {
    memref.CopyOp: (_parse_copy, _print_copy),
    memref.CastOp: (_parse_cast, _print_cast),
    memref.GlobalOp: (_parse_global, _print_global),
}


def install() -> None:
    """Install the custom assembly formats of these ops."""
    for op, (parse, print) in FORMS.items():
        op.parse = classmethod(parse)  # pyright: ignore[reportAttributeAccessIssue]
        op.print = print
