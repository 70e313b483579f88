"""The helpers, vector types and headers that the code of a file uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from lowering.emit_c.helpers import arena, caller_arena
from lowering.emit_c.helpers.entry_helpers import ENTRY_HELPERS
from lowering.emit_c.helpers.memory_helpers import MEMORY_HELPERS
from lowering.emit_c.helpers.object_helpers import OBJECT_HELPERS
from lowering.emit_c.helpers.packed_helpers import PACKED_HELPERS
from lowering.emit_c.helpers.scalar_helpers import SCALAR_HELPERS
from lowering.emit_c.syntax.c_names import MATH_FUNCTIONS
from lowering.emit_c.syntax.c_types import BF16, BOOL, DOUBLE, F16, FLOAT, INTS, UINTS
from lowering.emit_c.syntax.compiler_attributes import (
    KEEP_BRANCHES,
    MACRO,
    NOINLINE,
    NOINLINE_MACRO,
    PREFETCH,
    PREFETCH_MACRO,
)
from lowering.emit_c.syntax.vector_types import NO_NOTES, CVector
from relax_dialect import symbolic
from relax_dialect.symbolic import C_HELPERS

ERROR_HELPERS: dict[str, tuple[tuple[str, ...], str]] = {
    # name: (the helpers it calls, text), in the order of printing
    "set_error": (
        (),
        """static _Thread_local char last_error[512];

/* Remembers why the current call fails. */
static void set_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
}
""",
    ),
    "place_error": (
        ("set_error",),
        """/* Puts the place of an op before a message that begins with its name. */
static void place_error(const char *name, const char *place)
{
    const size_t length = strlen(name), added = strlen(place);
    char rest[sizeof last_error];
    if (strncmp(last_error, name, length) != 0 || added >= sizeof last_error)
        return;
    memcpy(rest, last_error + length, sizeof last_error - length);
    memcpy(last_error, place, added);
    memcpy(last_error + added, rest, sizeof last_error - (added > length ? added : length));
    last_error[sizeof last_error - 1] = 0;
}
""",
    ),
}


RUNTIME_HELPERS = {
    KEEP_BRANCHES: ((), MACRO),
    NOINLINE: ((), NOINLINE_MACRO),
    PREFETCH: ((), PREFETCH_MACRO),
    **ERROR_HELPERS,
    **MEMORY_HELPERS,
    **ENTRY_HELPERS,
    **arena.ARENA_HELPERS,
    **PACKED_HELPERS,
    **OBJECT_HELPERS,
}
"""The callees and texts of helpers, by helper name."""

_TYPES = (*INTS.values(), *UINTS.values(), F16, BF16, FLOAT, DOUBLE, BOOL)

HELPER_NAMES = frozenset(
    [f"{kind}_{t.suffix}" for kind in SCALAR_HELPERS for t in _TYPES]
    + [
        f"{a.suffix}_{how}_{b.suffix}"
        for how in ("bits_as", "to", "row_to")
        for a in _TYPES
        for b in _TYPES
    ]
    + [*RUNTIME_HELPERS, *C_HELPERS, *caller_arena.ADDED]
    + [
        n
        for _, text in RUNTIME_HELPERS.values()
        for n in re.findall(r"^static .*?(\w+)\(", text, re.M)
    ]
)
"""Functions that any function of a file may call."""

HEADER_OF: dict[str, str] = {
    **dict.fromkeys(MATH_FUNCTIONS, "math.h"),
    **dict.fromkeys(("NAN", "INFINITY", "isnan", "isunordered", "islessgreater"), "math.h"),
    **dict.fromkeys(
        ("memcpy", "memcmp", "strerror", "strcmp", "strncmp", "strchr", "strlen"), "string.h"
    ),
    **dict.fromkeys(("aligned_alloc", "malloc", "free", "strtod", "atoi"), "stdlib.h"),
    **dict.fromkeys(("vsnprintf", "fopen", "FILE"), "stdio.h"),
    "va_list": "stdarg.h",
    "errno": "errno.h",
    **dict.fromkeys(("bool", "true", "false"), "stdbool.h"),
    **dict.fromkeys(("int64_t", "uint8_t", "uintptr_t"), "stdint.h"),
    "size_t": "stddef.h",
    "NULL": "stddef.h",
}
"""The header that a file needs for each word in its text."""


def headers(used: Collection[str]) -> set[str]:
    """Return the C library headers for a file that contains these words."""
    return {HEADER_OF[word] for word in used if word in HEADER_OF}


class UsedHelpers:
    """The helpers that a file calls, with the helpers those call, and its vector types."""

    def __init__(self, *, has_arena: bool):
        self._known = RUNTIME_HELPERS
        if has_arena:
            own = caller_arena.HELPERS
            self._known = {"given_arena": own["given_arena"], **RUNTIME_HELPERS, **own}
        self._used: set[str] = set()
        self._scalar: dict[str, str] = {}
        self._typedefs: dict[str, str] = {}

    def use(self, helper: tuple[str, str]) -> str:
        """Add a helper by name and text; return the name."""
        name, text = helper
        self._scalar.setdefault(name, text)
        return name

    def use_runtime(self, name: str) -> None:
        """Add a known helper and its callees."""
        work = [name]
        while work:
            helper = work.pop()
            if helper not in self._used:
                self._used.add(helper)
                work.extend(self._known[helper][0])

    def use_vector(self, v: CVector, *, in_memory: bool = False) -> None:
        """Declare a vector type, or its unaligned form for elements in memory."""
        name, text = (v.unaligned, v.unaligned_typedef()) if in_memory else (v.name, v.typedef())
        self._typedefs.setdefault(name, text)

    def uses(self, name: str) -> bool:
        """Return whether a known helper has been added."""
        return name in self._used

    def texts(self, used: Collection[str], given: Mapping[str, str]) -> list[str]:
        """Return the definitions, for a file that contains the words `used`; `given` maps the names between
        @ in the texts to their values."""
        for name in self._known:
            if name in used:
                self.use_runtime(name)
        texts = [
            _filled(text, given) for name, (_, text) in self._known.items() if name in self._used
        ]
        texts += [
            text.replace(") {\n  ", ")\n{\n    ")
            for name, text in C_HELPERS.items()
            if name in used
        ]
        if self._typedefs:
            types = sorted(self._typedefs.items())
            texts.append("\n".join([NO_NOTES, *(text for _, text in types), ""]))
        return [*texts, *self._scalar.values()]


def _filled(text: str, given: Mapping[str, str]) -> str:
    """Fill the text of a helper with the values in `given` and the limits of symbolic sizes."""
    return re.sub(
        r"@([A-Z_]+)@",
        lambda found: given.get(found[1]) or str(getattr(symbolic, found[1])),
        text,
    )
