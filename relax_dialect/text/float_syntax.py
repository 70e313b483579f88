"""Floats as MLIR writes and reads them: a number in hex is the bits of a float.

xDSL 0.74 prints infinities, NaN and floats that its decimals do not hold in hex, which it reads back as
integers inside `dense<[...]>` and not at all inside `array<f32: ...>`; it prints `[0.0, -0.0]` as a splat,
loses what a NaN carries, and writes long `i1` constants by bytes where MLIR has bits. `install` fixes both
directions, on the classes of the attributes, so plain `xdsl-opt` profits once it has found our entry point.
A dense constant with an element that needs hex is written as its bytes.
"""

from __future__ import annotations

import json
from io import StringIO
from math import isnan, prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FloatData,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRTokenKind

from relax_dialect.ir.storage import is_repeated

# Bits -----------------------------------------------------------------------------------------

_EXPONENT_AND_FRACTION = {
    Float16Type: (5, 10),
    BFloat16Type: (8, 7),
    Float32Type: (8, 23),
    Float64Type: (11, 52),
    Float8E5M2Type: (5, 2),
}
_DOUBLE_EXPONENT = 0x7FF << 52


def float_of_bits(bits: int, type: AnyFloat) -> float:
    """Return the float of some bits; a NaN keeps its sign and payload."""
    raw = bits.to_bytes(type.compile_time_size, "little")
    value = type.unpack(raw, 1)[0]
    if not isnan(value) or (form := _EXPONENT_AND_FRACTION.get(type.__class__)) is None:
        return value
    exponent, fraction = form
    sign = bits >> (exponent + fraction)
    payload = (bits & ((1 << fraction) - 1)) << (52 - fraction)
    double = sign << 63 | _DOUBLE_EXPONENT | payload
    return float(np.uint64(double).view(np.float64))


def bits_of_float(value: float, type: AnyFloat) -> int:
    """Return the bits of a float; the other direction of `float_of_bits`."""
    if not isnan(value) or (form := _EXPONENT_AND_FRACTION.get(type.__class__)) is None:
        return int.from_bytes(type.pack([value]), "little")
    exponent, fraction = form
    double = int(np.float64(value).view(np.uint64))
    payload = (double & ((1 << 52) - 1)) >> (52 - fraction) or 1 << (fraction - 1)
    return (double >> 63) << (exponent + fraction) | ((1 << exponent) - 1) << fraction | payload


def _checked_bits(parser: AttrParser, text: str, type: AnyFloat, position: int) -> int:
    """Return the bits of a number in hex, if the type has as many."""
    bits = int(text, 16)
    if bits >= 1 << 8 * type.compile_time_size:
        parser.raise_error(
            f"expected the bits of an {type} in at most {2 * type.compile_time_size} hexadecimal "
            f"digits, found {text[:40]}; write its bits, or a decimal with a point",
            position,
            position + len(text),
        )
    return bits


def _refuse_sign(parser: AttrParser, position: int, type: Attribute) -> None:
    parser.raise_error(
        f"expected the bits of an {type} without a sign, found '-' before a number in hex; "
        "set the highest bit instead",
        position,
    )


# Single floats --------------------------------------------------------------------------------


def _hex_at(parser: AttrParser) -> str | None:
    """Return the number in hex that comes next, with its sign; None for anything else."""
    content, position = parser.lexer.input.content, parser.pos
    sign = "-" if content.startswith("-", position) else ""
    if not content.startswith("0x", position + len(sign)):
        return None
    if not sign:
        return parser._current_token.text  # pyright: ignore[reportPrivateUsage]
    return "-0x"


_STOCK_NUMBER: Any = AttrParser.parse_optional_builtin_int_or_float_attr


def _parse_number(self: AttrParser) -> Any:
    text, position = _hex_at(self), self.pos
    if text is None:
        return _STOCK_NUMBER(self)
    end = position + len(text)
    try:
        attribute = _STOCK_NUMBER(self)
    except (OverflowError, ParseError):  # of xDSL 0.74, of later ones
        self._resume_from(end)  # pyright: ignore[reportPrivateUsage]
        if self.parse_optional_punctuation(":") is not None:
            type: Any = self.parse_type()
            if isinstance(type, AnyFloat):
                _checked_bits(self, text, type, position)
        raise
    if not isinstance(attribute, FloatAttr):
        return attribute
    if text.startswith("-"):
        _refuse_sign(self, position, attribute.type)
    return _attribute_of_bits(int(text, 16), attribute.type)


def _attribute_of_bits(bits: int, type: AnyFloat) -> FloatAttr:
    return FloatAttr.new([FloatData(float_of_bits(bits, type)), type])


