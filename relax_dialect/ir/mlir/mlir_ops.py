"""Ops of MLIR's own dialects that xDSL does not have: `arith.remf`, `math.erfc` and `memref.prefetch`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, MemRefType, i32
from xdsl.dialects.math import FloatingPointLikeUnaryMathOperation, Math
from xdsl.dialects.memref import MemRef
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """The remainder of the quotient rounded towards zero, exact, with the sign of the dividend."""

    name = "arith.remf"


@irdl_op_definition
class ErfcOp(FloatingPointLikeUnaryMathOperation):
    """`1 - erf(x)`, without the loss of digits when erf(x) is next to 1."""

    name = "math.erfc"


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """Bring an element near, which will be read; it may lie after the last one.

    memref.prefetch %b[%k, %j], read, locality<3>, data : memref<?x48xf32>
    """

    name = "memref.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality = prop_def(IntegerAttr, prop_name="localityHint")
    is_data = prop_def(BoolAttr, prop_name="isDataCache")

    def __init__(self, memref: SSAValue, indices: Sequence[SSAValue], locality: int = 3):
        super().__init__(
            operands=[memref, indices],
            properties={
                "isWrite": BoolAttr.from_bool(False),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(True),
            },
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        kind = "write" if self.is_write.value.data else "read"
        cache = "data" if self.is_data.value.data else "instr"
        printer.print_string(f", {kind}, locality<{self.locality.value.data}>, {cache} : ")
        printer.print_attribute(self.memref.type)

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        memref = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(",")
        is_write = parser.expect(lambda: _one_of(parser, "read", "write"), "expected read or write")
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        parser.parse_punctuation("<")
        locality = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(">")
        parser.parse_punctuation(",")
        is_data = parser.expect(lambda: _one_of(parser, "instr", "data"), "expected data or instr")
        parser.parse_punctuation(":")
        value = parser.resolve_operand(memref, parser.parse_type())
        op = cls(value, [parser.resolve_operand(i, IndexType()) for i in indices], locality)
        op.is_write, op.is_data = BoolAttr.from_bool(is_write), BoolAttr.from_bool(is_data)
        return op


def _one_of(parser: Parser, no: str, yes: str) -> bool | None:
    """Parse one of two words as a boolean; None for another one."""
    if parser.parse_optional_keyword(no) is not None:
        return False
    return True if parser.parse_optional_keyword(yes) is not None else None


def install() -> None:
    """Register these ops with xDSL's dialects, whichever way they are loaded."""
    for dialect, own in ((Arith, RemFOp), (Math, ErfcOp), (MemRef, PrefetchOp)):
        if own not in dialect.operations:
            dialect._operations.append(own)  # pyright: ignore[reportPrivateUsage]
