"""Affine expressions over SSA values, as MLIR spells them in subscripts and bounds.

%m[%i + symbol(%n) * 2, %j mod 5]      dimensions are bare, symbols are marked
#map(%i, %j)[%n]                       operands of a map: its dimensions, then its symbols

xDSL reads no `symbol(...)`, and takes every value as a symbol.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.affine_parser import AffineParser
from xdsl.printer import Printer

INDEX = IndexType()


class SubscriptOperands:
    """The values that expressions are read over, each once: dimensions and symbols."""

    def __init__(self, parser: Parser):
        self._parser = parser
        self._dims: dict[str, UnresolvedOperand] = {}
        self._symbols: dict[str, UnresolvedOperand] = {}

    def expr(self) -> AffineExpr:
        """Return the next expression of the text."""
        parser, position = self._parser, self._parser.pos
        reader = AffineParser(parser._parser_state)  # pyright: ignore[reportPrivateUsage]
        try:
            return reader._parse_affine_expr(self._value)  # pyright: ignore[reportPrivateUsage]
        except (NotImplementedError, ZeroDivisionError):
            parser.raise_error(
                "expected an affine expression: products, quotients and remainders by symbols or constants "
                "that are not 0, found another one; compute it by ops of arith and use memref.load, "
                "memref.store or scf.for",
                position,
                parser.pos,
            )

    def map(self, exprs: Sequence[AffineExpr]) -> AffineMapAttr:
        """Return the map of expressions read so far."""
        return AffineMapAttr(AffineMap(len(self._dims), len(self._symbols), tuple(exprs)))

    def operands(self) -> list[SSAValue]:
        """Return the values of the dimensions, then those of the symbols."""
        names = (*self._dims.values(), *self._symbols.values())
        return [self._parser.resolve_operand(name, INDEX) for name in names]

    def _value(self) -> AffineExpr | None:
        if (name := self._parser.parse_optional_unresolved_operand()) is not None:
            return AffineDimExpr(_position(self._dims, name))
        if self._parser.parse_optional_keyword("symbol") is None:
            return None
        with self._parser.in_parens():
            name = self._parser.parse_unresolved_operand()
        return AffineSymExpr(_position(self._symbols, name))


def _position(known: dict[str, UnresolvedOperand], name: UnresolvedOperand) -> int:
    text = f"{name.operand_name}#{name.index}"
    known.setdefault(text, name)
    return list(known).index(text)


def parse_memory(parser: Parser) -> tuple[UnresolvedOperand, AffineMapAttr, list[SSAValue]]:
    """`%m[%i + 1, %j]`: the memref, the map, its operands."""
    memory, values = parser.parse_unresolved_operand(), SubscriptOperands(parser)
    exprs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, values.expr)
    return memory, values.map(exprs), values.operands()


def parse_memref_type(parser: Parser) -> MemRefType:
    """`: memref<4xf32>`."""
    parser.parse_punctuation(":")
    position, type = parser.pos, parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error(f"expected a memref type, found {type}", position, parser.pos)
    return type


def parse_map_operands(parser: Parser) -> list[SSAValue]:
    """`(%i, %j)[%n]`."""
    found: list[SSAValue] = []
    for delimiter in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE):
        found += (
            parser.parse_optional_comma_separated_list(
                delimiter, lambda: parser.parse_operand(INDEX)
            )
            or ()
        )
    return found


def print_memory(
    printer: Printer, memory: SSAValue, map: AffineMap, operands: Sequence[SSAValue]
) -> None:
    """`%m[%i + 1, %j]`."""
    printer.print_ssa_value(memory)
    with printer.in_square_brackets():
        printer.print_list(map.results, lambda e: print_expr(printer, e, map.num_dims, operands))


def print_map_operands(printer: Printer, dims: int, operands: Sequence[SSAValue]) -> None:
    """`(%i, %j)[%n]`."""
    with printer.in_parens():
        printer.print_list(operands[:dims], printer.print_ssa_value)
    if operands[dims:]:
        with printer.in_square_brackets():
            printer.print_list(operands[dims:], printer.print_ssa_value)


def print_expr(
    printer: Printer, expr: AffineExpr, dims: int, operands: Sequence[SSAValue], binds: int = 0
) -> None:
    """Print an expression with its values, in parentheses if it binds less tightly than its context."""
    match expr:
        case AffineConstantExpr(value):
            printer.print_string(str(value))
        case AffineDimExpr(position):
            printer.print_ssa_value(operands[position])
        case AffineSymExpr(position):
            printer.print_string("symbol(")
            printer.print_ssa_value(operands[dims + position])
            printer.print_string(")")
        case AffineBinaryOpExpr(kind, lhs, rhs):
            own = 1 if kind is AffineBinaryOpKind.Add else 2
            printer.print_string("(" if own < binds else "")
            print_expr(printer, lhs, dims, operands, own)
            printer.print_string(f" {kind.get_token()} ")
            print_expr(printer, rhs, dims, operands, own + (own == 2))
            printer.print_string(")" if own < binds else "")
        case _:
            raise ValueError(f"expected an affine expression, found {expr}")
