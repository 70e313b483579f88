"""Names of files and classes that several files of the two packages have.

`python test/unit/support/clashing_names.py` prints them. Operator families and folders that mirror each other have
the names of their families, and are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("relax_dialect", "lowering")
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
FAMILIES = (
    "relax_dialect/ops",
    "relax_dialect/gradient/adjoints",
    "relax_dialect/frontends/onnx/converters",
    "lowering/schedule/primitives",
)
"""Folders with a file for each family, whose name other folders repeat."""

Names = dict[str, list[Path]]


def files() -> Iterator[Path]:
    """The files of the packages."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def _clashes(found: Names) -> Names:
    return {name: paths for name, paths in sorted(found.items()) if len(paths) > 1}


def file_names() -> Names:
    """The names of several files, families apart."""
    families = {path.stem for folder in FAMILIES for path in (ROOT / folder).rglob("*.py")}
    found: Names = defaultdict(list)
    for path in files():
        if path.stem not in families and not path.stem.startswith("__"):
            found[path.stem].append(path)
    return _clashes(found)


def class_names() -> Names:
    """The names of classes that several files define."""
    found: Names = defaultdict(list)
    for path in files():
        for name in CLASS.findall(path.read_text("utf-8")):
            found[name].append(path)
    return _clashes(found)


if __name__ == "__main__":
    for title, names in (("file", file_names()), ("class", class_names())):
        print(f"{len(names)} {title} names of several files")
        for name, paths in names.items():
            print(f"  {name}: {', '.join(str(path.relative_to(ROOT)) for path in paths)}")