def _parse_with_type(parser: AttrParser, type: Attribute) -> FloatAttr:
    assert isinstance(type, AnyFloat)
    if (bits := _parse_optional_bits(parser, type)) is not None:
        return _attribute_of_bits(bits, type)
    return FloatAttr(parser.parse_float(), type)


def _parse_optional_bits(parser: AttrParser, type: AnyFloat) -> int | None:
    """Return a number in hex as the bits of a float, if one comes next."""
    text, position = _hex_at(parser), parser.pos
    if text is None:
        return None
    if text.startswith("-"):
        _refuse_sign(parser, position, type)
    parser.parse_integer()
    return _checked_bits(parser, text, type, position)


def _print_float(self: FloatAttr, printer: Printer) -> None:
    _print_one(printer, self.value.data, self.type)


def _print_one(printer: Printer, value: float, type: AnyFloat) -> None:
    if isnan(value):
        digits = 2 * type.compile_time_size
        printer.print_string(f"0x{bits_of_float(value, type):0{digits}x}")
    else:
        printer.print_float(value, type)


# Arrays ---------------------------------------------------------------------------------------

_STOCK_ARRAY: Any = AttrParser._parse_builtin_densearray_attr  # pyright: ignore[reportPrivateUsage]
_STOCK_PRINT_ARRAY: Any = DenseArrayBase.print_builtin


def _parse_array(self: AttrParser) -> DenseArrayBase | None:
    position = self.pos
    self.parse_characters("<", " in dense array")
    type = self.parse_optional_type()
    if not isinstance(type, AnyFloat) or self.parse_optional_punctuation(":") is None:
        self._resume_from(position)  # pyright: ignore[reportPrivateUsage]
        return _STOCK_ARRAY(self)

    def element() -> bytes:
        bits = _parse_optional_bits(self, type)
        if bits is None:
            return type.pack([self.parse_number()])
        return bits.to_bytes(type.compile_time_size, "little")

    elements = self.parse_comma_separated_list(self.Delimiter.NONE, element)
    self.parse_characters(">", " in dense array")
    return DenseArrayBase(type, BytesAttr(b"".join(elements)))


def _print_array(self: DenseArrayBase, printer: Printer) -> None:
    type = self.elt_type
    if not isinstance(type, AnyFloat) or not self.data.data:
        _STOCK_PRINT_ARRAY(self, printer)
        return
    size = type.compile_time_size
    data = self.data.data
    pieces = [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]
    printer.print_string(f"array<{type}: ")
    printer.print_list(pieces, lambda bits: _print_one(printer, float_of_bits(bits, type), type))
    printer.print_string(">")


# Dense constants ------------------------------------------------------------------------------

_MOST_SHOWN = 100
"""Constants of more elements are written as bytes, as in MLIR."""

_STOCK_DENSE: Any = AttrParser.parse_dense_int_or_fp_elements_attr
_MOST_BYTES = 1 << 31
_MOST_FREE = 1 << 26
"""The bytes that a constant may have however short its text is, 2**24 elements of f32."""
_MOST_FREE_IN_ALL = 1 << 27
"""The same for all constants of a text."""
_MOST_FOR_A_CHARACTER = 8
"""Beyond that, its bytes for each character of the text: an element has 8 at most, and two characters."""

_STOCK_DENSE_TYPE: Any = AttrParser._parse_dense_literal_type  # pyright: ignore[reportPrivateUsage]
_STOCK_PRINT_DENSE: Any = DenseIntOrFPElementsAttr.print_without_type
_Element: Any = AttrParser._TensorLiteralElement  # pyright: ignore[reportPrivateUsage]
_STOCK_TO_TYPE: Any = _Element.to_type


def _to_type(self: Any, parser: AttrParser, type: Any) -> Any:
    """Return the value of one element; any value but a NaN keeps all its bits already."""
    text = self.span.text
    if not isinstance(type, AnyFloat) or "0x" not in text:
        return _STOCK_TO_TYPE(self, parser, type)
    if text.startswith("-"):
        _refuse_sign(parser, self.span.start, type)
    return float_of_bits(_checked_bits(parser, text, type, self.span.start), type)


def _parse_dense(self: AttrParser, type: Any) -> DenseIntOrFPElementsAttr:
    start = self.pos
    self.parse_punctuation("<", " in dense attribute")
    is_bytes = self._current_token.kind == MLIRTokenKind.STRING_LIT  # pyright: ignore
    if is_bytes:
        return _parse_bytes(self, type)
    inner = self.pos
    if (read := _parse_long_list(self, type)) is not None:
        return read
    self._resume_from(inner)  # pyright: ignore[reportPrivateUsage]
    dense = _parse_splat(self, type)
    if dense is None:
        self._resume_from(start)  # pyright: ignore[reportPrivateUsage]
        dense = _STOCK_DENSE(self, type)
    element = dense.get_element_type()
    end = self.pos
    if not isinstance(element, AnyFloat) or not dense.data.data:
        return dense
    if self.lexer.input.content.find("0x", start, end) < 0:
        return dense
    return _with_bits(self, dense, element, start)


