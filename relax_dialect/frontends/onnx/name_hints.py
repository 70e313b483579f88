"""Names: sizes become symbolic variables, values name hints."""

from __future__ import annotations

import re
from typing import Any

from relax_dialect import symbolic
from relax_dialect.frontends.variable_names import VariableNames
from relax_dialect.symbolic import Expr


def is_named(size: str) -> bool:
    """Returns whether a `dim_param` is a name; Paddle writes ? for every unknown size."""
    return re.search(r"\w", size) is not None


class SizeNames(VariableNames):
    """The symbolic variables of a model: those of its `dim_param`s, and fresh ones for other sizes."""

    def __init__(self) -> None:
        super().__init__()
        self._of: dict[str, Expr] = {}

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

    def give_back(self, taken: frozenset[str]) -> None:
        """Release the fresh names taken since then: the ops that used them are discarded."""
        self._taken = {*taken, *(str(size) for size in self._of.values())}
