"""The tensor expressions for the values of a prim func while it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from relax_dialect.symbolic import Expr
from relax_dialect.te.assemble import Part, assemble
from relax_dialect.te.compute import compute
from relax_dialect.te.raising.scalars import RaisingError
from relax_dialect.te.scalar import ScalarConstant
from relax_dialect.te.tensor import Tensor

Shape: TypeAlias = tuple[Expr, ...]


@dataclass(frozen=True)
class Blank:
    """A tensor without contents, or as many parts of it as were inserted."""

    shape: Shape
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Filled:
    """A tensor of one number."""

    shape: Shape
    value: ScalarConstant


class Tensors:
    """The tensors for the values of a function."""

    def __init__(self, fail: Callable[[Operation], RaisingError]):
        self.fail = fail
        self._known: dict[SSAValue, Blank | Filled | Tensor] = {}

    def set(self, value: SSAValue, found: Blank | Filled | Tensor) -> None:
        self._known[value] = found

    def value(self, value: SSAValue) -> Blank | Filled | Tensor:
        return self._known[value]

    def shape(self, value: SSAValue) -> Shape:
        return self._known[value].shape

    def whole(self, value: SSAValue) -> Tensor:
        """Return a tensor with its contents."""
        found = self._known[value]
        name = value.name_hint or "t"
        match found:
            case Tensor():
                return found
            case Blank() if not found.parts:
                owner = value.owner
                assert isinstance(owner, Operation)
                raise self.fail(owner)
            case Blank():
                made = assemble(found.shape, found.parts, name)
            case Filled():
                made = compute(found.shape, lambda *_: found.value, name)
        self._known[value] = made
        return made
