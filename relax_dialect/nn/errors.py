"""The errors of this package."""

from relax_dialect.errors import RelaxError


class ModuleError(RelaxError):
    """A module that cannot be exported, or weights that are not its own: states what was expected, what was
    found and the remedy."""
