"""Checks of the numbers that optimizers, schedules and clipping are made with."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from relax_dialect.training.errors import TrainingError


def within(
    what: str, value: float, least: float = 0.0, below: float = math.inf, *, above: bool = False
) -> None:
    """Refuse a number outside of `least <= value < below`; or, with `above`, of `least < value < below`."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (value > least if above else value >= least) and value < below:
        return
    expected = f"a number above {least:g}" if above else f"a number of {least:g} or more"
    expected += f" and below {below:g}" if below < math.inf else ""
    raise TrainingError(f"{what}: expected {expected}, found {value!r}; {_mend(value)}")


def counted(what: str, value: int) -> None:
    """Refuse a number of steps that is no integer of 1 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TrainingError(
            f"{what}: expected a whole number of steps, 1 or more, found {value!r}; {_mend(value)}"
        )


def _mend(value: Any) -> str:
    """Return the remedy for a refused number, such as one of numpy's."""
    return "make a number of Python of it, with item()" if hasattr(value, "item") else "correct it"


def takes(what: str, function: Callable[..., Any], *arguments: str) -> None:
    """Refuse a function that does not take some arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without a signature
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise TrainingError(
            f"{what}: expected a function of {' and '.join(arguments)}, found one that does not take "
            f"{'that' if len(arguments) == 1 else 'these'}: {error}; correct it"
        ) from None
