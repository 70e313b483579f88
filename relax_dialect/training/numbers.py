"""Checks of the numbers that optimizers, schedules and clipping are made with."""

from __future__ import annotations

import math

from relax_dialect.training.errors import TrainingError


def within(
    what: str, value: float, least: float = 0.0, below: float = math.inf, *, above: bool = False
) -> None:
    """Refuse a number outside of `least <= value < below`; or, with `above`, of `least < value < below`."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and (value > least if above else value >= least) and value < below:
        return
    expected = f"a number {'above' if above else 'of'} {least:g}"
    expected += f" and below {below:g}" if below < math.inf else "" if above else " or more"
    raise TrainingError(f"{what}: expected {expected}, found {value!r}; correct it")


def counted(what: str, value: int) -> None:
    """Refuse what is no number of steps, 1 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TrainingError(
            f"{what}: expected a whole number of steps, 1 or more, found {value!r}; correct it"
        )
