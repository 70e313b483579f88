"""Values with Python's operators, and the expressions that these make.

xDSL's values cannot carry operators, so the builder hands out `Value`, a thin view of one. `x + 1` is an
`Expression`: an op that is not inserted yet. `BlockBuilder.emit` inserts it after its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import AnyFloat, IntegerType, TupleType, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from relax_dialect.builder.open_regions import BuildError
from relax_dialect.ir.spelling import as_dtype as element_type
from relax_dialect.ir.types import Dims, PrimType, ShapeType, TensorType
from relax_dialect.ops import binary, core, datatype, linear_algebra, unary
from relax_dialect.symbolic import Expr
from relax_dialect.te.scalar import Scalar
from relax_dialect.te.tensor import Tensor


class Operators:
    """Python's operators, each of which makes an expression; numbers become constants.

    Comparisons, `==` among them, are element by element: compare identity with `is`.
    """

    __slots__ = ()
    __array_ufunc__ = None  # numpy leaves `array + value` to us
    __hash__ = object.__hash__

    def __add__(self, other: object) -> Expression:
        return Expression(binary.AddOp, (self, other))

    def __radd__(self, other: object) -> Expression:
        return Expression(binary.AddOp, (other, self))

    def __sub__(self, other: object) -> Expression:
        return Expression(binary.SubtractOp, (self, other))

    def __rsub__(self, other: object) -> Expression:
        return Expression(binary.SubtractOp, (other, self))

    def __mul__(self, other: object) -> Expression:
        return Expression(binary.MultiplyOp, (self, other))

    def __rmul__(self, other: object) -> Expression:
        return Expression(binary.MultiplyOp, (other, self))

    def __truediv__(self, other: object) -> Expression:
        return Expression(binary.DivideOp, (self, other))

    def __rtruediv__(self, other: object) -> Expression:
        return Expression(binary.DivideOp, (other, self))

    def __floordiv__(self, other: object) -> Expression:
        return Expression(binary.FloorDivideOp, (self, other))

    def __rfloordiv__(self, other: object) -> Expression:
        return Expression(binary.FloorDivideOp, (other, self))

    def __mod__(self, other: object) -> Expression:
        return Expression(binary.FloorModOp, (self, other))

    def __rmod__(self, other: object) -> Expression:
        return Expression(binary.FloorModOp, (other, self))

    def __pow__(self, other: object) -> Expression:
        return Expression(binary.PowerOp, (self, other))

    def __rpow__(self, other: object) -> Expression:
        return Expression(binary.PowerOp, (other, self))

    def __matmul__(self, other: object) -> Expression:
        return Expression(linear_algebra.MatmulOp, (self, other))

    def __rmatmul__(self, other: object) -> Expression:
        return Expression(linear_algebra.MatmulOp, (other, self))

    def __neg__(self) -> Expression:
        return Expression(unary.NegativeOp, (self,))

    def __abs__(self) -> Expression:
        return Expression(unary.AbsOp, (self,))

    def __eq__(self, other: object) -> Expression:  # pyright: ignore
        return Expression(binary.EqualOp, (self, other))

    def __ne__(self, other: object) -> Expression:  # pyright: ignore
        return Expression(binary.NotEqualOp, (self, other))

    def __lt__(self, other: object) -> Expression:
        return Expression(binary.LessOp, (self, other))

    def __le__(self, other: object) -> Expression:
        return Expression(binary.LessEqualOp, (self, other))

    def __gt__(self, other: object) -> Expression:
        return Expression(binary.GreaterOp, (self, other))

    def __ge__(self, other: object) -> Expression:
        return Expression(binary.GreaterEqualOp, (self, other))

    def __getitem__(self, index: Any) -> Any:
        """A field of a tuple, or result `index` of an expression; an element in `te.compute`."""
        indices = index if isinstance(index, tuple) else (index,)
        if any(isinstance(each, Scalar) for each in indices):
            return _read(self)[index]
        return Expression(core.TupleGetItemOp, (self, index))

    def astype(self, dtype: object) -> Expression:
        """Return the elements converted to another type."""
        return Expression(datatype.AstypeOp, (self, element_type(dtype)))

    def __bool__(self) -> NoReturn:
        raise BuildError(
            "expected a truth value that Python knows, found a value that the program computes when "
            "it runs; use BlockBuilder.if_ to choose by it, and 'is' to compare identity"
        )

    def __iter__(self) -> Iterator[Any]:
        raise BuildError(
            "expected something to iterate over, found an expression that is not emitted; emit it, "
            "then unpack its tuple"
        )


class Expression(Operators):
    """An op not inserted yet: its constructor, and its arguments, which may be expressions themselves."""

    __slots__ = ("arguments", "attributes", "make")

    def __init__(
        self,
        make: Callable[..., Operation],
        arguments: Iterable[object],
        attributes: Mapping[str, object] | None = None,
    ):
        self.make = make
        self.arguments = tuple(arguments)
        self.attributes = dict(attributes or {})

    def children(self) -> list[Expression]:
        """Return the expressions among the arguments, and in lists of arguments."""
        found: list[Expression] = []
        for argument in self.arguments:
            fields = argument if isinstance(argument, list | tuple) else (argument,)
            found.extend(field for field in fields if isinstance(field, Expression))
        return found

    def create(self, arguments: Iterable[Any]) -> Operation:
        """Create the op from arguments whose operands are values."""
        return self.make(*arguments, **self.attributes)

    def __repr__(self) -> str:
        return f"Expression({getattr(self.make, 'name', self.make)})"


class Value(Operators):
    """A value of the program under construction, with Python's operators."""

    __slots__ = ("_value",)

    def __init__(self, value: SSAValue | Operation | Value):
        if isinstance(value, Value):
            value = value.value
        elif isinstance(value, Operation):
            value = SSAValue.get(value)
        elif not isinstance(value, OpResult | SSAValue):  # of most values the first is the class
            raise BuildError(f"Value: expected an xDSL value, found {value!r}")
        self._value: SSAValue | None = value

    @property
    def value(self) -> SSAValue:
        """The xDSL value, as constructors of ops take it."""
        assert self._value is not None
        return self._value

    @property
    def type(self) -> Attribute:
        return self.value.type

    @property
    def name(self) -> str | None:
        return self.value.name_hint

    @property
    def shape(self) -> Dims | None:
        """The sizes of a tensor or shape, none of a scalar; None if the rank is unknown."""
        if isinstance(self.type, AnyFloat | IntegerType | PrimType):
            return ()
        if not isinstance(self.type, TensorType | ShapeType):
            raise BuildError(f"{self!r}: expected a tensor or shape, found {self.type}")
        return self.type.shape

    @property
    def dtype(self) -> Attribute | None:
        """The element type of a tensor, the type of a scalar; None if it is unknown."""
        if isinstance(self.type, AnyFloat | IntegerType | PrimType):
            return i64 if isinstance(self.type, PrimType) else self.type
        if not isinstance(self.type, TensorType):
            raise BuildError(f"{self!r}: expected a tensor, found {self.type}")
        return self.type.dtype

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self.type, TupleType):
            raise BuildError(
                f"{self!r}: expected a tuple to unpack, found {self.type}; a tensor has no loop over "
                "its rows, and the class of an op takes the xDSL value, as in TanhOp(x.value)"
            )
        return iter([self[index] for index in range(len(self.type.types))])

    def __repr__(self) -> str:
        return f"%{self.name or '?'}: {self.type}"


