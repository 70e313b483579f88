"""What gradients refuse."""

from relax_dialect.errors import RelaxError


class GradientError(RelaxError):
    """A function that cannot be differentiated."""
