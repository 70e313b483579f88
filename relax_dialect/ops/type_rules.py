"""Rules of operators for the types of their operands: `x: Operand = tensor(FLOAT, Rank(2, "C3"))`.

A rule names its numbered constraint, by default C1, and holds for unknown types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness, i64
from xdsl.ir import Attribute, SSAValue

from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.types import Dims, PrimType, ShapeType, TensorType


def tensor_type(value: SSAValue) -> TensorType:
    """Return the type of an operand that is declared to be a tensor; a scalar is one of rank 0."""
    if isinstance(value.type, TensorType):
        return value.type
    type = i64 if isinstance(value.type, PrimType) else value.type
    assert isinstance(type, AnyFloat | IntegerType)
    return TensorType.get((), type)


def sizes_of(shape: SSAValue) -> Dims | None:
    """Return the sizes of an operand that is declared to be a shape, as far as they are known."""
    assert isinstance(shape.type, ShapeType)
    return shape.type.shape


def is_float(dtype: Attribute) -> bool:
    """Return whether an element type is a floating-point type to compute with."""
    return isinstance(dtype, AnyFloat) and not is_storage(dtype)


def is_integer(dtype: Attribute) -> bool:
    """Return whether an element type is an integer or boolean type to compute with."""
    return isinstance(dtype, IntegerType) and not is_storage(dtype)


def is_bool(dtype: Attribute) -> bool:
    return isinstance(dtype, IntegerType) and dtype.width.data == 1


def is_unsigned(dtype: Attribute | None) -> bool:
    """Return whether an element type is an unsigned integer type."""
    return isinstance(dtype, IntegerType) and dtype.signedness.data is Signedness.UNSIGNED


class TypeRule(Protocol):
    """A demand on the type of an operand."""

    def check(self, op: Any, name: str, type: TensorType) -> None:
        """Refuse an operand of another type."""


@dataclass(frozen=True)
class Elements:
    """A demand on the element type."""

    holds: Callable[[Attribute], bool]
    expected: str
    mend: str = "convert with relax.astype first"
    constraint: str = "C1"

    def by(self, constraint: str) -> Self:
        """Return the same as another constraint."""
        return replace(self, constraint=constraint)

    def check(self, op: Any, name: str, type: TensorType) -> None:
        if type.dtype is not None and not self.holds(type.dtype):
            of = f" of '{name}'" if len(op.operands) > 1 and op.ELEMENTS is not self else ""
            op.fail(f"{self.expected}{of} ({self.constraint})", str(type.dtype), self.mend)


FLOAT = Elements(is_float, "a floating-point element type")
NUMBER = Elements(lambda dtype: not is_bool(dtype), "a numeric element type")
INTEGER = Elements(
    lambda dtype: is_integer(dtype) and not is_bool(dtype), "an integer element type"
)
BITS = Elements(is_integer, "an integer or boolean element type")
BOOLEAN = Elements(
    is_bool,
    "a boolean element type",
    "compare with 0 by relax.not_equal, or convert with relax.astype, first",
)


@dataclass(frozen=True)
class Rank:
    """A demand on the rank: one of two, or the only one."""

    rank: int
    constraint: str
    mend: str = "reshape it"
    other: int | None = None

    def check(self, op: Any, name: str, type: TensorType) -> None:
        if type.rank not in (None, self.rank, self.other):
            ranks = f"{self.rank}" if self.other is None else f"{self.rank} or {self.other}"
            expected = f"'{name}' of rank {ranks} ({self.constraint})"
            op.fail(expected, f"rank {type.rank}", self.mend)


@dataclass(frozen=True)
class LeastRank:
    """A demand on the rank: so much at least."""

    rank: int
    constraint: str

    def check(self, op: Any, name: str, type: TensorType) -> None:
        if type.rank is not None and type.rank < self.rank:
            op.fail(
                f"a tensor of rank {self.rank} or more ({self.constraint})",
                f"one of rank {type.rank}",
                "add dimensions with relax.expand_dims or relax.reshape",
            )