class Var(Value):
    """A parameter declared before its function: a value once `BlockBuilder.function` has it."""

    __slots__ = ("_name", "_type")

    def __init__(self, name: str, type: Attribute):
        self._value = None
        self._name = name
        self._type = type

    @property
    def value(self) -> SSAValue:
        if self._value is None:
            raise BuildError(
                f"expected a value of the open function, found the variable '{self._name}', which is "
                "no function's parameter; list it in the params of BlockBuilder.function"
            )
        return self._value

    @property
    def is_free(self) -> bool:
        """Whether it is no function's parameter yet."""
        return self._value is None

    def bind(self, value: SSAValue) -> None:
        """Bind the variable to a value."""
        self._value = value

    def unbind(self) -> None:
        """Unbind the variable."""
        self._value = None

    @property
    def type(self) -> Attribute:
        return self._type

    @property
    def name(self) -> str:
        return self._name


def var(
    name: str,
    type: Attribute | None = None,
    *,
    shape: Iterable[Expr | int | str | None] | None = None,
    dtype: Attribute | str | None = "float32",
) -> Var:
    """Return a parameter for a function to come: `var("x", shape=[n, m])`, or any type."""
    if type is None:
        type = TensorType(shape, None if dtype is None else element_type(dtype))
    return Var(name, type)


def unwrap(value: object) -> object:
    """Return the xDSL value of a `Value`; anything else as it is."""
    return value.value if isinstance(value, Value) else value


@dataclass(frozen=True, eq=False)
class ValueTensor(Tensor):
    """A placeholder for a value of the program."""

    value: Value | None = None


def named(value: Value) -> str:
    return f"%{value.name}" if value.name else "a value without a name"


def te_tensor(value: Value | SSAValue, name: str | None = None) -> Tensor:
    """Return a value as a tensor of tensor expressions; its shape and element type must be known."""
    if isinstance(value, Expression):
        raise BuildError(
            "te_tensor: expected a value, found an expression that is not emitted; emit it first"
        )
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, Value | SSAValue):
        raise BuildError(
            f"te_tensor: expected a value of the program, found {value!r}; emit it first, a number or "
            "array as const(...), or make a te.placeholder of a shape"
        )
    value = value if isinstance(value, Value) else Value(value)
    type = value.type
    if not isinstance(type, TensorType):
        mend = "; pass the tensor itself"
        if isinstance(type, ShapeType):
            mend = "; use its sizes in te.compute, or emit op.shape_to_tensor of it first"
        raise BuildError(f"te_tensor: expected a tensor, found {named(value)} of type {type}{mend}")
    if type.shape is None or None in type.shape or type.dtype is None:
        raise BuildError(
            f"te_tensor: expected a tensor of known shape and element type, found {named(value)} of "
            f"type {type}; insert a match_shape that names its sizes, or a match_cast"
        )
    dims: Any = type.shape
    return ValueTensor(dims, type.dtype, name or value.name or "arg", value=value)


_READ: WeakKeyDictionary[SSAValue, Tensor] = WeakKeyDictionary()
"""The tensors of values that tensor expressions index: a value is one input, however often it is read."""


def _read(value: Operators) -> Tensor:
    """Return the tensor of a value that `te.compute` reads as `a[i, j]`."""
    tensor = te_tensor(value)  # pyright: ignore[reportArgumentType]
    assert isinstance(value, Value)
    known = _READ.get(value.value)
    if known is None or (known.shape, known.dtype) != (tensor.shape, tensor.dtype):
        known = _READ[value.value] = tensor
    return known
