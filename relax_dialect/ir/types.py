"""The types of graph values: tensors and shapes with symbolic dimensions, numbers, objects, functions.

A dimension is a `symbolic.Expr`, or None if it is unknown (spelled `?`). A shape of None means
that not even the rank is known (spelled `*`). Tuples and scalars are builtin types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, StringAttr, TupleType, i64
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.spelling import (
    DTYPES,
    Dim,
    Dims,
    as_dtype,
    body_text,
    dims_text,
    is_element_type,
    parse_dims,
    parse_dtype,
    to_dims,
)
from relax_dialect.symbolic import Expr


@irdl_attr_definition
class DimsAttr(Data["Dims | None"]):
    """The dimensions of a tensor or shape: `#relax.dims<[n, 2 * m, ?]>`, None for an unknown rank."""

    name = "relax.dims"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Dims | None:
        position = parser.pos
        try:
            return parse_dims(body_text(parser))
        except SymbolicError as error:
            parser.raise_error(str(error), position)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{dims_text(self.data)}>")


@irdl_attr_definition
class ExprAttr(Data[Expr]):
    """A symbolic expression, which may be negative: `#relax.expr<2 * n - 1>`."""

    name = "relax.expr"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Expr:
        position = parser.pos
        try:
            return symbolic.parse(body_text(parser))
        except SymbolicError as error:
            parser.raise_error(str(error), position)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class TensorType(ParametrizedAttribute, TypeAttribute):
    """A tensor of element type `dtype` (None: unknown) and dimensions `shape` (None: unknown rank).

    `!relax.tensor<[n, 4], f32>`, `!relax.tensor<[?, 4], f32>`, `!relax.tensor<*, f32>`,
    `!relax.tensor<[n]>`, `!relax.tensor<*>`.
    """

    name = "relax.tensor"

    dims: DimsAttr = param_def()
    element: Attribute = param_def()

    def __init__(
        self,
        shape: Iterable[Expr | int | str | None] | None,
        dtype: object = None,
    ):
        element = NoneAttr() if dtype is None else as_dtype(dtype)
        super().__init__(DimsAttr(to_dims(shape)), element)

    def verify(self) -> None:
        if not (isinstance(self.element, NoneAttr) or is_element_type(self.element)):
            raise VerifyException(
                f"!relax.tensor: expected an element type among {', '.join(DTYPES)}, "
                f"found {self.element}; convert the tensor to one of them"
            )

    @staticmethod
    def get(shape: Dims | None, dtype: Attribute | None) -> TensorType:
        """Return the type, made once for equal arguments."""
        return _tensor_type(shape, dtype)

    @property
    def shape(self) -> Dims | None:
        return self.dims.data

    @property
    def dtype(self) -> Attribute | None:
        return None if type(self.element) is NoneAttr else self.element

    @property
    def rank(self) -> int | None:
        return None if self.dims.data is None else len(self.dims.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        position = parser.pos
        try:
            return _tensor_parameters(body_text(parser))
        except SymbolicError as error:
            parser.raise_error(str(error), position)

    def print_parameters(self, printer: Printer) -> None:
        dtype = "" if self.dtype is None else f", {self.dtype}"
        printer.print_string(f"<{dims_text(self.shape)}{dtype}>")


@lru_cache(maxsize=65536)
def _tensor_type(shape: Dims | None, dtype: Attribute | None) -> TensorType:
    return TensorType(shape, dtype)


@lru_cache(maxsize=65536)
def _tensor_parameters(text: str) -> tuple[Attribute, ...]:
    """`[n, 4], f32` as the parameters of a tensor type."""
    text = text.strip()
    cut = text.rfind("]") + 1 if text.startswith("[") else 1
    rest = text[cut:].strip()
    if rest and not rest.startswith(","):
        raise SymbolicError(
            f"tensor type '<{text}>': expected ', <element type>' after the shape, found '{rest}'; "
            "write it as in <[n, 4], f32>"
        )
    dtype = parse_dtype(rest[1:].strip()) if rest else NoneAttr()
    return (DimsAttr(parse_dims(text[:cut])), dtype)


@irdl_attr_definition
class ShapeType(ParametrizedAttribute, TypeAttribute):
    """A shape value: `!relax.shape<[n, 2 * m]>`, `!relax.shape<*>` for an unknown number of sizes."""

    name = "relax.shape"

    dims: DimsAttr = param_def()

    def __init__(self, shape: Iterable[Expr | int | str | None] | None):
        super().__init__(DimsAttr(to_dims(shape)))

    @property
    def shape(self) -> Dims | None:
        return self.dims.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return (DimsAttr(DimsAttr.parse_parameter(parser)),)

    def print_parameters(self, printer: Printer) -> None:
        self.dims.print_parameter(printer)


@irdl_attr_definition
class PrimType(ParametrizedAttribute, TypeAttribute):
    """An `i64` whose value is a symbolic expression: `!relax.prim<n>`, `!relax.prim<2 * n - 1>`.

    A bare variable is defined by the value, as by a dimension, and so is at least 0. If the value is not
    known, the type is `i64`.
    """

    name = "relax.prim"

    expression: ExprAttr = param_def()

    def __init__(self, value: Expr | int | str):
        super().__init__(ExprAttr(symbolic.as_expr(value)))

    @property
    def value(self) -> Expr:
        return self.expression.data

    @property
    def shape(self) -> Dims:
        """Return the sizes that a value of the type carries: itself."""
        return (self.value,)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        position = parser.pos
        try:
            return (ExprAttr(_number(body_text(parser))),)
        except SymbolicError as error:
            parser.raise_error(str(error), position)

    def print_parameters(self, printer: Printer) -> None:
        self.expression.print_parameter(printer)


def _number(text: str) -> Expr:
    if text.strip() == "?":
        raise SymbolicError(
            "!relax.prim: expected a symbolic expression, found '?'; write i64 for a number that is not "
            "known"
        )
    return symbolic.parse(text)


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """Any value: the top of the type lattice, `!relax.object`."""

    name = "relax.object"


DEVICES = {
    "cpu": 1, "cuda": 2, "cuda_host": 3, "opencl": 4, "vulkan": 7, "metal": 8, "vpi": 9, "rocm": 10,
    "rocm_host": 11, "ext_dev": 12, "cuda_managed": 13, "oneapi": 14, "webgpu": 15, "hexagon": 16,
}  # fmt: skip
"""DLPack's numbers of the kinds of devices."""


