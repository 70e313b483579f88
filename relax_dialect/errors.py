"""The errors that a user's mistake gets."""


class RelaxError(Exception):
    """A mistake of the user: says what was expected, what was found and how to mend it."""


class SymbolicError(RelaxError):
    """A symbolic size that cannot be read, built, matched or evaluated."""


class ExecutionError(RelaxError):
    """A program that failed while it ran: names the function and the argument or op at fault."""


class InternalError(Exception):
    """A fault of the compiler, no mistake of the user: names the pass and a file that reproduces it."""
