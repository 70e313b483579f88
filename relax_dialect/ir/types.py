"""The types of graph values: tensors and shapes with symbolic dimensions, numbers, objects, functions.

A dimension is a `symbolic.Expr`, or None where it is unknown (spelled `?`). A shape of None means
that not even the rank is known (spelled `*`). Tuples and scalars are builtin types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.dialects.builtin import (
    TensorType as BuiltinTensorType,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.storage import NUMPY_NAMES, STORAGE
from relax_dialect.symbolic import Expr

Dim: TypeAlias = Expr | None
Dims: TypeAlias = tuple[Dim, ...]

_FLOATS = {
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
}
_INTEGERS = {
    f"{'u' if signedness is Signedness.UNSIGNED else ''}i{width}": IntegerType(width, signedness)
    for signedness in (Signedness.SIGNLESS, Signedness.UNSIGNED)
    for width in ((1,) if signedness is Signedness.SIGNLESS else ()) + (8, 16, 32, 64)
}
_DTYPES: dict[str, Attribute] = {**_FLOATS, **_INTEGERS, "index": IndexType(), **STORAGE}
_NUMPY_NAMES: dict[str, Attribute] = {
    "bool": _INTEGERS["i1"],
    "bfloat16": _FLOATS["bf16"],
    **{f"float{width}": _FLOATS[f"f{width}"] for width in (16, 32, 64)},
    **{f"int{width}": _INTEGERS[f"i{width}"] for width in (8, 16, 32, 64)},
    **{f"uint{width}": _INTEGERS[f"ui{width}"] for width in (8, 16, 32, 64)},
    **{numpy_name: STORAGE[name] for name, numpy_name in NUMPY_NAMES.items()},
}
_ELEMENTS = frozenset(_DTYPES.values())
_BODY = re.compile(r'[^<>{}%"!]*')


# Text of types ---------------------------------------------------------------------------------


def _body_text(parser: AttrParser) -> str:
    """The raw text between `<` and its `>`, after which the parser then stands.

    The text is read raw because the lexer would take `//` in `[n // 2]` for a comment.
    """
    if parser._current_token.text != "<":
        parser.raise_error("'<' expected, as in !relax.tensor<[n, 4], f32>")
    content = parser.lexer.input.content
    start = parser.pos + 1
    body = _BODY.match(content, start)
    assert body is not None
    end = body.end()
    if not content.startswith(">", end) or content[end - 1] == "-":
        parser.raise_error("'>' expected at the end of the type, as in !relax.tensor<[n, 4], f32>")
    parser._resume_from(end + 1)
    return body[0]


@lru_cache(maxsize=65536)
def parse_dims(text: str) -> Dims | None:
    """`*` or `[n, 4, ?]` as dimensions."""
    text = text.strip()
    if text == "*":
        return None
    if not (text.startswith("[") and text.endswith("]")):
        raise SymbolicError(
            f"shape '{text}': expected '*' or a list of dimensions in brackets, as in [n, 4, ?]"
        )
    return _not_negative(symbolic.parse_dims(text[1:-1]))


def _not_negative(dims: Dims) -> Dims:
    for dim in dims:
        if dim is not None and (most := dim.bounds()[1]) is not None and most < 0:
            raise SymbolicError(
                f"size '{dim}': expected at least 0, found {most} at most; write ? if it is unknown"
            )
    return dims


def dims_text(dims: Dims | None) -> str:
    """The spelling of a shape: `[n, 4, ?]`, or `*` for an unknown rank."""
    if dims is None:
        return "*"
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"


def parse_dtype(text: str) -> Attribute:
    """An element type by its MLIR name (`f32`, `i1`, `ui8`), `SymbolicError` if there is none such."""
    if text not in _DTYPES:
        raise SymbolicError(f"element type '{text}': expected one of {', '.join(_DTYPES)}")
    return _DTYPES[text]


def as_dtype(dtype: object) -> Attribute:
    """An element type from MLIR's name (`f32`, `ui8`), numpy's (`float32`, `uint8`) or numpy's type.

    A type of xDSL is given back as it is. Raises `SymbolicError` for anything else.
    """
    if isinstance(dtype, Attribute):
        return dtype
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)  # of a np.dtype
    if name is None and isinstance(dtype, type):
        name = dtype.__name__.rstrip("_")
    known = _DTYPES | _NUMPY_NAMES
    if name not in known:
        found = f"'{dtype}'" if isinstance(dtype, str) else repr(dtype)
        raise SymbolicError(
            f"element type {found}: expected one of {', '.join(known)}, or a type of numpy or xDSL"
        )
    return known[name]


def is_element_type(type: Attribute) -> bool:
    """Whether tensors can have elements of this type."""
    return type in _ELEMENTS


def _to_dims(dims: Iterable[Expr | int | str | None] | None) -> Dims | None:
    if dims is None:
        return None
    unknown = (None, "?")
    return _not_negative(tuple(None if d in unknown else symbolic.as_expr(d) for d in dims))


@irdl_attr_definition
class DimsAttr(Data["Dims | None"]):
    """The dimensions of a tensor or shape: `#relax.dims<[n, 2 * m, ?]>`, None for an unknown rank."""

    name = "relax.dims"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Dims | None:
        position = parser.pos
        try:
            return parse_dims(_body_text(parser))
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
            return symbolic.parse(_body_text(parser))
        except SymbolicError as error:
            parser.raise_error(str(error), position)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


# The types -------------------------------------------------------------------------------------


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
        super().__init__(DimsAttr(_to_dims(shape)), element)

    def verify(self) -> None:
        if not (isinstance(self.element, NoneAttr) or is_element_type(self.element)):
            raise VerifyException(
                f"!relax.tensor: expected an element type among {', '.join(_DTYPES)}, "
                f"found {self.element}; convert the tensor to one of them"
            )

    @staticmethod
    def get(shape: Dims | None, dtype: Attribute | None) -> TensorType:
        """The type, made once for equal arguments."""
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
            return _tensor_parameters(_body_text(parser))
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
            f"tensor type '<{text}>': expected ', <element type>' after the shape, found '{rest}'"
        )
    dtype = parse_dtype(rest[1:].strip()) if rest else NoneAttr()
    return (DimsAttr(parse_dims(text[:cut])), dtype)


@irdl_attr_definition
class ShapeType(ParametrizedAttribute, TypeAttribute):
    """A shape value: `!relax.shape<[n, 2 * m]>`, `!relax.shape<*>` for an unknown number of sizes."""

    name = "relax.shape"

    dims: DimsAttr = param_def()

    def __init__(self, shape: Iterable[Expr | int | str | None] | None):
        super().__init__(DimsAttr(_to_dims(shape)))

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

    One that stands bare defines its variable, as a dimension does, and so is at least 0. Where the value is
    not known, the type is `i64`.
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
        """The sizes that a value of the type tells: itself."""
        return (self.value,)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        position = parser.pos
        try:
            return (ExprAttr(_number(_body_text(parser))),)
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
    """A device, as an argument of functions from outside: `#relax.device<cuda, 1>`."""

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
            kind = parser.parse_identifier(" of a device, as in #relax.device<cpu, 0>")
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
                parser.parse_keyword("impure", ", the only word that may stand there")
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


OBJECT = ObjectType()

Sized: TypeAlias = TensorType | ShapeType | PrimType
"""The types whose values tell sizes: `shape` holds them, `with_sizes` makes the type with others."""


def with_sizes(type: Sized, sizes: Dims | None) -> Attribute:
    """The type of values that tell other sizes; a number that is not known is an `i64`."""
    if isinstance(type, TensorType):
        return TensorType.get(sizes, type.dtype)
    if isinstance(type, ShapeType):
        return ShapeType(sizes)
    return PrimType(sizes[0]) if sizes and sizes[0] is not None else i64


def map_sizes(type: Sized, f: Callable[[Dim], Dim]) -> Attribute:
    """The type with `f` applied to every size."""
    return type if type.shape is None else with_sizes(type, tuple(map(f, type.shape)))


# Symbolic variables in types -------------------------------------------------------------------


def _leaves(type: Attribute, into_functions: bool = True) -> Iterable[tuple[Sized, frozenset[str]]]:
    """The types inside a type whose values tell sizes, each with the variables bound around it."""
    stack: list[tuple[Attribute, frozenset[str]]] = [(type, frozenset())]
    while stack:
        current, bound = stack.pop()
        if isinstance(current, Sized):
            yield current, bound
        elif isinstance(current, TupleType):
            stack.extend((t, bound) for t in reversed(current.types.data))
        elif isinstance(current, FuncType) and into_functions:
            bound = bound | current.bound
            stack.extend((t, bound) for t in (current.output, *reversed(current.inputs.data)))


@lru_cache(maxsize=65536)
def free_variables(type: Attribute) -> tuple[str, ...]:
    """The symbolic variables a type names and does not bind itself, in order of appearance."""
    found: dict[str, None] = {}
    for leaf, bound in _leaves(type):
        for dim in leaf.shape or ():
            if dim is not None:
                found.update(dict.fromkeys(v for v in dim.free_variables if v not in bound))
    return tuple(found)


@lru_cache(maxsize=65536)
def bare_variables(type: Attribute) -> tuple[str, ...]:
    """The variables that stand alone as a size, in order of appearance: a value of this type defines
    them. A function value has no sizes to read, so the names in its type are not among them.
    """
    found: dict[str, None] = {}
    for leaf, _ in _leaves(type, into_functions=False):
        for dim in leaf.shape or ():
            if dim is not None and dim.name is not None:
                found[dim.name] = None
    return tuple(found)


def map_dims(type: Attribute, f: Callable[[Dim], Dim]) -> Attribute:
    """The type with `f` applied to every size outside of function types."""
    if isinstance(type, Sized):
        return map_sizes(type, f)
    if isinstance(type, TupleType):
        return tuple_type(map_dims(t, f) for t in type.types)
    return type


def substitute(type: Attribute, mapping: Mapping[str, Expr | None]) -> Attribute:
    """The type with free variables replaced; a variable mapped to None makes its dimension unknown."""
    if not mapping or not any(v in mapping for v in free_variables(type)):
        return type
    if isinstance(type, FuncType):
        inner = {k: v for k, v in mapping.items() if k not in type.bound}
        incoming = {n for v in inner.values() if v is not None for n in v.free_variables}
        if incoming & type.bound:
            taken = incoming.union(inner, free_variables(type))
            type = _rename_bound(type, _fresh_names(type, taken))
        return FuncType(
            [substitute(t, inner) for t in type.inputs],
            substitute(type.output, inner),
            (v.data for v in type.variables),
            pure=type.is_pure,
        )
    if isinstance(type, TupleType):
        return tuple_type(substitute(t, mapping) for t in type.types)
    known = {k: v for k, v in mapping.items() if v is not None}

    def replace(dim: Dim) -> Dim:
        if dim is None or any(v in mapping and mapping[v] is None for v in dim.free_variables):
            return None
        try:
            return dim.substitute(known)
        except symbolic.SymbolicOverflow:
            return None

    return map_dims(type, replace)


def _fresh_names(type: FuncType, taken: Iterable[str]) -> list[str]:
    """A name for every bound variable that is neither taken nor another one's."""
    used = {*taken, *type.bound}
    names: list[str] = []
    for variable in type.variables:
        number = 1
        while (name := f"{variable.data}_{number}") in used:
            number += 1
        used.add(name)
        names.append(name)
    return names


