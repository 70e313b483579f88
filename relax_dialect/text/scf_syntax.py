"""`scf.parallel` as MLIR writes it: xDSL 0.74 reads and prints its generic form alone.

    %r = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) init (%z) -> f32 {
      ...
      scf.reduce(%v : f32) { ... }
    }

`install` lets its class read and print this form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

_INDEX = IndexType()


def _parse(cls: type[scf.ParallelOp], parser: Parser) -> scf.ParallelOp:
    counters = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    counters = [counter.resolve(_INDEX) for counter in counters]
    parser.parse_punctuation("=")
    lower = _parse_indices(parser)
    parser.parse_keyword("to")
    upper = _parse_indices(parser)
    parser.parse_keyword("step")
    step = _parse_indices(parser)
    names: Sequence[Any] = []
    types: Sequence[Attribute] = []
    if parser.parse_optional_keyword("init") is not None:
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        parser.parse_punctuation("->")
        types = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        ) or [parser.parse_type()]
    inits = parser.resolve_operands(names, types, parser.pos)
    body = parser.parse_region(counters)
    if not isinstance(body.block.last_op, scf.ReduceOp):
        body.block.add_op(scf.ReduceOp())
    op = cls(lower, upper, step, body, inits)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def _parse_indices(parser: Parser) -> list[SSAValue]:
    names = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )
    return [parser.resolve_operand(name, _INDEX) for name in names]


def _print(self: scf.ParallelOp, printer: Printer) -> None:
    def values(word: str, operands: Sequence[SSAValue]) -> None:
        printer.print_string(word)
        with printer.in_parens():
            printer.print_list(operands, printer.print_ssa_value)

    values(" ", self.body.block.args)
    values(" = ", self.lowerBound)
    values(" to ", self.upperBound)
    values(" step ", self.step)
    if self.initVals:
        values(" init ", self.initVals)
        printer.print_string(" -> ")
        if len(self.res) == 1:
            printer.print_attribute(self.res[0].type)
        else:
            with printer.in_parens():
                printer.print_list(self.res.types, printer.print_attribute)
    printer.print_string(" ")
    printer.print_region(self.body, print_entry_block_args=False)
    printer.print_op_attributes(self.attributes)


def install() -> None:
    """Install the custom assembly format of the op."""
    scf.ParallelOp.parse = classmethod(_parse)  # pyright: ignore[reportAttributeAccessIssue]
    scf.ParallelOp.print = _print
