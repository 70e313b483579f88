"""Names in written scripts."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

_LOOP = re.compile(r"(v_)?(ax|k)\d+")


class TirNames:
    """Unique names that Python does not reserve."""

    def __init__(self, taken: Iterable[str] = ()):
        self.taken = {"T", "R", "I", *taken}

    def fresh(self, name: str) -> str:
        """Return a fresh name like `wish`."""
        base = re.sub(r"\W", "_", name, flags=re.ASCII) or "t"
        if base[0].isdigit() or keyword.iskeyword(base) or _LOOP.fullmatch(base):
            base = f"_{base}" if base[0].isdigit() else f"{base}_"
        found, count = base, 0
        while found in self.taken:
            count += 1
            found = f"{base}_{count}"
        self.taken.add(found)
        return found
