"""The emitted C of every program of the FileCheck tests and examples: `python test/unit/support/emitted_c.py FOLDER`.

A refactoring keeps it: write it before and after, and compare the two folders with `diff -r`. A program that does
not compile is skipped, with its error as the file's text. The C depends on `--cpu`, not on this machine.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from lowering import to_c
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse

ROOT = Path(__file__).parents[3]
SPLIT = "// -----"


def programs() -> dict[str, str]:
    """The text of each program, by a digest of its text."""
    found: dict[str, str] = {}
    for folder in ("examples", "test/filecheck"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            for text in path.read_text("utf-8", "replace").split(SPLIT):
                if "Output" not in path.parts:
                    found[digest(text)] = text
    return found


def digest(text: str) -> str:
    """A name for a program that stays the same when its file or its RUN lines change."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("//")]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def emitted(text: str, cpu: str) -> str:
    """The C of a program, or the error that refuses it."""
    try:
        return to_c(parse(text), cpu=cpu).alone()
    except RelaxError as error:
        return f"error: {error}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cpu", default="x86-64-v3")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    compiled = 0
    for name, text in programs().items():
        c = emitted(text, options.cpu)
        compiled += not c.startswith("error: ")
        (options.folder / f"{name}.c").write_text(c)
    print(f"{compiled} programs compiled, in {options.folder}")


if __name__ == "__main__":
    main()