def _rename_bound(type: FuncType, names: Sequence[str]) -> FuncType:
    """The same function type under other names, free in none of its parts, for what it binds."""
    mapping = {v.data: symbolic.var(name) for v, name in zip(type.variables, names)}
    inputs = [substitute(t, mapping) for t in type.inputs]
    return FuncType(inputs, substitute(type.output, mapping), names, pure=type.is_pure)


# The lattice -----------------------------------------------------------------------------------


def _dims_within(narrow: Dims | None, wide: Dims | None) -> bool:
    if wide is None:
        return True
    return (
        narrow is not None
        and len(narrow) == len(wide)
        and all(w is None or n is w for n, w in zip(narrow, wide))
    )


def is_subtype(narrow: Attribute, wide: Attribute) -> bool:
    """Whether every value of type `narrow` is provably one of type `wide`."""
    if narrow == wide or wide == OBJECT:
        return True
    if isinstance(narrow, TensorType) and isinstance(wide, TensorType):
        return wide.dtype in (None, narrow.dtype) and _dims_within(narrow.shape, wide.shape)
    if isinstance(narrow, ShapeType) and isinstance(wide, ShapeType):
        return _dims_within(narrow.shape, wide.shape)
    if isinstance(narrow, PrimType):
        return wide == i64
    if isinstance(narrow, TupleType) and isinstance(wide, TupleType):
        return len(narrow.types) == len(wide.types) and all(
            is_subtype(n, w) for n, w in zip(narrow.types, wide.types)
        )
    if isinstance(narrow, FuncType) and isinstance(wide, FuncType):
        if len(narrow.variables) != len(wide.variables):
            return False
        if narrow.variables.data:
            taken = (*free_variables(narrow), *free_variables(wide), *wide.bound)
            names = _fresh_names(narrow, taken)
            narrow, wide = _rename_bound(narrow, names), _rename_bound(wide, names)
        return (
            (narrow.is_pure or not wide.is_pure)
            and len(narrow.inputs) == len(wide.inputs)
            and all(is_subtype(w, n) for n, w in zip(narrow.inputs, wide.inputs))
            and is_subtype(narrow.output, wide.output)
        )
    return False


