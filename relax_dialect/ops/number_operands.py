"""Numbers as operands in the text: `relax.add %x, 1.0 : (T) -> T`.

A number is shorthand for a `relax.constant` of rank 0 before its op, of the element type of the other
tensors; the signature names the types of the values alone. An op's parser returns only its op, so the
constants are inserted when the enclosing function has been read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IntegerType, Signedness, i64
from xdsl.dialects.builtin import TensorType as BuiltinTensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.mlir_lexer import MLIRTokenKind

from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.text.float_syntax import float_of_bits

Number: TypeAlias = bool | int | float

BOOL = IntegerType(1)
_FIRST_TOKENS = (MLIRTokenKind.MINUS, MLIRTokenKind.INTEGER_LIT, MLIRTokenKind.FLOAT_LIT)


# Their element types -------------------------------------------------------------------------


def dense_number(value: Number, dtype: Attribute) -> DenseIntOrFPElementsAttr | None:
    """Return a number as the elements of a constant of rank 0; None if the element type does not hold
    it.

    Beyond the range of a float it is an infinity, as numpy rounds.
    """
    tensor = BuiltinTensorType(dtype, [])  # pyright: ignore
    if isinstance(dtype, AnyFloat):
        try:
            return DenseIntOrFPElementsAttr.from_list(tensor, [float(value)])  # pyright: ignore
        except OverflowError:
            infinity = math.inf if value > 0 else -math.inf
            return DenseIntOrFPElementsAttr.from_list(tensor, [infinity])  # pyright: ignore
    if dtype == BOOL:
        fits = isinstance(value, bool)
        value = -int(fits and value)
    else:
        fits = isinstance(value, int) and _in_range(value, dtype)
    return DenseIntOrFPElementsAttr.from_list(tensor, [value]) if fits else None  # pyright: ignore


def _in_range(value: Number, dtype: Attribute) -> bool:
    if not isinstance(dtype, IntegerType):
        return True
    if dtype.signedness.data is Signedness.UNSIGNED:
        return 0 <= value < 1 << dtype.width.data
    half = 1 << (dtype.width.data - 1)
    return -half <= value < half


def tensor_sibling(value: Number, types: Sequence[Attribute]) -> TensorType | None:
    """Return the tensor among these types whose element type a number takes: the first that is no condition
    or mask, of booleans, while the number is none."""
    types = [i64 if isinstance(t, PrimType) else t for t in types]
    tensors = [_as_tensor(t) for t in types if isinstance(t, TensorType | AnyFloat | IntegerType)]
    agreeing = [t for t in tensors if isinstance(value, bool) or t.dtype != BOOL]
    return next(iter(agreeing or tensors), None)


def _as_tensor(type: TensorType | AnyFloat | IntegerType) -> TensorType:
    return type if isinstance(type, TensorType) else TensorType.get((), type)


# In the text ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class WrittenNumber:
    """A number as written in the text; `text` has the bits of a float."""

    value: Number
    text: str
    start: int
    end: int

    def elements(self, dtype: Attribute) -> DenseIntOrFPElementsAttr | None:
        """Return the elements of the number's constant; None if the type does not hold it."""
        if "0x" in self.text and isinstance(dtype, AnyFloat):
            bits = int(self.value)
            fits = 0 <= bits < 1 << 8 * dtype.compile_time_size and self.text[0] != "-"
            return dense_number(float_of_bits(bits, dtype), dtype) if fits else None
        return dense_number(self.value, dtype)


WrittenOperand: TypeAlias = UnresolvedOperand | WrittenNumber


def parse_operands(parser: Parser) -> list[WrittenOperand]:
    """Parse `%x, 1.0`, values and numbers."""
    found = parser.parse_optional_undelimited_comma_separated_list(
        lambda: _optional_operand(parser), lambda: parse_operand(parser)
    )
    return found or []


def _optional_operand(parser: Parser) -> WrittenOperand | None:
    found = parser.parse_optional_unresolved_operand()
    return _optional_number(parser) if found is None else found


def parse_operand(parser: Parser) -> WrittenOperand:
    """Parse a value or a number."""
    return parser.expect(lambda: _optional_operand(parser), "operand expected")


def _optional_number(parser: Parser) -> WrittenNumber | None:
    token, start = parser._current_token, parser.pos  # pyright: ignore[reportPrivateUsage]
    value = parser.parse_optional_boolean() if token.text in ("true", "false") else None
    if token.kind in _FIRST_TOKENS:
        value = parser.parse_number()
    if value is None:
        return None
    end = parser.pos
    text = parser.lexer.input.content[start:end].strip()
    return WrittenNumber(value, text, start, start + len(text))


class NumberOperand(ForwardDeclaredValue):
    """A placeholder of a number's constant until the function around it has been read."""

    def __init__(self, elements: DenseIntOrFPElementsAttr):
        super().__init__(TensorType.get((), elements.get_element_type()))
        self.elements = elements


_NUMBERS: ContextVar[list[NumberOperand] | None] = ContextVar("numbers", default=None)
"""The numbers of the function that is being read."""


@contextmanager
def numbers_of_function() -> Iterator[list[NumberOperand]]:
    """Collect the number operands that are parsed inside."""
    numbers: list[NumberOperand] = []
    token = _NUMBERS.set(numbers)
    try:
        yield numbers
    finally:
        _NUMBERS.reset(token)


def number_operand(
    parser: Parser, name: str, number: WrittenNumber, dtype: Attribute
) -> NumberOperand:
    """Return the operand that a number of an element type is."""
    numbers = _NUMBERS.get()
    if numbers is None:
        parser.raise_error(
            f"{name}: expected values as operands outside of relax.func, found {number.text}; write "
            "relax.constant",
            number.start,
            number.end,
        )
    if (elements := number.elements(dtype)) is None:
        parser.raise_error(
            f"{name}: expected a number of element type {dtype}, found {number.text}; convert the "
            "tensor with relax.astype, or write another number",
            number.start,
            number.end,
        )
    numbers.append(found := NumberOperand(elements))
    return found


def with_numbers(
    parser: Parser,
    name: str,
    written: Sequence[WrittenOperand],
    values: Sequence[SSAValue],
    dtype_of: Callable[[int, WrittenNumber], Attribute],
) -> list[SSAValue]:
    """Return the operands as they are written; `dtype_of` is the element type of a number, by its
    position."""
    left = iter(values)
    return [
        number_operand(parser, name, each, dtype_of(place, each))
        if isinstance(each, WrittenNumber)
        else next(left)
        for place, each in enumerate(written)
    ]


def sibling_dtype(
    parser: Parser, name: str, number: WrittenNumber, types: Sequence[Attribute]
) -> Attribute:
    """Return the element type of a number, by the values beside it."""
    sibling = tensor_sibling(number.value, types)
    if sibling is None or sibling.dtype is None:
        parser.raise_error(
            f"{name}: expected an operand or attribute that implies the element type of the number "
            f"{number.text}, found none; write relax.constant",
            number.start,
            number.end,
        )
    return sibling.dtype
