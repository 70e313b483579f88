"""Scalar expressions: the bodies of `te.compute`.

A node is immutable and knows its element type. Python's operators build new nodes; a Python number
takes the type of the node it meets, everything else must agree in type or be cast.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import interval
from relax_dialect.symbolic.interval import EVERYTHING, SIZES, Interval, point
from relax_dialect.te.dtypes import I1, INDEX, DType, Number, as_dtype, bits, kind, limits, width
from relax_dialect.te.operations import ARITHMETIC, COMPARISONS, INTERVALS, SPECULATABLE

MAX_DEPTH = 200
"""The maximum nesting of an expression (choices count four times): the emitter recurses over it."""


def _infix(name: str) -> tuple[Callable[..., Scalar], Callable[..., Scalar]]:
    """Return the methods `a <op> b` and its reflection for an operation of the table."""
    return (lambda a, b: binary(name, a, b)), (lambda b, a: binary(name, a, b))


def _comparison(name: str) -> Callable[..., Scalar]:
    return lambda a, b: compare(name, a, b)


class Scalar:
    """A node of a scalar expression: operands, element type, and two facts the emitter needs."""

    __slots__ = ("depth", "dtype", "invariant", "operands")

    weight: ClassVar = 1
    """The nesting that a node adds to its operands: the depth of the emitter's recursion for it."""

    operands: tuple[Scalar, ...]
    dtype: DType
    depth: int
    invariant: bool
    """The same for all elements, and safe to compute even if there are no elements."""

    def __init__(self, dtype: DType, operands: tuple[Scalar, ...] = (), invariant: bool = False):
        self.dtype = dtype
        self.operands = operands
        self.depth = self.weight + max((operand.depth for operand in operands), default=0)
        self.invariant = invariant
        if self.depth > MAX_DEPTH:
            raise RelaxError(
                f"te: an expression nests more than {MAX_DEPTH} levels deep; "
                "split it over several te.compute stages, or use te.reduce_axis for a long sum"
            )

    __add__, __radd__ = _infix("add")
    __sub__, __rsub__ = _infix("sub")
    __mul__, __rmul__ = _infix("mul")
    __truediv__, __rtruediv__ = _infix("div")
    __floordiv__, __rfloordiv__ = _infix("floordiv")
    __mod__, __rmod__ = _infix("rem")
    __and__, __rand__ = _infix("and")
    __or__, __ror__ = _infix("or")
    __xor__, __rxor__ = _infix("xor")
    __lshift__, __rlshift__ = _infix("shl")
    __rshift__, __rrshift__ = _infix("shr")
    __lt__, __le__ = _comparison("lt"), _comparison("le")
    __gt__, __ge__ = _comparison("gt"), _comparison("ge")
    __eq__, __ne__ = _comparison("eq"), _comparison("ne")  # pyright: ignore
    __hash__ = object.__hash__

    def __neg__(self) -> Scalar:
        whole = kind(self.dtype) in ("integer", "unsigned")
        return binary("sub", 0, self) if whole else unary("neg", self)

    def __invert__(self) -> Scalar:
        ones = {"bool": True, "unsigned": limits(self.dtype)[1]}.get(kind(self.dtype), -1)
        return binary("xor", self, ones)

    def __bool__(self) -> bool:
        raise RelaxError(
            "te: a scalar expression has no truth value while the program is being built; "
            "use te.if_then_else or te.select, and & | ~ in place of and, or, not"
        )

    def astype(self, dtype: DType | str) -> Scalar:
        """Return the value converted to another element type, as numpy does it."""
        dtype = as_dtype(dtype)
        return self if dtype == self.dtype else Cast(dtype, (self,), self.invariant)


class ScalarConstant(Scalar):
    """A number of a certain element type."""

    __slots__ = ("value",)

    def __init__(self, value: Number, dtype: DType):
        super().__init__(dtype, invariant=True)
        self.value = value


class Size(Scalar):
    """A symbolic expression as a value of type `index`."""

    __slots__ = ("expr",)

    def __init__(self, expr: symbolic.Expr):
        super().__init__(INDEX, invariant=True)
        self.expr = expr


class IterVar(Scalar):
    """An index variable: runs over an axis of a compute, or over a `te.reduce_axis`."""

    __slots__ = ("extent", "name", "reduction")

    def __init__(self, name: str, extent: symbolic.Expr, reduction: bool = False):
        super().__init__(INDEX)
        self.name = name
        self.extent = extent
        self.reduction = reduction


class Apply(Scalar):
    """An operation of the tables `ARITHMETIC` or `COMPARISONS`."""

    __slots__ = ("name",)

    def __init__(self, name: str, dtype: DType, operands: tuple[Scalar, ...]):
        speculatable = name in SPECULATABLE or name in COMPARISONS
        super().__init__(dtype, operands, speculatable and all(o.invariant for o in operands))
        self.name = name


class Cast(Scalar):
    """A conversion to another element type."""

    __slots__ = ()


class Reinterpret(Scalar):
    """The bits of a value as another element type of the same width."""

    __slots__ = ()


