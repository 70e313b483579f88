"""What calls of a function from outside tell of it; knows no IR, so that compiled code loads fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

TENSOR, SHAPE, SCALAR = "tensor", "shape", "scalar"

Kinds: TypeAlias = "str | tuple[Kinds, ...]"
"""What an argument is: one of the three, or a tuple of arguments."""


@dataclass(frozen=True)
class PackedForm:
    """A function from outside as some calls use it: its name, and what goes in and out."""

    name: str
    args: tuple[Kinds, ...]
    gives: str | None = None
    """What the result is, None if nobody looks at it."""
    dps: bool = False
    format: str | None = None

    @property
    def fails(self) -> bool:
        """Whether a call may fail: all but a print."""
        return not self.is_print

    @property
    def is_print(self) -> bool:
        return self.format is not None and self.name == "relax.print"
