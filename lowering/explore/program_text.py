"""IR as lines of text, each with the source locations of its ops.

Values keep their names from one pass to the next, so that only changes by a pass are different lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import Any

from xdsl.ir import Attribute, Operation

from lowering.explore.source_locations import SourceLocations
from relax_dialect.text.elided import ElidingPrinter

Line = tuple[str, tuple[int, ...]]
"""A line of text, and the numbers of its source locations."""


class LinePrinter(ElidingPrinter):
    """Prints one function again and again, with the same names for the same values."""

    def __init__(self, places: SourceLocations):
        super().__init__()
        self.places = places
        self.origins: dict[int, dict[int, None]] = {}

    def lines(self, op: Operation) -> list[Line]:
        """Print the lines of an op."""
        self.stream = text = StringIO()
        self.origins, self._current_line, self._current_column = {}, 0, 0
        self.print_op(op)
        found = text.getvalue().split("\n")
        return [(line, tuple(self.origins.get(i, ()))) for i, line in enumerate(found)]

    def print_op(self, op: Operation) -> None:
        if numbers := self.places.of(op.location):
            self.origins.setdefault(self._current_line, {}).update(dict.fromkeys(numbers))
        super().print_op(op)

    def enter_scope(self) -> None:
        """Keep the scope: names are unique in a function, with all nested regions."""

    def exit_scope(self) -> None:
        """As `enter_scope`."""


def contents(op: Operation) -> list[tuple[Any, ...]]:
    """Return the parts that the text of an op depends on, to be compared without printing it."""
    return [_own(each) for each in op.walk()]


def _own(op: Operation) -> tuple[Any, ...]:
    return (
        op,
        op.parent,
        op.location,
        *op.operands,
        *_of_dict(op.attributes),
        *_of_dict(op.properties),
        *(x for value in op.results for x in (value.type, value.name_hint)),
        *(
            x
            for region in op.regions
            for block in region.blocks
            for value in block.args
            for x in (value, value.type, value.name_hint)
        ),
    )


def _of_dict(attributes: dict[str, Attribute]) -> Iterable[Any]:
    return (*attributes, *attributes.values())
