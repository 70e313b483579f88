"""The forms of external functions, as their calls define them; without IR, so that compiled code loads
fast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lowering.support.mpi import MPI_PREFIX

TENSOR, SHAPE, SCALAR, OBJECT = "tensor", "shape", "scalar", "object"


@dataclass(frozen=True)
class LiteralArgument:
    """A literal argument of a call: `string` is its text, `dtype` numpy's name of an element type, `device`
    DLPack's numbers for one, `1:0`."""

    kind: str
    value: str


@dataclass(frozen=True)
class FunctionKind:
    """A function value: its parameter and result kinds, and numpy's names for the element types of all
    parts."""

    args: tuple[Kinds, ...]
    gives: Kinds
    dtypes: tuple[str, ...]


Kinds: TypeAlias = "str | LiteralArgument | FunctionKind | tuple[Kinds, ...]"
"""The kind of an argument or result: one of the four, a literal, a function, or a tuple of such."""


def flat(kinds: Iterable[Kinds]) -> Iterator[str | LiteralArgument | FunctionKind]:
    """Flatten the parts of some arguments, tuples field by field."""
    for kind in kinds:
        if isinstance(kind, tuple):
            yield from flat(kind)
        else:
            yield kind


@dataclass(frozen=True)
class PackedForm:
    """An external function as some calls use it: its name, arguments and results."""

    name: str
    args: tuple[Kinds, ...]
    gives: Kinds | None = None
    """The kind of the result; None if it is unused."""
    dps: int = 0
    """The number of tensors, passed last, that the function writes its results to."""
    inplace: tuple[int, ...] = ()
    """For each result the number of the argument, counted flat, that it is written over; -1 for none."""
    format: str | None = None
    calls: FunctionKind | None = None
    """A call of the function value that is the first argument."""
    makes: str | None = None
    """A function value is made of the function with this symbol."""

    level: str = ""
    """`set`: the first argument is the recursion level at which nested calls begin. `get`: the result is
    that level."""
    place: str = ""
    """The name in errors of the call, or of the function value that is made and, on lines of their own, its
    parameters."""
    checks: str = ""
    """The only argument is to be a function value: of any kind (`any`), or without effects (`pure`)."""
    impure: bool = False
    """The function value that is made may have effects."""

    @property
    def fails(self) -> bool:
        """Whether a call may fail: all but a print."""
        return not self.is_print and self.level != "get"

    @property
    def is_print(self) -> bool:
        return self.format is not None and self.name == "relax.print"

    @property
    def is_outside(self) -> bool:
        """Whether the function is external, so that the target needs its registration."""
        is_mpi = self.name.startswith(MPI_PREFIX)
        own = is_mpi or self.format is not None or self.level == "get" or self.checks != ""
        return not own and self.calls is None and self.makes is None

    @property
    def before(self) -> int:
        """The number of operands before the arguments."""
        return (self.level == "set") + (self.calls is not None)

    def written(self, count: int) -> list[int]:
        """Return the indices, among `count` tensors and other operands, that a call writes to."""
        places = []
        given = iter(range(self.before, count))
        for kind in flat(self.args):
            places.append(-1 if isinstance(kind, LiteralArgument) else next(given))
        return [*(places[i] for i in self.inplace if i >= 0), *given]
