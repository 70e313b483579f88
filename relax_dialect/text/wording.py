"""The wording of errors: descriptions of found objects, and suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from types import FunctionType

from xdsl.ir import Attribute, Operation, SSAValue

LONGEST = 80
"""Longer texts of found objects are truncated."""


def found_text(given: object) -> str:
    """Return the text of a found object for error messages, on one line."""
    if isinstance(given, Operation):
        return f"the op {given.name}"
    if isinstance(given, SSAValue):
        return f"the value %{given.name_hint or '?'}"
    if isinstance(given, list | tuple) and any(isinstance(each, SSAValue) for each in given):
        return f"a {type(given).__name__} of {len(given)}"
    if isinstance(given, type | FunctionType):
        return f"the {'class' if isinstance(given, type) else 'function'} {given.__name__}"
    text = " ".join((str if isinstance(given, Attribute) else repr)(given).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the known name that is most like an unknown one, if one is like it."""
    return next(iter(get_close_matches(name, list(names), n=1, cutoff=0.5)), None)
