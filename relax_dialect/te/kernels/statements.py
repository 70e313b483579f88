"""The statements that a kernel of `te.extern` consists of."""

from __future__ import annotations

from dataclasses import dataclass, field

from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType
from relax_dialect.te.scalar import Element, IterVar, Scalar
from relax_dialect.te.tensor import Tensor


@dataclass(eq=False)
class VariableDecl:
    """A scalar that changes."""

    dtype: DType
    name: str


@dataclass(eq=False)
class BufferDecl:
    """A tensor that the kernel writes."""

    shape: tuple[Expr, ...]
    dtype: DType
    name: str


@dataclass
class Get:
    """`element = variable`"""

    element: Element
    variable: VariableDecl


@dataclass
class Set:
    """`variable = value`; the first one of a variable declares it."""

    variable: VariableDecl
    value: Scalar


@dataclass
class Read:
    """`element = buffer[indices]`"""

    element: Element
    buffer: BufferDecl
    indices: tuple[Scalar, ...]


@dataclass
class Store:
    """`buffer[indices] = value`"""

    buffer: BufferDecl
    indices: tuple[Scalar, ...]
    value: Scalar


@dataclass
class Fill:
    """Every element of a buffer is one value."""

    buffer: BufferDecl
    value: Scalar


@dataclass
class Copy:
    """A buffer takes the elements of a tensor."""

    buffer: BufferDecl
    source: Tensor


@dataclass
class CheckStatement:
    """The kernel ends with a message unless a condition holds."""

    condition: Scalar
    message: str
    shows: bool = False


@dataclass
class For:
    """A loop with a counter."""

    counter: IterVar | Element
    bounds: tuple[Scalar, Scalar, Scalar]
    body: StatementList


@dataclass
class While:
    """A loop that runs as long as a condition holds, which `before` computes."""

    before: StatementList
    condition: Scalar
    body: StatementList


@dataclass
class IfStatement:
    """Two ways to go on."""

    condition: Scalar
    then: StatementList
    otherwise: StatementList


Statement = Get | Set | Read | Store | Fill | Copy | CheckStatement | For | While | IfStatement


@dataclass(eq=False)
class StatementList:
    """Statements in order, and the outer tensors and variables that they change."""

    statements: list[Statement] = field(default_factory=list)
    writes: dict[BufferDecl | VariableDecl, None] = field(default_factory=dict)
