"""The builder of importers, whose ops come from nodes of a model."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import LocationAttr, NameLoc, NoneAttr, StringAttr
from xdsl.ir import Operation

from relax_dialect.builder import BlockBuilder


def in_ascii(text: str) -> str:
    """Escape a text for programs: xDSL reads back no strings with other characters than ASCII."""
    return text.encode("ascii", "backslashreplace").decode()


class GraphBuilder(BlockBuilder):
    """A builder whose ops come from nodes of a model, no lines of Python."""

    notes_call_sites = False
    location: LocationAttr | None = None
    """The source location of the ops that are emitted now."""

    def locate(self, name: str) -> None:
        """Say that the next ops come from a node of this name."""
        self.location = NameLoc(StringAttr(in_ascii(name)), NoneAttr()) if name else None

    def defined_sizes(self) -> frozenset[str]:
        """Return the symbolic variables that are defined here."""
        return frozenset(self._scopes.defined)

    def _place(self, op: Operation, name_hint: str | None = None) -> Any:
        if self.location is not None:
            op.location = self.location
        return super()._place(op, name_hint)
