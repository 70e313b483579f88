"""The reference page is up to date, and every cell of it is filled by a test."""

import pytest
from operators import COLUMNS, PAGE, Entry, documented, entries, page


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run python test/unit/operators.py"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_cell_is_filled(entry: Entry):
    cells = entry.cells()
    assert tuple(cells) == COLUMNS
    assert all(cells.values()), f"{entry.op.name}: {cells}"


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_operator_says_what_it_computes(entry: Entry):
    assert documented(entry.op)[0]


def test_names_are_unique():
    names = [entry.name for entry in entries()]
    assert len(names) == len(set(names))
