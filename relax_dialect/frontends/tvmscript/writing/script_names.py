"""Names of values, sizes and functions in a script: the program's own, except those that Python
reserves."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

TAKEN = frozenset({"R", "T", "I", "cls", "tvm", "metadata", "Module", "TypeVar", "_", "float"})
"""Names that mean something in every script."""
UNNAMED = frozenset({None, "c"})
"""Default names of unnamed values: constants and tuples that have them are written where they are used."""
UNNAMED_SIZES = UNNAMED | {"lv", "gv"}
"""Default names of unnamed shapes and sizes; the builder's are among them."""


class ScriptNames:
    """Generates names, each once."""

    def __init__(self, taken: Iterable[str] = ()):
        self.taken: set[str] = {*TAKEN, *taken}
        self.counts: dict[str, int] = {}

    def new(self, wish: str) -> str:
        """Return a new name like `wish`, which is then taken: `x`, `x1`, `x2`."""
        name = re.sub(r"\W", "_", wish, flags=re.ASCII) or "v"
        if keyword.iskeyword(name):
            name += "_"
        elif not name.isidentifier():
            name = f"v{name}"
        found = name
        while found in self.taken:
            self.counts[name] = self.counts.get(name, 0) + 1
            found = f"{name}{self.counts[name]}"
        self.taken.add(found)
        return found
