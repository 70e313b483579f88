"""C identifiers: valid, unique, no keyword, and as close to the program's own names as can be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


def _words(text: str) -> list[str]:
    return text.split()


KEYWORDS = frozenset(
    _words(
        """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch
    typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex
    _Generic _Imaginary _Noreturn _Static_assert _Thread_local bool true false asm typeof
    class new delete this private public protected template operator namespace main"""
    )
)

_MATH = _words(
    """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1
    fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log
    log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder
    remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc"""
)

MATH_FUNCTIONS = frozenset(f + suffix for f in _MATH for suffix in ("", "f"))

LIBRARY = MATH_FUNCTIONS | frozenset(
    _words(
        """isnan isinf isfinite isnormal isunordered islessgreater isgreater isless signbit
    fpclassify j0 j1 jn y0 y1 yn gamma index rindex abs labs llabs div ldiv lldiv abort exit atexit
    malloc calloc realloc free aligned_alloc memcpy memmove memset memcmp memchr strlen
    strcmp strcpy strcat strchr strerror printf fprintf sprintf snprintf vsnprintf puts
    putchar fopen fclose fread fwrite fseek ftell rewind remove rename read write open close
    link unlink errno stdin stdout stderr assert signal raise time clock random rand srand
    bcmp bcopy bzero ffs va_list va_start va_end NULL NAN INFINITY EOF I SIZE_MAX INT64_MIN
    INT64_MAX FILE BUFSIZ RAND_MAX HUGE_VAL offsetof atoi atol atof strtol strtod qsort bsearch
    getenv system mblen wctomb mbtowc clearerr feof ferror fgetc fgets fputc fputs fscanf getc
    getchar perror putc scanf setbuf setvbuf sscanf tmpfile tmpnam ungetc vprintf strtok strspn
    strcspn strpbrk strstr strncpy strncat strncmp strcoll strxfrm fsetpos fgetpos DLTensor
    DLDevice DLDataType DLDeviceType unix linux"""
    )
)

_RESERVED = re.compile(r"\w+_t|E[A-Z0-9]{2,}|(FP|MATH|SEEK|EXIT|MB|L|va)_\w+|\w+_(MIN|MAX)")
"""Types, and macros of the headers that we include."""

_INVALID = re.compile(r"\W", re.ASCII)


def identifier(hint: str) -> str:
    """`hint` as a C identifier that is no keyword and hides nothing of the C library."""
    text = _INVALID.sub("_", hint) or "v"
    if text[0].isdigit():
        text = f"v{text}"
    if text.startswith("_"):
        text = f"v{text}"
    if text in KEYWORDS or text in LIBRARY or _RESERVED.fullmatch(text):
        text += "_"
    return text


class Names:
    """The names in use, by scope: an inner scope hides nothing, and gives its names back."""

    def __init__(self, reserved: Iterable[str] = (), parent: Names | None = None):
        self._used: set[str] = set(reserved)
        self._parent = parent
        self._next: dict[str, int] = {}
        self._scopes: list[list[str]] = [[]]

    def __contains__(self, text: str) -> bool:
        return text in self._used or (self._parent is not None and text in self._parent)

    def reserve(self, text: str) -> None:
        self._used.add(text)

    def fresh(self, hint: str) -> str:
        """An unused identifier like `hint`, in use until the innermost scope ends."""
        base = candidate = identifier(hint)
        while candidate in self:
            count = self._next[base] = self._next.get(base, 0) + 1
            candidate = f"{base}_{count}"
        self._used.add(candidate)
        self._scopes[-1].append(candidate)
        return candidate

    def take(self, text: str) -> None:
        """Uses exactly this name until the innermost scope ends."""
        self._used.add(text)
        self._scopes[-1].append(text)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A C block: the names made inside may be made again after it."""
        self._scopes.append([])
        try:
            yield
        finally:
            self._used.difference_update(self._scopes.pop())