def _parse_splat(parser: AttrParser, type: Any) -> DenseIntOrFPElementsAttr | None:
    """Parse one number for all elements, whose bytes are repeated; None if xDSL has to read it."""
    if parser._current_token.text in ("[", ">", "("):  # pyright: ignore[reportPrivateUsage]
        return None
    position = parser.pos
    (element,), _ = parser._parse_tensor_literal()  # pyright: ignore[reportPrivateUsage]
    parser.parse_punctuation(">", " in dense attribute")
    if type is None:
        parser.parse_punctuation(":", " in dense attribute")
        type = parser._parse_dense_literal_type()  # pyright: ignore[reportPrivateUsage]
    else:
        _check_bytes(parser, type, position)
    if isinstance(type.element_type, ComplexType):
        return None
    one = TensorType(type.element_type, [1])
    value: Any = element.to_type(parser, type.element_type)
    data = DenseIntOrFPElementsAttr.from_list(one, [value]).data.data
    return DenseIntOrFPElementsAttr(type, BytesAttr(data * prod(type.get_shape())))


_LONG = 4096
"""Longer lists are read as JSON if they are valid JSON, as lists of decimals are."""


def _parse_long_list(parser: AttrParser, type: Any) -> DenseIntOrFPElementsAttr | None:
    """Parse a long list of plain numbers, after its `<`; None if xDSL has to read it."""
    content, start = parser.lexer.input.content, parser.pos
    end = content.find(">", start)
    if end - start < _LONG or content.find("//", start, end) >= 0:
        return None
    try:
        values = np.array(json.loads(content[start:end]))
    except (ValueError, RecursionError):
        return None
    parser._resume_from(end + 1)  # pyright: ignore[reportPrivateUsage]
    if type is None:
        parser.parse_punctuation(":", " in dense attribute")
        type = parser._parse_dense_literal_type()  # pyright: ignore[reportPrivateUsage]
    element = type.element_type
    fits = isinstance(element, AnyFloat) if values.dtype.kind == "f" else values.dtype.kind == "i"
    if values.shape != type.get_shape() or not fits or isinstance(element, ComplexType):
        return None
    return DenseIntOrFPElementsAttr.from_list(type, values.ravel().tolist())


def _parse_dense_type(self: AttrParser) -> Any:
    """Return the type of a dense constant, whose elements are all held.

    xDSL rebuilds its constraint for every constant, which takes as long as parsing ten ops: it is only used
    for types that are not plainly an array."""
    position = self.pos
    type: Any = self.parse_optional_type()
    if not _is_static_array(type):
        self._resume_from(position)  # pyright: ignore[reportPrivateUsage]
        type = _STOCK_DENSE_TYPE(self)
    _check_bytes(self, type, position)
    return type


def _check_bytes(parser: AttrParser, type: Any, position: int) -> None:
    """Refuse a constant that is much larger than its text, which ends at a position, or one too many."""
    written = position - parser.lexer.input.content.rfind("<", 0, position)
    most = min(max(_MOST_FREE, _MOST_FOR_A_CHARACTER * written), _MOST_BYTES)
    bytes = prod(type.get_shape()) * type.element_type.compile_time_size
    before: int = vars(parser).get("constant_bytes", 0)
    vars(parser)["constant_bytes"] = before + bytes
    most = min(most, max(_MOST_FREE_IN_ALL, _MOST_FOR_A_CHARACTER * position) - before)
    if bytes > most:
        parser.raise_error(
            f"expected a constant of at most {max(most, 0)} bytes, found {type}, which has {bytes}; make "
            "it while the program runs, as in relax.full",
            position,
            parser.pos,
        )


def _is_static_array(type: Any) -> bool:
    """Return whether it is an array of numbers of known sizes, of one of xDSL's three types of arrays."""
    return (
        isinstance(type, TensorType | VectorType | MemRefType)
        and isinstance(type.element_type, IntegerType | IndexType | AnyFloat)
        and type.has_static_shape()
    )