class Choice(Scalar):
    """One of two values; a lazy choice computes only the one it takes."""

    __slots__ = ("lazy",)

    weight: ClassVar = 4

    def __init__(self, operands: tuple[Scalar, Scalar, Scalar], lazy: bool):
        super().__init__(operands[1].dtype, operands)
        self.lazy = lazy


class Element(Scalar):
    """A value known only at run time: an accumulator, a variable, an element read before."""

    __slots__ = ("name",)

    def __init__(self, dtype: DType, name: str = "value"):
        super().__init__(dtype)
        self.name = name


class Reduce(Scalar):
    """One value of a reduction over axes; only allowed as a whole value of a compute."""

    __slots__ = ("index", "reduction")

    def __init__(self, reduction: Any, index: int):
        super().__init__(reduction.sources[index].dtype, reduction.sources)
        self.reduction = reduction
        self.index = index


def as_scalar(value: object, dtype: DType | None = None) -> Scalar:
    """Return a value of an expression as a node; a number or symbolic expression takes type `dtype`."""
    if isinstance(value, Reduce):
        raise RelaxError(
            f"te: te.{value.reduction.name} inside of an expression: a reduction must be the whole "
            "body of a te.compute; compute it in a stage of its own and read that tensor here"
        )
    if isinstance(value, Scalar):
        return value
    if isinstance(value, symbolic.Expr) and value.is_constant:
        value = value.value
    if isinstance(value, symbolic.Expr):
        size = Size(value)
        return size if dtype is None else size.astype(dtype)
    if isinstance(value, Real):
        if dtype is None:
            raise RelaxError(
                f"te: the number {value} is in a context without another element type; "
                f'write te.const({value}, "float32") or another type'
            )
        return const(value, dtype)
    raise RelaxError(
        f"te: expected a scalar (an element A[i, j], a number, an index or a symbolic size), "
        f"found {_describe(value)}"
    )


def _describe(value: object) -> str:
    name = getattr(value, "name", None)
    if hasattr(value, "ndim") and isinstance(name, str):
        return f"the whole tensor '{name}'; index it, as in {name}[i]"
    return f"{value!r} of type {type(value).__name__}"


def const(value: Any, dtype: DType | str) -> ScalarConstant:
    """Return a number of an element type; it must be representable there."""
    dtype = as_dtype(dtype)
    if kind(dtype) == "float":
        return ScalarConstant(float(value), dtype)
    low, high = (0, 1) if dtype == I1 else limits(dtype)
    if value != value or not low <= value <= high or value != int(value):
        raise RelaxError(
            f"te: the number {value} is not a value of type {dtype}; "
            "cast the other operand with .astype(...) or change the number"
        )
    return ScalarConstant(int(value), dtype)


def same_type(what: str, *values: object) -> tuple[Scalar, ...]:
    """Return the values as nodes of one element type: that of the values which have a type."""
    nodes = [value for value in values if isinstance(value, Scalar)]
    if not nodes and any(isinstance(value, symbolic.Expr) for value in values):
        dtype = INDEX
    else:
        dtype = nodes[0].dtype if nodes else None
    scalars = tuple(as_scalar(value, dtype) for value in values)
    for scalar in scalars:
        if scalar.dtype != dtype:
            found = ", ".join(str(s.dtype) for s in scalars)
            raise RelaxError(
                f"te: '{what}' of mixed element types: expected equal ones, found {found}; "
                "convert one operand with .astype(...)"
            )
    return scalars


def _check_defined(table: Any, name: str, dtype: DType) -> None:
    entry = table[name]
    if entry.on(kind(dtype)) is None:
        kinds = [k for k in ("float", "integer", "bool") if entry.on(k)]
        raise RelaxError(
            f"te: '{entry.spelling}' is defined on {' and '.join(kinds)} types, found {dtype}; "
            "cast with .astype(...)" + (", or use // on integers" if name == "div" else "")
        )


def span(scalar: Scalar, depth: int = 10) -> Interval:
    """Return an interval that contains an index, as far as a few nodes imply."""
    match scalar:
        case IterVar():
            return SIZES
        case ScalarConstant():
            return point(int(scalar.value))
        case Size():
            return interval.interval(*scalar.expr.bounds())
        case Apply() if scalar.dtype == INDEX and scalar.name in INTERVALS and depth:
            x, y = (span(operand, depth - 1) for operand in scalar.operands)
            return interval.OPERATIONS[INTERVALS[scalar.name]](x, y)
        case _:
            return EVERYTHING


def _floor_division(name: str, a: Scalar, b: Scalar) -> Scalar:
    """Return `//` or `%` of integers rounding down: by the cheap truncating operations if no operand is
    negative."""
    unsigned = kind(a.dtype) == "unsigned"
    if unsigned or (a.dtype == INDEX and min(span(a).low, span(b).low) >= 0):
        return Apply("truncdiv" if name == "floordiv" else "rem", a.dtype, (a, b))
    if name == "floordiv":
        return Apply("floordiv", a.dtype, (a, b))
    if a.dtype == INDEX:
        return a - Apply("floordiv", a.dtype, (a, b)) * b
    return _with_sign_of(b, Apply("rem", a.dtype, (a, b)))


