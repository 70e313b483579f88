"""Names and strings of any text: printed and read, interpreted, as C, its manifest and TVMScript."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hostile_texts import FUNCTION, PIECES, Checker, hostile
from optional import FULL, shortened

import lowering
from lowering.emit_c.syntax.layout import comment, without_comments, words
from relax_dialect import parse
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import filled, literal, pieces

JOINED = [" ".join(PIECES[i::4]) for i in range(4)]


@pytest.mark.slow
@shortened
def test_every_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    random = Random(3)
    texts = [*PIECES, *(hostile(random) for _ in range(50))] if FULL else JOINED
    Checker(texts, tmp_path).check(capfd.readouterr)


@pytest.mark.parametrize("place", ["FUNCTION", "MESSAGE", "PACKED"])
def test_nul_is_no_text_of_c(place: str):
    name = '@"a\\00b"' if place == "FUNCTION" else r"a\00b"
    module = parse(FUNCTION.replace("@FUNCTION" if place == "FUNCTION" else place, name))
    assert str(parse(str(module))) == str(module)
    with pytest.raises(RelaxError, match=r"expected names and messages without NUL, found one"):
        lowering.to_c(module)


def test_a_comment_has_no_end_inside():
    for text in ("*/", "/*", "/*/", "**//", "*/*/", "??/", "????", "a\nb", "*\\/"):
        found = comment(text)
        assert found.count("*/") == found.count("/*") == 1
        assert "??" not in found
        assert "\n" not in found


def test_words_stand_outside_of_comments_and_strings():
    text = r"""f("/*", g, 'a', "\" h */", /* "i */ j, 1e5f, 0x1p3, .5f) // k"""
    assert [*words(text)] == ["f", "g", "j"]
    assert without_comments("/* a; */ int b; // c") == "  int b;  "


def test_messages_with_braces():
    message = f"{literal('@{n}: {{')}: size {{n}} {{}} }} {{"
    assert pieces(message) == ["@{n}: {{: size ", "n", " {} } {"]
    assert filled(message, str.upper) == "@{n}: {{: size N {} } {"
