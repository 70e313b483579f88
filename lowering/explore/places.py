"""The places in programs that things were made from, numbered for the page."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation

from relax_dialect.ir.locations import place_text, places, site_text


class Places:
    """Numbers for places: those of ops in files, and the lines of Python that asked for them."""

    def __init__(self) -> None:
        self._numbered: dict[tuple[str, int, int], int] = {}
        """By their text, line and column; 0 and 0 for lines of Python."""
        self._found: dict[int, tuple[LocationAttr, tuple[int, ...]]] = {}

    @property
    def all(self) -> list[tuple[str, int, int]]:
        """Text, line and column of each place, by number."""
        return list(self._numbered)

    def of(self, location: LocationAttr) -> tuple[int, ...]:
        """The numbers of what something was made from."""
        found = self._found.get(id(location))
        if found is None:
            found = self._found[id(location)] = (location, self._numbers(location))
        return found[1]

    def of_all(self, op: Operation) -> set[int]:
        """The numbers of what an op and all in it were made from."""
        return {number for each in op.walk() for number in self.of(each.location)}

    def _numbers(self, location: LocationAttr) -> tuple[int, ...]:
        known: list[tuple[str, int, int]] = [
            (place_text(p, base_name=True) or "", p.line.data, p.column.data)
            for p in places(location)
        ]
        if not known and (site := site_text(location)) is not None:
            known = [(site, 0, 0)]
        return tuple(self._numbered.setdefault(p, len(self._numbered)) for p in known)