def _with_bits(
    parser: AttrParser, dense: DenseIntOrFPElementsAttr, type: AnyFloat, start: int
) -> DenseIntOrFPElementsAttr:
    """Return a constant whose elements in hex have exactly those bits: reads its text, at `start`,
    again."""
    end = parser.pos
    parser._resume_from(start)  # pyright: ignore[reportPrivateUsage]
    parser.parse_punctuation("<")
    elements, _ = parser._parse_tensor_literal()  # pyright: ignore[reportPrivateUsage]
    parser._resume_from(end)  # pyright: ignore[reportPrivateUsage]
    size = type.compile_time_size
    data = bytearray(dense.data.data[: size * len(elements)])
    for i, element in enumerate(elements):
        if (text := element.span.text).startswith("0x"):
            data[i * size : (i + 1) * size] = int(text, 16).to_bytes(size, "little")
    copies = len(dense.data.data) // max(len(data), 1)
    return DenseIntOrFPElementsAttr(dense.type, BytesAttr(bytes(data) * copies))


def _parse_bytes(parser: AttrParser, type: Any) -> DenseIntOrFPElementsAttr:
    """Parse the rest of `dense<"0x...">`: all elements, or one splat element."""
    position = parser.pos
    text = parser.parse_str_literal()
    end = parser.pos
    parser.parse_punctuation(">", " in dense attribute")
    if type is None:
        parser.parse_punctuation(":", " in dense attribute")
        type = parser._parse_dense_literal_type()  # pyright: ignore[reportPrivateUsage]
    try:
        data = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        data = None
    if data is None or not text.startswith("0x"):
        parser.raise_error(
            'expected an even number of hexadecimal digits after 0x, as in dense<"0x0000803F">, found '
            "another text; write the bytes of the elements",
            position,
            end,
        )
    count = prod(type.get_shape())
    elements = _elements_of_bytes(data, count, type.element_type)
    if len(elements) != count * type.element_type.compile_time_size:
        parser.raise_error(
            f"expected {count * type.element_type.compile_time_size} bytes for the {count} elements of "
            f"{type}, found {len(data)}; write the bytes of all elements, or of one for all",
            position,
            end,
        )
    return DenseIntOrFPElementsAttr(type, BytesAttr(elements))


def _elements_of_bytes(data: bytes, count: int, type: Any) -> bytes:
    """Return the bytes of all elements; `i1` has eight in one byte, as MLIR writes it."""
    if type != i1:
        return data * count if len(data) == type.compile_time_size else data
    if data in (b"\x00", b"\xff"):
        return data * count
    if len(data) == (count + 7) // 8:
        bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
        return (bits * np.uint8(255)).tobytes()
    return data


def _print_dense(self: DenseIntOrFPElementsAttr, printer: Printer) -> None:
    type = self.get_element_type()
    size, data = type.compile_time_size, self.data.data
    one = data[:size]
    is_splat = bool(data) and is_repeated(data, size)
    if not data or (not isinstance(type, AnyFloat | ComplexType) and type != i1 and not is_splat):
        _STOCK_PRINT_DENSE(self, printer)
        return
    shown = one if is_splat else data
    text = None
    if len(shown) <= _MOST_SHOWN * size:
        text = _elements_text(self, shown, is_splat)
    elif type == i1:
        shown = np.packbits(np.frombuffer(data, np.uint8) != 0, bitorder="little").tobytes()
    if text is None or "0x" in text:
        text = f'"0x{shown.hex().upper()}"'
    printer.print_string(f"dense<{text}>")


def _elements_text(dense: DenseIntOrFPElementsAttr, data: bytes, is_splat: bool) -> str:
    """Return the elements as xDSL writes them."""
    out = StringIO()
    inner = Printer(out)
    type = dense.get_element_type()
    values: Any = type.unpack(data, len(data) // type.compile_time_size)
    if is_splat:
        dense._print_one_elem(values[0], inner)  # pyright: ignore[reportPrivateUsage]
    else:
        shape = dense.get_shape() if dense.shape_is_complete else (len(values),)
        dense._print_dense_list(values, shape, inner)  # pyright: ignore[reportPrivateUsage]
    return out.getvalue()


def install() -> None:
    """Install this syntax of floats in xDSL's parser and printer."""
    for owner, name, function in (
        (AttrParser, "parse_optional_builtin_int_or_float_attr", _parse_number),
        (AttrParser, "_parse_builtin_densearray_attr", _parse_array),
        (AttrParser, "_parse_dense_literal_type", _parse_dense_type),
        (AttrParser, "parse_dense_int_or_fp_elements_attr", _parse_dense),
        (_Element, "to_type", _to_type),
        (FloatAttr, "parse_with_type", staticmethod(_parse_with_type)),
        (FloatAttr, "print_without_type", _print_float),
        (DenseArrayBase, "print_builtin", _print_array),
        (DenseIntOrFPElementsAttr, "print_without_type", _print_dense),
    ):
        setattr(owner, name, function)
