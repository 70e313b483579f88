"""The helpers, vector types and headers that the code of a file uses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from lowering.emit_c.helpers import caller_arena
from lowering.emit_c.helpers.c_files import Helper, declared, fill, helpers_of
from lowering.emit_c.syntax.c_names import MATH_FUNCTIONS
from lowering.emit_c.syntax.c_types import BF16, BOOL, DOUBLE, F16, FLOAT, INTS, UINTS
from lowering.emit_c.syntax.vector_types import NO_NOTES, CVector
from relax_dialect import symbolic
from relax_dialect.symbolic import C_HELPERS

FILES = (
    "attributes.c", "errors.c", "memory.c", "entry.c", "arena.c", "threads.c", "packed.c", "objects.c",
    "mpi_mail.c", "mpi.c", "mpi_collectives.c",
)  # fmt: skip
"""The C files of helpers that functions call by their names, in the order of printing."""

_TYPES = (*INTS.values(), *UINTS.values(), F16, BF16, FLOAT, DOUBLE, BOOL)

_LIMITS = ("MAX_EXTENT", "MAX_SUM", "SMALL_FACTOR", "LARGE_PRODUCT", "LARGE_SUM", "BROADCAST")
"""The limits of symbolic sizes that helpers check, and their messages."""


@cache
def runtime_helpers() -> Mapping[str, Helper]:
    """Return these helpers by name."""
    return {name: helper for file in FILES for name, helper in helpers_of(file).items()}


@cache
def helper_names() -> frozenset[str]:
    """Return the functions that any function of a file may call."""
    texts = [helper.text for helper in runtime_helpers().values()]
    return frozenset(
        [f"{kind}_{t.suffix}" for kind in helpers_of("scalars.c") for t in _TYPES]
        + [
            f"{a.suffix}_{how}_{b.suffix}"
            for how in ("bits_as", "to", "row_to")
            for a in _TYPES
            for b in _TYPES
        ]
        + [*runtime_helpers(), *C_HELPERS, *caller_arena.ADDED]
        + [name for text in texts for name in declared(text)]
    )


HEADER_OF: dict[str, str] = {
    **dict.fromkeys(MATH_FUNCTIONS, "math.h"),
    **dict.fromkeys(("NAN", "INFINITY", "isnan", "isunordered", "islessgreater"), "math.h"),
    **dict.fromkeys(
        ("memcpy", "memcmp", "strerror", "strcmp", "strncmp", "strchr", "strlen"), "string.h"
    ),
    **dict.fromkeys(
        ("aligned_alloc", "malloc", "calloc", "free", "strtod", "atoi", "getenv"), "stdlib.h"
    ),
    **dict.fromkeys(("vsnprintf", "fopen", "FILE"), "stdio.h"),
    "va_list": "stdarg.h",
    "errno": "errno.h",
    **dict.fromkeys(("bool", "true", "false"), "stdbool.h"),
    **dict.fromkeys(("int64_t", "uint8_t", "uintptr_t"), "stdint.h"),
    "size_t": "stddef.h",
    "INT_MAX": "limits.h",
    "NULL": "stddef.h",
}
"""The header that a file needs for each word in its text."""


def headers(used: Collection[str]) -> set[str]:
    """Return the C library headers for a file that contains these words."""
    return {HEADER_OF[word] for word in used if word in HEADER_OF}


class UsedHelpers:
    """The helpers that a file calls, with the helpers those call, and its vector types."""

    def __init__(self, *, has_arena: bool):
        self._known = runtime_helpers()
        if has_arena:
            own = caller_arena.helpers()
            self._known = {"given_arena": own["given_arena"], **self._known, **own}
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
                work.extend(self._known[helper].needs)

    def use_vector(self, v: CVector, *, in_memory: bool = False) -> None:
        """Declare a vector type, or its unaligned form for elements in memory."""
        name = v.unaligned if in_memory else v.name
        if name not in self._typedefs:
            self._typedefs[name] = v.unaligned_typedef() if in_memory else v.typedef()

    def uses(self, name: str) -> bool:
        """Return whether a known helper has been added."""
        return name in self._used

    def texts(self, used: Collection[str], given: Mapping[str, str]) -> list[str]:
        """Return the definitions, for a file that contains the words `used`; `given` are the values of
        names in the texts."""
        for name in self._known:
            if name in used:
                self.use_runtime(name)
        values = {**given, **{name: str(getattr(symbolic, name)) for name in _LIMITS}}
        texts = [
            fill(helper.text, values) for name, helper in self._known.items() if name in self._used
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
