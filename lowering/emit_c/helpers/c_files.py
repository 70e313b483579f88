"""The helpers in the C files of this folder.

    /// allocate: set_error, attach, large_pages
    /* A buffer aligned to 64 bytes, or NULL with an error set. */
    static void *allocate(
        struct buffer **live, const char *what, size_t size, int rank, const int64_t *sizes)
    {

A line `/// name: needs` begins a helper; the needs are the helpers that it uses. Text after an empty `///`,
and above the first helper, is not emitted: it lets compilers and editors read the file alone. Names in
capitals, such as MAX_EXTENT and the NAME of the model, are filled in; `prelude.h` defines examples of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_MARKER = re.compile(r"^///(?: (\w+)(?:: (.*))?)?\n", re.M)


_DECLARED = re.compile(
    r"^(?:(?:__attribute__\(\(\w+\)\) )?(?:static|typedef) [^;={(]*?\b(?=\w+(?:\(|;|\[| =))|#define )(\w+)",
    re.MULTILINE,
)


class Helper(NamedTuple):
    """C text, and the names of the helpers that it uses."""

    needs: tuple[str, ...]
    text: str


@cache
def helpers_of(file: str) -> Mapping[str, Helper]:
    """Return the helpers of a C file by name, in its order."""
    source = (Path(__file__).parent / file).read_text("utf-8")
    _, *parts = _MARKER.split(f"{source}\n")
    helpers = zip(parts[::3], parts[1::3], parts[2::3])
    return {
        name: Helper(tuple(needs.split(", ")) if needs else (), text.removesuffix("\n"))
        for name, needs, text in helpers
        if name
    }


def declared(text: str) -> list[str]:
    """Return the functions, variables, types and macros that a helper declares for its file alone."""
    return _DECLARED.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace names in capitals by their values, also in a longer name such as `NAME_release`."""
    pattern = rf"(?<![A-Za-z0-9])({'|'.join(values)})(?![A-Za-z0-9])"
    return re.sub(pattern, lambda found: values[found[1]], text)
