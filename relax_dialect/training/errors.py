"""The errors of this package."""

from relax_dialect.errors import RelaxError


class TrainingError(RelaxError):
    """A training step that cannot be made: says what was expected, what was found and how to mend it."""