@irdl_attr_definition
class DeviceAttr(ParametrizedAttribute):
    """A device, as an argument of external functions: `#relax.device<cuda, 1>`."""

    name = "relax.device"

    kind: StringAttr = param_def()
    index: IntAttr = param_def()

    def __init__(self, kind: str, index: int = 0):
        super().__init__(StringAttr(kind), IntAttr(index))

    @property
    def dlpack_numbers(self) -> tuple[int, int]:
        """DLPack's numbers for it."""
        return DEVICES[self.kind.data], self.index.data

    def verify(self) -> None:
        if self.kind.data not in DEVICES:
            raise VerifyException(
                f"#relax.device: expected one of {', '.join(DEVICES)}, found {self.kind.data}; correct it"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            kind = parser.parse_identifier(context_msg=" of a device, as in #relax.device<cpu, 0>")
            parser.parse_punctuation(",", " between a device and its number")
            return StringAttr(kind), IntAttr(parser.parse_integer(allow_boolean=False))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.kind.data}, {self.index.data}>")


@irdl_attr_definition
class FuncType(ParametrizedAttribute, TypeAttribute):
    """A function value; it binds the symbolic variables in brackets, all others are free.

    `!relax.func<[k] (!relax.tensor<[n, k], f32>) -> !relax.tensor<[n], f32>>`; a function that may
    have effects is `!relax.func<() -> !relax.object, impure>`.
    """

    name = "relax.func"

    variables: ArrayAttr[StringAttr] = param_def()
    inputs: ArrayAttr[Attribute] = param_def()
    output: Attribute = param_def()
    purity: StringAttr = param_def()

    def __init__(
        self,
        inputs: Iterable[Attribute],
        output: Attribute,
        variables: Iterable[str] = (),
        *,
        pure: bool = True,
    ):
        super().__init__(
            ArrayAttr(StringAttr(v) for v in variables),
            ArrayAttr(inputs),
            output,
            StringAttr("pure" if pure else "impure"),
        )

    @property
    def is_pure(self) -> bool:
        """Whether a call of the function has no effect."""
        return self.purity.data == "pure"

    def verify(self) -> None:
        try:
            _check_bound([v.data for v in self.variables])
        except SymbolicError as error:
            raise VerifyException(str(error)) from None

    @property
    def bound(self) -> frozenset[str]:
        """The variables the type binds itself."""
        return frozenset(v.data for v in self.variables)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        position = parser.pos
        with parser.in_angle_brackets():
            variables = parser.parse_optional_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_identifier
            )
            try:
                _check_bound(variables or ())
            except SymbolicError as error:
                parser.raise_error(str(error), position)
            inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            parser.parse_punctuation("->", " in a function type, as in !relax.func<(A, B) -> C>")
            output = parser.parse_type()
            purity = "pure"
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("impure", ", the only word allowed here")
                purity = "impure"
        return (
            ArrayAttr(StringAttr(v) for v in variables or ()),
            ArrayAttr(inputs),
            output,
            StringAttr(purity),
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.variables.data:
                with printer.in_square_brackets():
                    printer.print_list(self.variables, lambda v: printer.print_string(v.data))
                printer.print_string(" ")
            with printer.in_parens():
                printer.print_list(self.inputs, printer.print_attribute)
            printer.print_string(" -> ")
            printer.print_attribute(self.output)
            if not self.is_pure:
                printer.print_string(", impure")


def _check_bound(names: Sequence[str]) -> None:
    for name in names:
        symbolic.var(name)
    if len(set(names)) != len(names):
        raise SymbolicError(
            f"!relax.func: expected each bound variable once, found [{', '.join(names)}]; "
            "leave out the repeated ones"
        )


def tuple_type(fields: Iterable[Attribute]) -> TupleType:
    """Return the builtin tuple of some types."""
    return TupleType(ArrayAttr(fields))  # pyright: ignore[reportArgumentType]


def leaf_types(type: Attribute) -> list[Attribute]:
    """Return the types of the parts of a possibly nested tuple, in order."""
    found: list[Attribute] = []
    stack = [type]
    while stack:
        current = stack.pop()
        if isinstance(current, TupleType):
            stack.extend(reversed(current.types.data))
        else:
            found.append(current)
    return found


def count_leaves(given: Iterable[Attribute], most: int) -> int:
    """Return the number of parts of possibly nested tuples, as far as one more than the most."""
    stack = list(given)
    found = 0
    while stack and found <= most:
        current = stack.pop()
        if isinstance(current, TupleType) and current.types.data:
            stack.extend(current.types.data)
        else:
            found += 1
    return found


OBJECT = ObjectType()

Sized: TypeAlias = TensorType | ShapeType | PrimType
"""The types whose values carry sizes: `shape` holds them, `with_sizes` replaces them."""


def with_sizes(type: Sized, sizes: Dims | None) -> Attribute:
    """Return the type with other sizes; an unknown number is an `i64`."""
    if isinstance(type, TensorType):
        return TensorType.get(sizes, type.dtype)
    if isinstance(type, ShapeType):
        return ShapeType(sizes)
    return PrimType(sizes[0]) if sizes and sizes[0] is not None else i64


def map_sizes(type: Sized, f: Callable[[Dim], Dim]) -> Attribute:
    """Return the type with `f` applied to every size."""
    return type if type.shape is None else with_sizes(type, tuple(map(f, type.shape)))
