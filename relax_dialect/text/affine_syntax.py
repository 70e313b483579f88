"""The custom forms of `affine` ops that xDSL reads or prints otherwise than MLIR.

%x = affine.load %m[%i + symbol(%n), %j mod 5] : memref<?x?xf32>
affine.store %x, %m[%i, 2 * %j] : memref<?x?xf32>
%v = affine.vector_load %m[%i] : memref<?xf32>, vector<8xf32>
%y = affine.if #set(%i, %j)[%n] -> f32 { ... } else { ... }

xDSL reads no `symbol(...)` in subscripts, takes the wrong operand for a symbol that follows dimensions, and
has no custom form of `affine.if`. `install` lets its classes read and print these forms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

from relax_dialect.ir.affine.affine_subscripts import (
    parse_map_operands,
    parse_memory,
    parse_memref_type,
    print_map_operands,
    print_memory,
)


def _parse_read(cls: type[Operation], parser: Parser) -> Operation:
    name, map, indices = parse_memory(parser)
    attributes = parser.parse_optional_attr_dict()
    type = parse_memref_type(parser)
    result: Attribute = type.element_type
    if cls is affine.VectorLoadOp:
        parser.parse_punctuation(",")
        result = parser.parse_type()
    return cls.create(
        operands=[parser.resolve_operand(name, type), *indices],
        result_types=[result],
        properties={"map": map},
        attributes=attributes,
    )


def _print_read(self: affine.LoadOp | affine.VectorLoadOp, printer: Printer) -> None:
    printer.print_string(" ")
    _print_access(self, printer)
    if isinstance(self, affine.VectorLoadOp):
        printer.print_string(", ")
        printer.print_attribute(self.result.type)


def _parse_write(cls: type[Operation], parser: Parser) -> Operation:
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    name, map, indices = parse_memory(parser)
    attributes = parser.parse_optional_attr_dict()
    type = parse_memref_type(parser)
    stored: Attribute = type.element_type
    if cls is affine.VectorStoreOp:
        parser.parse_punctuation(",")
        stored = parser.parse_type()
    written = parser.resolve_operand(value, stored)
    return cls.create(
        operands=[written, parser.resolve_operand(name, type), *indices],
        properties={"map": map},
        attributes=attributes,
    )


def _print_write(self: affine.StoreOp | affine.VectorStoreOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(self.value)
    printer.print_string(", ")
    _print_access(self, printer)
    if isinstance(self, affine.VectorStoreOp):
        printer.print_string(", ")
        printer.print_attribute(self.value.type)


def _print_access(op: Any, printer: Printer) -> None:
    print_memory(printer, op.memref, op.map.data, op.indices)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.memref.type)


def _parse_if(cls: type[affine.IfOp], parser: Parser) -> affine.IfOp:
    position, condition = parser.pos, parser.parse_attribute()
    if not isinstance(condition, AffineSetAttr):
        parser.raise_error(f"expected an affine set, found {condition}", position, parser.pos)
    operands = parse_map_operands(parser)
    types: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        several = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        types = [parser.parse_type()] if several is None else several
    then = _parse_branch(parser)
    has_else = parser.parse_optional_keyword("else") is not None
    otherwise = _parse_branch(parser) if has_else else Region()
    op = cls.build(
        operands=[operands],
        properties={"condition": condition},
        regions=[then, otherwise],
        result_types=[types],
    )
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def _parse_branch(parser: Parser) -> Region:
    region = parser.parse_region()
    if not region.blocks:
        region.add_block(Block())
    last = region.blocks[-1]
    if not isinstance(last.last_op, affine.YieldOp):
        last.add_op(affine.YieldOp.get())
    return region


def _print_if(self: affine.IfOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_attribute(self.condition)
    print_map_operands(printer, self.condition.data.num_dims, self.args)
    if self.res:
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.res.types, printer.print_attribute)
    printer.print_string(" ")
    printer.print_region(self.then_region, print_block_terminators=bool(self.res))
    if self.else_region.blocks:
        printer.print_string(" else ")
        printer.print_region(self.else_region, print_block_terminators=bool(self.res))
    printer.print_op_attributes(self.attributes)


FORMS: dict[type[Operation], tuple[Callable[..., Operation], Callable[..., None]]] = {
    affine.LoadOp: (_parse_read, _print_read),
    affine.VectorLoadOp: (_parse_read, _print_read),
    affine.StoreOp: (_parse_write, _print_write),
    affine.VectorStoreOp: (_parse_write, _print_write),
    affine.IfOp: (_parse_if, _print_if),
}


def install() -> None:
    """Install the custom assembly formats of these ops."""
    for op, (parse, print) in FORMS.items():
        op.parse = classmethod(parse)  # pyright: ignore[reportAttributeAccessIssue]
        op.print = print
