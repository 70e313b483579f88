"""`linalg.map`, an op of MLIR's linalg dialect that xDSL 0.74 does not have."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, ShapedType, TensorType
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class MapOp(IRDLOperation):
    """A region applied to the elements of tensors or memrefs of one shape; its last argument is the element
    of the destination.

    %y = linalg.map ins(%a, %b : T, T) outs(%c : T) (%x: f32, %z: f32, %init: f32) { ... linalg.yield %e }
    %y = linalg.map { arith.addf } ins(%a, %b : T, T) outs(%c : T)
    """

    name = "linalg.map"

    inputs = var_operand_def(AnyAttr())
    init = operand_def(base(TensorType) | base(MemRefType))
    body = region_def("single_block")
    res = var_result_def(TensorType)

    def __init__(self, inputs: Sequence[SSAValue], init: SSAValue, body: Region):
        results = [init.type] if isinstance(init.type, TensorType) else []
        super().__init__(operands=[inputs, init], result_types=[results], regions=[body])

    def verify_(self) -> None:
        types = [value.type for value in (*self.inputs, self.init)]
        shapes = {t.get_shape() if isinstance(t, ShapedType) else None for t in types}
        if None in shapes or len(shapes) != 1:
            raise VerifyException(
                f"linalg.map: expected operands of one shape, found {', '.join(map(str, types))}"
            )
        elements = [_element(t) for t in types]
        if list(self.body.block.arg_types) != elements:
            raise VerifyException(
                f"linalg.map: expected the arguments ({', '.join(map(str, elements))}), found "
                f"({', '.join(map(str, self.body.block.arg_types))})"
            )

    @classmethod
    def parse(cls, parser: Parser) -> MapOp:
        short = parser.parse_optional_punctuation("{") is not None
        name, attributes = "", dict[str, Attribute]()
        if short:
            name = parser.parse_identifier()
            attributes = parser.parse_optional_attr_dict()
            parser.parse_punctuation("}")
        inputs = parse_values(parser, "ins") if parser.parse_optional_keyword("ins") else []
        parser.parse_keyword("outs")
        (init,) = parse_values(parser, "outs")
        types = [_element(value.type) for value in (*inputs, init)]
        if short:
            return cls(inputs, init, _region_of(parser, name, attributes, types))
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        body = parser.parse_region(arguments)
        if len(arguments) == len(inputs):  # as MLIR before 22 writes it
            body.block.insert_arg(types[-1], len(arguments))
        return cls(inputs, init, body)

    def print(self, printer: Printer) -> None:
        for word, values in (("ins", self.inputs), ("outs", [self.init])):
            if values:
                printer.print_string(f" {word}(")
                printer.print_list(values, printer.print_ssa_value)
                printer.print_string(" : ")
                printer.print_list([v.type for v in values], printer.print_attribute)
                printer.print_string(")")
        printer.print_string("\n")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _element(type: Attribute) -> Attribute:
    return type.get_element_type() if isinstance(type, TensorType | MemRefType) else type


def parse_values(parser: Parser, word: str) -> list[SSAValue]:
    """`(%a, %b : T1, T2)`, after its word."""
    parser.parse_punctuation("(", f" after {word}")
    names = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, parser.pos))


def _region_of(
    parser: Parser, name: str, attributes: dict[str, Attribute], types: Sequence[Attribute]
) -> Region:
    """Build the region of the short form: one op on the elements of the inputs."""
    kind = parser.ctx.get_optional_op(name)
    if kind is None:
        parser.raise_error(f"linalg.map: expected an op of a known dialect in braces, found {name}")
    block = Block(arg_types=types)
    op: Operation = kind.create(
        operands=block.args[:-1], result_types=[types[-1]], attributes=attributes
    )
    block.add_ops([op, YieldOp(*op.results)])
    return Region(block)


def install() -> None:
    """Register the op with xDSL's dialect, whichever way it is loaded."""
    if MapOp not in Linalg.operations:
        Linalg._operations.append(MapOp)  # pyright: ignore[reportPrivateUsage]
