"""The errors that a user's mistake gets."""


class RelaxError(Exception):
    """A mistake of the user: says what was expected, what was found and how to mend it."""


class SymbolicError(RelaxError):
    """A symbolic size that cannot be read, built, matched or evaluated."""
