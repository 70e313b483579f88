"""Decisions of strategies that have alternatives, by name.

    tiles = kernel.choose("vectors", 3, (1, 2, 4))     // 3, unless another one is wanted

A strategy names its default and the alternatives where it decides; later ones may depend on earlier ones.
`relax-tune` runs a strategy once, reads what it offered, and runs it again with other decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

Choice: TypeAlias = int | str | bool

T = TypeVar("T", int, str, bool)


@dataclass
class Decisions:
    """The decisions for the kernels of a module."""

    wanted: Mapping[str, Choice] = field(default_factory=dict[str, Choice])
    """Decisions other than the default, by kernel and name."""
    offered: dict[str, tuple[Choice, ...]] = field(default_factory=dict[str, tuple[Choice, ...]])
    """The alternatives of each decision that was made, the default first."""

    def choose(self, name: str, default: T, others: Iterable[T]) -> T:
        """Return the wanted one of some alternatives, or the default."""
        options = tuple(dict.fromkeys((default, *others)))
        self.offered.setdefault(name, options)
        wanted = self.wanted.get(name, default)
        return cast("T", wanted) if wanted in options else default
