"""The errors of this package."""

from relax_dialect.errors import RelaxError


class TrainingError(RelaxError):
    """A training step that cannot be made: states what was expected, what was found and the remedy."""
