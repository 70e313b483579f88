"""The errors of the pattern language."""

from relax_dialect.errors import RelaxError


class PatternError(RelaxError):
    """A pattern that cannot be built, can never match, or does not support the request."""


class PatternLimitError(PatternError):
    """A search that took more steps than it may: the pattern shares nodes, and is as hard as SAT."""


class RewriteError(RelaxError):
    """A rewrite that produces a value of another type or scope, or that does not terminate."""
