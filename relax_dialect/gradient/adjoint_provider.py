"""The interface to the module that differentiating a function requires."""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects import func
from xdsl.ir import Operation

from relax_dialect.gradient.of_functions.forms import ForwardBackward
from relax_dialect.ops.core import FuncOp


class Adjoints(Protocol):
    """A provider of the adjoints of functions, which are created on demand."""

    def fresh_size(self, name: str) -> str:
        """Return a symbolic variable used in no function, named by `name` and a number."""
        ...

    def of_function(self, name: str, wanted: tuple[int, ...]) -> str:
        """Return the function that computes the gradients of some parameters of another. It takes the
        parameters of that function, then a cotangent for each float tensor in the result."""
        ...

    def form(self, name: str, wanted: tuple[int, ...]) -> ForwardBackward | None:
        """Return the augmented forward function and its backward function, or None if the body is
        recomputed (checkpointing)."""
        ...

    def prepared(self, name: str) -> FuncOp:
        """Return a copy of a function in A-normal form."""
        ...

    def may_repeat(self, operation: Operation) -> bool:
        """Return whether an op may be computed more than once."""
        ...

    def silence(self, copy: Operation) -> None:
        """Remove the effects of a recomputed op, which occurred at its first computation."""
        ...

    def prim_func(self, name: str) -> func.FuncOp:
        """Return the prim func that a call names."""
        ...
