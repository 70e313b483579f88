"""The table of the operators that need parts of the passes on loops; the tests of each family check its rows."""

from __future__ import annotations

import census
import pytest
from operators import entries


def test_every_part_is_needed_by_operators_that_there_are():
    names = {entry.name for entry in entries()}
    assert set(census.table()) == set(census.PARTS)
    assert all(operators and operators <= names for operators in census.table().values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["concat", "logsumexp", "count_nonzero", "all", "exp"])
def test_what_an_operator_needs_is_seen(name: str):
    """On any machine; the most of its cases decide nothing more."""
    (entry,) = (entry for entry in entries() if entry.name == name)
    found = census.needs_of({f"f{number}": case for number, case in enumerate(entry.cases)})
    assert {part for part in found if found[part]} == {
        part for part, operators in census.table().items() if name in operators
    }
