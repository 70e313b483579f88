"""The names of a model's symbolic variables."""

from __future__ import annotations

import re

from relax_dialect import symbolic
from relax_dialect.symbolic import RESERVED_WORDS, Expr


class VariableNames:
    """Fresh symbolic variables.

    A name that is no identifier is changed to one; names that would coincide get a number, in the order of
    their occurrence, so the same model has the same names.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

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
