"""The errors of the pattern language."""

from relax_dialect.errors import RelaxError


class PatternError(RelaxError):
    """A pattern that cannot be built, can never match, or cannot be asked what it is asked."""


class PatternLimitError(PatternError):
    """A search that took more steps than it may: the pattern shares nodes, and is as hard as SAT."""


class RewriteError(RelaxError):
    """A rewrite that gives something else than stood there, or that does not come to an end."""
