"""What a kernel of `te.extern` consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relax_dialect.te.scalar import Element, IterVar, Scalar
from relax_dialect.te.tensor import Tensor

if TYPE_CHECKING:
    from relax_dialect.te.kernel import Buffer, Variable


@dataclass
class Get:
    """`element = variable`"""

    element: Element
    variable: Variable


@dataclass
class Set:
    """`variable = value`; the first one of a variable declares it."""

    variable: Variable
    value: Scalar


@dataclass
class Read:
    """`element = buffer[indices]`"""

    element: Element
    buffer: Buffer
    indices: tuple[Scalar, ...]


@dataclass
class Store:
    """`buffer[indices] = value`"""

    buffer: Buffer
    indices: tuple[Scalar, ...]
    value: Scalar


@dataclass
class Fill:
    """Every element of a buffer is one value."""

    buffer: Buffer
    value: Scalar


@dataclass
class Copy:
    """A buffer takes the elements of a tensor."""

    buffer: Buffer
    source: Tensor


@dataclass
class Check:
    """The kernel ends with a message unless a condition holds."""

    condition: Scalar
    message: str
    shows: bool = False


@dataclass
class For:
    """A loop with a counter."""

    counter: IterVar | Element
    bounds: tuple[Scalar, Scalar, Scalar]
    body: Body


@dataclass
class While:
    """A loop that runs as long as a condition holds, which `before` computes."""

    before: Body
    condition: Scalar
    body: Body


@dataclass
class If:
    """Two ways to go on."""

    condition: Scalar
    then: Body
    otherwise: Body


Statement = Get | Set | Read | Store | Fill | Copy | Check | For | While | If


@dataclass(eq=False)
class Body:
    """Statements in order, and what they change of that which is known outside of them."""

    statements: list[Statement] = field(default_factory=list)
    writes: dict[Buffer | Variable, None] = field(default_factory=dict)