def _join_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x is y else None for x, y in zip(a, b))


def join(a: Attribute, b: Attribute) -> Attribute:
    """The least type that holds the values of both: `[n, 4]` and `[n, 8]` join to `[n, ?]`."""
    if a == b:
        return a
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        dtype = a.dtype if a.dtype == b.dtype else None
        return TensorType.get(_join_dims(a.shape, b.shape), dtype)
    if isinstance(a, ShapeType) and isinstance(b, ShapeType):
        return ShapeType(_join_dims(a.shape, b.shape))
    if isinstance(a, PrimType) and isinstance(b, PrimType):
        return i64
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.types) == len(b.types):
        return tuple_type(join(x, y) for x, y in zip(a.types, b.types))
    if is_subtype(a, b):
        return b
    return a if is_subtype(b, a) else OBJECT


def _dims_contradict(a: Dims | None, b: Dims | None) -> bool:
    if a is None or b is None:
        return False
    return len(a) != len(b) or any(
        x is not None and y is not None and symbolic.provably_different(x, y) for x, y in zip(a, b)
    )


def contradict(a: Attribute, b: Attribute) -> bool:
    """Whether no value can be of both types."""
    if a == b or OBJECT in (a, b):
        return False
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        dtypes_differ = a.dtype is not None and b.dtype is not None and a.dtype != b.dtype
        return dtypes_differ or _dims_contradict(a.shape, b.shape)
    if (isinstance(a, ShapeType) and isinstance(b, ShapeType)) or (
        isinstance(a, PrimType) and isinstance(b, PrimType)
    ):
        return _dims_contradict(a.shape, b.shape)
    if isinstance(a, PrimType) or isinstance(b, PrimType):
        return i64 not in (a, b)
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        return len(a.types) != len(b.types) or any(
            contradict(x, y) for x, y in zip(a.types, b.types)
        )
    if isinstance(a, FuncType) and isinstance(b, FuncType):
        return len(a.inputs) != len(b.inputs)
    return True


