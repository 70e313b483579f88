"""The blocks of a function body: pure dataflow and ordered bindings."""

from __future__ import annotations

from typing import Self

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator, Pure, RecursiveMemoryEffect

from relax_dialect.ir.checkpoints import CHECKPOINT, wrong_checkpoint
from relax_dialect.ir.traits import RegionKind, Straight, SymbolsEscape
from relax_dialect.ops import syntax
from relax_dialect.ops.base import IllFormedOpError


class BlockOp(IRDLOperation):
    """A block of bindings: its results are the values that `relax.output` passes out.

    Symbolic variables defined inside escape into the sequence that holds the block. With
    `attributes {checkpoint}` gradients keep only its inputs.

    (C1) It ends in relax.output.
    (C2) Its results are of the types that relax.output passes out.
    (C3) The attribute `checkpoint` has no value.
    """

    outs = var_result_def(AnyAttr())
    body = region_def("single_block")

    def __init__(self, body: Region | Block):
        body = Region(body) if isinstance(body, Block) else body
        last = body.block.last_op
        assert isinstance(last, OutputOp), "a block ends in relax.output"
        super().__init__(regions=[body], result_types=[list(last.operand_types)])

    @property
    def output(self) -> OutputOp:
        """The `relax.output` that ends the block."""
        last = self.body.block.last_op
        assert isinstance(last, OutputOp)
        return last

    def verify_(self) -> None:
        last = self.body.block.last_op
        if not isinstance(last, OutputOp):
            raise IllFormedOpError(
                f"{self.name}: expected a relax.output at the end (C1), found "
                f"{'an empty block' if last is None else last.name}; add one"
            )
        if tuple(last.operand_types) != tuple(self.result_types):
            raise IllFormedOpError(
                f"{self.name}: expected results of the types that relax.output passes out "
                f"({', '.join(map(str, last.operand_types))}) (C2), found "
                f"({', '.join(map(str, self.result_types))}); change the two together"
            )
        if wrong := wrong_checkpoint(self, "C3"):
            raise IllFormedOpError(f"{self.name}: {wrong}")

    @property
    def is_checkpoint(self) -> bool:
        """Whether gradients keep only the inputs."""
        return CHECKPOINT in self.attributes

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict_with_keyword()
        position = parser.pos
        body = parser.parse_region()
        last = body.blocks[0].last_op if body.first_block is not None else None
        if len(body.blocks) != 1 or not isinstance(last, OutputOp):
            found = "an empty one" if last is None else f"one that ends in {last.name}"
            if len(body.blocks) > 1:
                found = f"{len(body.blocks)} blocks"
            parser.raise_error(
                f"{cls.name}: expected one block that ends in relax.output (C1), found {found}; "
                "pass the values that are used outside to relax.output",
                position,
            )
        return cls.create(
            regions=[body],
            result_types=list(last.operand_types),
            attributes={} if attributes is None else dict(attributes.data),
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)


@irdl_op_definition
class DataflowOp(BlockOp):
    """A graph region of pure ops, in no order: `%y = relax.dataflow { ... relax.output %lv : T }`."""

    name = "relax.dataflow"

    traits = traits_def(
        NoTerminator(), RecursiveMemoryEffect(), RegionKind("graph"), SymbolsEscape(), Straight()
    )


@irdl_op_definition
class BindingBlockOp(BlockOp):
    """An ordered region of bindings, which may have effects.

    `%y = relax.binding_block { ... relax.output %v : T }`
    """

    name = "relax.binding_block"

    traits = traits_def(
        NoTerminator(), RecursiveMemoryEffect(), RegionKind("ordered"), SymbolsEscape()
    )


@irdl_op_definition
class OutputOp(IRDLOperation):
    """End a block and pass values out of it: `relax.output %a, %b : A, B`.

    (C1) Its parent is a relax.dataflow, relax.binding_block or relax.graph.
    """

    name = "relax.output"

    values = var_operand_def(AnyAttr())

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not isinstance(parent, BlockOp):
            raise IllFormedOpError(
                "relax.output: expected relax.dataflow, relax.binding_block or relax.graph around it "
                f"(C1), found {parent.name}; a function ends in relax.return"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = syntax.parse_attributes(parser)
        if not operands:
            return cls.create(attributes=attributes)
        parser.parse_punctuation(":", " before the types")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        values = parser.resolve_operands(operands, types, position)
        return cls.create(operands=values, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        syntax.print_attributes(printer, self)
        if self.operands:
            printer.print_string(" : ")
            printer.print_list(
                self.operand_types, lambda t: printer.print_string(syntax.type_text(t))
            )


OPS: list[type[Operation]] = [DataflowOp, BindingBlockOp, OutputOp]
