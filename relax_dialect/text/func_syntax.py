"""A `func.func` without a body: xDSL 0.74 reads past the attributes of its parameters, and prints none.

`install` reads and prints them as MLIR does, `@f(T {relax.dims = ["n"]}) -> (T {relax.dims = ["n"]})`,
on the op's class, as `linalg_syntax` does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

_STOCK_PARSE: Any = FuncOp.parse.__func__  # pyright: ignore[reportFunctionMemberAccess]
_STOCK_PRINT: Any = FuncOp.print


def _parse(cls: type[FuncOp], parser: Parser) -> FuncOp:
    start = parser.pos
    function: FuncOp = _STOCK_PARSE(cls, parser)
    if function.body.blocks or function.arg_attrs is not None:
        return function
    end = parser.pos
    parser._resume_from(start)  # pyright: ignore[reportPrivateUsage]
    found = _parse_parameters(parser)
    parser._resume_from(end)  # pyright: ignore[reportPrivateUsage]
    if any(a.data for a in found):
        function.arg_attrs = ArrayAttr(found)
    return function


def _parse_parameters(parser: Parser) -> list[DictionaryAttr]:
    """Return the attributes of the parameters of a declaration that has been read once."""
    parser.parse_optional_visibility_keyword()
    parser.parse_symbol_name()

    def one() -> DictionaryAttr:
        if parser.parse_optional_argument() is None:
            parser.parse_type()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_optional_location()
        return DictionaryAttr(attributes)

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, one)


def _print(self: FuncOp, printer: Printer) -> None:
    if self.body.blocks or (self.arg_attrs is None and self.res_attrs is None):
        _STOCK_PRINT(self, printer)
        return
    if self.sym_visibility is not None:
        printer.print_string(f" {self.sym_visibility.data}")
    printer.print_string(" ")
    printer.print_symbol_name(self.sym_name.data)
    _print_types(printer, self.function_type.inputs.data, self.arg_attrs)
    if self.function_type.outputs.data:
        printer.print_string(" -> ")
        _print_types(printer, self.function_type.outputs.data, self.res_attrs)
    printer.print_op_attributes(self.attributes, print_keyword=True)


def _print_types(
    printer: Printer, types: Sequence[Attribute], attributes: ArrayAttr[DictionaryAttr] | None
) -> None:
    """Print types in parentheses, each with its attributes."""
    dictionaries = [{}] * len(types) if attributes is None else [a.data for a in attributes]

    def one(pair: tuple[Attribute, Any]) -> None:
        printer.print_attribute(pair[0])
        if pair[1]:
            printer.print_string(" ")
            printer.print_attr_dict(pair[1])

    with printer.in_parens():
        printer.print_list(zip(types, dictionaries), one)


def install() -> None:
    """Install parsing and printing of complete function declarations."""
    FuncOp.parse = classmethod(_parse)  # pyright: ignore[reportAttributeAccessIssue]
    FuncOp.print = _print
