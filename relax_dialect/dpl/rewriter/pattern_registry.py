"""Tables of patterns by name, which `relax-fuse-ops-by-pattern` outlines for a code generator.

register_patterns("mine", [FusionPattern("mine.matmul_relu", is_op("relu")(is_op("matmul")(x, w)))])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from xdsl.ir import Attribute

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.search.match import Check
from relax_dialect.dpl.syntax.language import as_pattern
from relax_dialect.dpl.syntax.patterns import Pattern
from relax_dialect.text.wording import nearest


def whole_pattern(given: object) -> Pattern:
    """Return the argument as a pattern of its own, which may have several roots."""
    return given if isinstance(given, Pattern) else as_pattern(given)


@dataclass(frozen=True)
class FusionPattern:
    """A pattern whose matches become functions, with their name: `Composite = "cblas.matmul_relu"`.

    `check(match)` may refuse a match; `attrs` are further attributes of the functions.
    """

    name: str
    pattern: Pattern
    check: Check | None = None
    attrs: Mapping[str, Attribute | str | int | bool] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise PatternError(
                f'FusionPattern: expected a name, as "cblas.matmul", found {self.name!r}; it becomes '
                "the attribute Composite"
            )
        object.__setattr__(self, "pattern", whole_pattern(self.pattern))
        if self.check is not None and not callable(self.check):
            raise PatternError(
                f"FusionPattern {self.name!r}: expected a function of a match as the check, found "
                f"{self.check!r}; leave it out to take every match"
            )

    @property
    def codegen(self) -> str:
        """The code generator: the name before its first dot, empty where there is no dot."""
        before, dot, _ = self.name.partition(".")
        return before if dot else ""


Table = Iterable["FusionPattern | tuple[object, ...]"]
"""Patterns, or arguments `row` of `FusionPattern(*row)`; earlier ones take precedence."""

_TABLES: dict[str, Table | Callable[[], Table]] = {}


def register_patterns(name: str, patterns: Table | Callable[[], Table]) -> None:
    """Register a table of patterns under a name; a later one of that name replaces it.

    A function that returns the table is called at the first lookup.
    """
    if not isinstance(name, str) or not name or "." in name:
        raise PatternError(
            f"register_patterns: expected a name without dots, as 'cblas', found {name!r}; choose one "
            "that the names of the patterns start with"
        )
    _TABLES[name] = patterns if callable(patterns) else _checked(name, patterns)


def pattern_tables() -> list[str]:
    """Return the names of all tables."""
    return sorted(_TABLES)


def get_patterns(prefix: str) -> list[FusionPattern]:
    """Return the patterns of a table: all of it for "cblas", or the patterns with that name prefix for
    "cblas.matmul".

    Raises `PatternError` for an unknown table, and if no name has the prefix.
    """
    name, dot, _ = prefix.partition(".")
    if name not in _TABLES:
        known = pattern_tables()
        near = nearest(name, known)
        mend = f"; the nearest is {near!r}" if near else "; register it with register_patterns"
        raise PatternError(
            f"patterns {prefix!r}: expected the name of a table of patterns "
            f"({', '.join(known) or 'there are none'}), found an unknown one{mend}"
        )
    table = _TABLES[name]
    if callable(table):
        table = _TABLES[name] = _checked(name, table())
    patterns = [p for p in table if isinstance(p, FusionPattern)]
    found = [p for p in patterns if p.name.startswith(prefix)] if dot else patterns
    if not found:
        names = ", ".join(dict.fromkeys(p.name for p in patterns)) or "none"
        raise PatternError(
            f"patterns {prefix!r}: expected the start of a pattern's name ({names}), found another; "
            "correct it"
        )
    return found


def _checked(name: str, table: Table) -> list[FusionPattern]:
    """A table as a list of patterns."""
    return fusion_patterns(f"register_patterns({name!r})", table)


def fusion_patterns(where: str, table: Table) -> list[FusionPattern]:
    """The rows of a table as patterns; raises `PatternError` for what is neither."""
    rows = list(table) if isinstance(table, Iterable) else [table]
    found: list[FusionPattern] = []
    for row in rows:
        if isinstance(row, tuple) and 2 <= len(row) <= 4:
            row = FusionPattern(*row)  # pyright: ignore[reportArgumentType]
        if not isinstance(row, FusionPattern):
            raise PatternError(
                f"{where}: expected a list of FusionPattern(name, pattern), found {row!r} in it; make one "
                "of it"
            )
        found.append(row)
    return found
