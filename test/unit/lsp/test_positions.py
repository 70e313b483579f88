"""Lines and columns as editors count them."""

import pytest

from relax_dialect.lsp.document import Lines

TEXT = "aé\r\n😀b\n\rlast"


@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-8", (3, 5)), ("utf-16", (2, 3)), ("utf-32", (2, 2))]
)
def test_columns_are_counted_in_the_units_of_the_editor(encoding: str, columns: tuple[int, int]):
    lines = Lines(TEXT, encoding)
    assert lines.place(TEXT.index("\r\n")) == (0, columns[0])
    assert lines.place(TEXT.index("\n\r")) == (1, columns[1])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_every_offset_comes_back(encoding: str):
    lines = Lines(TEXT, encoding)
    inside = TEXT.index("\n")  # an end of two characters
    offsets = [o for o in range(len(TEXT) + 1) if o != inside]
    assert [lines.offset(*lines.place(offset)) for offset in offsets] == offsets


def test_a_place_past_the_end_is_the_end():
    lines = Lines(TEXT)
    assert lines.offset(0, 99) == TEXT.index("\r")
    assert lines.offset(99, 0) == len(TEXT)
    assert Lines("").offset(0, 5) == 0 and Lines("").place(0) == (0, 0)
