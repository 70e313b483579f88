"""`tensor.generate`, an op of MLIR's tensor dialect that xDSL 0.74 does not have."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.dialects.tensor import Tensor, YieldOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

INDEX = IndexType()


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """A tensor whose elements a region computes from their indices.

    %t = tensor.generate %m, %n {
    ^bb0(%i : index, %j : index):
      tensor.yield %element : f32
    } : tensor<?x3x?xf32>
    """

    name = "tensor.generate"

    sizes = var_operand_def(IndexType())
    body = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(Pure(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(self, sizes: Sequence[SSAValue], body: Region, type: Attribute):
        super().__init__(operands=[sizes], regions=[body], result_types=[type])

    def verify_(self) -> None:
        type, block = self.result.type, self.body.block
        assert isinstance(type, TensorType)
        if len(self.sizes) != (dynamic := type.get_shape().count(DYNAMIC_INDEX)):
            raise VerifyException(
                f"tensor.generate: expected a size for each of {dynamic} dynamic dimensions of {type}, "
                f"found {len(self.sizes)}"
            )
        if list(block.arg_types) != [INDEX] * len(type.get_shape()):
            raise VerifyException(
                f"tensor.generate: expected an index for each dimension of {type}, found the arguments "
                f"({', '.join(map(str, block.arg_types))})"
            )
        found = [] if block.last_op is None else [v.type for v in block.last_op.operands]
        if found != [type.element_type]:
            raise VerifyException(
                f"tensor.generate: expected to yield {type.element_type}, found "
                f"({', '.join(map(str, found))})"
            )

    @classmethod
    def parse(cls, parser: Parser) -> GenerateOp:
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        sizes = [parser.resolve_operand(name, INDEX) for name in names or ()]
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(sizes, body, parser.parse_type())
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        if self.sizes:
            printer.print_string(" ")
            printer.print_list(self.sizes, printer.print_ssa_value)
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


def install() -> None:
    """Register the op with xDSL's dialect, whichever way it is loaded."""
    if GenerateOp not in Tensor.operations:
        Tensor._operations.append(GenerateOp)  # pyright: ignore[reportPrivateUsage]
