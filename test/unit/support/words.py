"""The words of docstrings, comments, messages and pages, for the budget that CONTRIBUTING.md states.

`python test/unit/support/words.py [PATH...]` prints the uses per 10,000 words, and the files with most of them.
Messages are string literals of several words; templates of C and MLIR are not counted.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("relax_dialect", "lowering", "docs", "bench", "examples")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")

FORMS = {
    "place": "place places placed placing",
    "stand": "stand stands stood standing",
    "turn": "turn turns turned turning",
    "give": "give gives gave given giving",
    "tell": "tell tells told telling",
    "nobody": "nobody",
}
"""Words for which the field has others: location, iteration, return, report, unused."""
BUDGET = 15
"""The limit of these words per 10,000."""
OF_BUDGET = {form for forms in FORMS.values() for form in forms.split()}

WORD = re.compile(r"[A-Za-z']+")
CODE = re.compile(r";\n|[{}]|\) *->|^\s*%|^[^a-zA-Z]*$")
"""Text in a string literal that is C, MLIR or a template."""
LITERAL_OR_COMMENT = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*""",
    re.DOTALL,
)
"""String literals, which may hold a number sign, and comments: 30 times as fast as `tokenize`."""
TERMS = re.compile(r"\bin[- ]place\b|\bout[- ]of[- ]place\b", re.IGNORECASE)
"""Terms of the field that contain such a word."""


def prose(path: Path) -> Iterator[str]:
    """The docstrings and comments of a Python file, or a page without its code."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield re.sub(r"^```.*?^```|`[^`\n]*`", " ", text, flags=re.DOTALL | re.MULTILINE)
        return
    documented = set[ast.expr]()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                documented.add(statement.value)
                yield str(statement.value.value)
        value = node.value if isinstance(node, ast.Constant) and node not in documented else None
        if isinstance(value, str) and " " in value and not CODE.search(value):
            yield value
    yield from (found for found in LITERAL_OR_COMMENT.findall(text) if found.startswith("#"))


def files() -> list[Path]:
    """The files whose prose is counted."""
    found = [
        p
        for name in PACKAGES
        for suffix in ("py", "md")
        for p in (ROOT / name).rglob(f"*.{suffix}")
    ]
    return sorted(p for p in found if "__pycache__" not in p.parts) + [ROOT / p for p in PAGES]


def count(path: Path) -> tuple[int, int]:
    """The words of a file, and those of the budget among them."""
    words = [w.lower() for text in prose(path) for w in WORD.findall(TERMS.sub("", text))]
    return len(words), sum(word in OF_BUDGET for word in words)


def main(names: list[str]) -> None:
    """Print the counts of some files or folders, by default of all."""
    paths = [
        p for p in files() if not names or any(str(p).startswith(str(ROOT / n)) for n in names)
    ]
    counts = {path: count(path) for path in paths}
    words, used = map(sum, zip(*counts.values()))
    print(f"{used} of {words} words, {used / words * 1e4:.1f} per 10,000")
    worst = Counter({path: found for path, (_, found) in counts.items()})
    for path, found in worst.most_common(20):
        print(f"{found:5} {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
