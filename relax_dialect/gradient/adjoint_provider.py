"""What the way through a function asks of the module around it."""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects import func
from xdsl.ir import Operation

from relax_dialect.gradient.of_functions.forms import Form
from relax_dialect.ops.core import FuncOp


class Adjoints(Protocol):
    """Where the adjoints of functions are found, or asked for."""

    def fresh_size(self, name: str) -> str:
        """A symbolic variable that stands in no function, called like a name and a number."""
        ...

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """The function that gives the gradients of some parameters of another. Its parameters are those of
        the other one, then a cotangent for each tensor of floats in the result."""
        ...

    def form(self, name: str, wanted: tuple[int, ...]) -> Form | None:
        """A function as one that gives what the way back needs, too, and one that goes back with that; None
        where what is inside is computed anew."""
        ...

    def prepared(self, name: str) -> FuncOp:
        """A copy of a function in A-normal form."""
        ...

    def may_repeat(self, operation: Operation) -> bool:
        """Whether an op may be computed more than once."""
        ...

    def silence(self, copy: Operation) -> None:
        """Take out of an op what took effect when it was computed first."""
        ...

    def prim_func(self, name: str) -> func.FuncOp:
        """The prim func that a call names."""
        ...
