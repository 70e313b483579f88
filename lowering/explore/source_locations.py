"""The source locations of a program's ops, numbered for the page."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation

from relax_dialect.ir.locations import SourceText, in_file, place_text, places, site_text, source_of


class SourceLocations:
    """Numbered source locations: ops in files, and the lines of Python that built them."""

    def __init__(self, module: Operation) -> None:
        found = (source_of(in_file(op.location)) for op in module.walk())
        self.source: SourceText | None = next((each for each in found if each is not None), None)
        """The text that the module was read from."""
        self._numbered: dict[tuple[str, int], int] = {}
        self._of: dict[int, tuple[LocationAttr, tuple[int, ...]]] = {}

    @property
    def all(self) -> list[tuple[str, int]]:
        """Return each location by its number: its text, and its line in the source, or 0 if it is not
        there."""
        return list(self._numbered)

    def of(self, location: LocationAttr) -> tuple[int, ...]:
        """Return the numbers of a location's sources."""
        found = self._of.get(id(location))
        if found is None:
            found = self._of[id(location)] = (location, self._numbers(location))
        return found[1]

    def of_all(self, op: Operation) -> set[int]:
        """Return the numbers of the source locations of an op and its nested ops."""
        return {number for each in op.walk() for number in self.of(each.location)}

    def _numbers(self, location: LocationAttr) -> tuple[int, ...]:
        known: list[tuple[str, int]] = []
        for place in places(location):
            is_here = self.source is not None and source_of(place) is self.source
            written = place_text(place, base_name=True) or ""
            known.append((written, place.line.data if is_here else 0))
        if not known and (site := site_text(location)) is not None:
            known = [(site, 0)]
        return tuple(self._numbered.setdefault(p, len(self._numbered)) for p in known)
