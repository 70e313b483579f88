"""Errors of differentiation."""

from collections.abc import Iterator
from contextlib import contextmanager

from relax_dialect.errors import RelaxError


class GradientError(RelaxError):
    """A function that cannot be differentiated."""


@contextmanager
def errors_in(place: str) -> Iterator[None]:
    """Prefix errors about ops with the enclosing function, as `@loss`."""
    try:
        yield
    except GradientError as error:
        if not str(error).startswith("@"):
            error.args = (f"{place}: {error}",)
        raise
