"""The errors of the importer: they name the program, the node and its source line, and the mend."""

from __future__ import annotations

from relax_dialect.errors import RelaxError


class TorchError(RelaxError):
    """A program that cannot be read, or not be expressed in our operators."""
