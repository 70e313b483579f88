"""Programs as text for people: large constants are shown by their number of elements."""

from __future__ import annotations

from io import StringIO

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

MOST_ELEMENTS = 16
"""Constants with more elements are shown by number."""


class ElidingPrinter(Printer):
    """Prints programs without their large constants; the text is not parsed back."""

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, DenseIntOrFPElementsAttr) and len(attribute) > MOST_ELEMENTS:
            self.print_string(f"dense<... {len(attribute)} elements ...> : ")
            attribute = attribute.type
        super().print_attribute(attribute)


def elided(op: Operation) -> str:
    """Return an op as text, without its large constants."""
    stream = StringIO()
    ElidingPrinter(stream).print_op(op)
    return stream.getvalue()