def _against(b: Scalar, rest: Scalar) -> Scalar:
    """Return whether a remainder rounded towards zero has not the sign of the divisor: it is one too
    high."""
    zero = const(0, b.dtype)
    return compare("ne", rest, zero) & compare("ne", rest < zero, b < zero)


def _with_sign_of(b: Scalar, rest: Scalar) -> Scalar:
    """Return a remainder rounded down from one rounded towards zero."""
    return choice("select", _against(b, rest), rest + b, rest, lazy=False)


def _floor_division_of_floats(name: str, a: Scalar, b: Scalar) -> Scalar:
    """`//` and `%` of floats as Python and numpy have them: the remainder is exact, has the sign of
    the divisor, and the quotient belongs to it. Narrow types are rounded once, at the end."""
    if str(a.dtype) in ("f16", "bf16"):
        wide = _floor_division_of_floats(name, a.astype("f32"), b.astype("f32"))
        return wide.astype(a.dtype)
    rest = Apply("rem", a.dtype, (a, b))
    if name == "rem":
        signed_zero = binary("copysign", 0, b)
        return choice("select", rest == 0, signed_zero, _with_sign_of(b, rest), lazy=False)
    near = (a - rest) / b
    near = choice("select", _against(b, rest), near - 1, near, lazy=False)
    down = unary("floor", near)
    whole = choice("select", near - down > 0.5, down + 1, down, lazy=False)
    signed_zero = binary("copysign", 0, a / b)
    quotient = choice("select", near == 0, signed_zero, whole, lazy=False)
    return choice("select", b == 0, a / b, quotient, lazy=False)


def _unsigned_power(a: Scalar, b: Scalar) -> Scalar:
    """Return `a ** b` as signed numbers wide enough for both; the low bits are the same.

    An exponent of 64 bits is too wide: the power is `(a * a) ** (b / 2)`, times a if b is odd.
    """
    wide, odd = "i64", None
    if width(b.dtype) == 64:
        odd = choice("select", binary("and", b, 1) == 1, a, 1, lazy=False)
        a, b = binary("mul", a, a), binary("shr", b, 1)
    result = Apply("power", as_dtype(wide), (a.astype(wide), b.astype(wide))).astype(a.dtype)
    return result if odd is None else binary("mul", result, odd)


def binary(name: str, a: object, b: object) -> Scalar:
    """Return an operation of two operands of one element type."""
    x, y = same_type(ARITHMETIC[name].spelling, a, b)
    floats = kind(x.dtype) == "float"
    if name in ("floordiv", "rem") and floats:
        return _floor_division_of_floats(name, x, y)
    _check_defined(ARITHMETIC, name, x.dtype)
    if name in ("floordiv", "rem"):
        return _floor_division(name, x, y)
    if name == "power" and kind(x.dtype) == "unsigned":
        return _unsigned_power(x, y)
    return Apply(name, x.dtype, (x, y))


def truncated(name: str, a: object, b: object) -> Scalar:
    """`truncdiv` or `rem`, rounding towards zero as C does."""
    x, y = same_type(ARITHMETIC[name].spelling, a, b)
    if name == "truncdiv" and kind(x.dtype) == "float":
        return unary("trunc", x / y)
    _check_defined(ARITHMETIC, name, x.dtype)
    return Apply(name, x.dtype, (x, y))


def reinterpret(a: object, dtype: DType | str) -> Scalar:
    """Return the bits of a value as another element type of the same width."""
    value, target = as_scalar(a), as_dtype(dtype)
    if value.dtype == target:
        return value
    widths = [bits(t) for t in (value.dtype, target)]
    if widths[0] != widths[1] or INDEX in (value.dtype, target):
        raise RelaxError(
            "te: 'reinterpret' is defined between element types of one width, found "
            f"{value.dtype} and {target}; cast with .astype(...)"
        )
    return Reinterpret(target, (value,), value.invariant)


def compare(name: str, a: object, b: object) -> Scalar:
    """Return a comparison of two operands of one element type."""
    x, y = same_type(COMPARISONS[name].spelling, a, b)
    _check_defined(COMPARISONS, name, x.dtype)
    return Apply(name, I1, (x, y))


def unary(name: str, a: object) -> Scalar:
    """Return an operation of one operand."""
    x = as_scalar(a)
    _check_defined(ARITHMETIC, name, x.dtype)
    if name == "abs" and kind(x.dtype) == "unsigned":
        return x
    return Apply(name, x.dtype, (x,))


def choice(what: str, condition: object, a: object, b: object, lazy: bool) -> Scalar:
    """Return `a` if the condition holds, else `b`."""
    c = as_scalar(condition, I1)
    if c.dtype != I1:
        raise RelaxError(
            f"te: the condition of te.{what} is of type {c.dtype}, expected i1; "
            "compare it, as in A[i] != 0"
        )
    x, y = same_type(f"te.{what}", a, b)
    return Choice((c, x, y), lazy)
