"""C identifiers: valid, unique, no keyword, and as close to the program's own names as can be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache


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

MACROS = frozenset(
    _words(
        """NULL NAN INFINITY EOF I errno stdin stdout stderr assert BUFSIZ RAND_MAX HUGE_VAL FILE
    offsetof va_list va_start va_arg va_end va_copy unix linux DLTensor DLDevice DLDataType
    DLDeviceType DLDataTypeCode kDLCPU kDLInt kDLUInt kDLFloat kDLBfloat kDLBool kDLOpaqueHandle
    relax_object relax_function RELAX_ABI_VERSION RELAX_OBJECT"""
    )
)
"""Macros and types that no scope may hide."""

LIBRARY = (
    MATH_FUNCTIONS
    | MACROS
    | frozenset(
        _words(
            """isnan isinf isfinite isnormal isunordered islessgreater isgreater isless signbit
    fpclassify j0 j1 jn y0 y1 yn gamma index rindex abs labs llabs div ldiv lldiv abort exit atexit
    malloc calloc realloc free aligned_alloc madvise memcpy memmove memset memcmp memchr strlen
    strcmp strcpy strcat strchr strerror printf fprintf sprintf snprintf vsnprintf puts
    putchar fopen fclose fread fwrite fseek ftell rewind remove rename read write open close
    link unlink signal raise time clock random rand srand
    bcmp bcopy bzero ffs atoi atol atof strtol strtod qsort bsearch
    getenv mmap munmap mprotect msync mlock munlock mlockall munlockall shm_open shm_unlink fileno
    system mblen wctomb mbtowc clearerr feof ferror fgetc fgets fputc fputs fscanf getc
    getchar perror putc scanf setbuf setvbuf sscanf tmpfile tmpnam ungetc vprintf strtok strspn
    strcspn strpbrk strstr strncpy strncat strncmp strcoll strxfrm fsetpos fgetpos
    difftime mktime strftime gmtime localtime asctime ctime timespec_get nanosleep"""
        )
    )
)

_RESERVED = re.compile(
    r"u?int(8|16|32|64|ptr)_t|(size|ptrdiff)_t|U?INT(8|16|32|64|MAX)_C|E[A-Z0-9]{2,}"
    r"|(pthread|sched|clock|timer)_\w+|(FP|MATH|SEEK|EXIT|MB|L|RELAX|PROT|MAP|MS|MCL)_\w+|\w+_(MIN|MAX|API|H)"
    r"|(\w+_)?v\d+(f|i|u|bf)\d+(_u)?"
)
"""Types that we use, vectors and their helpers among them, and macros of the headers that we include."""

_TYPE = re.compile(r"\w+_t")
"""The form of type names that the library may define."""

_INVALID = re.compile(r"\W", re.ASCII)


@lru_cache(maxsize=4096)
def identifier(hint: str, *, local: bool = False) -> str:
    """`hint` as a C identifier that is no keyword or macro, and outside functions no library's."""
    text = _INVALID.sub("_", hint) or "v"
    if text[0].isdigit():
        text = f"v{text}"
    if text.startswith("_"):
        text = f"v{text}"
    taken = text in KEYWORDS or text in MACROS or _RESERVED.fullmatch(text)
    if taken or (not local and (text in LIBRARY or _TYPE.fullmatch(text))):
        text += "_"
    return text


class CNames:
    """The names in use, by scope: an inner scope hides nothing, and releases its names at the end.

    Names of a function (`local`) may hide names of the file and of the C library, except the reserved ones:
    those the function itself refers to.
    """

    def __init__(
        self,
        reserved: Iterable[str] = (),
        *,
        local: bool = False,
        avoided: re.Pattern[str] | None = None,
    ):
        """`avoided` are the identifiers of headers that the file includes besides."""
        self._avoided = avoided
        self._used: set[str] = set(reserved)
        self._local = local
        self._next: dict[str, int] = {}
        self._scopes: list[list[str]] = [[]]

    def __contains__(self, text: str) -> bool:
        return text in self._used or self._is_avoided(text)

    def _is_avoided(self, text: str) -> bool:
        return self._avoided is not None and self._avoided.fullmatch(text) is not None

    def reserve(self, text: str) -> None:
        self._used.add(text)

    def fresh(self, hint: str) -> str:
        """Return an unused identifier like `hint`, in use until the innermost scope ends."""
        base = identifier(hint, local=self._local)
        candidate = base = f"v{base}" if self._is_avoided(base) else base
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
