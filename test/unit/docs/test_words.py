"""Prose keeps to the budget of words in CONTRIBUTING.md."""

import ast
import re

import pytest
from support.words import BUDGET, OF_BUDGET, count, files, prose

HEADLESS = ("What ", "Those ", "Let ", "How ", "Where ", "Who ")
OPENED = re.compile(rf"[\"'](?:\\\n)?\s*(?:{'|'.join(HEADLESS)})")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


@pytest.mark.slow
def test_prose_keeps_to_the_budget():
    """Run python test/unit/support/words.py for the files with most of these words."""
    words, used = map(sum, zip(*map(count, files())))
    assert words > 100_000
    assert used / words * 1e4 <= BUDGET


def test_docstrings_begin_with_a_noun_or_a_verb():
    headless: list[str] = []
    for path in files():
        text = path.read_text("utf-8")
        if path.suffix == ".py" and OPENED.search(text):  # few files are parsed
            for node in ast.walk(ast.parse(text)):
                docstring = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
                if docstring is not None and docstring.startswith(HEADLESS):
                    headless.append(f"{path.name}: {docstring.splitlines()[0]}")
    assert not headless


def test_words_are_counted(tmp_path):
    """Docstrings, comments and messages; terms of the field that contain such a word are none."""
    path = tmp_path / "f.py"
    path.write_text('"""Stands here, in place."""\nx = 1  # nobody reads it\nraise E("give it")\n')
    assert [*prose(path)] == ["Stands here, in place.", "give it", "# nobody reads it"]
    assert count(path) == (7, 3)
    assert {"stands", "nobody", "give"} <= OF_BUDGET
