"""Parsing and printing that the ops share: attributes, and signatures read by their text.

Types dominate the loading of a file, so a signature `(T, T) -> T` that fills the rest of its line is
parsed once and then found by its text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir import spelling
from relax_dialect.ir.types import Dims
from relax_dialect.symbolic import Expr

T = TypeVar("T")
OpT = TypeVar("OpT", bound=IRDLOperation)
Signature = tuple[tuple[Attribute, ...], tuple[Attribute, ...]]

_SIGNATURES: dict[str, Signature] = {}
_MAX_SIGNATURES = 65536
_LONGEST_LINE = 4096
"""Signatures that end later than this are not kept by their text."""


@lru_cache(maxsize=65536)
def type_text(type: Attribute) -> str:
    """Return the printed form of a type, made once."""
    return str(type)


def parse_signature(parser: Parser) -> Signature:
    """Parse `(T, ...) -> T` or `(T, ...) -> (T, ...)`."""
    content = parser.lexer.input.content
    start = parser.pos
    line_end = content.find("\n", start, start + _LONGEST_LINE)
    text = content[start : line_end if line_end >= 0 else start]
    if (found := _SIGNATURES.get(text)) is not None:
        parser._resume_from(start + len(text))  # pyright: ignore[reportPrivateUsage]
        return found
    inputs = tuple(parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type))
    parser.parse_punctuation("->", " between operand and result types")
    outputs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    signature = (inputs, tuple(outputs) if outputs is not None else (parser.parse_type(),))
    line_end = start + len(text)
    fills_line = content[line_end : parser.pos].isspace() and "//" not in text
    own_types_only = "#" not in text and text.count("!") == text.count("!relax.")
    if fills_line and own_types_only and len(_SIGNATURES) < _MAX_SIGNATURES:
        _SIGNATURES[text] = signature
    return signature


def print_signature(printer: Printer, op: Operation) -> None:
    """Print `(T, ...) -> T`, with the results in parentheses unless there is exactly one."""
    inputs = ", ".join([type_text(t) for t in op.operand_types])
    outputs = ", ".join([type_text(t) for t in op.result_types])
    if len(op.results) != 1:
        outputs = f"({outputs})"
    printer.print_string(f"({inputs}) -> {outputs}")


def parse_dims(parser: Parser) -> Dims | None:
    """Parse `[n, 2 * m]`."""
    return _parse_bracketed(parser, spelling.parse_dims)


def parse_expr(parser: Parser) -> Expr:
    """Parse `[2 * n]`, one expression."""
    return _parse_bracketed(parser, lambda text: symbolic.parse(text[1:-1]))


def _parse_bracketed(parser: Parser, parse: Callable[[str], T]) -> T:
    """Parse the text in brackets raw, since the lexer takes `//` for a comment."""
    content = parser.lexer.input.content
    start = parser.pos
    end = content.find("]", start)
    if not content.startswith("[", start) or end < 0:
        parser.raise_error("expected a list of symbolic expressions in brackets, as in [n, 2 * m]")
    try:
        found = parse(content[start : end + 1])
    except SymbolicError as error:
        parser.raise_error(str(error), start, end + 1)
    parser._resume_from(end + 1)  # pyright: ignore[reportPrivateUsage]
    return found


def parse_bindings(
    parser: Parser, where: str, missing: str
) -> tuple[Sequence[UnresolvedOperand], Sequence[UnresolvedOperand]]:
    """Read `(%x = %a, ...)`: the names inside a region, and the operands; `missing` is the error without
    an operand."""
    names: list[UnresolvedOperand] = []

    def parse_binding() -> UnresolvedOperand:
        names.append(parser.parse_unresolved_operand())
        if parser.parse_optional_punctuation("=") is None:
            parser.raise_error(missing)
        return parser.parse_unresolved_operand()

    return names, parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_binding, where)


def print_bindings(
    printer: Printer, names: Sequence[SSAValue], operands: Sequence[SSAValue]
) -> None:
    """Print `(%x = %a, ...)`."""

    def print_binding(pair: tuple[SSAValue, SSAValue]) -> None:
        printer.print_ssa_value(pair[0])
        printer.print_string(" = ")
        printer.print_ssa_value(pair[1])

    with printer.in_parens():
        printer.print_list(zip(names, operands), print_binding)


def parse_attributes(parser: Parser) -> dict[str, Attribute]:
    """Parse an optional `{name = attribute, ...}`."""
    if parser._current_token.text != "{":  # pyright: ignore[reportPrivateUsage]
        return {}
    return parser.parse_optional_attr_dict()


def refuse_type(parser: Parser, name: str) -> None:
    """Refuse a type after an op whose result type is implied."""
    position = parser.pos
    if parser.parse_optional_punctuation(":") is not None:
        parser.raise_error(
            f"{name}: expected no type, which follows from what it says, found ':'; leave it out",
            position,
        )


def print_attributes(printer: Printer, op: IRDLOperation, elided: Sequence[str] = ()) -> None:
    """Print properties and attributes in one dictionary, leaving out those printed elsewhere.

    Properties are in the order of their definition, as in parsed ops, however the op was made.
    """
    if not op.properties and not op.attributes:
        return
    known = op.get_irdl_definition().properties
    ordered = {k: op.properties[k] for k in known if k in op.properties}
    shown = {k: v for k, v in (ordered | op.properties | op.attributes).items() if k not in elided}
    if shown:
        printer.print_string(" ")
        printer.print_attr_dict(shown)


def finish_parse(
    cls: type[OpT],
    parser: Parser,
    operands: Sequence[UnresolvedOperand],
    attributes: dict[str, Attribute],
    properties: dict[str, Attribute] | None = None,
) -> OpT:
    """Parse the signature and make the op; attributes with the name of a property become one."""
    position = parser.pos
    inputs, outputs = parse_signature(parser)
    if len(inputs) != len(operands):
        parser.raise_error(
            f"{cls.name}: expected operand types in the signature: {len(operands)}, found "
            f"{len(inputs)}; write one type for each operand",
            position,
            parser.pos,
        )
    resolved = parser.resolve_operands(operands, inputs, position)
    properties = {} if properties is None else properties
    if attributes:
        known = cls.get_irdl_definition().properties
        for name in known:  # in this order, whatever the order in the text
            if name in attributes:
                properties[name] = attributes.pop(name)
        for name in attributes:
            if "." not in name:
                parser.raise_error(
                    f"{cls.name}: expected attributes "
                    f"{', '.join(sorted(known.keys() - properties.keys())) or 'of a dialect'}, found "
                    f"'{name}'; correct the name, or prefix it as in 'my.{name}'",
                    position,
                )
    return cls.create(
        operands=resolved, result_types=outputs, properties=properties, attributes=attributes
    )
