"""The shortages of a machine (memory, disk space, a folder for programs), and the remedy of each."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from relax_dialect.errors import RelaxError

MEMORY = "raise the limit of memory (`ulimit -v`), or build on a machine with more"

MENDS: Mapping[str, str] = {
    "No space left on device|Disk quota exceeded": "free space there, or set TMPDIR to a folder "
    "that has more",
    "File too large|File size limit exceeded": "raise the limit of the size of files (`ulimit -f`)",
    "No usable temporary directory": "set TMPDIR to a folder that can be written to",
    "failed to map segment": "temporary files lie on a file system mounted with noexec: set TMPDIR to a "
    "folder from which programs may run",
    "memory exhausted|out of memory|Cannot allocate memory|Killed signal": MEMORY,
}
"""The mend by the words of the system, its loader, or a C compiler."""


def mend(text: str) -> str:
    """Return the mend of an error as the end of its message; nothing for an error that is not of the
    machine."""
    found = next((mend for words, mend in MENDS.items() if re.search(words, text)), None)
    if found is None:
        return ""
    return f"; {found}" if "TMPDIR" not in found else f"; {found} (now {_temporary()})"


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "none"


@contextmanager
def shortages(doing: str) -> Iterator[None]:
    """Report an error of the machine as a `RelaxError` that names its mend."""
    try:
        yield
    except MemoryError:
        raise RelaxError(f"{doing}: expected more memory, found none left; {MEMORY}") from None
    except OSError as error:
        raise RelaxError(f"{doing}: {error}{mend(str(error))}") from None
