"""Names: sizes become symbolic variables, values name hints."""

from __future__ import annotations

import re
from typing import Any

from relax_dialect import symbolic
from relax_dialect.symbolic import RESERVED_WORDS, Expr


def is_named(size: str) -> bool:
    """Returns whether a `dim_param` is a name; Paddle writes ? for every unknown size."""
    return re.search(r"\w", size) is not None


def in_ascii(text: str) -> str:
    """Escape a text for programs: xDSL reads back no strings with other characters than ASCII."""
    return text.encode("ascii", "backslashreplace").decode()


class SizeNames:
    """The symbolic variables of a model: those of its `dim_param`s, and fresh ones for other sizes.

    A name that is no identifier is changed to one; names that would coincide get a number, in the order of
    their occurrence, so the same model has the same names.
    """

    def __init__(self) -> None:
        self._of: dict[str, Expr] = {}
        self._taken: set[str] = set()

    def of(self, name: str) -> Expr:
        """Return the variable of a `dim_param`."""
        if name not in self._of:
            self._of[name] = self.fresh(name)
        return self._of[name]

    def define(self, name: str, size: Expr) -> None:
        """Use a size for a `dim_param` that is an expression."""
        self._of[name] = size

    def known(self, dim: Any) -> Expr | None:
        """Return the size of a declared dimension: a number, or the variable that its name has already."""
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
            return symbolic.const(dim.dim_value)
        return self._of.get(dim.dim_param)

    def fresh(self, wish: str) -> Expr:
        """Return a variable that is not taken, named as wished if possible."""
        base = re.sub(r"\W", "_", wish, flags=re.ASCII)[:40] or "n"
        if base[0].isdigit() or base in RESERVED_WORDS:
            base = f"n_{base}"
        name, number = base, 0
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return symbolic.var(name)

    def taken(self) -> frozenset[str]:
        """Return the names that are taken now."""
        return frozenset(self._taken)

    def give_back(self, taken: frozenset[str]) -> None:
        """Release the fresh names taken since then: the ops that used them are discarded."""
        self._taken = {*taken, *(str(size) for size in self._of.values())}