def hides_effects(found: Attribute, declared: Attribute) -> bool:
    """Whether a function that may have effects would count as pure once a value is `declared`."""
    if isinstance(found, TupleType) and isinstance(declared, TupleType):
        return any(map(hides_effects, found.types, declared.types))
    if isinstance(found, FuncType) and isinstance(declared, FuncType):
        return (
            (declared.is_pure and not found.is_pure)
            or any(map(hides_effects, declared.inputs, found.inputs))
            or hides_effects(found.output, declared.output)
        )
    return False


# The boundary to builtin types -----------------------------------------------------------------


def builtin_sizes(dims: Dims) -> list[int]:
    """Dimensions as builtin shaped types have them: what is no constant is dynamic."""
    constants = (None if d is None else d.value for d in dims)
    return [DYNAMIC_INDEX if size is None else size for size in constants]


def tuple_type(fields: Iterable[Attribute]) -> TupleType:
    """The builtin tuple of some types."""
    return TupleType(ArrayAttr(fields))  # pyright: ignore[reportArgumentType]


def leaf_types(type: Attribute) -> list[Attribute]:
    """The types of the parts of a possibly nested tuple, in order."""
    found: list[Attribute] = []
    stack = [type]
    while stack:
        current = stack.pop()
        if isinstance(current, TupleType):
            stack.extend(reversed(current.types.data))
        else:
            found.append(current)
    return found


def to_builtin(type: TensorType) -> BuiltinTensorType:
    """The builtin tensor type that holds the same values; dimensions that are no constants are `?`."""
    if type.shape is None or type.dtype is None:
        raise VerifyException(
            f"{type} has no builtin tensor type: expected a known rank and element type; "
            "insert a relax.match_cast to a type that has both"
        )
    return BuiltinTensorType(type.dtype, builtin_sizes(type.shape))


def from_builtin(type: BuiltinTensorType) -> TensorType:
    """The Relax type of a builtin tensor; its dynamic dimensions are unknown."""
    return TensorType.get(
        tuple(None if s == DYNAMIC_INDEX else symbolic.const(s) for s in type.get_shape()),
        type.get_element_type(),
    )
