"""The wording of errors: descriptions of found objects, and suggestions for misspelled names."""

from __future__ import annotations

import re
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
    """The known name that an unknown one is a slip of, or short for, if there is one.

    At most a quarter of the letters of a slip differ; `tnsr` is short for `tensor`.
    """
    near = get_close_matches(name, list(names), n=8, cutoff=0.5)
    count, best = min(((edits(name, known), known) for known in near), default=(0, None))
    if best is not None and (count <= len(_own_part(name)) // 4 or _is_short_slip(name, best)):
        return best
    return next((known for known in near if _abbreviates(name, known)), None)


def _own_part(name: str) -> str:
    """A name without the prefix that all names of the dialect have."""
    return name.removeprefix("relax-").removeprefix("relax.")


def _is_short_slip(name: str, known: str) -> bool:
    """Whether a name of two or three letters is a known one with two swapped, one more or one missing."""
    has_same_letters = sorted(name) == sorted(known)
    is_longer = len(name) != len(known)
    return (
        len(_own_part(name)) in (2, 3)
        and edits(name, known) == 1
        and (has_same_letters or is_longer)
    )


def _abbreviates(name: str, known: str) -> bool:
    """Whether a name is the beginning of a known one, at least half of it, or that without vowels."""
    name, known = _own_part(name), _own_part(known)
    if len(name) < max(3, len(known) // 2):
        return False
    return known.startswith(name) or name == known[:1] + re.sub("[aeiou]", "", known[1:])


def edits(left: str, right: str) -> int:
    """The number of insertions, deletions, replacements and swaps of neighbours between two names.

    The optimal string alignment distance of Damerau and Levenshtein.
    """
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        following = [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        before, row = row, following
    return row[-1]
