"""The values of a script's expressions while it is read, besides values of the program and sizes.

Python's own numbers, texts, tuples and None denote themselves, a `symbolic.Expr` a size, an
`Attribute` for an element type or a type.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute

from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Expression, Value
from relax_dialect.symbolic import Expr, maximum

PART = "_part"
"""The infix in the names of results that the script has not named, between the tuple's and the index."""


@dataclass(frozen=True)
class ScriptScalar:
    """A number with its element type: `T.float32(0.5)`."""

    value: bool | int | float
    dtype: Attribute

    @property
    def attribute(self) -> Attribute:
        """As the attribute of an op."""
        if isinstance(self.dtype, IntegerType):
            return IntegerAttr(int(self.value), self.dtype)
        try:
            return FloatAttr(float(self.value), self.dtype)  # pyright: ignore
        except OverflowError:  # an infinity, as in a constant
            return FloatAttr(math.inf if self.value > 0 else -math.inf, self.dtype)  # pyright: ignore


@dataclass(frozen=True)
class Shape:
    """The sizes of `R.shape([n, 4])`, each an expression or an int."""

    sizes: Sequence[Any]


@dataclass(frozen=True)
class Several:
    """A tuple whose parts are separate values: the results of an op that has several."""

    parts: Sequence[Value]


@dataclass(frozen=True)
class Global:
    """A function of the module by its name; a recursive local function has the captured values as trailing
    arguments."""

    name: str
    captured: Sequence[Any] = ()


@dataclass(frozen=True)
class Extern:
    """A function from outside: `R.ExternFunc("f")`."""

    name: str
    type: Attribute | None = None


@dataclass(frozen=True)
class SizeComparison:
    """A comparison of sizes, `n % 16 == 0`: the operator's word in the dialect, and both sides."""

    word: str
    left: Expr
    right: Expr

    def expression(self) -> Expression:
        """Return the comparison as an element of type `i1`: the difference, made of its parts above and
        below 0 as sizes are not negative, is compared with 0."""
        difference = self.left - self.right
        parts = op.shape_to_tensor(op.shape([maximum(difference, 0), maximum(-difference, 0)]))
        signed = op.sum(op.multiply(parts, const(np.array([1, -1]))))
        return getattr(op, self.word)(signed, const(0, "int64"))


@dataclass
class NamedMemory:
    """Memory that a script allocates by a name; after a call writes it, `held` is its value."""

    name: str
    type: Attribute | None = None
    held: Value | None = None


class Lost:
    """A value that could not be read, reported at its definition."""


LOST = Lost()
MODULE = object()
"""The module itself: `cls = Module`."""
