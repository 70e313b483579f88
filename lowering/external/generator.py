"""The interface of a code generator: it chooses operators for a kernel, and writes the C of the kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

from lowering.support.external_library import ExternalLibrary
from relax_dialect.errors import RelaxError
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import FuncOp

Options: TypeAlias = Mapping[str, str | int | bool]
"""The notes of a generator about a kernel that it has chosen, from which it writes the C."""


class UnsupportedError(RelaxError):
    """A function that a generator does not take; the message is the reason."""


@dataclass(frozen=True)
class Offload:
    """Operators that one kernel computes: the result of the last one is the kernel's result."""

    ops: Sequence[OperatorOp]
    """In the order in which they are computed."""
    inputs: Sequence[SSAValue]
    """The tensors that the kernel gets, in the order in which the C wants them."""
    options: Options = field(default_factory=dict)


@dataclass(frozen=True)
class CTensor:
    """A tensor in C: a pointer to its first element in row-major order without gaps, and its sizes."""

    name: str
    sizes: tuple[str, ...]
    """C expressions of type int64_t, each a name, a number or in parentheses."""
    element: str
    """The C type of an element: `float`, `double`, `int32_t`, ..."""

    @property
    def count(self) -> str:
        """The number of elements, as a C expression."""
        return product(self.sizes)


@dataclass(frozen=True)
class CKernel:
    """A kernel whose C is to be written."""

    inputs: tuple[CTensor, ...]
    """They are only read."""
    output: CTensor
    """It holds nothing yet, and shares no memory with the inputs."""
    options: Options
    fresh: Callable[[str], str]
    """Returns an unused variable name derived from the requested one."""


class CodeGenerator(ABC):
    """A code generator for functions marked `Codegen = "name"`."""

    library: ExternalLibrary
    """The library whose headers the emitted C includes, and which it is linked with."""

    @abstractmethod
    def offloads(self, function: FuncOp) -> Sequence[Offload]:
        """Return the kernels in a function; the remaining ops are compiled as usual.

        Raises `UnsupportedError`, with the reason, if there is none.
        """

    @abstractmethod
    def c_body(self, kernel: CKernel) -> Iterator[str]:
        """Return the lines of the C function that computes a kernel, indented by 4 spaces in blocks.

        It returns 0; after `set_error("...", ...)`, whose arguments are those of printf, it may
        return -1, which fails the call of the model with that message.
        """

    def supports(self, function: FuncOp) -> str | None:
        """None if a function is taken, else the reason why it is not."""
        try:
            self.offloads(function)
        except UnsupportedError as error:
            return str(error)
        return None


def product(sizes: Iterable[str]) -> str:
    """Return the C expression for the product of sizes."""
    return " * ".join(size for size in sizes if size != "1") or "1"


def operators(function: FuncOp) -> Iterator[OperatorOp]:
    """Return the operators of a function, in textual order."""
    return (op for op in walk_ops(function) if isinstance(op, OperatorOp))
